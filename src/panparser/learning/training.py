"""Training options of everything that can be trained, and subsampling of words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from panparser.base.checks import (
    MAX_EPOCHS,
    MAX_INT,
    MAX_MEMBERS,
    NON_NEGATIVE,
    RATE,
    SHARE,
    check_choice,
    check_count,
    check_number,
    is_number,
)
from panparser.errors import SpecError
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, StrategyLike, TrainingStrategy

if TYPE_CHECKING:
    from panparser.treebank.arc_regions import ArcRegion

By = Literal["share", "frequency", "accuracy", "accuracy-once"]


@dataclass(frozen=True, kw_only=True)
class Subsampling:
    """Which arcs a parser learns from.

    `share` of all arcs is kept; the others are unknown for the epoch. `by`: uniformly at random ("share"), or by class
    of arcs (tag of the dependent and direction), reducing the frequent ones to one size ("frequency"), or preferring
    those with the most errors so far ("accuracy": as measured on the development set after the last epoch), or with the
    most errors of a parser that learned from all arcs ("accuracy-once": it is trained before, in the same way). With
    `where`, a Region or its table, only arcs of that region are left out, all of them if `share` is 0.
    """

    share: float
    by: By = "share"
    where: ArcRegion | None = None

    def __post_init__(self) -> None:
        if self.where is not None:
            self._check_where()
        if self.where is None or not is_number(self.share) or self.share != 0:
            check_number("Subsampling: share", self.share, SHARE)
        check_choice("Subsampling: by", self.by, get_args(By))

    def _check_where(self) -> None:
        from panparser.treebank.arc_regions import ArcRegion

        if isinstance(self.where, Mapping):
            object.__setattr__(self, "where", ArcRegion.from_values(self.where))
        elif not isinstance(self.where, ArcRegion):
            raise SpecError(f"Subsampling: where must be a Region; got {self.where!r}")

    def to_values(self) -> dict[str, Any]:
        """Plain values; `where` is among them if there is one."""
        values = asdict(self)
        del values["where"]
        return values if self.where is None else {**values, "where": self.where.to_values()}


MEMBER_SEED_STRIDE = 1 << 32
LARGE_TREEBANK = 100_000  # words
_MEMBERS = (
    (10_000, 4),
    (LARGE_TREEBANK, 2),
    (float("inf"), 1),
)  # (words below, members): the smaller the treebank, the more they help


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How a parser is trained. A strategy may be a function of epoch (from 1) and sentence (from 0).

    `patience`: stop after this many epochs without a better score on the development set. The parser is that of the
    last epoch within half a point of the best. `members`: number of perceptrons that learn in different orders, and
    whose mean is the parser; None: several for a small treebank, one if there are vectors. `prune`: drops weights
    smaller than this many updates; None: 1.5 for a large treebank (1 without a beam), else 0. `max_size`: of the model
    file, in bytes; drops as many weights as necessary. `subsample`: which annotations to learn from in each epoch.
    `margin`: a beam drops hypotheses so far behind that they would have become the tree of at most this share of the
    sentences of the development set; 0: never; None: 0.01. `batch`: sentences that are searched by the same weights, in
    as many threads as there are, and then learned from one after the other; 1 is the most accurate.
    """

    strategy: StrategyLike = MAX_VIOLATION
    epochs: int = 8
    patience: int | None = 3
    seed: int = 1
    members: int | None = None
    prune: float | None = None
    max_size: int | None = None
    subsample: Subsampling | None = None
    margin: float | None = None
    batch: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.strategy, TrainingStrategy) and not callable(self.strategy):
            raise SpecError(f"train: strategy must be a Strategy, or a function that gives one; got {self.strategy!r}")
        check_count("train: epochs", self.epochs, maximum=MAX_EPOCHS)
        check_count("train: seed", self.seed, minimum=0, maximum=MEMBER_SEED_STRIDE - 1)
        check_count("train: batch", self.batch)
        for name, most in (("patience", MAX_INT), ("members", MAX_MEMBERS), ("max_size", MAX_INT)):
            if (value := getattr(self, name)) is not None:
                check_count(f"train: {name}", value, maximum=most)
        if self.prune is not None:
            check_number("train: prune", self.prune, NON_NEGATIVE)
        if self.margin is not None:
            check_number("train: margin", self.margin, RATE)

    def members_for(self, words: int) -> int:
        """Number of perceptrons for a treebank of this many words."""
        return self.members or next(members for most, members in _MEMBERS if words < most)

    def strategy_for(self, epoch: int, sentence: int) -> TrainingStrategy:
        if isinstance(self.strategy, TrainingStrategy):
            return self.strategy
        chosen = self.strategy(epoch, sentence)
        if not isinstance(chosen, TrainingStrategy):
            raise SpecError(f"the function given as strategy must return a Strategy; got {chosen!r}")
        return chosen

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a manifest holds them."""
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        if self.batch == 1:
            del values["batch"]
        values["strategy"] = self.strategy.to_values() if isinstance(self.strategy, TrainingStrategy) else "function"
        values["subsample"] = self.subsample.to_values() if self.subsample else None
        return values


# --- The same as keyword arguments ---


class SeedlessOptions(TypedDict, total=False):
    """Options of `TrainingConfig` without the seed, which is given separately."""

    strategy: StrategyLike
    epochs: int
    patience: int | None
    members: int | None
    prune: float | None
    max_size: int | None
    subsample: Subsampling | None
    margin: float | None
    batch: int


class TrainingOptions(SeedlessOptions, total=False):
    """Options of `TrainingConfig`."""

    seed: int


class TaskOptions(TypedDict, total=False):
    """Options of `TrainingConfig` for tasks."""

    strategy: StrategyLike
    epochs: int
    patience: int | None
    seed: int


class NetworkOptions(TypedDict, total=False):
    """Options of `TrainingConfig` for a network that only predicts tags."""

    epochs: int
    patience: int | None
    seed: int


class SequenceOptions(TaskOptions, total=False):
    """Options of `TrainingConfig` that are not about trees."""

    members: int | None
    prune: float | None
    batch: int


def check_options(
    owner: str, options: Mapping[str, object], known: Collection[str], also: Collection[str] = ()
) -> None:
    """Raises SpecError for an unknown option; suggests a known one, or another argument of the owner."""
    for name in options:
        if name not in known:
            from difflib import get_close_matches

            close = get_close_matches(name, [*known, *also], 1)
            hint = f"did you mean {close[0]}?" if close else f"options are {', '.join(known)}"
            raise SpecError(f"{owner} has no option {name}; {hint}")


def sequence_training(
    beam: int, options: Mapping[str, Any], owner: str = "train_sequences", kind: type = SequenceOptions
) -> TrainingConfig:
    """The options, with defaults: the strategy is DYNAMIC, or MAX_VIOLATION with a beam."""
    known = [option.name for option in fields(TrainingConfig) if option.name in kind.__annotations__]
    check_options(owner, options, known, ("beam", "dev", "listeners"))
    strategy = DYNAMIC if beam == 1 else MAX_VIOLATION
    return TrainingConfig(**{"strategy": strategy, **options})
