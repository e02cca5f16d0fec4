"""Epochs over a treebank, for any learner: order, selection on a development set, listeners."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from panparser.errors import SpecError
from panparser.learning.listeners import Decision, EpochReport, Instead, Listener, Skip, StopTraining
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
    epoch: int = 0
    history: list[EpochReport] = field(default_factory=list)
    best: EpochReport | None = None
    best_weights: Weights | None = None
    is_stopped: bool = False  # by a listener
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

    def before_learning(self, epoch: int) -> None:
        """Called before each epoch."""

    def kept(self, report: EpochReport, weights: Weights) -> Weights:
        """The weights to keep from the best epoch, perhaps pruned; the report may be updated."""
        return weights

    def after_epoch(self) -> None:
        """Called after each epoch, before listeners are notified."""

    def after_all(self) -> None:
        """Called after the last epoch."""

    # --- The loop ---

    def run(self) -> Product:
        try:
            while self.epoch < self.training.epochs and not self._is_stale() and not self.is_stopped:
                self._one_epoch()
            self.after_all()
        except KeyboardInterrupt:
            if self.best_weights is None:
                raise
            return self.finish(interrupted=True)
        return self.finish(interrupted=False)

    def _is_stale(self) -> bool:
        patience = self.training.patience
        if patience is None or not self.history or self.history[-1].score is None:
            return False
        return self.epoch - self._top().epoch >= patience

    def _top(self) -> EpochReport:
        """The best epoch on the development set; the first if several are tied."""
        return max(self.history, key=lambda report: report.score or 0)

    def _one_epoch(self) -> None:
        epoch = self.epoch + 1
        try:
            self.notify("before_epoch", epoch)
            self.before_learning(epoch)
            self.learn(epoch)
        except StopTraining:
            self.is_stopped = True
        report = self.report(epoch)
        weights = self.weights()
        self.evaluate(report, weights)
        self.epoch = epoch
        self.history.append(report)
        if self.best is None or report.score is None or report.score >= (self._top().score or 0) - self.as_good:
            self.best, self.best_weights = report, self.kept(report, weights)
        self.after_epoch()
        try:
            self.notify("after_epoch", report)
        except StopTraining:
            self.is_stopped = True

    def has_listener(self, *events: str) -> bool:
        """Does any listener handle one of these events?"""
        return any(
            getattr(type(each), event) is not getattr(Listener, event) for each in self.listeners for event in events
        )

    def notify(self, event: str, *values: Any) -> None:
        for listener in self.listeners:
            getattr(listener, event)(*values)

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
