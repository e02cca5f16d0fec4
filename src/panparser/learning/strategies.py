"""Training strategies: where to update, with which pair of derivations, and where to resume. All of it is data.

The learner decodes from a state with a beam until the oracle flags a violation, chooses a positive and a negative
derivation of one length, updates, and resumes as the strategy says (Aufrant & Wisniewski 2018, Algorithms 1 to 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, Literal, get_args

from panparser import _engine
from panparser.base.checks import (
    NON_NEGATIVE,
    PROBABILITY,
    Interval,
    check_choice,
    check_count,
    check_number,
    is_number,
)
from panparser.base.kinds import TABLE, ListOf, Row, check, integer, number, short_repr
from panparser.errors import StrategyError

Oracle = Literal["static", "dynamic"]
UpdateAt = Literal["first-violation", "max-violation", "latest-violation", "longest-prefix", "end"]
Positive = Literal["best-scoring", "most-similar"]
Restart = Literal["none", "pair", "random-correct", "beam", "sample"]
Against = Literal["best", "beam"]
_CHOICES = {"oracle": Oracle, "update_at": UpdateAt, "positive": Positive, "restart": Restart, "against": Against}
_STEPS = ListOf(Row(integer(1), number(NON_NEGATIVE)), minimum=1)  # of a schedule, as plain values


@dataclass(frozen=True)
class EpochSchedule:
    """A number for each epoch: that of the latest step reached. Epochs count from 1."""

    steps: tuple[tuple[int, float], ...] = ((1, 0.0),)

    def __post_init__(self) -> None:
        steps = tuple((epoch, float(value)) for epoch, value in self.steps)
        epochs = [epoch for epoch, _ in steps]
        if not steps or epochs[0] != 1 or any(a >= b for a, b in pairwise(epochs)):
            raise StrategyError(f"EpochSchedule: steps must begin with epoch 1 and rise; got {self.steps!r}")
        object.__setattr__(self, "steps", steps)

    def __call__(self, epoch: int) -> float:
        return [value for first, value in self.steps if first <= epoch][-1]


def constant(value: float) -> EpochSchedule:
    """The same in every epoch."""
    return EpochSchedule(((1, value),))


def after(epochs: int, value: float) -> EpochSchedule:
    """0 for this many epochs, then a value."""
    return EpochSchedule(((1, 0.0), (epochs + 1, value))) if epochs > 0 else constant(value)


NEVER = constant(0.0)


@dataclass(frozen=True, kw_only=True)
class TrainingStrategy:
    """How one sentence is learned from.

    `oracle`: correct is one derivation fixed in advance ("static"), or every derivation of minimum cost ("dynamic").
    `update_at`: the first step at which no correct derivation is left in the beam; the one where the best wrong one
    leads by most; the last where it leads; the one whose pair shares the longest prefix; the end of the sentence.
    `positive`: of the correct derivations of that length, the best-scoring, or that most like the negative one.
    `restart`: what to do after an update: go to the next sentence ("none"), or search again from the positive or, with
    the probability `exploration`, the negative state ("pair"); from any correct state instead of the positive one
    ("random-correct"); from all of the beam ("beam"); from a state drawn by its score ("sample"), at
    `temperature`, which is in updates.
    `horizon`: the search starts again after this many actions, unless an update ended the sentence.
    `focus`: the weight of each transition of an update against the one before; below 1 the first count most.
    `against`: the positive derivation against the best of the beam, or all correct ones against all of the beam by
    their probabilities (Andor et al. 2016), which not every classifier can.
    """

    oracle: Oracle = "dynamic"
    update_at: UpdateAt = "first-violation"
    positive: Positive = "best-scoring"
    restart: Restart = "none"
    exploration: EpochSchedule = NEVER
    temperature: float = 1.0
    horizon: int | None = None
    focus: float = 1.0
    against: Against = "best"

    def __post_init__(self) -> None:
        for name, known in _CHOICES.items():
            check_choice(f"TrainingStrategy: {name}", getattr(self, name), get_args(known), StrategyError)
        if is_number(self.exploration) and 0 <= self.exploration <= 1:
            object.__setattr__(self, "exploration", constant(self.exploration))
        if not isinstance(self.exploration, EpochSchedule):
            expected = f"{PROBABILITY}, or an EpochSchedule"
            raise StrategyError(f"TrainingStrategy: exploration must be {expected}; got {short_repr(self.exploration)}")
        rates = [rate for _, rate in self.exploration.steps]
        if not all(0 <= rate <= 1 for rate in rates):
            raise StrategyError(f"TrainingStrategy: exploration must be {PROBABILITY}; got {rates}")
        if any(rates) and self.restart not in ("pair", "random-correct"):
            raise StrategyError(f"exploration needs a restart from pair or random-correct; got {self.restart!r}")
        if self.oracle == "static" and (any(rates) or self.restart in ("beam", "sample")):
            raise StrategyError("a static oracle knows nothing of wrong states: no exploration, restart from the pair")
        check_number("TrainingStrategy: temperature", self.temperature, Interval(0, 1e30, "()"), StrategyError)
        if self.horizon is not None:
            check_count("TrainingStrategy: horizon", self.horizon, maximum=(1 << 31) - 1, error=StrategyError)
        check_number("TrainingStrategy: focus", self.focus, Interval(0, 4, "(]"), StrategyError)
        if self.against == "beam" and self.focus != 1:
            raise StrategyError(f"TrainingStrategy: focus must be 1 against the beam; got {self.focus!r}")

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a recipe holds them: only what differs from the default."""
        values = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        if "exploration" in values:
            values["exploration"] = [list(step) for step in self.exploration.steps]
        return values

    @classmethod
    def from_values(cls, values: str | Mapping[str, Any]) -> TrainingStrategy:
        """A strategy by name, or from plain values, on top of the named strategy under `base` if there is one."""
        if isinstance(values, str):
            return named(values)
        check(values, TABLE, "strategy", StrategyError)
        names = {f.name for f in fields(cls)}
        if unknown := sorted(set(values) - names - {"base"}):
            near = get_close_matches(unknown[0], names, 1)
            hint = f"; did you mean {near[0]}?" if near else f"; there are {', '.join(sorted(names))}"
            raise StrategyError(f"Strategy has no {unknown[0]}{hint}")
        given = {name: value for name, value in values.items() if name != "base"}
        if isinstance(steps := given.get("exploration"), list | tuple):
            check(steps, _STEPS, "exploration", StrategyError)
            given["exploration"] = EpochSchedule(tuple((epoch, float(rate)) for epoch, rate in steps))
        return replace(named(values.get("base", "early-update")), **given)

    def lowered(self, epoch: int) -> _engine.Strategy:
        """As the engine has it."""
        if self.against != "best":
            raise StrategyError("a perceptron learns against the best of the beam; a network can learn against all")
        return _engine.Strategy(
            static_oracle=self.oracle == "static",
            update_at=_engine.UpdateAt[_constant(self.update_at)],
            positive=_engine.Positive[_constant(self.positive)],
            restart=_engine.Restart[_constant(self.restart)],
            exploration=self.exploration(epoch),
            temperature=self.temperature,
            horizon=self.horizon or 0,
            focus=self.focus,
        )


def _constant(word: str) -> str:
    """FIRST_VIOLATION of "first-violation"."""
    return word.upper().replace("-", "_")


StrategyLike = (
    TrainingStrategy | Callable[[int, int], TrainingStrategy]
)  # or a function of epoch (from 1) and sentence (from 0)

EARLY_UPDATE = TrainingStrategy()
MAX_VIOLATION = TrainingStrategy(update_at="max-violation")
FULL_UPDATE = TrainingStrategy(update_at="end")
LATEST = TrainingStrategy(update_at="latest-violation")
LONGEST_PREFIX = TrainingStrategy(update_at="longest-prefix", positive="most-similar")
# Local training is early update with restart; with a beam of 1 it is the classical greedy parser.
STATIC = TrainingStrategy(oracle="static", restart="pair")
DYNAMIC = TrainingStrategy(restart="pair", exploration=constant(1.0))
# Goldberg & Nivre 2012, Algorithm 3 with CHOOSE_NEXT_AMB and CHOOSE_NEXT_EXP: k = 2 and p = 0.1, that is, from the
# third epoch on a wrong prediction is followed with the probability 0.9.
DYNAMIC_AMBIGUITY = TrainingStrategy(restart="random-correct")
DYNAMIC_EXPLORE = TrainingStrategy(restart="random-correct", exploration=after(2, 0.9))

# Andor et al. 2016, with restarts: a beam is globally normalized at its first violation, or the end.
GLOBAL = TrainingStrategy(restart="pair", against="beam")

STRATEGIES = {
    "early-update": EARLY_UPDATE,
    "max-violation": MAX_VIOLATION,
    "full-update": FULL_UPDATE,
    "latest": LATEST,
    "longest-prefix": LONGEST_PREFIX,
    "static": STATIC,
    "dynamic": DYNAMIC,
    "dynamic-ambiguity": DYNAMIC_AMBIGUITY,
    "dynamic-explore": DYNAMIC_EXPLORE,
    "early-update-restart": replace(EARLY_UPDATE, restart="pair"),
    "max-violation-restart": replace(MAX_VIOLATION, restart="pair"),
    "global": GLOBAL,
}


def named(name: str) -> TrainingStrategy:
    """The built-in strategy of that name."""
    if not isinstance(name, str) or name not in STRATEGIES:
        near = get_close_matches(str(name), STRATEGIES, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise StrategyError(f"no strategy is called {name!r}; {hint}There are {', '.join(STRATEGIES)}")
    return STRATEGIES[name]
