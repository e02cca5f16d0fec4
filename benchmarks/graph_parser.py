"""A biaffine graph parser (Dozat & Manning 2017) on the encoder of a network, to compare transition-based ones with.

It has the network's inputs, encoder, arc and label layers, dropout, optimizer, averages and schedule; heads are chosen
by Edmonds' algorithm among all trees with one root. Only what a transition system adds is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch.nn import functional

import panparser as pp
from panparser.batches.classifier import ActionNames, ClassifierSetup
from panparser.learning.layers import Labels
from panparser.networks.network import NetworkSpec
from panparser.networks.network_inputs import InputReader, grouped_by_length
from panparser.neural.torch_network import rows
from panparser.neural.torch_training import Trainer
from panparser.trees.projectivity import maximum_spanning_tree


class GraphParser:
    """Trained by `train_graph_parser`."""

    def __init__(self, trainer: Trainer, labels: list[str]) -> None:
        self.trainer, self.labels = trainer, labels

    def batches(self, treebank: pp.Treebank, numbers: Any, words: int) -> Any:
        reader = InputReader(self.trainer.network, self.trainer.vocabulary, treebank, None)
        lengths = np.diff(treebank.offsets).astype(np.int64)
        return [reader.read(some) for some in grouped_by_length(numbers, lengths, words)]

    def predict(self, treebank: pp.Treebank) -> tuple[Any, Any]:
        """Heads, and numbers of labels, by the averaged weights."""
        trainer, module = self.trainer, self.trainer.module
        heads = np.full(treebank.words, -1, dtype=np.int32)
        labels = np.full(treebank.words, -1, dtype=np.int64)
        own = [weights.detach().clone() for weights in module.parameters()]
        with torch.no_grad():
            for weights, mean in zip(module.parameters(), trainer.average, strict=True):
                weights.copy_(mean)
            module.eval()
            for batch in self.batches(treebank, np.arange(len(treebank)), 3000):
                encoded = module.encode(batch)
                arcs = module.arcs_of(encoded, batch).cpu().numpy().astype(np.float64)
                found = []
                for number, length in enumerate(batch.lengths.tolist()):
                    found.append(maximum_spanning_tree(arcs[number, :length, :length].T.copy())[1:])
                heads[batch.words] = np.concatenate(found)
                scores = self.label_scores(encoded, batch, heads[batch.words].astype(np.int64))
                labels[batch.words] = scores.argmax(dim=1).cpu().numpy()
            for weights, before in zip(module.parameters(), own, strict=True):
                weights.copy_(before)
            module.train()
        return heads, labels

    def label_scores(self, encoded: Any, batch: Any, heads: Any) -> Any:
        words, first = batch.places
        of_heads, of_dependents = self.trainer.module.labels_of_words(encoded)
        places = (self.trainer._tensor(first + heads), self.trainer._tensor(words))
        return self.trainer.module.score_labels(rows(of_heads, places[0]), rows(of_dependents, places[1]))

    def parse(self, treebank: pp.Treebank) -> pp.Treebank:
        """A copy of the treebank with heads and labels."""
        parsed = treebank.copy()
        parsed.heads[:], labels = self.predict(treebank)
        parsed.column("deprel")[:] = parsed.ids_of("deprel", self.labels)[labels]
        return parsed


def train_graph_parser(network: NetworkSpec, treebank: pp.Treebank, dev: pp.Treebank, seed: int, epochs: int) -> Any:
    """The parser of the best epoch on the development set, as (parser, epoch)."""
    names = sorted({treebank.vocabulary("deprel")[number] for number in np.unique(treebank.column("deprel"))})
    labels = Labels.anywhere(tuple(names))
    setup = ClassifierSetup(
        system=ActionNames(("-",)), templates=None, labels=labels, sentences=treebank, seed=seed, epochs=epochs
    )
    trainer = Trainer(network, setup, None)
    parser = GraphParser(trainer, names)
    table = np.array([names.index(name) if name in names else 0 for name in treebank.vocabulary("deprel")])
    right = table[treebank.column("deprel")].astype(np.int64)
    best: tuple[float, int, list[Any]] = (-1.0, 0, [])
    for epoch in range(1, epochs + 1):
        random = np.random.default_rng([seed, epoch])
        found = parser.batches(treebank, random.permutation(len(treebank)), trainer.batch)
        for number in random.permutation(len(found)).tolist():
            batch = found[number]
            encoded = trainer.module.encode(batch, trainer.word_dropout)
            arcs = trainer.module.arcs_of(encoded, batch)
            heads = treebank.heads[batch.words].astype(np.int64)
            lesson: Any = type("Lesson", (), {"batch": batch, "arcs": arcs, "gold_heads": heads})
            loss = trainer._loss_of_heads(lesson)
            scores = parser.label_scores(encoded, batch, heads)
            gold = trainer._tensor(right[batch.words])
            loss = (loss + functional.cross_entropy(scores, gold, reduction="sum")) / max(1, len(batch.words))
            trainer.step(loss)
        if epoch < epochs and (epochs - epoch) % max(1, epochs // max(1, network.training.evaluations)):
            continue
        las = pp.evaluate(dev, parser.parse(dev), bootstrap_samples=0)["FullLAS"].f1
        if las > best[0]:
            best = (las, epoch, [weights.clone() for weights in trainer.average])
    trainer.average = best[2]
    return parser, best[1]
