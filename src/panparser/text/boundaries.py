"""Positions where a token or a sentence may end, and their features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.types import BoolArray, IntArray, KeyArray, LongArray
from panparser.features.templates import templates
from panparser.tagging.sequences import SequenceFeatures
from panparser.text.characters import KINDS, CodePoints, characters_of

_SPACE, _BREAK = 32, 10  # stand for white space, and for white space with a blank line in it
_LETTERS = [KINDS.index(name) for name in ("lower", "upper", "letter", "mark")]
_UPPER = KINDS.index("upper")

NONE, BREAK = 0, 2  # what follows a place: a character; white space with a blank line in it, or the end
NAMES = tuple(_engine.boundary_columns())


class Layout:
    """A text with each run of white space as one character, none at its start, and one break at its end."""

    def __init__(self, points: CodePoints) -> None:
        self._laid = _engine.Layout(points, characters_of(points))

    def __len__(self) -> int:
        return len(self._laid)

    @cached_property
    def points(self) -> CodePoints:
        return self._laid.points

    @cached_property
    def origin(self) -> LongArray:
        """Where each character stands in the text."""
        return self._laid.origin

    @cached_property
    def gap(self) -> BoolArray:
        return np.asarray((self.points == _SPACE) | (self.points == _BREAK))

    @property
    def before_space(self) -> BoolArray:
        """Which characters white space follows that is no break."""
        return np.append(self.points[1:] == _SPACE, False)

    @cached_property
    def kinds(self) -> npt.NDArray[np.uint8]:
        return self._laid.kinds()

    @property
    def runs(self) -> tuple[LongArray, KeyArray]:
        """Where runs start, and their hashes in lower case."""
        starts, words = self._laid.runs()
        return starts, words

    def places(self, whole: BoolArray) -> LongArray:
        """Characters after which a token may end."""
        return self._laid.places(whole)

    def columns(self, places: LongArray, lexicon: Lexicon) -> dict[str, IntArray]:
        """The features of places, by the names in NAMES; `gap` is NONE, BREAK, or 1 for other white space."""
        table = self._laid.table(places, lexicon._classes).reshape(len(places), len(NAMES))
        return dict(zip(NAMES, table.T, strict=True))


@dataclass(frozen=True)
class Lexicon:
    """How words were used in the training text: sorted hashes of words, and a class for each.

    The class encodes how often a word is capitalized within sentences, begins sentences, and is followed by a full stop
    that belongs to it.
    """

    words: KeyArray
    classes: npt.NDArray[np.uint8]

    @classmethod
    def learn(cls, layout: Layout, sentence_starts: BoolArray, min_count: int = 3) -> Lexicon:
        """Learns from a text and the characters that begin sentences; drops words seen fewer than `min_count` times."""
        starts, words = layout.runs
        is_word = np.isin(layout.kinds[starts], _LETTERS)
        word, where, count = np.unique(words[is_word], return_inverse=True, return_counts=True)
        starts = starts[is_word]
        first = sentence_starts[starts]
        capital = layout.kinds[starts] == _UPPER
        begins = np.bincount(where, first, len(word))
        inside = count - begins
        capitals = np.bincount(where, capital & ~first, len(word))
        case = np.where(inside == 0, 0, 1 + np.round(3 * capitals / np.maximum(inside, 1)))
        classes = 1 + case * 5 + np.round(4 * begins / count)
        known = count >= min_count
        return cls(word[known], classes[known].astype(np.uint8))

    def is_sound(self) -> bool:
        """Are words sorted, with a class each?"""
        good_types = self.words.dtype == np.uint64 and self.classes.dtype == np.uint8
        return good_types and self.words.shape == self.classes.shape == (len(self.words),) and is_sorted(self.words)

    @cached_property
    def _classes(self) -> _engine.WordClasses:
        return _engine.WordClasses(self.words, self.classes)


def is_sorted(numbers: npt.NDArray[Any]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


# --- Positions ---

_RARE = 1000  # pairs of which at most one in this many ends a token are skipped
PAIRS = len(KINDS) ** 2


def whole_pairs(layout: Layout, ends: BoolArray, min_count: int = 500) -> BoolArray:
    """Frequent pairs of kinds between which tokens almost never ended in a text: they need no classification."""
    kind = layout.kinds.astype(np.int64)
    pairs = kind * len(KINDS) + np.append(kind[1:], 0)
    seen = np.bincount(pairs, minlength=PAIRS)
    split = np.bincount(pairs[ends], minlength=PAIRS)
    return np.asarray((split * _RARE <= seen) & (seen >= min_count))


ENDS, STARTS = range(2, 9), range(2, 5)  # lengths of a token's suffixes and prefixes
SPLITTER_COLUMNS = (
    *("form", "capital", "last", "length", *(f"e{n}" for n in ENDS), *(f"b{n}" for n in STARTS)),
    *(f"{word}{part}" for word in ("p2", "p1", "n1", "n2") for part in ("", "s2", "s3", "k")),
)


@lru_cache
def tokenizer_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("tokenizer"), columns=NAMES)


@lru_cache
def splitter_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("splitter"), columns=SPLITTER_COLUMNS)
