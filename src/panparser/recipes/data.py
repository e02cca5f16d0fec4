"""[data], [[sources]], [typology] and [folds] of a recipe: the treebanks, and cross-validation on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

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
from panparser.storage.values import text as of_text

if TYPE_CHECKING:
    from panparser.transfer.typology import Typology
    from panparser.treebank.treebank import Treebank

_LANGUAGES = ("language", "like")


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

    def read(self, typology: Typology | None, seed: int, format: Any) -> Treebank:
        """What is learned from: drawn, in the word order of the typology, and blanked, unless it says otherwise."""
        from panparser.transfer.blanking import blanked  # only here: few recipes have sources
        from panparser.transfer.rewriting import rewrite
        from panparser.treebank.conllu import read_conllu
        from panparser.treebank.sampling import sample

        found = read_conllu(str(self.path), format=format)
        if self.sentences is not None:
            found = sample(found, self.sentences, seed=seed)
        if typology is not None and len(typology):
            found = rewrite(found, typology, seed=seed)[0]
        return found if self.blank is False else blanked(found)


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
    within(f"{place}: [typology]", lambda: typology_of(values))
    return dict(values)


def typology_of(values: Mapping[str, Any]) -> Typology:
    """What WALS says of `language`, or of `like`, a relative, and what the other values say, which overrule that."""
    from panparser.transfer.typology import Typology  # only here, as above

    named = {
        name: check(values[name], of_text("a language", least=1), name, SpecError)
        for name in _LANGUAGES
        if name in values
    }
    traits = {name: value for name, value in values.items() if name not in _LANGUAGES}
    return Typology.known(**named) | Typology.from_values(traits, "the recipe")
