"""[data], [[sources]], [typology] and [folds] of a recipe: the treebanks, and cross-validation on them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from panparser._checks import is_number
from panparser.errors import SpecError
from panparser.recipes.tables import (
    Part,
    boolean,
    integer,
    is_lines,
    one_of,
    text,
    that,
    within,
)
from panparser.storage.values import TABLE, check

# Functions of packages above this one, by the section that they interpret; imported only if a recipe has the section.
EXTENSIONS = {
    "sources": "panparser.recipes.transferring:read_source_treebanks",
    "typology": "panparser.recipes.transferring:recipe_typology",
}


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


@dataclass(frozen=True, kw_only=True)
class SourcePart(Part):
    """[[sources]]: a treebank of another language.

    `weight`: how often an epoch learns from its sentences. `sentences`: at most so many, drawn by the seed. `blank`:
    words lose all that belongs to their language, and only UPOS, heads and labels remain.
    """

    path: str | None = text("a file")
    weight: float | None = that("a number above 0", lambda value: is_number(value) and value > 0)
    sentences: int | None = integer(1)
    blank: bool | None = boolean()


def read_sources(values: Any, place: str) -> tuple[SourcePart, ...]:
    """The tables under `sources`."""
    if not isinstance(values, list | tuple) or not values:
        raise SpecError(f"{place}: [[sources]]: expected tables of sources, found {values!r}")
    found = []
    for number, each in enumerate(values, start=1):
        part = SourcePart.from_values(each, f"{place}: [[sources]] number {number}")
        if part.path is None:
            raise SpecError(f"{place}: [[sources]] number {number}: path is missing")
        found.append(part)
    return tuple(found)


def read_typology(values: Any, place: str) -> dict[str, Any]:
    """The table `typology`, checked."""
    check(values, TABLE, f"{place}: [typology]", SpecError)
    within(f"{place}: [typology]", lambda: extension("typology")(values))
    return dict(values)


def extension(section: str) -> Callable[..., Any]:
    """Return the function that interprets a section which recipes themselves only store."""
    module, _, name = EXTENSIONS[section].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
