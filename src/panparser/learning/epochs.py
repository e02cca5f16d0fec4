"""Epochs over a treebank, for any learner: order, selection on a development set, listeners."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from panparser.errors import SpecError
from panparser.learning.listeners import Decision, EpochReport, Instead, Listener, Skip, StopTraining, notice, notify
from panparser.learning.options import Training
from panparser.treebank.treebank import Treebank

OTHER = 1 << 20  # draws that are not the order of a member
Weights = TypeVar("Weights")
Product = TypeVar("Product")


@dataclass(kw_only=True)
class EpochLoop(ABC, Generic[Weights, Product]):
    """The loop over epochs, for any learner: selection on a development set, patience, listeners.

    `Weights` are the result of an epoch, from which a `Product` (a parser, a tagger) is made.
    """

    listeners: Sequence[Listener]
    training: Training
    threads: int = 1
    epoch: int = 0
    history: list[EpochReport] = field(default_factory=list)
    best: EpochReport | None = None
    best_weights: Weights | None = None
    is_stopped: bool = False  # by a listener
    spare_threads: int = 1  # for evaluation, while the next epoch is learned
    _evaluation: Future[EpochReport] | None = None  # of the last epoch, if it is still going on
    _untold: list[tuple[str, tuple[Any, ...]]] | None = None  # events of an evaluation, in order
    as_good: ClassVar[float] = 0  # points on the development set: the last epoch this close to the best is kept

    # --- What a kind of learning does ---

    @abstractmethod
    def learn(self, epoch: int) -> None:
        """One pass over the data."""

    @abstractmethod
    def report(self, epoch: int) -> EpochReport:
        """Progress so far; `evaluate` adds the scores."""

    @abstractmethod
    def weights(self) -> Weights:
        """The weights learned so far."""

    @abstractmethod
    def evaluate(self, report: EpochReport, weights: Weights) -> None:
        """Writes the scores on the development set, if there is one, into the report."""

    @abstractmethod
    def finish(self, *, interrupted: bool) -> Product:
        """The product of the best epoch."""

    def learning_threads(self) -> int | None:
        """How many threads learning takes; None if nothing else may go on meanwhile."""
        return None

    def freeze(self, *, learning_goes_on: bool) -> None:
        """Called after each pass over the data: keeps what `weights`, `kept` and `after_epoch` read of the learners."""

    def before_learning(self, epoch: int) -> None:
        """Called before each epoch."""

    def kept(self, report: EpochReport, weights: Weights) -> Weights:
        """The weights to keep from the best epoch, perhaps pruned; the report may be updated."""
        return weights

    def is_judged(self, epoch: int) -> bool:
        """Is what was learned scored after this epoch, and perhaps kept? The first and the last must be."""
        return True

    def is_due(self, epoch: int, evaluations: int | None) -> bool:
        """Is this one of the epochs that are scored, if there are to be about so many? None: all are."""
        last = self.training.epochs
        return evaluations is None or epoch in (1, last) or (last - epoch) % max(1, last // evaluations) == 0

    def after_epoch(self) -> None:
        """Called after each epoch, before listeners are notified."""

    def after_all(self) -> None:
        """Called after the last epoch."""

    # --- The loop ---

    def run(self) -> Product:
        try:
            with ThreadPoolExecutor(1) as background:
                while self._goes_on():
                    self._one_epoch(background)
                self._settle()
            self.after_all()
        except KeyboardInterrupt:
            self._settle()
            if self.best_weights is None:
                raise
            return self.finish(interrupted=True)
        return self.finish(interrupted=False)

    def _goes_on(self) -> bool:
        if self._evaluation is not None:  # it cannot end training
            return not self.is_stopped
        return self.epoch < self.training.epochs and not self._is_stale() and not self.is_stopped

    def _is_stale(self) -> bool:
        patience = self.training.patience
        if patience is None or not any(report.score is not None for report in self.history):
            return False
        return self.epoch - self._top().epoch >= patience

    def _top(self) -> EpochReport:
        """The best epoch on the development set; the first if several are tied."""
        return max(self.history, key=lambda report: report.score or 0)

    def _one_epoch(self, background: Executor) -> None:
        epoch = self.epoch + 1
        try:
            self.notify("before_epoch", epoch)
            self.before_learning(epoch)
            self.learn(epoch)
        except StopTraining:
            self.is_stopped = True
        self._settle()
        self.epoch = epoch
        goes_on = self._will_go_on()
        self.spare_threads = max(1, self.threads - (self.learning_threads() or 0)) if goes_on else self.threads
        self.freeze(learning_goes_on=goes_on)
        report = self.report(epoch)
        if goes_on:
            self._untold = []
            self._evaluation = background.submit(self._judge, report)
        else:
            self._untold = None
            self._judge(report)
            self._end_epoch(report)

    def _will_go_on(self) -> bool:
        """Is the next epoch to be learned whatever the scores of this one are, and may it begin before they are known?

        Patience decides by scores that are known, so that the outcome is that of one epoch after the other.
        """
        if self.threads == 1 or self.learning_threads() is None or self.is_stopped:
            return False
        if self.epoch >= self.training.epochs or self._is_stale():  # unless this epoch turns out to be the best
            return False
        told = ("after_learning", "before_evaluation", "after_evaluation", "after_epoch")
        return not self.has_listener(*told, acting=True)

    def _judge(self, report: EpochReport) -> EpochReport:
        """Scores what was learned, and keeps it if it is the best."""
        if not self.is_judged(report.epoch):
            self.history.append(report)
            self.after_epoch()
            return report
        weights = self.weights()
        self.evaluate(report, weights)
        self.history.append(report)
        if self.best is None or report.score is None or report.score >= (self._top().score or 0) - self.as_good:
            self.best, self.best_weights = report, self.kept(report, weights)
        self.after_epoch()
        return report

    def _settle(self) -> None:
        """Waits for the evaluation that is going on, if any, and tells listeners of it."""
        if self._evaluation is None:
            return
        report = self._evaluation.result()
        self._evaluation = None
        for event, values in self._untold or ():
            self._tell(event, *values)
        self._end_epoch(report)

    def _end_epoch(self, report: EpochReport) -> None:
        self._tell("after_epoch", report)

    def _tell(self, event: str, *values: Any) -> None:
        """Notifies listeners, which may end training with this epoch."""
        try:
            self.notify(event, *values)
        except StopTraining:
            self.is_stopped = True

    def free_threads(self) -> int:
        """How many threads learning may take now: not those of an evaluation that is going on."""
        is_busy = self._evaluation is not None and not self._evaluation.done()
        return max(1, self.threads - self.spare_threads) if is_busy else self.threads

    def has_listener(self, *events: str, acting: bool = False) -> bool:
        """Does any listener, or any that does not only watch, handle one of these events?"""
        return any(
            getattr(type(each), event) is not getattr(Listener, event)
            for each in self.listeners
            if not (acting and each.only_watches)
            for event in events
        )

    def notify(self, event: str, *values: Any) -> None:
        notify(self.listeners, event, *values)

    def notify_of_evaluation(self, event: str, *values: Any) -> None:
        """Notifies listeners: at once, or when the evaluation that goes on in the background is over."""
        if self._untold is None:
            self._tell(event, *values)
        else:
            self._untold.append((event, values))

    def notice(self, message: str) -> None:
        """Tells listeners of something, or warns if none of them would hear it."""
        if self.has_listener("notice"):
            self.notify_of_evaluation("notice", message)
        else:
            notice((), message)

    def decide(self, epoch: int, sentence: int) -> Decision:
        """What listeners want done with a sentence; the last one that returns something decides."""
        decision = None
        for listener in self.listeners:
            wish = listener.before_sentence(epoch, sentence)
            if wish is not None and not isinstance(wish, Skip | Instead):
                owner = f"before_sentence of {type(listener).__name__}"
                raise SpecError(f"{owner} must return None, SKIP or an Instead; got {wish!r}")
            decision = decision if wish is None else wish
        return decision

    def epochs_so_far(self) -> dict[str, Any]:
        """The training record's entries about epochs."""
        return {"best_epoch": self.best.epoch if self.best else 0, "history": tuple(map(copy, self.history))}

    def finished(self) -> tuple[EpochReport, Weights]:
        if self.best is None or self.best_weights is None:
            raise RuntimeError("no epoch was finished")
        return self.best, self.best_weights


def digest(treebank: Treebank) -> str:
    return hashlib.sha256(treebank.to_bytes()).hexdigest()


def digests(treebank: Treebank, dev: Treebank | None) -> dict[str, str | None]:
    """The training record's digests of its data."""
    return {"train": digest(treebank), "dev": digest(dev) if dev is not None else None}
