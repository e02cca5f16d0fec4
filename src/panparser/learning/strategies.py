"""Training strategies: where to update, with which pair of derivations, and where to resume. All of it is data.

The learner decodes from a state with a beam until the oracle flags a violation, chooses a positive and a negative
derivation of one length, updates, and resumes as the strategy says (Aufrant & Wisniewski 2018, Algorithms 1 to 3).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from itertools import pairwise
from typing import Any, Literal, get_args

from panparser import _engine
from panparser.base.checks import NON_NEGATIVE, Interval, is_number
from panparser.base.kinds import TABLE, Kind, ListOf, Nullable, Row, check, integer, number, one_of
from panparser.base.options import Form, Options, check_names, option
from panparser.errors import StrategyError

Oracle = Literal["static", "dynamic"]
UpdateAt = Literal["first-violation", "max-violation", "latest-violation", "longest-prefix", "end"]
Positive = Literal["best-scoring", "most-similar"]
Restart = Literal["none", "pair", "random-correct", "beam", "sample"]
Competitor = Literal["best", "beam"]
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


def _schedule(value: Any) -> Any:
    """Return the schedule of a number or of plain steps, and any other value as it is."""
    if isinstance(value, list | tuple):
        check(value, _STEPS, "exploration", StrategyError)
        return EpochSchedule(tuple((epoch, float(rate)) for epoch, rate in value))
    return constant(value) if is_number(value) and 0 <= value <= 1 else value


def _is_exploration(value: Any) -> bool:
    return isinstance(value, EpochSchedule) and all(0 <= rate <= 1 for _, rate in value.steps)


class TrainingStrategy(Options, error=StrategyError, omits_defaults=True):
    """How one sentence is learned from; its plain values are those that are not defaults."""

    oracle: Oracle = option(
        one_of(*get_args(Oracle)),
        default="dynamic",
        help="Correct derivations: one fixed in advance (`static`), or every derivation of minimum cost (`dynamic`).",
    )
    update_at: UpdateAt = option(
        one_of(*get_args(UpdateAt)),
        default="first-violation",
        help="The step of the update: the first at which no correct derivation is left in the beam; the one where the "
        "best wrong derivation leads by most; the last where it leads; the one whose pair shares the longest prefix; "
        "the end of the sentence.",
    )
    positive: Positive = option(
        one_of(*get_args(Positive)),
        default="best-scoring",
        help="The correct derivation of that length: the best-scoring one, or the one most like the negative one.",
    )
    restart: Restart = option(
        one_of(*get_args(Restart)),
        default="none",
        help="Continuation after an update: the next sentence (`none`), or another search: from the positive or, "
        "with the "
        "probability `exploration`, the negative state (`pair`); from any correct state instead of the positive one "
        "(`random-correct`); from all states of the beam (`beam`); from a state drawn by its score (`sample`).",
    )
    exploration: EpochSchedule = option(
        Kind("a number in [0, 1], or an EpochSchedule of such numbers", _is_exploration),
        default=NEVER,
        convert=_schedule,
        stored=Form(encode=lambda schedule: [list(step) for step in schedule.steps]),
        help="The probability that search restarts from a wrong state, by epoch.",
    )
    temperature: float = option(
        number(Interval(0, 1e30, "()")),
        default=1.0,
        help="Temperature of `sample`, in updates: the higher, the more evenly states are drawn.",
    )
    search_horizon: int | None = option(
        Nullable(integer(1, (1 << 31) - 1)),
        default=None,
        stored=Form("horizon"),
        help="Search starts again after this many actions, unless an update ended the sentence.",
    )
    focus: float = option(
        number(Interval(0, 4, "(]")),
        default=1.0,
        help="The weight of each transition of an update, relative to the one before; below 1 the first count most.",
    )
    competitor: Competitor = option(
        one_of(*get_args(Competitor)),
        default="best",
        stored=Form("against"),
        help="The negative side of an update: the best derivation of the beam (`best`), or all of the beam by their "
        "probabilities, against all correct derivations (`beam`; Andor et al. 2016), which needs a network.",
    )

    def check(self) -> None:
        explores = any(rate for _, rate in self.exploration.steps)
        if explores and self.restart not in ("pair", "random-correct"):
            raise StrategyError(f"exploration needs a restart from pair or random-correct; got {self.restart!r}")
        if self.oracle == "static" and (explores or self.restart in ("beam", "sample")):
            raise StrategyError("a static oracle knows nothing of wrong states: no exploration, restart from the pair")
        if self.competitor == "beam" and self.focus != 1:
            raise StrategyError(f"TrainingStrategy: focus must be 1 if the competitor is the beam; got {self.focus!r}")

    @classmethod
    def from_values(cls, values: str | Mapping[str, Any], place: str = "strategy") -> TrainingStrategy:
        """Return a strategy by name, or from plain values, on top of the strategy named by `base` if there is one."""
        if isinstance(values, str):
            return named(values)
        check(values, TABLE, place, StrategyError)
        check_names(values, ["base", *cls.table().may], place, StrategyError)
        return replace(named(values.get("base", "early-update")), **cls.arguments(values))

    def lowered(self, epoch: int) -> _engine.Strategy:
        """As the engine has it."""
        if self.competitor != "best":
            raise StrategyError("a perceptron learns against the best of the beam; a network can learn against all")
        return _engine.Strategy(
            static_oracle=self.oracle == "static",
            update_at=_engine.UpdateAt[_constant(self.update_at)],
            positive=_engine.Positive[_constant(self.positive)],
            restart=_engine.Restart[_constant(self.restart)],
            exploration=self.exploration(epoch),
            temperature=self.temperature,
            horizon=self.search_horizon or 0,
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
GLOBAL = TrainingStrategy(restart="pair", competitor="beam")

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
