"""ArcRegion: a class of arcs, by tags, labels, direction and length."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from panparser.base.checks import MAX_INT, check_choice, check_count
from panparser.base.types import BoolArray, IntArray
from panparser.errors import SpecError
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label
from panparser.trees.gold import UNKNOWN

Direction = Literal["left", "right", "root"]
LENGTHS = ((1, 1), (2, 2), (3, 5), (6, 10), (11, None))  # classes of lengths
SETS = ("upos", "head_upos", "label")


@dataclass(frozen=True, kw_only=True)
class ArcRegion:
    """Arcs that meet all given conditions: tags of the dependent and of the head, labels, direction, length.

    `direction` is where the head is: "left", "right", or "root" for arcs of Root, which have no length and a
    head with the tag "ROOT". A label includes its subtypes: nsubj also means nsubj:pass.
    """

    upos: tuple[str, ...] | None = None
    head_upos: tuple[str, ...] | None = None
    label: tuple[str, ...] | None = None
    direction: Direction | None = None
    min_length: int | None = None
    max_length: int | None = None

    def __post_init__(self) -> None:
        for name in SETS:
            value = getattr(self, name)
            names = (value,) if isinstance(value, str) else value
            if names is None:
                continue
            if not isinstance(names, Sequence) or not names or not all(isinstance(n, str) and n for n in names):
                raise SpecError(f"ArcRegion: {name} must be a name or a collection of names; got {value!r}")
            object.__setattr__(self, name, tuple(names))
        if self.direction is not None:
            check_choice("ArcRegion: direction", self.direction, get_args(Direction))
        for name in ("min_length", "max_length"):
            value = getattr(self, name)
            if value is not None:
                check_count(f"ArcRegion: {name}", value, maximum=MAX_INT)
        if self.direction == "root" and (self.min_length or self.max_length):
            raise SpecError("ArcRegion: min_length and max_length are not supported with direction root")
        if self.max_length is not None and (self.min_length or 1) > self.max_length:
            raise SpecError(f"ArcRegion: max_length must be >= min_length, {self.min_length}; got {self.max_length}")

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> ArcRegion:
        known = [each.name for each in fields(cls)]
        if not isinstance(values, Mapping) or not set(values) <= set(known):
            raise SpecError(f"ArcRegion: expected a table with some of {', '.join(known)}; got {values!r}")
        return cls(**values)

    def to_values(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: list(v) if isinstance(v, tuple) else v for name, v in values.items() if v is not None}

    def __str__(self) -> str:
        texts = (f"{name}={'|'.join(v) if isinstance(v, list) else v}" for name, v in self.to_values().items())
        return " ".join(texts) or "every arc"

    def matches(self, arcs: Arcs) -> BoolArray:
        """(words) Is the arc of the word in the region?"""
        found: BoolArray = arcs.heads != UNKNOWN
        for name in SETS:
            wanted = getattr(self, name)
            if wanted is not None:
                found &= arcs.has(name, wanted)
        if self.direction is not None:
            found &= arcs.direction == get_args(Direction).index(self.direction)
        if self.min_length is not None:
            found &= arcs.length >= self.min_length
        if self.max_length is not None:
            found &= (arcs.length <= self.max_length) & (arcs.heads > 0)
        return found


def in_regions(regions: Iterable[ArcRegion], arcs: Arcs) -> BoolArray:
    """(words) Is the arc of the word in one of the regions?"""
    found = np.zeros(len(arcs.heads), dtype=bool)
    for region in regions:
        found |= region.matches(arcs)
    return found


class Arcs:
    """Heads and labels of the words of a treebank, with what regions depend on. Labels are texts by number."""

    def __init__(self, treebank: Treebank, heads: IntArray, labels: IntArray, texts: Sequence[str]) -> None:
        self.heads = heads
        self._labels, self._texts = labels, texts
        self._tags = treebank.vocabulary("upos")
        self._upos: npt.NDArray[Any] = treebank.column("upos")
        first = treebank.offsets[treebank.sentence_of_word()] if treebank.words else np.zeros(0, dtype=np.int64)
        position = np.arange(treebank.words) - first + 1
        self.length = np.where(heads > 0, np.abs(heads - position), 0)
        self.direction = np.where(heads == 0, 2, (heads > position).astype(np.int64))
        self._head_word = np.where(heads > 0, first + heads - 1, -1)

    @classmethod
    def from_treebank(cls, treebank: Treebank) -> Arcs:
        """The arcs of a treebank."""
        ids: npt.NDArray[Any] = treebank.column("deprel")
        return cls(treebank, np.array(treebank.heads), np.array(ids), treebank.vocabulary("deprel"))

    def names(self, name: str) -> list[str]:
        """The value of a property for the arc of each word; unspecified for words without an arc."""
        if name == "upos":
            return [self._tags[tag] for tag in self._upos.tolist()]
        if name == "head_upos":
            tags = [*self._tags, "ROOT"]
            numbers = np.where(self._head_word >= 0, self._upos[self._head_word], len(tags) - 1)
            return [tags[tag] for tag in numbers.tolist()]
        if name == "label":
            texts = [*self._texts, "_"]
            return [texts[label] for label in self._labels.tolist()]
        if name == "direction":
            return [get_args(Direction)[d] for d in self.direction.tolist()]
        bins = np.searchsorted([low for low, _ in LENGTHS], self.length, side="right") - 1
        return [str(number) for number in bins.tolist()]

    def has(self, name: str, wanted: Sequence[str]) -> BoolArray:
        names = self.names(name)
        if name == "label":
            names = [text if text in wanted else base_label(text) for text in names]
        return np.isin(np.array(names, dtype=object), list(wanted)) if names else np.zeros(0, dtype=bool)
