"""Training options of everything that can be trained, and subsampling of words."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypedDict, get_args

from panparser.base.checks import MAX_COUNT, MAX_EPOCHS, MAX_MEMBERS, NON_NEGATIVE, PROBABILITY, RATE
from panparser.base.kinds import TABLE, Kind, Nullable, integer, number, one_of
from panparser.base.options import Form, Options, check_names, instance_of, option
from panparser.errors import SpecError
from panparser.learning.strategies import DYNAMIC, MAX_VIOLATION, STRATEGIES, StrategyLike, TrainingStrategy

if TYPE_CHECKING:
    from panparser.treebank.arc_regions import ArcRegion

Criterion = Literal["share", "frequency", "accuracy", "accuracy-once"]


def _region(value: Any) -> Any:
    """Return the region of a table, and any other value as it is."""
    from panparser.treebank.arc_regions import ArcRegion

    return ArcRegion.from_values(value) if isinstance(value, Mapping) else value


def _is_region(value: Any) -> bool:
    from panparser.treebank.arc_regions import ArcRegion

    return isinstance(value, ArcRegion)


class Subsampling(Options):
    """Which arcs a parser learns from: others are unknown for the epoch."""

    share: float = option(number(PROBABILITY), help="The share of all arcs that is kept; 0 only with `region`.")
    criterion: Criterion = option(
        one_of(*get_args(Criterion)),
        default="share",
        stored=Form("by"),
        recipe=Form(),
        help="Selection of arcs: uniformly at random (`share`), or by class of arcs (tag of the dependent and "
        "direction), reducing the frequent ones to one size (`frequency`), or preferring those with the most errors so "
        "far (`accuracy`: on the development set after the last epoch), or with the most errors of a parser that is "
        "trained on all arcs before, in the same way (`accuracy-once`).",
    )
    region: ArcRegion | None = option(
        Nullable(Kind("an ArcRegion", _is_region)),
        default=None,
        convert=_region,
        stored=Form("where", TABLE, encode=lambda region: region.to_values()),
        recipe=Form(kind=TABLE),
        omits_default=True,
        help="Only arcs of this region are left out, all of them if `share` is 0.",
    )

    def check(self) -> None:
        if self.share == 0 and self.region is None:
            raise SpecError(f"Subsampling: share must be a number in (0, 1] without a region; got {self.share!r}")


MEMBER_SEED_STRIDE = 1 << 32
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}
LARGE_TREEBANK = 100_000  # words
_MEMBERS = (
    (10_000, 4),
    (LARGE_TREEBANK, 2),
    (float("inf"), 1),
)  # (words below, members): the smaller the treebank, the more they help


def _stated_subsampling(values: Mapping[str, Any]) -> Subsampling:
    check_names(values, Subsampling.key_names("recipe"), "the table")
    if "share" not in values:
        raise SpecError("share is missing")
    return Subsampling(**values)


def parse_size(text: str) -> int:
    """Return the number of bytes in "8MB" (10**6 each) or "8 MiB" (2**20 each); 0 if the text is not a size."""
    match = re.fullmatch(r"(\d{1,18}(?:\.\d{1,18})?) ?([A-Za-z]*)", text)
    if match is None or match[2].upper() not in _UNITS:
        return 0
    return int(float(match[1]) * _UNITS[match[2].upper()])


class TrainingConfig(Options, owner="train"):
    """How a parser is trained."""

    strategy: StrategyLike = option(
        Kind(
            "a TrainingStrategy, or a function that returns one",
            lambda value: isinstance(value, TrainingStrategy) or callable(value),
        ),
        default=MAX_VIOLATION,
        usual='`"max-violation"`',
        stored=Form(encode=lambda value: value.to_values() if isinstance(value, TrainingStrategy) else "function"),
        recipe=Form(
            kind=Kind(f"one of {', '.join(STRATEGIES)}, or a table", lambda value: isinstance(value, str | Mapping)),
            decode=TrainingStrategy.from_values,
        ),
        help="A TrainingStrategy, or a function of epoch (from 1) and sentence (from 0) that returns one; in recipes a "
        "name, or a table of fields on top of the strategy named by `base`.",
    )
    epochs: int = option(integer(1, MAX_EPOCHS), default=8, help="Passes over the treebank, at most.")
    patience: int | None = option(
        Nullable(integer(1)),
        default=3,
        recipe=Form(kind=integer(0), decode=lambda patience: patience or None),
        help="Epochs without a better score on the development set before training stops; None, in recipes 0: never. "
        "The parser is that of the last epoch within half a point of the best.",
    )
    seed: int = option(integer(0, MEMBER_SEED_STRIDE - 1), default=1, help="The seed of all random numbers.")
    members: int | None = option(
        Nullable(integer(1, MAX_MEMBERS)),
        default=None,
        usual="by size of the treebank",
        help="Perceptrons that learn in different orders, and whose mean is the parser; by default several for a small "
        "treebank, one if there are vectors.",
    )
    prune_threshold: float | None = option(
        Nullable(number(NON_NEGATIVE)),
        default=None,
        usual="by size of the treebank",
        stored=Form("prune"),
        recipe=Form("prune", decode=float),
        help="Weights smaller than this many updates are dropped; by default 1.5 for a treebank of 100,000 words or "
        "more (1 without a beam), else 0.",
    )
    max_model_bytes: int | None = option(
        Nullable(integer(1)),
        default=None,
        usual="no limit",
        stored=Form("max_size"),
        recipe=Form(
            "model_size",
            Kind('a size such as "8MB"', lambda value: isinstance(value, str) and parse_size(value) > 0),
            decode=parse_size,
        ),
        help='The size of the model file in bytes, at most, in recipes such as `"8MB"`; as many weights as necessary '
        "are dropped.",
    )
    subsample: Subsampling | None = option(
        Nullable(instance_of(Subsampling)),
        default=None,
        stored=Form(encode=lambda subsample: subsample and subsample.to_values()),
        recipe=Form(kind=Kind("a table with share, criterion and region", TABLE.test), decode=_stated_subsampling),
        help="The arcs to learn from in each epoch: `{ share, criterion, region }`.",
    )
    margin: float | None = option(
        Nullable(number(RATE)),
        default=None,
        usual="0.01",
        help="Share of the sentences of the development set whose best tree may leave the beam early: the beam drops "
        "hypotheses that are far behind; 0: never.",
    )
    batch_size: int = option(
        integer(1, MAX_COUNT),
        default=1,
        omits_default=True,
        stored=Form("batch"),
        help="Sentences that are searched by the same weights, by all threads, and then learned from one after the "
        "other; 1 is the most accurate.",
    )

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


# --- The same as keyword arguments ---


class TrainingOptions(TypedDict, total=False):
    """Options of `TrainingConfig`."""

    strategy: StrategyLike
    epochs: int
    patience: int | None
    seed: int
    members: int | None
    prune_threshold: float | None
    max_model_bytes: int | None
    subsample: Subsampling | None
    margin: float | None
    batch_size: int


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
    prune_threshold: float | None
    batch_size: int


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
    known = [option.name for option in TrainingConfig.declarations.values() if option.name in kind.__annotations__]
    check_options(owner, options, known, ("beam", "dev", "listeners"))
    strategy = DYNAMIC if beam == 1 else MAX_VIOLATION
    return TrainingConfig(**{"strategy": strategy, **options})
