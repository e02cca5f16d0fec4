"""train_sequence_model: epochs over sequences with gold classes, selection on a development set, listeners."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Unpack

import numpy as np

from panparser import _engine
from panparser.base.checks import check_beam
from panparser.base.threads import resolve_threads
from panparser.base.types import IntArray, LongArray
from panparser.batches.batch_learner import BatchLearner, needed_method
from panparser.batches.batch_run import BatchMember
from panparser.batches.batch_search import BatchSearch, batches
from panparser.batches.classifier import ActionNames, Classifier, ClassifierSetup, check_classifier, copied
from panparser.errors import SpecError
from panparser.learning.engine_run import Callback, PerceptronEnsemble, update_units
from panparser.learning.epochs import EpochLoop, Weights, digests
from panparser.learning.layers import Labels, Layer
from panparser.learning.listeners import EpochReport, Listener, Replacement, SequenceEpochReport, check_listeners
from panparser.learning.strategies import TrainingStrategy
from panparser.learning.training import MEMBER_SEED_STRIDE, SequenceOptions, TrainingConfig, sequence_training
from panparser.learning.training_record import ANNOTATOR, SEQUENCES, TrainingRecord
from panparser.tagging.sequence_states import ClassifierSequences, SequenceStates
from panparser.tagging.sequences import (
    OTHER_CLASS,
    UNKNOWN,
    EngineSequences,
    LabelSet,
    SequenceFeatures,
    SequenceItems,
    SequenceModel,
    SequenceScorer,
    checked_classes,
)
from panparser.treebank.treebank import Treebank


def train_sequence_model(
    window: SequenceFeatures,
    items: SequenceItems,
    right: IntArray,
    classes: LabelSet | int,
    *,
    beam: int = 1,
    dev: tuple[SequenceItems, IntArray] | None = None,
    listeners: Sequence[Listener] = (),
    names: Sequence[str] | None = None,
    classifier: Classifier | None = None,
    threads: int | None = None,
    **options: Unpack[SequenceOptions],
) -> SequenceModel:
    """A model that gives classes to items; `options` are those of `TrainingConfig` that are not about trees.

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
        "gold": right,
        "classes": LabelSet(classes) if isinstance(classes, int) else classes,
        "beam": beam,
        "dev": dev,
        "listeners": listeners,
        "names": names,
        "training": sequence_training(beam, options),
        "threads": resolve_threads("train_sequence_model: threads", threads),
    }
    return (
        EngineSequenceRun(**run).run()
        if classifier is None
        else ClassifierSequenceRun(**run, classifier=classifier).run()
    )


def record_of(model: SequenceModel, treebank: Treebank, dev: Treebank | None) -> TrainingRecord:
    """How a model of a treebank's words or characters was trained."""
    data = digests(treebank, dev)
    return replace(model.training, written=ANNOTATOR, sentences=len(treebank), words=treebank.words, data=data)


@dataclass(kw_only=True)
class SequenceRun(EpochLoop[Weights, SequenceModel]):
    """One training run over sequences."""

    window: SequenceFeatures
    items: SequenceItems
    gold: IntArray
    classes: LabelSet
    beam: int
    dev: tuple[SequenceItems, IntArray] | None
    names: Sequence[str] | None
    training: TrainingConfig

    def __post_init__(self) -> None:
        check_beam(self.beam, "train_sequences")
        self.items.check_fit(self.window)
        self.gold = checked_classes(self.items, self.gold, self.classes, UNKNOWN)
        if not self.items.size or (self.gold == UNKNOWN).all():
            raise SpecError("train_sequence_model: expected items with gold classes, found none")
        self.used_sequences = np.flatnonzero(np.diff(self.items.offsets) > 0)
        if self.dev is not None:
            items, gold = self.dev
            items.check_fit(self.window)
            self.dev = (items, checked_classes(items, gold, self.classes, OTHER_CLASS))

    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """Return the numbers of items and updates so far."""

    @abstractmethod
    def scorer(self, weights: Weights) -> SequenceScorer:
        """Return what classifies with these weights."""

    def replaced_gold(self, sequence: int, replacement: Replacement) -> IntArray:
        """Return the classes of all items with those that a listener put in the place of a sequence's."""
        if replacement.sentence is not None:
            raise SpecError("sequences: a listener may change the gold classes, but not the items")
        gold = self.gold.copy()
        gold[int(self.items.offsets[sequence]) : int(self.items.offsets[sequence + 1])] = replacement.gold
        return checked_classes(self.items, gold, self.classes, UNKNOWN)

    def make_report(self, epoch: int) -> SequenceEpochReport:
        return SequenceEpochReport(epoch, *self.progress())

    def accuracy(self, weights: Weights) -> float | None:
        if self.dev is None:
            return None
        items, gold = self.dev
        predicted = self.scorer(weights).predict(items, self.beam, self.evaluation_threads)
        is_known = gold != UNKNOWN
        return 100 * int((predicted == gold)[is_known].sum()) / max(1, int(is_known.sum()))

    def record(self, *, interrupted: bool) -> TrainingRecord:
        """Return how the model was trained."""
        return TrainingRecord(
            written=SEQUENCES,
            **self.training.to_values(),
            **self.epoch_record(),
            sequences=len(self.items),
            item_count=self.items.size,
            interrupted=interrupted,
        )

    def finish(self, *, interrupted: bool) -> SequenceModel:
        model = SequenceModel(self.scorer(self.best_epoch()[1]), self.beam)
        model.training = self.record(interrupted=interrupted)
        return model


@dataclass(kw_only=True)
class EngineSequenceRun(SequenceRun[Layer]):
    """Training of the engine's perceptron over sequences."""

    _averages: _engine.Averages | None = None  # after the last epoch

    def __post_init__(self) -> None:
        super().__post_init__()
        self._sequences = self.items.to_engine(self.window, self.classes.size)
        self.learners = [
            _engine.SequenceLearner(
                program=self.window._program,
                classes=self.classes.size,
                parts=self.classes.to_engine(self.window.parts),
                unit=update_units(self.training),
                beam=self.beam,
                seed=self.training.seed + MEMBER_SEED_STRIDE * member,
            )
            for member in range(self.training.members_for(self.items.size))
        ]
        names = self.names or [str(number) for number in range(self.classes.size)]
        self._members = PerceptronEnsemble(
            self, self.learners, names.__getitem__, self._train, self._train_on_replacement
        )

    def train_epoch(self, epoch: int) -> None:
        self._members.train_epoch(epoch, lambda rng: rng.permutation(self.used_sequences).astype(np.int64))

    def _train(
        self,
        learner: _engine.SequenceLearner,
        chosen: LongArray,
        strategy: Any,
        callback: Callback | None,
        threads: int,
    ) -> None:
        learner.train(self._sequences, self.gold, chosen, strategy, callback, threads, self.training.batch_size)

    def _train_on_replacement(
        self,
        learner: _engine.SequenceLearner,
        sequence: int,
        replacement: Replacement,
        strategy: Any,
        callback: Callback | None,
    ) -> None:
        gold = self.replaced_gold(sequence, replacement)
        learner.train(self._sequences, gold, np.array([sequence], dtype=np.int64), strategy, callback)

    def progress(self) -> tuple[int, int]:
        return self._members.progress()

    def training_threads(self) -> int | None:
        return self._members.threads

    def snapshot(self, *, training_continues: bool) -> None:
        self._averages = _engine.average_sequences(self.learners, self.threads)

    def weights(self, least: float = 0.0) -> Layer:
        if self._averages is None:
            raise RuntimeError("no epoch was finished")
        return Layer.of(self._averages.compact(least, self.evaluation_threads))

    def scorer(self, weights: Layer) -> EngineSequences:
        return EngineSequences(self.window, self.classes, weights)

    def finalize_weights(self, report: EpochReport, weights: Layer) -> Layer:
        if not self.training.prune_threshold:
            return weights
        pruned = self.weights(self.training.prune_threshold)
        report.pruning = {
            **{"least": self.training.prune_threshold, "whole_size": weights.size, "size": pruned.size},
            **{"accuracy": self.accuracy(pruned)},
        }
        return pruned

    def record(self, *, interrupted: bool) -> TrainingRecord:
        return replace(super().record(interrupted=interrupted), members=len(self.learners))


@dataclass(kw_only=True)
class ClassifierSequenceRun(SequenceRun[Classifier]):
    """Training of a classifier over sequences."""

    classifier: Classifier

    def __post_init__(self) -> None:
        super().__post_init__()
        strategy = self.training.strategy
        for name, neutral in (("members", (None, 1)), ("prune_threshold", (None, 0)), ("batch_size", (1,))):
            if getattr(self.training, name) not in neutral:
                raise SpecError(f"{name} requires the engine's perceptron; got a classifier")
        methods = (
            [needed_method(strategy, self.beam, self.classifier)] if isinstance(strategy, TrainingStrategy) else []
        )
        check_classifier(self.classifier, *methods)
        states = self._states(self.gold)
        self.classifier = copy.deepcopy(self.classifier)
        self.classifier.prepare(
            ClassifierSetup(
                system=ActionNames(states.names),
                templates=self.window.templates,
                labels=Labels(),
                sentences=self.items.treebank,
                seed=self.training.seed,
            )
        )
        learner = BatchLearner(BatchSearch(states, self.classifier), self.beam, self.training.seed)
        self.member = BatchMember(self, learner, self._replacement_states, self.names)

    def _states(self, gold: IntArray) -> SequenceStates:
        return SequenceStates(self.window, self.items, self.classes, gold)

    def _replacement_states(self, sequence: int, replacement: Replacement) -> tuple[SequenceStates, int]:
        return self._states(self.replaced_gold(sequence, replacement)), sequence

    def train_epoch(self, epoch: int) -> None:
        order = np.random.default_rng([self.training.seed, epoch, 0]).permutation(self.used_sequences)
        self.member.train_epoch(epoch, batches(order, self.classifier.batch))

    def progress(self) -> tuple[int, int]:
        return self.member.progress()

    def weights(self) -> Classifier:
        return copied(self.classifier)

    def scorer(self, weights: Classifier) -> ClassifierSequences:
        return ClassifierSequences(self.window, self.classes, weights)
