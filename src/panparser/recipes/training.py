"""[training] of a recipe: how a parser learns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from panparser._checks import MAX_EPOCHS, MAX_MEMBERS, MAX_SEEDS, is_whole
from panparser.errors import SpecError
from panparser.learning.options import TrainingConfig
from panparser.learning.strategies import STRATEGIES, TrainingStrategy
from panparser.learning.subsampling import Subsampling
from panparser.networks.network import NetworkSpec
from panparser.recipes.tables import (
    Part,
    check_names,
    integer,
    number,
    size_of,
    table,
    text,
    that,
    within,
)


@dataclass(frozen=True, kw_only=True)
class TrainingPart(Part):
    """[training]: how it learns.

    `strategy`: a name, or a table with fields of `TrainingStrategy` on top of the one named by `base`. `patience = 0`: never
    stop early. `seeds`: several, of which the one that is best on the development set is kept. `members`: perceptrons
    of which the parser is the mean. `prune`: drops weights smaller than this many updates. `margin`: the share of the
    development set whose best trees a narrower beam may lose. `batch`: sentences that are searched by the same weights.
    `model_size`: the largest file, such as "8MB". `init`: a model to continue from.
    """

    strategy: str | Mapping[str, Any] | None = that(
        f"one of {', '.join(STRATEGIES)}, or a table", lambda value: isinstance(value, str | Mapping)
    )
    epochs: int | None = integer(1, MAX_EPOCHS)
    patience: int | None = integer(0)
    seed: int | None = integer(0)
    seeds: tuple[int, ...] | None = that(
        f"a list of at most {MAX_SEEDS} different integers >= 0",
        lambda value: (
            isinstance(value, tuple)
            and all(is_whole(seed) and seed >= 0 for seed in value)
            and 0 < len(value) == len(set(value)) <= MAX_SEEDS
        ),
    )
    members: int | None = integer(1, MAX_MEMBERS)
    prune: float | None = number(0)
    margin: float | None = that(
        "a number from 0 to below 1", lambda value: isinstance(value, int | float) and 0 <= value < 1
    )
    batch: int | None = integer(1)
    model_size: str | None = that('a size such as "8MB"', lambda value: isinstance(value, str) and bool(size_of(value)))
    subsample: Mapping[str, Any] | None = table("a table with share, by and where")
    init: str | None = text("a model file")

    def options(self, network: NetworkSpec | None = None) -> dict[str, Any]:
        """The options of `train`; a network has its own defaults of epochs and patience."""
        defaults = TrainingConfig() if network is None else network.learning
        strategy = self.strategy  # defaults to one that fits the system, which is not known here
        found = (
            {} if strategy is None else {"strategy": within("strategy", lambda: TrainingStrategy.from_values(strategy))}
        )
        patience = defaults.patience if self.patience is None else self.patience
        return found | {
            "epochs": defaults.epochs if self.epochs is None else self.epochs,
            "patience": patience or None,
            "seed": TrainingConfig().seed if self.seed is None else self.seed,
            "members": self.members,
            "prune": None if self.prune is None else float(self.prune),
            "margin": self.margin,
            "batch": TrainingConfig().batch if self.batch is None else self.batch,
            "max_size": size_of(self.model_size) if self.model_size else None,
            "subsample": within("subsample", self._find_subsample),
        }

    def _find_subsample(self) -> Subsampling | None:
        if self.subsample is None:
            return None
        check_names(self.subsample, [each.name for each in fields(Subsampling)], "the table")
        if "share" not in self.subsample:
            raise SpecError("share is missing")
        return Subsampling(**self.subsample)


def describe_strategy(strategy: TrainingStrategy) -> str | dict[str, Any]:
    """The name of a built-in strategy, or the table of another."""
    names = [name for name, known in STRATEGIES.items() if known == strategy]
    return names[0] if names else strategy.to_values()
