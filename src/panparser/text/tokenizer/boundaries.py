"""Places in a text where a token may end, and their features, as columns of numbers.

Characters form **runs**: letters, digits, or one sign repeated any number of times. A place is after a character;
features describe the runs before and after it, skipping any white space between. Everything is numpy over all
places of a text.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray, KeyArray, LongArray
from panparser.text.characters import KINDS, CodePoints, Property, glued, kinds, spaces

_SPACE, _BREAK = 32, 10  # stand for white space, and for white space with a blank line in it
_LETTERS = [KINDS.index(name) for name in ("lower", "upper", "letter", "mark")]
_DIGIT, _UPPER, _LOWER, _IDEOGRAPH = (KINDS.index(name) for name in ("digit", "upper", "lower", "ideograph"))
_BASE = np.uint64(0x9E3779B97F4A7C15)
_INVERSE = np.uint64(pow(int(_BASE), -1, 1 << 64))
_LINE_FEED, _CARRIAGE_RETURN, _PARAGRAPH = 0x0A, 0x0D, 0x2029

NONE, SPACE, BREAK = 0, 1, 2  # what follows a place: a character, white space, white space with a blank line or the end


def _lower(character: str) -> int:
    lowered = character.lower()
    return ord(lowered) if len(lowered) == 1 else ord(character)


_OPENING = Property(lambda character: int(character in "([{«‹“„「『【《〈（［｛"))
_CLOSING = Property(lambda character: int(character in ")]}»›”」』】》〉）］｝"))
_LOWER_CASE = Property(_lower, np.int32)


def lower_case(points: CodePoints) -> npt.NDArray[np.int32]:
    """Characters in lower case, one for one."""
    return _LOWER_CASE.of(points)


@dataclass(frozen=True)
class Layout:
    """A text with each run of white space as one character, none at its start, and one break at its end."""

    points: CodePoints
    origin: LongArray  # where each character stands in the text

    @classmethod
    def of(cls, points: CodePoints) -> Layout:
        space = spaces(points)
        solid = np.flatnonzero(~space)
        if not len(solid):
            return cls(np.empty(0, np.uint32), solid)
        after = np.append(space[1:], False) & ~space  # a gap begins after these
        after[: solid[0]] = False
        keep = ~space
        starts = np.flatnonzero(after) + 1
        keep[starts] = True
        squeezed = points.copy()
        squeezed[starts] = _SPACE
        lines = (points == _LINE_FEED) | ((points == _CARRIAGE_RETURN) & (np.append(points[1:], 0) != _LINE_FEED))
        weight = np.cumsum(lines + 2 * (points == _PARAGRAPH))
        following = np.append(solid, len(points))[np.searchsorted(solid, starts)]
        broken = weight[following - 1] - weight[starts - 1] >= 2
        squeezed[starts[broken]] = _BREAK
        origin = np.flatnonzero(keep)
        if not space[-1]:
            return cls(np.append(squeezed[keep], np.uint32(_BREAK)), np.append(origin, len(points)))
        squeezed[starts[-1]] = _BREAK
        return cls(squeezed[keep], origin)

    def __len__(self) -> int:
        return len(self.points)

    @cached_property
    def gap(self) -> npt.NDArray[np.bool_]:
        return np.asarray((self.points == _SPACE) | (self.points == _BREAK))

    @cached_property
    def kinds(self) -> npt.NDArray[np.uint8]:
        return kinds(self.points)

    @cached_property
    def follows(self) -> npt.NDArray[np.uint8]:
        """What follows each character: NONE, SPACE or BREAK."""
        after = np.append(self.points[1:], np.uint32(_BREAK))
        return np.where(after == _SPACE, SPACE, np.where(after == _BREAK, BREAK, NONE)).astype(np.uint8)

    @cached_property
    def runs(self) -> Runs:
        return Runs.of(self)

    @cached_property
    def hashes(self) -> Hashing:
        return Hashing(lower_case(self.points))

    @cached_property
    def exact_hashes(self) -> Hashing:
        return Hashing(self.points)


class Hashing:
    """Hashes of arbitrary pieces of a text, by a rolling polynomial: equal pieces have equal hashes."""

    def __init__(self, points: npt.NDArray[Any]) -> None:
        powers = np.full(len(points) + 1, _BASE, dtype=np.uint64)
        powers[:1] = 1
        powers = np.multiply.accumulate(powers)
        self._sums = np.zeros(len(points) + 1, dtype=np.uint64)
        np.cumsum((points.astype(np.uint64) + np.uint64(1)) * powers[:-1], out=self._sums[1:])
        inverse = np.full(len(points) + 1, _INVERSE, dtype=np.uint64)
        inverse[:1] = 1
        self._inverse = np.multiply.accumulate(inverse)

    def of(self, starts: LongArray, ends: LongArray) -> KeyArray:
        """The hash of each piece; 0 for an empty one."""
        return np.asarray((self._sums[ends] - self._sums[starts]) * self._inverse[starts])


def column(hashes: KeyArray) -> IntArray:
    """Hashes of pieces as a column: the high bits, well mixed, never negative."""
    mixed = hashes ^ (hashes >> np.uint64(32))
    mixed = mixed * np.uint64(0xD6E8FEB86659FD93)
    return np.asarray(mixed >> np.uint64(33)).astype(np.int32)


@dataclass(frozen=True)
class Runs:
    """Runs of a layout without white space: where they start and end, their shapes, and each character's run."""

    starts: LongArray
    ends: LongArray
    shapes: IntArray
    gaps: npt.NDArray[np.uint8]  # what stands before each: NONE, SPACE or BREAK
    of_character: LongArray
    words: KeyArray  # hashes of the lower-cased runs

    @classmethod
    def of(cls, layout: Layout) -> Runs:
        kind = layout.kinds
        group = layout.points.astype(np.int64) + 2
        group[np.isin(kind, _LETTERS)] = 0
        group[kind == _DIGIT] = 1
        begins = np.ones(len(layout), dtype=bool)
        begins[1:] = (group[1:] != group[:-1]) | (kind[1:] == _IDEOGRAPH)
        number = np.cumsum(begins & ~layout.gap) - 1
        starts = np.flatnonzero(begins & ~layout.gap)
        following = np.append(np.flatnonzero(begins), len(layout))
        ends = following[np.searchsorted(following, starts, side="right")]
        before = np.where(starts > 0, layout.follows[np.maximum(starts, 1) - 1], BREAK)
        return cls(starts, ends, _shapes(kind, starts, ends), before, number, layout.hashes.of(starts, ends))


def _shapes(kind: npt.NDArray[np.uint8], starts: LongArray, ends: LongArray) -> IntArray:
    """Kind of the first character, presence of upper and lower case after it, and length of the run."""
    upper, lower = (np.append(0, np.cumsum(kind == which)) for which in (_UPPER, _LOWER))
    second = np.minimum(starts + 1, ends)
    has_upper, has_lower = upper[ends] > upper[second], lower[ends] > lower[second]
    length = np.minimum(ends - starts, 5)
    return np.asarray(((kind[starts].astype(np.int32) * 2 + has_upper) * 2 + has_lower) * 8 + length).astype(np.int32)


@dataclass(frozen=True)
class Lexicon:
    """How words were used in the training text: sorted hashes of words, and a class for each.

    The class encodes how often a word is capitalized within sentences, begins sentences, and is followed by a full stop
    that belongs to it.
    """

    words: KeyArray
    classes: npt.NDArray[np.uint8]

    @classmethod
    def learn(cls, layout: Layout, sentence_starts: npt.NDArray[np.bool_], least: int = 3) -> Lexicon:
        """Learns from a text and the characters that begin sentences; drops words seen fewer than `least` times."""
        runs = layout.runs
        is_word = np.isin(layout.kinds[runs.starts], _LETTERS)
        word, where, count = np.unique(runs.words[is_word], return_inverse=True, return_counts=True)
        starts = runs.starts[is_word]
        first = sentence_starts[starts]
        capital = layout.kinds[starts] == _UPPER
        begins = np.bincount(where, first, len(word))
        inside = count - begins
        capitals = np.bincount(where, capital & ~first, len(word))
        case = np.where(inside == 0, 0, 1 + np.round(3 * capitals / np.maximum(inside, 1)))
        classes = 1 + case * 5 + np.round(4 * begins / count)
        known = count >= least
        return cls(word[known], classes[known].astype(np.uint8))

    def is_sound(self) -> bool:
        """Are words sorted, with a class each?"""
        good_types = self.words.dtype == np.uint64 and self.classes.dtype == np.uint8
        return good_types and self.words.shape == self.classes.shape == (len(self.words),) and is_sorted(self.words)

    def of(self, words: KeyArray) -> IntArray:
        """The class of each word; 0 if it is unknown."""
        if not len(self.words):
            return np.zeros(len(words), dtype=np.int32)
        place = np.minimum(np.searchsorted(self.words, words), len(self.words) - 1)
        return np.where(self.words[place] == words, self.classes[place], 0).astype(np.int32)


def is_sorted(numbers: npt.NDArray[Any]) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


NAMES = (
    "gap b0 b1 b2 f0 f1 f2 b0s b1s b2s f0s f1s f2s b0l b1l f0l f1l b1g b0g f1g f2g left right next previous chunk "
    "c0 c1 c2 d1 d2 depth quotes rest far traits shape"
).split()


def columns(layout: Layout, places: LongArray, lexicon: Lexicon) -> dict[str, IntArray]:
    """The features of each place (a character of the layout after which a token may end), by the names in NAMES."""
    runs, follows, hashes = layout.runs, layout.follows, layout.hashes
    run = runs.of_character[places]
    within = places + 1 < runs.ends[run]  # the place lies in the middle of a run
    found: dict[str, IntArray] = {"gap": follows[places].astype(np.int32)}
    found["b0"] = column(hashes.of(runs.starts[run], places + 1))
    following = np.where(within, run, run + 1)
    words, shapes = column(np.append(runs.words, np.uint64(0))), np.append(runs.shapes, np.int32(-1))
    known = np.append(lexicon.of(runs.words), np.int32(-1))
    gaps = np.append(runs.gaps, np.uint8(BREAK)).astype(np.int32)

    def at(values: npt.NDArray[Any], index: LongArray) -> IntArray:
        return np.asarray(values[np.clip(index, -1, len(runs.starts))]).astype(np.int32)  # -1 is beyond the end

    for name, index in (("b0", run), ("b1", run - 1), ("b2", run - 2)):
        if name != "b0":
            found[name] = at(words, index)
        found[f"{name}s"] = at(shapes, index)
    for name, index in (("f0", following), ("f1", following + 1), ("f2", following + 2)):
        found[name], found[f"{name}s"] = at(words, index), at(shapes, index)
    for name, index in (("b0l", run), ("b1l", run - 1), ("f0l", following), ("f1l", following + 1)):
        found[name] = at(known, index)
    for name, index in (("b0g", run), ("b1g", run - 1), ("f1g", following + 1), ("f2g", following + 2)):
        found[name] = at(gaps, index)
    _add_chunks(found, layout, places)
    _add_characters(found, layout, places)
    _add_brackets(found, layout, places)
    return found


def _add_chunks(found: dict[str, IntArray], layout: Layout, places: LongArray) -> None:
    """Adds chunks (text between white space): the part left and right of the place, the next and the previous chunk."""
    gaps = np.flatnonzero(layout.gap)
    chunk = np.searchsorted(gaps, places)
    starts, ends = np.append(0, gaps[:-1] + 1), gaps
    hashes, last = layout.hashes, len(gaps) - 1
    start, end = starts[chunk], ends[chunk]
    found["left"], found["right"] = column(hashes.of(start, places + 1)), column(hashes.of(places + 1, end))
    found["chunk"] = column(layout.exact_hashes.of(start, end))
    numbers = column(hashes.of(starts, ends))
    breaks = layout.points[gaps] == _BREAK
    found["next"] = np.where(breaks[chunk], -1, numbers[np.minimum(chunk + 1, last)]).astype(np.int32)
    before = np.maximum(chunk - 1, 0)
    found["previous"] = np.where((chunk == 0) | breaks[before], -1, numbers[before]).astype(np.int32)
    found["traits"] = _traits(layout, starts, ends)[chunk]
    found["shape"] = column(Hashing(layout.kinds).of(start, end))
    # Number of chunks up to the end of the paragraph, and from its start.
    stops = np.flatnonzero(breaks)
    paragraph = np.searchsorted(stops, chunk)
    found["rest"] = np.minimum(stops[paragraph] - chunk, 7).astype(np.int32)
    begin = np.append(0, stops[:-1] + 1)[paragraph]
    found["far"] = np.minimum(chunk - begin, 7).astype(np.int32)


def _traits(layout: Layout, starts: LongArray, ends: LongArray) -> IntArray:
    """Which characters typical of addresses, numbers and words are in each chunk, as bits."""
    kind, points = layout.kinds, layout.points
    signs = (points == ord("@"), points == ord("/"), points == ord(":"), points == ord("."), points == ord("_"))
    traits = np.zeros(len(starts), dtype=np.int32)
    for bit, sign in enumerate((*signs, kind == _DIGIT, np.isin(kind, _LETTERS))):
        counts = np.append(0, np.cumsum(sign))
        traits |= (counts[ends] > counts[starts]).astype(np.int32) << bit
    return traits


def _add_characters(found: dict[str, IntArray], layout: Layout, places: LongArray) -> None:
    points = np.append(layout.points, np.zeros(2, np.uint32)).astype(np.int32)
    for name, offset in (("c0", 0), ("c1", 1), ("c2", 2)):
        found[name] = points[places + offset]
    found["d1"], found["d2"] = (np.where(places >= n, points[np.maximum(places - n, 0)], 0) for n in (1, 2))


def _add_brackets(found: dict[str, IntArray], layout: Layout, places: LongArray) -> None:
    """Adds the number of open brackets, and whether a quotation is open, since the paragraph began."""
    opened = np.cumsum(_OPENING.of(layout.points).astype(np.int32) - _CLOSING.of(layout.points))
    quotes = np.cumsum(layout.points == ord('"'))
    breaks = np.flatnonzero(layout.points == _BREAK)
    paragraph = np.searchsorted(breaks, places)
    zero = np.append(0, opened[breaks])[paragraph]
    found["depth"] = np.clip(opened[places] - zero, -1, 2).astype(np.int32)
    found["quotes"] = ((quotes[places] - np.append(0, quotes[breaks])[paragraph]) % 2).astype(np.int32)


# --- Which places there are ---

_RARE = 1000  # pairs of which at most one in this many ends a token are skipped
PAIRS = len(KINDS) ** 2


def pairs(layout: Layout) -> LongArray:
    """The kinds of each character and the next, as one number."""
    kind = layout.kinds.astype(np.int64)
    return np.asarray(kind * len(KINDS) + np.append(kind[1:], 0))


def whole_pairs(layout: Layout, ends: npt.NDArray[np.bool_], least: int = 500) -> npt.NDArray[np.bool_]:
    """Frequent pairs of kinds between which tokens almost never ended in a text: they need no classification."""
    seen = np.bincount(pairs(layout), minlength=PAIRS)
    split = np.bincount(pairs(layout)[ends], minlength=PAIRS)
    return np.asarray((split * _RARE <= seen) & (seen >= least))


def places(layout: Layout, whole: npt.NDArray[np.bool_]) -> LongArray:
    """Characters of a layout after which a token may end."""
    open_places = ~layout.gap & ~glued(layout.points)
    return np.flatnonzero(open_places & ((layout.follows != NONE) | ~whole[pairs(layout)]))
