"""train_sequences: epochs over sequences with known classes, selection on a development set, listeners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panparser import _engine
from panparser._arrays import IntArray
from panparser._checks import check_beam
from panparser.errors import SpecError
from panparser.learning.epochs import EpochLoop, digests
from panparser.learning.layers import Layer
from panparser.learning.listeners import EpochReport, Listener, SequenceReport, Update
from panparser.learning.options import Training, sequence_training
from panparser.learning.record import ANNOTATOR, SEQUENCES, TrainingRecord
from panparser.learning.strategies import Strategy
from panparser.sequences.model import OTHER_CLASS, UNKNOWN, Classes, Items, SequenceModel, Window, whole_numbers
from panparser.treebank.treebank import Treebank

_CHUNK = 64  # sequences between two looks at the clock and the keyboard
_FINE = 256  # units of an update where parts of one are needed
_FAR = 1 << 32  # between the seeds of members
_NOT_HERE = ("subsample", "max_size", "margin")  # options of Training that are about trees


def train_sequences(
    window: Window,
    items: Items,
    right: IntArray,
    classes: Classes | int,
    *,
    beam: int = 1,
    dev: tuple[Items, IntArray] | None = None,
    listeners: Sequence[Listener] = (),
    names: Sequence[str] | None = None,
    **options: Any,
) -> SequenceModel:
    """A model that gives classes to items; `options` are those of `Training` that are not about trees.

    `right`: the class of each item, -1 where it is not known, and nothing is learned. With `dev`, other items and their
    classes (-2: one that is none of `classes`, and counts as wrong), the epoch that does best on them is kept, without
    it the last. `names` of classes are what listeners hear. The strategy is DYNAMIC, or MAX_VIOLATION with a beam, if
    nothing is said. Ctrl-C ends training with the best model so far, if there is one.
    """
    run = SequenceRun(
        window=window,
        items=items,
        right=right,
        classes=Classes(classes) if isinstance(classes, int) else classes,
        beam=beam,
        dev=dev,
        listeners=listeners,
        names=names,
        training=sequence_training(beam, options),
    )
    return run.run()


def record_of(model: SequenceModel, treebank: Treebank, dev: Treebank | None) -> TrainingRecord:
    """How a model of a treebank's words or characters was trained."""
    data = digests(treebank, dev)
    return replace(model.training, written=ANNOTATOR, sentences=len(treebank), words=treebank.words, data=data)


@dataclass(kw_only=True)
class SequenceRun(EpochLoop[Layer, SequenceModel]):
    """A run of training over sequences."""

    window: Window
    items: Items
    right: IntArray
    classes: Classes
    beam: int
    dev: tuple[Items, IntArray] | None
    names: Sequence[str] | None
    training: Training

    def __post_init__(self) -> None:
        check_beam(self.beam, "train_sequences")
        self.right = self._checked(self.items, self.right, UNKNOWN)
        if not self.items.size or (self.right == UNKNOWN).all():
            raise SpecError("expected items with classes to learn from; found none")
        self._sequences = self.items.lowered(self.window, self.classes.size)
        self._used = np.flatnonzero(np.diff(self.items.offsets) > 0)
        if self.dev is not None:
            self.dev = (self.dev[0], self._checked(*self.dev, OTHER_CLASS))
            self._dev_sequences = self.dev[0].lowered(self.window, self.classes.size)
        focused = not isinstance(self.training.strategy, Strategy) or self.training.strategy.focus != 1
        self.learners = [
            _engine.SequenceLearner(
                self.window._program,
                self.classes.size,
                self.classes.lowered(self.window.parts),
                _FINE if focused else 1,
                self.beam,
                self.training.seed + _FAR * member,
            )
            for member in range(self.training.members_for(self.items.size))
        ]

    def _checked(self, items: Items, right: IntArray, least: int) -> IntArray:
        right = whole_numbers("the right classes", right)
        if right.shape != (items.size,) or not ((right >= least) & (right < self.classes.size)).all():
            raise SpecError(
                f"the right classes must be {items.size} numbers, one for each item, from {least} to "
                f"{self.classes.size - 1}"
            )
        return right

    def learn(self, epoch: int) -> None:
        for member, learner in enumerate(self.learners):
            order = np.random.default_rng([self.training.seed, epoch, member]).permutation(self._used)
            self._learn(epoch, learner, order.astype(np.int64))

    def _learn(self, epoch: int, learner: _engine.SequenceLearner, order: Any) -> None:
        hear = self._heard(epoch) if self.hears("before_update", "after_update") else None
        single = hear is not None or self.hears("before_sentence", "after_sentence")
        chunk = 1 if single or not isinstance(self.training.strategy, Strategy) else _CHUNK
        for start in range(0, len(order), chunk):
            part = order[start : start + chunk]
            self._now = int(part[0])
            if single:
                self.tell("before_sentence", epoch, self._now)
            strategy = self.training.strategy_for(epoch, self._now)
            learner.train(self._sequences, self.right, part, strategy.lowered(epoch), hear)
            if single:
                self.tell("after_sentence", epoch, self._now)
            if start // _CHUNK < (start + chunk) // _CHUNK:
                self.tell("after_words", epoch, *self._progress())

    def _heard(self, epoch: int) -> Any:
        names = self.names or [str(number) for number in range(self.classes.size)]

        def hear(event: Any, applied: bool) -> None:
            positive, negative, *numbers = event
            derivations = [tuple(names[number] for number in given) for given in (positive, negative)]
            update = Update(epoch, self._now, derivations[0], derivations[1], *numbers)
            self.tell("after_update" if applied else "before_update", update)

        return hear

    def _progress(self) -> tuple[int, int]:
        done = [learner.progress for learner in self.learners]
        return sum(words for _, words, *_ in done), sum(updates for _, _, updates, *_ in done)

    def report(self, epoch: int) -> SequenceReport:
        return SequenceReport(epoch, *self._progress())

    def weights(self, least: float = 0.0) -> Layer:
        return Layer(*_engine.compact_sequences(self.learners, least), _engine.layer_shape(self.classes.size)[1])

    def model_of(self, weights: Layer) -> SequenceModel:
        return SequenceModel(self.window, self.classes, weights, self.beam)

    def accuracy(self, weights: Layer) -> float | None:
        """On the development set."""
        if self.dev is None:
            return None
        found = self.model_of(weights)._model.predict(self._dev_sequences, self.beam, 1)
        known = self.dev[1] != UNKNOWN
        return 100 * int((found == self.dev[1])[known].sum()) / max(1, int(known.sum()))

    def evaluate(self, report: EpochReport, weights: Layer) -> None:
        if self.dev is not None and isinstance(report, SequenceReport):
            self.tell("before_evaluation", report.epoch)
            report.accuracy = self.accuracy(weights)
            self.tell("after_evaluation", report)

    def kept(self, report: EpochReport, weights: Layer) -> Layer:
        if not self.training.prune:
            return weights
        pruned = self.weights(self.training.prune)
        report.pruning = {
            **{"least": self.training.prune, "whole_size": weights.size, "size": pruned.size},
            **{"accuracy": self.accuracy(pruned)},
        }
        return pruned

    def finish(self, *, interrupted: bool) -> SequenceModel:
        model = self.model_of(self.finished()[1])
        model.training = TrainingRecord(
            written=SEQUENCES,
            **(self.training.to_values() | {"members": len(self.learners)}),
            **self.epochs_so_far(),
            sequences=len(self.items),
            item_count=self.items.size,
            interrupted=interrupted,
        )
        return model
