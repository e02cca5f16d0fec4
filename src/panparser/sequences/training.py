"""train_sequences: epochs over sequences with known classes, selection on a development set, listeners."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from panparser import _engine
from panparser._arrays import IntArray, LongArray
from panparser._checks import check_beam
from panparser._threads import chosen_threads
from panparser.errors import SpecError
from panparser.learning.classifiers import Classifier
from panparser.learning.epochs import EpochLoop, digests
from panparser.learning.layers import Layer
from panparser.learning.listeners import EpochReport, Instead, Listener, SequenceReport, check_listeners
from panparser.learning.native import Callback, Members, update_units
from panparser.learning.options import MEMBER_SEED_STRIDE, SequenceOptions, Training, sequence_training
from panparser.learning.record import ANNOTATOR, SEQUENCES, TrainingRecord
from panparser.sequences.model import OTHER_CLASS, UNKNOWN, Classes, Items, SequenceModel, Window, checked_classes
from panparser.treebank.treebank import Treebank


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
    classifier: Classifier | None = None,
    threads: int | None = None,
    **options: Unpack[SequenceOptions],
) -> SequenceModel:
    """A model that gives classes to items; `options` are those of `Training` that are not about trees.

    `right`: the class of each item; nothing is learned where it is unknown (-1). With `dev`, other items and their
    classes (-2: not one of `classes`, counts as wrong), the epoch that does best on them is kept, without
    it the last. `names` of classes are what listeners see. The strategy defaults to DYNAMIC, or MAX_VIOLATION with a
    beam. Ctrl-C ends training with the best model so far, if there is one. A `classifier` learns instead of the
    engine's perceptron, over features that are read in Python. `threads` (None: one for each core) change no byte.
    """
    check_listeners("train_sequences", listeners)
    run: dict[str, Any] = {
        "window": window,
        "items": items,
        "right": right,
        "classes": Classes(classes) if isinstance(classes, int) else classes,
        "beam": beam,
        "dev": dev,
        "listeners": listeners,
        "names": names,
        "training": sequence_training(beam, options),
        "threads": chosen_threads("threads of train_sequences", threads),
    }
    return SequenceRun(**run).run() if classifier is None else _classified(**run, classifier=classifier)


def _classified(**run: Any) -> SequenceModel:
    """A model with the same interface, whose classes are predicted by a classifier."""
    from panparser.sequences.classified import ClassifiedRun  # imported only when needed, to start faster

    items, right, classes = run["items"], run["right"], run["classes"]
    check_beam(run["beam"], "train_sequences")
    run["right"] = checked_classes(items, right, classes, UNKNOWN)
    if not items.size or (run["right"] == UNKNOWN).all():
        raise SpecError("expected items with classes to learn from; found none")
    if run["dev"] is not None:
        others, theirs = run["dev"]
        run["dev"] = (others, checked_classes(others, theirs, classes, OTHER_CLASS))
    model: Any = ClassifiedRun(**run).run()
    found: SequenceModel = model
    return found


def record_of(model: SequenceModel, treebank: Treebank, dev: Treebank | None) -> TrainingRecord:
    """How a model of a treebank's words or characters was trained."""
    data = digests(treebank, dev)
    return replace(model.training, written=ANNOTATOR, sentences=len(treebank), words=treebank.words, data=data)


@dataclass(kw_only=True)
class SequenceRun(EpochLoop[Layer, SequenceModel]):
    """One training run over sequences."""

    window: Window
    items: Items
    right: IntArray
    classes: Classes
    beam: int
    dev: tuple[Items, IntArray] | None
    names: Sequence[str] | None
    training: Training
    _averages: _engine.Averages | None = None  # after the last epoch

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
        self.learners = [
            _engine.SequenceLearner(
                program=self.window._program,
                classes=self.classes.size,
                parts=self.classes.lowered(self.window.parts),
                unit=update_units(self.training),
                beam=self.beam,
                seed=self.training.seed + MEMBER_SEED_STRIDE * member,
            )
            for member in range(self.training.members_for(self.items.size))
        ]
        names = self.names or [str(number) for number in range(self.classes.size)]
        self._members = Members(self, self.learners, names.__getitem__, self._train, self._train_on_replacement)

    def _checked(self, items: Items, right: IntArray, least: int) -> IntArray:
        return checked_classes(items, right, self.classes, least)

    def train_epoch(self, epoch: int) -> None:
        self._members.train_epoch(epoch, lambda rng: rng.permutation(self._used).astype(np.int64))

    def _train(
        self,
        learner: _engine.SequenceLearner,
        chosen: LongArray,
        strategy: Any,
        callback: Callback | None,
        threads: int,
    ) -> None:
        learner.train(self._sequences, self.right, chosen, strategy, callback, threads, self.training.batch)

    def _train_on_replacement(
        self, learner: _engine.SequenceLearner, number: int, instead: Instead, strategy: Any, callback: Callback | None
    ) -> None:
        if instead.sentence is not None:
            raise SpecError("a listener of sequences may change the gold of one, not its items")
        items = slice(int(self.items.offsets[number]), int(self.items.offsets[number + 1]))
        right = self.right.copy()
        right[items] = instead.gold
        chosen = np.array([number], dtype=np.int64)
        learner.train(self._sequences, self._checked(self.items, right, UNKNOWN), chosen, strategy, callback)

    def make_report(self, epoch: int) -> SequenceReport:
        return SequenceReport(epoch, *self._members.progress())

    def training_threads(self) -> int | None:
        return self._members.threads

    def snapshot(self, *, training_continues: bool) -> None:
        self._averages = _engine.average_sequences(self.learners, self.threads)

    def weights(self, least: float = 0.0) -> Layer:
        if self._averages is None:
            raise RuntimeError("no epoch was finished")
        return Layer.of(self._averages.compact(least, self.evaluation_threads))

    def model_of(self, weights: Layer) -> SequenceModel:
        return SequenceModel(self.window, self.classes, weights, self.beam)

    def accuracy(self, weights: Layer) -> float | None:
        """Accuracy on the development set."""
        if self.dev is None:
            return None
        found = self.model_of(weights)._model.predict(self._dev_sequences, self.beam, self.evaluation_threads)
        known = self.dev[1] != UNKNOWN
        return 100 * int((found == self.dev[1])[known].sum()) / max(1, int(known.sum()))

    def finalize_weights(self, report: EpochReport, weights: Layer) -> Layer:
        if not self.training.prune:
            return weights
        pruned = self.weights(self.training.prune)
        report.pruning = {
            **{"least": self.training.prune, "whole_size": weights.size, "size": pruned.size},
            **{"accuracy": self.accuracy(pruned)},
        }
        return pruned

    def finish(self, *, interrupted: bool) -> SequenceModel:
        model = self.model_of(self.best_epoch()[1])
        model.training = TrainingRecord(
            written=SEQUENCES,
            **(self.training.to_values() | {"members": len(self.learners)}),
            **self.epoch_record(),
            sequences=len(self.items),
            item_count=self.items.size,
            interrupted=interrupted,
        )
        return model
