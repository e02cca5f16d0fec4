"""Distillation: trained networks whose predicted distributions are the targets of another one.

H 2015: Hinton, Vinyals & Dean, "Distilling the Knowledge in a Neural Network".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from panparser.base.types import LongArray
from panparser.errors import SpecError
from panparser.features.vectors import WordVectors
from panparser.networks.network_classifier import NetworkWeights, given_heads
from panparser.networks.network_inputs import Batch, InputReader
from panparser.neural.torch_network import NetworkModule, rows


@dataclass(frozen=True)
class SoftTargets:
    """What teachers predict for a batch of sentences: means of their probabilities.

    `tags`: (words, classes) by column; `heads`: (sentences, longest, longest) by dependent and head; `labels`: (words,
    labels) of the arcs from the right heads.
    """

    tags: dict[str, Tensor]
    heads: Tensor | None
    labels: Tensor | None


class Teacher:
    """One trained network."""

    def __init__(self, weights: NetworkWeights, vectors: WordVectors | None, device: torch.device) -> None:
        self.weights, self.vectors, self.device = weights, vectors, device
        sizes = weights.actions, weights.labels
        with torch.random.fork_rng(devices=[]):  # numbers that are not needed
            self.module = NetworkModule(weights.network, weights.vocabulary, weights.classes, vectors, *sizes)
        with torch.no_grad():
            for name, own in self.module.named_parameters():
                own.copy_(torch.from_numpy(np.array(weights.arrays[name])))
        self.module.to(device).eval()
        self._reader: InputReader | None = None

    def read(self, treebank: Any, sentences: LongArray, states: Any) -> Batch:
        if self._reader is None or self._reader.treebank is not treebank:
            self._reader = InputReader(self.weights.network, self.weights.vocabulary, treebank, self.vectors)
        return self._reader.read(sentences, given_heads(self.weights.network, states))

    def advise(self, batch: Batch, gold_heads: LongArray | None) -> SoftTargets:
        """What it predicts; heads and labels only where right heads are told, labels anything where they are not."""
        network = self.weights.network
        words, of_tags = self.module.read(batch)
        at, first = (torch.from_numpy(places).to(self.device) for places in batch.places)
        tags = {
            column: self.module.score_tags(column, rows(of_tags, at)).softmax(dim=1)
            for column in self.weights.classes.columns
        }
        heads = labels = None
        if gold_heads is not None and network.arcs:
            heads = self.module.arcs_of(words, batch).exp()
        if gold_heads is not None and network.labels and self.weights.labels:
            of_heads, of_dependents = self.module.labels_of_words(words)
            head = first + torch.from_numpy(np.maximum(gold_heads, 0)).to(self.device)
            labels = self.module.score_labels(rows(of_heads, head), rows(of_dependents, at)).softmax(dim=1)
        return SoftTargets(tags, heads, labels)


class TeacherEnsemble:
    """Several, whose probabilities are averaged."""

    def __init__(
        self, teachers: Sequence[tuple[NetworkWeights, WordVectors | None]], pupil: NetworkWeights, device: torch.device
    ) -> None:
        for weights, _ in teachers:
            if (weights.actions, weights.labels) != (pupil.actions, pupil.labels):
                found = f"{weights.actions} and {weights.labels}"
                raise SpecError(
                    f"a teacher must know the {pupil.actions} actions and {pupil.labels} labels; got {found}"
                )
            for column, texts in pupil.classes.texts.items():
                if weights.classes.texts.get(column) != texts:
                    raise SpecError(f"a teacher must predict {column}, with the classes of the treebank")
        self.every = [Teacher(*one, device) for one in teachers]

    def advise(
        self, treebank: Any, sentences: LongArray, gold_heads: LongArray | None, states: Any = None
    ) -> SoftTargets:
        with torch.no_grad():
            found = [one.advise(one.read(treebank, sentences, states), gold_heads) for one in self.every]
        tags = {column: _mean([one.tags.get(column) for one in found]) for column in found[0].tags}
        return SoftTargets(
            {column: own for column, own in tags.items() if own is not None},
            _mean([one.heads for one in found]),
            _mean([one.labels for one in found]),
        )


def _mean(parts: Sequence[Tensor | None]) -> Tensor | None:
    known = [part for part in parts if part is not None]
    return torch.stack(known).mean(dim=0) if known else None
