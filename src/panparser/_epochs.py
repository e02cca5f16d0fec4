"""Epochs over a treebank: order, selection on a development set, listeners; whatever it is that learns."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from panparser import _engine
from panparser._corpus import Corpus, fitting_spec, gather_labels
from panparser.confidence import gold_labels
from panparser.constraints import Constraints
from panparser.errors import SpecError, StuckError
from panparser.gold import UNKNOWN
from panparser.labels import Labels
from panparser.listeners import EpochReport, Listener
from panparser.parser import Parser
from panparser.sentence import IntArray
from panparser.spec import ParserSpec
from panparser.treebank import Treebank, check_treebanks

if TYPE_CHECKING:
    from panparser.training import Training

OTHER = 1 << 20  # draws that are not the order of a member
Weights = TypeVar("Weights")
Product = TypeVar("Product")


def score(parser: Parser, gold: Treebank, constraints: Constraints | None = None) -> tuple[float, float | None]:
    """UAS and LAS (full labels, all words) of a parser on gold tokens; only words with a gold head count."""
    return score_found(parser, gold, *parser.predict(gold, constraints=constraints, relax=True))


def score_found(parser: Parser, gold: Treebank, heads: IntArray, labels: IntArray) -> tuple[float, float | None]:
    # In a system that leaves words headless, that one is headless is annotation too.
    known = gold.heads >= (UNKNOWN if parser.spec.system.partial else 0)
    total = max(1, int(known.sum()))
    right = (heads == gold.heads) & known
    if not parser.spec.labeled:
        return 100 * int(right.sum()) / total, None
    both = right & ((labels == gold_labels(parser, gold)) | (gold.heads == UNKNOWN))
    return 100 * int(right.sum()) / total, 100 * int(both.sum()) / total


class HowLong(Protocol):
    """What a loop must know of how something is trained."""

    @property
    def epochs(self) -> int: ...

    @property
    def patience(self) -> int | None: ...


@dataclass(kw_only=True)
class EpochLoop(ABC, Generic[Weights, Product]):
    """Epochs, whatever it is that learns: selection by a development set, patience, listeners.

    `Weights` are what an epoch leaves behind, and what a `Product` (a parser, a tagger) is made of.
    """

    listeners: Sequence[Listener]
    training: HowLong
    epoch: int = 0
    history: list[EpochReport] = field(default_factory=list)
    best: EpochReport | None = None
    best_weights: Weights | None = None
    as_good: ClassVar[float] = 0  # points on the development set: of epochs so close to the best, the last is kept

    # --- What a kind of learning does ---

    @abstractmethod
    def learn(self, epoch: int) -> None:
        """Once through the data."""

    @abstractmethod
    def report(self, epoch: int) -> EpochReport:
        """How far it is; scores come later."""

    @abstractmethod
    def weights(self) -> Weights:
        """What was learned so far."""

    @abstractmethod
    def evaluate(self, report: EpochReport, weights: Weights) -> None:
        """Writes the scores on the development set into the report; none where there is no such set."""

    @abstractmethod
    def finish(self, *, interrupted: bool) -> Product:
        """What comes of the best epoch."""

    def before_learning(self, epoch: int) -> None:
        """What is to be done before an epoch."""

    def kept(self, report: EpochReport, weights: Weights) -> Weights:
        """What is kept of the weights of the best epoch; the report may tell of it."""
        return weights

    def after_epoch(self) -> None:
        """What is to be done before listeners hear of it."""

    def after_all(self) -> None:
        """What is to be done when the last epoch is over."""

    # --- The loop ---

    def run(self) -> Product:
        try:
            while self.epoch < self.training.epochs and not self._is_stale():
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
        """The best on the development set, the first of equals."""
        return max(self.history, key=lambda report: report.score or 0)

    def _one_epoch(self) -> None:
        epoch = self.epoch + 1
        self.tell("before_epoch", epoch)
        self.before_learning(epoch)
        self.learn(epoch)
        report = self.report(epoch)
        weights = self.weights()
        self.evaluate(report, weights)
        self.epoch = epoch
        self.history.append(report)
        if self.best is None or report.score is None or report.score >= (self._top().score or 0) - self.as_good:
            self.best, self.best_weights = report, self.kept(report, weights)
        self.after_epoch()
        self.tell("after_epoch", report)

    def hears(self, *events: str) -> bool:
        """Does some listener hear of such an event?"""
        return any(
            getattr(type(who), event) is not getattr(Listener, event) for who in self.listeners for event in events
        )

    def tell(self, event: str, *values: Any) -> None:
        for listener in self.listeners:
            getattr(listener, event)(*values)

    def finished(self) -> tuple[EpochReport, Weights]:
        if self.best is None or self.best_weights is None:
            raise RuntimeError("no epoch was finished")
        return self.best, self.best_weights


@dataclass(kw_only=True)
class Epochs(EpochLoop[Weights, Parser]):
    """A run of training that makes a parser."""

    spec: ParserSpec
    treebank: Treebank
    dev: Treebank | None
    training: Training

    def check(self) -> None:
        """Refuses what cannot be learned from."""
        if not isinstance(self.spec, ParserSpec):
            raise SpecError(f"spec of train must be a ParserSpec; got {self.spec!r}")
        check_treebanks("train", self.treebank, self.dev)
        self.spec = fitting_spec(self.spec, self.treebank)

    def prepare(self, known: Labels) -> None:
        """The treebank as it is learned from; its labels come after those that are known already."""
        self.corpus = Corpus(self.spec, self.treebank)
        self.labels = gather_labels(self.corpus, known) if self.spec.labeled else Labels()
        self.digests = {"train": digest(self.treebank), "dev": digest(self.dev) if self.dev else None}

    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """Words and updates so far."""

    @abstractmethod
    def parser_of(self, weights: Weights, training: dict[str, Any] | None = None) -> Parser: ...

    @abstractmethod
    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        """Other heads and labels to learn from."""

    def before_learning(self, epoch: int) -> None:
        if self.training.subsample is not None:
            kept = self.training.subsample.choose(self, np.random.default_rng([self.training.seed, epoch, OTHER]))
            self.replace_reference(*self.corpus.reference(self.labels, kept))

    def report(self, epoch: int) -> EpochReport:
        return EpochReport(epoch, *self.progress())

    def score(self, parser: Parser, dev: Treebank) -> tuple[float, float | None]:
        """UAS and LAS on the development set."""
        return score(parser, dev)

    def evaluate(self, report: EpochReport, weights: Weights) -> None:
        if self.hears("after_learning"):
            self.tell("after_learning", report.epoch, self.parser_of(weights))
        if self.dev is not None:
            self.tell("before_evaluation", report.epoch)
            report.uas, report.las = self.score(self.parser_of(weights), self.dev)
            self.tell("after_evaluation", report)

    def run(self) -> Parser:
        try:
            return super().run()
        except _engine.Stuck as error:
            raise StuckError(f"{self.spec.system.name}: {error}") from None

    # --- What comes of it ---

    def finish(self, *, interrupted: bool) -> Parser:
        return self.parser(interrupted=interrupted)

    def parser(self, *, interrupted: bool = False) -> Parser:
        return self.parser_of(self.finished()[1], self.manifest() | {"interrupted": interrupted})

    def manifest(self) -> dict[str, Any]:
        """How the parser was trained."""
        return self.training.to_values() | {
            "data": self.digests,
            "sentences": len(self.treebank),
            "words": self.treebank.words,
            "best_epoch": self.best.epoch if self.best else 0,
            "history": [vars(report) for report in self.history],
            "interrupted": False,
        }


def digest(treebank: Treebank) -> str:
    return hashlib.sha256(treebank.to_bytes()).hexdigest()
