"""[data] and [folds] of a recipe: the treebanks, and cross-validation on them."""

from __future__ import annotations

from dataclasses import dataclass

from panparser._checks import is_number
from panparser.recipes.tables import (
    Part,
    integer,
    is_lines,
    one_of,
    text,
    that,
)


@dataclass(frozen=True, kw_only=True)
class DataPart(Part):
    """[data]: the treebanks. Paths count from the folder of the recipe.

    `weights`: how often an epoch learns from the sentences of each file under `train`.
    """

    train: tuple[str, ...] | None = that("a list of files", is_lines)
    weights: tuple[float, ...] | None = that(
        "a list of numbers above 0",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(is_number(v) and v > 0 for v in value),
    )
    dev: str | None = text("a file")
    format: str | None = one_of("auto", "conllu", "conllx")


@dataclass(frozen=True, kw_only=True)
class FoldsPart(Part):
    """[folds]: cross-validation on the training data; `predictions` is a file for the jackknifed treebank."""

    count: int | None = integer(2)
    predictions: str | None = text("a file")
