"""Training of one classifier over batches of states: the same pass for parsers, sequences and tasks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.batches.batch_learner import BatchLearner, Notify, UpdatePair, grouped, needed_method
from panparser.batches.batch_search import BatchSearch, Sentences
from panparser.batches.classifier import check_methods
from panparser.batches.item_states import States
from panparser.learning.epochs import EpochLoop
from panparser.learning.listeners import SKIP, Replacement, Update
from panparser.learning.strategies import TrainingStrategy


def _ignore_search(learner: BatchLearner, count: int) -> None:
    """Do nothing after a search."""


@dataclass
class BatchMember:
    """The classifier that a run trains, as `Members` are the perceptrons of the engine.

    - `make_states`: return the states of a replaced example and its number among them
    - `names`: actions as listeners see them; None: those of the states
    - `report_interval`: examples between two progress reports; None: no reports
    - `after_search`: called with the learner and the number of its examples
    """

    run: EpochLoop[Any, Any]
    learner: BatchLearner
    make_states: Callable[[int, Replacement], tuple[States, int]]
    names: Sequence[str] | None = None
    report_interval: int | None = 1
    after_search: Callable[[BatchLearner, int], None] = _ignore_search

    def train_epoch(self, epoch: int, batches: Iterable[Sentences]) -> None:
        """Train on all batches once."""
        trained = reported = 0
        for examples in batches:
            strategies = [self.run.training.strategy_for(epoch, example) for example in examples.tolist()]
            for group, strategy in grouped(examples, strategies):
                self._train_group(epoch, group, strategy)
            trained += len(examples)
            if self.report_interval is not None and trained - reported >= self.report_interval:
                reported = trained
                self.run.notify("on_progress", epoch, *self.progress())

    def progress(self) -> tuple[int, int]:
        """Return the numbers of words and updates so far."""
        return self.learner.words, self.learner.updates

    def _train_group(self, epoch: int, examples: Sentences, strategy: TrainingStrategy) -> None:
        """Train on examples of a batch that have the same strategy; an example may be among them twice."""
        if not isinstance(self.run.training.strategy, TrainingStrategy):
            classifier = self.learner.classifier
            check_methods(classifier, needed_method(strategy, self.learner.beam, classifier))
        decisions = [(example, self.run.sentence_decision(epoch, example)) for example in examples.tolist()]
        unchanged = np.array([example for example, decision in decisions if decision is None], dtype=np.int64)
        if len(unchanged):
            self._train(self.learner, epoch, unchanged, unchanged, strategy)
        for example, decision in decisions:
            if isinstance(decision, Replacement):
                self._train_on_replacement(epoch, example, decision, strategy)
        for example, decision in decisions:
            if decision is not SKIP:
                self.run.notify("after_sentence", epoch, example)

    def _train_on_replacement(
        self, epoch: int, example: int, replacement: Replacement, strategy: TrainingStrategy
    ) -> None:
        states, number = self.make_states(example, replacement)
        learner = BatchLearner(BatchSearch(states, self.learner.classifier), self.learner.beam, 0)
        learner.random = self.learner.random
        self._train(learner, epoch, np.array([number], dtype=np.int64), np.array([example]), strategy)
        self.learner.words += learner.words
        self.learner.updates += learner.updates

    def _train(
        self, learner: BatchLearner, epoch: int, numbers: Sentences, examples: Sentences, strategy: TrainingStrategy
    ) -> None:
        """Train on the examples that have these numbers among the learner's states."""
        has_update_listener = self.run.has_listener("before_update", "after_update")
        notify = self._update_notifier(epoch, examples, learner) if has_update_listener else None
        learner.learn(numbers, strategy, strategy.exploration(epoch), notify)
        self.after_search(learner, len(numbers))

    def _update_notifier(self, epoch: int, examples: Sentences, learner: BatchLearner) -> Notify:
        def notify(pairs: list[UpdatePair], applied: bool) -> None:
            names = self.names or learner.states.names
            for pair in pairs:
                positive = tuple(names[action] for action in pair.positive)
                negative = tuple(names[action] for action in pair.negative)
                scores = pair.positive_score, pair.negative_score, pair.started
                update = Update(epoch, int(examples[pair.sentence]), positive, negative, *scores)
                self.run.notify("after_update" if applied else "before_update", update)

        return notify
