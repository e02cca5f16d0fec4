"""Training epochs for any learner: order of the steps, selection on a development set, listeners."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from panparser.errors import SpecError
from panparser.learning.listeners import (
    Decision,
    EpochReport,
    Listener,
    Replacement,
    SequenceEpochReport,
    Skip,
    StopTraining,
    notice,
    notify,
)
from panparser.learning.training import TrainingConfig
from panparser.treebank.treebank import Treebank

SUBSAMPLING_STREAM = 1 << 20  # of random numbers; smaller ones are the orders of members
Weights = TypeVar("Weights")
Product = TypeVar("Product")


@dataclass(kw_only=True)
class EpochLoop(ABC, Generic[Weights, Product]):
    """Train for several epochs and return the product of the best one.

    A subclass defines one pass over the data, evaluation and the product (a parser, a tagger), which is made from the
    `ArcWeights` of an epoch. Selection on a development set, early stopping (`training.patience`) and listeners are
    handled here. Hooks, in the order in which they are called in each epoch:

    | step | hook | does | may run in the background |
    |---|---|---|---|
    | 1 | `before_training` | prepare the data of this epoch | no |
    | 2 | `train_epoch` | train on all data once | no |
    | 3 | `snapshot` | copy what steps 5 to 8 read of the learner | no |
    | 4 | `make_report` | count words and updates | no |
    | 5 | `weights` | return the weights so far | yes |
    | 6 | `evaluate` | score them on the development set | yes |
    | 7 | `finalize_weights` | prune them, if they are the best so far | yes |
    | 8 | `after_epoch` | write a checkpoint | yes |

    Steps 5 to 7 are left out where `should_evaluate` is false. After the last epoch `after_all` is called, and `finish`
    returns the product.

    If no listener can interfere, the next epoch is trained while the last one is evaluated in the background. Results
    do not depend on it:

    1. `snapshot` copies everything that evaluation reads before the next epoch starts.
    2. Listener events raised during evaluation are queued in `_pending_events` and sent, in order, by
       `_finish_evaluation`, before `epoch` is incremented.
    3. An epoch is started early only if its start cannot depend on the pending scores (`_can_overlap`).
    """

    listeners: Sequence[Listener]
    training: TrainingConfig
    dev: Any = None  # the development set, if any
    threads: int = 1
    epoch: int = 0
    history: list[EpochReport] = field(default_factory=list)
    best: EpochReport | None = None
    best_weights: Weights | None = None
    is_stopped: bool = False  # by a listener
    evaluation_threads: int = 1
    _evaluation: Future[EpochReport] | None = None  # in the background, of the last epoch
    _pending_events: list[tuple[str, tuple[Any, ...]]] | None = None  # of that evaluation, in order
    score_tolerance: ClassVar[float] = 0  # points: the last epoch this close to the best score is kept

    # --- Hooks for subclasses ---

    def before_training(self, epoch: int) -> None:
        """1. Prepare the data of an epoch."""

    @abstractmethod
    def train_epoch(self, epoch: int) -> None:
        """2. Train on all data once."""

    def snapshot(self, *, training_continues: bool) -> None:
        """3. Copy the learner state that evaluation reads."""

    @abstractmethod
    def make_report(self, epoch: int) -> EpochReport:
        """4. Return the progress so far, without scores."""

    @abstractmethod
    def weights(self) -> Weights:
        """5. Return the weights so far."""

    def evaluate(self, report: EpochReport, weights: Weights) -> None:
        """6. Write the scores on the development set into the report; by default the `accuracy`."""
        if self.dev is not None and isinstance(report, SequenceEpochReport):
            self.notify_of_evaluation("before_evaluation", report.epoch)
            report.accuracy = self.accuracy(weights)
            self.notify_of_evaluation("after_evaluation", report)

    def accuracy(self, weights: Weights) -> float | None:
        """Return the accuracy on the development set in percent, for runs with `SequenceEpochReport`s."""
        return None

    def finalize_weights(self, report: EpochReport, weights: Weights) -> Weights:
        """7. Return the weights to keep for the best epoch, e.g. pruned; may update the report."""
        return weights

    def after_epoch(self) -> None:
        """8. Save the state of training. Listeners are notified of the epoch afterwards."""

    def after_all(self) -> None:
        """Complete the product after the last epoch."""

    @abstractmethod
    def finish(self, *, interrupted: bool) -> Product:
        """Return the product of the best epoch."""

    def should_evaluate(self, epoch: int) -> bool:
        """Return whether an epoch is evaluated, and perhaps kept; the first and the last must be."""
        return True

    def training_threads(self) -> int | None:
        """Return the number of threads training uses, or None if nothing may run next to it."""
        return None

    # --- The loop ---

    def run(self) -> Product:
        """Run all epochs. On Ctrl-C, return the best product so far, or re-raise if there is none."""
        try:
            with ThreadPoolExecutor(1) as background:
                while self._has_next_epoch():
                    self._run_epoch(background)
                self._finish_evaluation()
            self.after_all()
        except KeyboardInterrupt:
            self._finish_evaluation()
            if self.best_weights is None:
                raise
            return self.finish(interrupted=True)
        return self.finish(interrupted=False)

    def _has_next_epoch(self) -> bool:
        if self._evaluation is not None:  # a running evaluation cannot end training
            return not self.is_stopped
        return self.epoch < self.training.epochs and not self._is_patience_exhausted() and not self.is_stopped

    def _is_patience_exhausted(self) -> bool:
        patience = self.training.patience
        if patience is None or all(report.score is None for report in self.history):
            return False
        return self.epoch - self._best_report().epoch >= patience

    def _best_report(self) -> EpochReport:
        """Return the report with the highest development score; the first one if several are tied."""
        return max(self.history, key=lambda report: report.score or 0)

    def _run_epoch(self, background: Executor) -> None:
        epoch = self.epoch + 1
        try:
            self.notify("before_epoch", epoch)
            self.before_training(epoch)
            self.train_epoch(epoch)
        except StopTraining:
            self.is_stopped = True
        self._finish_evaluation()
        self.epoch = epoch
        overlap = self._can_overlap()
        self.evaluation_threads = max(1, self.threads - (self.training_threads() or 0)) if overlap else self.threads
        self.snapshot(training_continues=overlap)
        report = self.make_report(epoch)
        if overlap:
            self._pending_events = []
            self._evaluation = background.submit(self._evaluate_epoch, report)
        else:
            self._pending_events = None
            self._evaluate_epoch(report)
            self._notify_or_stop("after_epoch", report)

    def _can_overlap(self) -> bool:
        """Return whether the next epoch may start before this one is evaluated.

        It may if it will run whatever the scores are (patience counts evaluated epochs only) and no acting listener
        handles an event of the evaluation.
        """
        if self.threads == 1 or self.training_threads() is None or self.is_stopped:
            return False
        if self.epoch >= self.training.epochs or self._is_patience_exhausted():
            return False
        events = ("after_training_pass", "before_evaluation", "after_evaluation", "after_epoch")
        return not self.has_listener(*events, acting=True)

    def _evaluate_epoch(self, report: EpochReport) -> EpochReport:
        """Evaluate an epoch and keep its weights if they are the best so far."""
        if not self.should_evaluate(report.epoch):
            self.history.append(report)
            self.after_epoch()
            return report
        weights = self.weights()
        self.evaluate(report, weights)
        self.history.append(report)
        least = (self._best_report().score or 0) - self.score_tolerance
        if self.best is None or report.score is None or report.score >= least:
            self.best, self.best_weights = report, self.finalize_weights(report, weights)
        self.after_epoch()
        return report

    def _finish_evaluation(self) -> None:
        """Wait for the background evaluation, if any, and send its events to the listeners."""
        if self._evaluation is None:
            return
        report = self._evaluation.result()
        self._evaluation = None
        for event, values in self._pending_events or ():
            self._notify_or_stop(event, *values)
        self._notify_or_stop("after_epoch", report)

    # --- Listeners ---

    def has_listener(self, *events: str, acting: bool = False) -> bool:
        """Return whether a listener, or one that is not passive, handles one of these events."""
        return any(
            getattr(type(listener), event) is not getattr(Listener, event)
            for listener in self.listeners
            if not (acting and listener.is_passive)
            for event in events
        )

    def notify(self, event: str, *values: Any) -> None:
        notify(self.listeners, event, *values)

    def notify_of_evaluation(self, event: str, *values: Any) -> None:
        """Notify listeners: immediately, or after an evaluation in the background."""
        if self._pending_events is None:
            self._notify_or_stop(event, *values)
        else:
            self._pending_events.append((event, values))

    def _notify_or_stop(self, event: str, *values: Any) -> None:
        """Notify listeners; if one raises StopTraining, stop after this epoch."""
        try:
            self.notify(event, *values)
        except StopTraining:
            self.is_stopped = True

    def send_notice(self, message: str) -> None:
        """Notify listeners; issue a warning if none handles notices."""
        if self.has_listener("on_notice"):
            self.notify_of_evaluation("on_notice", message)
        else:
            notice((), message)

    def sentence_decision(self, epoch: int, sentence: int) -> Decision:
        """Return how listeners want a sentence handled; the last answer that is not None counts."""
        decision = None
        for listener in self.listeners:
            answer = listener.before_sentence(epoch, sentence)
            if answer is not None and not isinstance(answer, Skip | Replacement):
                owner = f"before_sentence of {type(listener).__name__}"
                raise SpecError(f"{owner} must return None, SKIP or a Replacement; got {answer!r}")
            decision = decision if answer is None else answer
        return decision

    # --- For subclasses ---

    def is_evaluation_epoch(self, epoch: int, max_evaluations: int | None) -> bool:
        """Return whether an epoch is evaluated if there are about `max_evaluations` in total (None: all epochs)."""
        last = self.training.epochs
        return max_evaluations is None or epoch in (1, last) or (last - epoch) % max(1, last // max_evaluations) == 0

    def available_threads(self) -> int:
        """Return the number of threads that training may use now, without those of a running evaluation."""
        is_busy = self._evaluation is not None and not self._evaluation.done()
        return max(1, self.threads - self.evaluation_threads) if is_busy else self.threads

    def epoch_record(self) -> dict[str, Any]:
        """Return the training record's entries about epochs."""
        return {"best_epoch": self.best.epoch if self.best else 0, "history": tuple(map(copy, self.history))}

    def best_epoch(self) -> tuple[EpochReport, Weights]:
        """Return the report and the weights of the best epoch."""
        if self.best is None or self.best_weights is None:
            raise RuntimeError("no epoch was finished")
        return self.best, self.best_weights


def digest(treebank: Treebank) -> str:
    return hashlib.sha256(treebank.to_bytes()).hexdigest()


def digests(treebank: Treebank, dev: Treebank | None) -> dict[str, str | None]:
    """Return the training record's digests of its data."""
    return {"train": digest(treebank), "dev": digest(dev) if dev is not None else None}
