"""Training of a classifier: what `train` does if it is given one."""

from __future__ import annotations

import copy
from dataclasses import dataclass

import numpy as np

from panparser._arrays import IntArray
from panparser.errors import SpecError
from panparser.learning.epochs import OTHER
from panparser.learning.listeners import Update
from panparser.learning.native import CHUNK
from panparser.learning.record import TrainingRecord
from panparser.learning.strategies import Strategy
from panparser.parsing.batch.learning import BatchLearner, Hear, Pair, is_local
from panparser.parsing.batch.search import BatchSearch, Sentences, batches
from panparser.parsing.batch.states import StateBatch
from panparser.parsing.labels import Labels
from panparser.parsing.models.classifier import Classifier, Setup, check_classifier, checked_arrays
from panparser.parsing.parser import Parser
from panparser.parsing.training.run import Epochs


@dataclass(kw_only=True)
class ClassifierRun(Epochs[Classifier]):
    """Its weights are classifiers made of arrays: just what a file would hold."""

    classifier: Classifier

    def __post_init__(self) -> None:
        self.check()
        self.strategy = self._checked_options()
        self.prepare(Labels())
        system, templates, labels = self.spec.system, self.spec.used_templates, self.labels
        gold = self.corpus.reference(labels)
        self.states = StateBatch(system, self.treebank, templates=templates, labels=labels, gold=gold, start=())
        self.classifier = copy.deepcopy(self.classifier)
        self.classifier.prepare(
            Setup(
                system=system,
                templates=templates,
                labels=labels,
                sentences=self.treebank,
                seed=self.training.seed,
            )
        )
        self.learner = BatchLearner(BatchSearch(self.states, self.classifier), self.spec.beam)

    def _checked_options(self) -> Strategy:
        """The strategy; refuses what makes sense for a perceptron only."""
        training, strategy = self.training, self.training.strategy
        if not isinstance(strategy, Strategy):
            raise SpecError(f"strategy of train must be a Strategy where a classifier learns; got {strategy!r}")
        for name, known in (("members", (None, 1)), ("prune", (None, 0)), ("max_size", (None,)), ("margin", (None, 0))):
            if getattr(training, name) not in known:
                raise SpecError(f"{name} of train is for the perceptron, and a classifier is given")
        if self.spec.uses_vectors:
            raise SpecError("templates with vectors are for the perceptron; a classifier looks up `positions` itself")
        methods = ["update" if is_local(strategy, self.spec.beam) else "update_pair"]
        check_classifier(self.classifier, *methods, *(["score_labels", "update_labels"] if self.spec.labeled else []))
        return strategy

    def learn(self, epoch: int) -> None:
        seed, told = self.training.seed, 0
        order = self.corpus.order(np.random.default_rng([seed, epoch, 0]))
        rng = np.random.default_rng([seed, epoch, OTHER + 1])
        is_heard = self.hears("before_update", "after_update")
        for number, sentences in enumerate(batches(order, self.classifier.batch), start=1):
            for sentence in sentences.tolist():
                self.tell("before_sentence", epoch, sentence)
            hear = self._heard(epoch, sentences) if is_heard else None
            self.learner.learn(sentences, self.strategy, self.strategy.exploration(epoch), rng, hear)
            for sentence in sentences.tolist():
                self.tell("after_sentence", epoch, sentence)
            if number * self.classifier.batch - told >= CHUNK:
                told = number * self.classifier.batch
                self.tell("after_words", epoch, *self.progress())

    def _heard(self, epoch: int, sentences: Sentences) -> Hear:
        names = self.spec.system.names

        def hear(pairs: list[Pair], applied: bool) -> None:
            for pair in pairs:
                good, bad = (tuple(names[action] for action in actions) for actions in (pair.positive, pair.negative))
                sentence = int(sentences[pair.sentence])
                update = Update(epoch, sentence, good, bad, pair.positive_score, pair.negative_score, pair.started)
                self.tell("after_update" if applied else "before_update", update)

        return hear

    def progress(self) -> tuple[int, int]:
        return self.learner.words, self.learner.updates

    def weights(self) -> Classifier:
        values = copy.deepcopy(self.classifier.to_values())
        return type(self.classifier).from_arrays(checked_arrays(self.classifier), values)

    def parser_of(self, weights: Classifier, training: TrainingRecord | None = None) -> Parser:
        return Parser(self.spec, self.labels, [], training or {}, classifier=weights)

    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        self.states.replace_gold(heads, labels)
