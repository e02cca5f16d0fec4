"""Training: how something is trained, as data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from panparser.errors import SpecError
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, Strategy, StrategyLike
from panparser.learning.subsampling import Subsample

MEMBER_SEED_STRIDE = 1 << 32
LARGE_TREEBANK = 100_000  # words
_MEMBERS = ((10_000, 4), (LARGE_TREEBANK, 2), (float("inf"), 1))  # words below: members; the smaller, the more it helps
_OF_TREES = ("subsample", "max_size", "margin")  # options of Training that are about trees


@dataclass(frozen=True, kw_only=True)
class Training:
    """How a parser is trained. A strategy may be a function of epoch (from 1) and sentence (from 0).

    `patience`: stop after so many epochs without a better score on the development set. The parser is that of the last
    epoch that is within half a point of the best. `members`: so many perceptrons learn the same in different orders,
    and the parser is their mean; None: several for a small treebank, one if there are vectors. `prune`: weights below
    so many updates are left out of the model; None: 1.5 for a large treebank (1 without a beam), else 0. `max_size`: of
    the model file, in bytes; so many weights are left out. `subsample`: of what annotations to learn in each epoch.
    `margin`: a beam drops what is so far behind that it would still have become the tree of at most this share of the
    sentences of the development set; 0: never; None: 0.01.
    """

    strategy: StrategyLike = MAX_VIOLATION
    epochs: int = 8
    patience: int | None = 3
    seed: int = 1
    members: int | None = None
    prune: float | None = None
    max_size: int | None = None
    subsample: Subsample | None = None
    margin: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.strategy, Strategy) and not callable(self.strategy):
            raise SpecError(
                f"strategy of train must be a Strategy, or a function that gives one; got {self.strategy!r}"
            )
        for name, least in (("epochs", 1), ("patience", 1), ("seed", 0), ("members", 1), ("max_size", 1)):
            value = getattr(self, name)
            if value is None and name in ("patience", "members", "max_size"):
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise SpecError(f"{name} of train must be an integer >= {least}; got {value!r}")
        if self.seed >= MEMBER_SEED_STRIDE:
            raise SpecError(f"seed of train must be below {MEMBER_SEED_STRIDE}; got {self.seed}")
        if self.prune is not None and (not isinstance(self.prune, int | float) or not self.prune >= 0):
            raise SpecError(f"prune of train must be a number >= 0; got {self.prune!r}")
        if self.margin is not None and (not isinstance(self.margin, int | float) or not 0 <= self.margin < 1):
            raise SpecError(f"margin of train must be a number from 0 to below 1; got {self.margin!r}")

    def members_for(self, words: int) -> int:
        """How many perceptrons learn from so many words."""
        return self.members or next(members for most, members in _MEMBERS if words < most)

    def strategy_for(self, epoch: int, sentence: int) -> Strategy:
        if isinstance(self.strategy, Strategy):
            return self.strategy
        chosen = self.strategy(epoch, sentence)
        if not isinstance(chosen, Strategy):
            raise SpecError(f"the function given as strategy must return a Strategy; got {chosen!r}")
        return chosen

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a manifest holds them."""
        values: dict[str, Any] = {f.name: getattr(self, f.name) for f in fields(self)}
        values["strategy"] = self.strategy.to_values() if isinstance(self.strategy, Strategy) else "function"
        values["subsample"] = self.subsample.to_values() if self.subsample else None
        return values


def sequence_training(beam: int, options: dict[str, Any]) -> Training:
    """The options, with what is said of none of them."""
    known = [f.name for f in fields(Training) if f.name not in _OF_TREES]
    if unknown := [name for name in options if name not in known]:
        raise SpecError(f"there is no option {unknown[0]} here; there are {', '.join(known)}")
    strategy = DYNAMIC if beam == 1 else MAX_VIOLATION
    return Training(**{"strategy": strategy, **options})
