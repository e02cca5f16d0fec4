"""Listeners: objects that follow, and may change, a training run."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, TypeAlias

from panparser import _engine
from panparser.base.types import FloatArray, IntArray
from panparser.errors import SpecError


@dataclass(frozen=True)
class Update:
    """One update, as reported to listeners: derivations as names of transitions, from the initial state."""

    epoch: int
    sentence: int
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    positive_score: float  # integer for the perceptron; in a classifier's own scale otherwise
    negative_score: float
    started: int  # length of the derivation that the search started from

    @classmethod
    def from_engine(cls, update: _engine.Update, epoch: int, sentence: int, name_of: Callable[[int], str]) -> Update:
        """What the engine reports, with the names of transitions or classes."""
        return cls(
            epoch=epoch,
            sentence=sentence,
            positive=tuple(map(name_of, update.positive)),
            negative=tuple(map(name_of, update.negative)),
            positive_score=update.positive_score,
            negative_score=update.negative_score,
            started=update.started,
        )


@dataclass
class EpochReport:
    """Results of an epoch; scores are None without a development set."""

    epoch: int
    words: int  # so far, over all epochs
    updates: int
    uas: float | None = None
    las: float | None = None
    pruning: dict[str, Any] | None = None  # of the best epoch so far: least weight kept, sizes, scores afterwards

    @property
    def score(self) -> float | None:
        """The score used for selection: LAS, or UAS for an unlabeled parser."""
        return self.uas if self.las is None else self.las


@dataclass
class SequenceEpochReport(EpochReport):
    """Results of an epoch; `accuracy` (percent of the items whose class is known) is None without a development set.

    `words` counts items.
    """

    accuracy: float | None = None

    @property
    def score(self) -> float | None:
        return self.accuracy


class StopTraining(Exception):  # noqa: N818 - not an error
    """Raised by a listener: training ends with what was learned so far, as if this had been the last epoch."""


class Skip(Enum):
    """What a listener returns to leave a sentence out."""

    SKIP = "skip"


SKIP = Skip.SKIP


@dataclass(frozen=True)
class Replacement:
    """What a listener returns to learn something else instead: another sentence, another gold, or both.

    For parsers, `sentence` is a Sentence with its own heads, and `gold` a Gold; for sequences `gold` are the classes of
    the items; for tasks they are an input and its gold.
    """

    sentence: Any = None
    gold: Any = None


Decision: TypeAlias = Skip | Replacement | None


class Listener:
    """Follows training as it happens; override what you need. Any of its methods may raise `StopTraining`.

    `is_passive` is for listeners that do not: they are told of an epoch's scores while the next epoch is learned
    already, and members of a parser learn at the same time, each in a thread of its own.
    """

    is_passive: ClassVar[bool] = False

    def before_epoch(self, epoch: int) -> None: ...
    def after_epoch(self, report: EpochReport) -> None: ...
    def before_sentence(self, epoch: int, sentence: int) -> Decision:
        """`SKIP` leaves the sentence out, `Replacement` replaces it; None learns from it as usual."""

    def after_sentence(self, epoch: int, sentence: int) -> None: ...
    def before_update(self, update: Update) -> None: ...
    def after_update(self, update: Update) -> None: ...
    def after_training_pass(self, epoch: int, parser: Any) -> None:
        """After each pass over the treebank: the parser as learned so far, before it is scored and pruned."""

    def before_evaluation(self, epoch: int) -> None: ...
    def after_evaluation(self, report: EpochReport) -> None: ...
    def on_progress(self, epoch: int, words: int, updates: int) -> None:
        """At intervals: number of words and updates so far."""

    def on_notice(self, message: str) -> None:
        """Something that is no error but may surprise, such as a checkpoint that cannot be written."""


def check_listeners(owner: str, listeners: object) -> None:
    """Raises SpecError unless it is a list of listeners."""
    if not isinstance(listeners, Sequence) or isinstance(listeners, str):
        raise SpecError(f"{owner}: listeners must be a list of Listeners; got {listeners!r}")
    for each in listeners:
        if not isinstance(each, Listener):
            hint = f"; make an instance: {each.__name__}()" if isinstance(each, type) else ""
            raise SpecError(f"{owner}: listeners must be Listeners; got {each!r}{hint}")


def notify(listeners: Sequence[Listener], event: str, *values: Any) -> None:
    """Calls a method of each listener, in order."""
    for listener in listeners:
        getattr(listener, event)(*values)


def notice(listeners: Sequence[Listener], message: str) -> None:
    """Tells listeners of something, or warns if none of them would hear it."""
    if any(type(listener).on_notice is not Listener.on_notice for listener in listeners):
        notify(listeners, "on_notice", message)
    else:
        warnings.warn(message, RuntimeWarning, stacklevel=3)


class SearchListener:
    """Follows a search as it happens, and may act; override what you need. States are `States` of a batch."""

    def on_scores(self, states: Any, scores: FloatArray) -> FloatArray | None:
        """Before each step: scores by row and action, minus infinity where illegal; what is returned replaces them."""

    def after_search(self, states: Any, final: IntArray) -> None:
        """When a batch of sentences is parsed: the number of each sentence's final state."""


@dataclass(frozen=True)
class RunStep:
    """A step of a run: reading, folds, a seed, a part of a pipeline, a stage of a cascade.

    `name` is empty for the only parser of a run. `epochs` is the most that there can be, and `words` how many the
    learner sees in each; both are 0 where they are not known.
    """

    name: str
    epochs: int = 0
    words: int = 0


class RunListener(Listener):
    """A listener that is also notified of the steps of a run."""

    def before_step(self, step: RunStep) -> None:
        """A step begins."""
