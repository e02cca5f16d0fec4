"""Code points, the kinds of characters, and positions where a token must not end.

Properties come from `unicodedata` and are looked up once for each distinct character: the engine reads them from a
table.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.types import BoolArray
from panparser.errors import TextError

CodePoints = npt.NDArray[np.uint32]

# White_Space of Unicode: what may stand between tokens. (`str.isspace` adds four control characters.)
WHITE_SPACE = frozenset(
    [*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000]
)
WHITE = "".join(map(chr, sorted(WHITE_SPACE)))  # for `str.strip`
_LAST = 0x110000
_JOINER, _KEYCAP = 0x200D, 0x20E3
_SELECTORS = range(0xFE00, 0xFE10)
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_FLAGS = range(0x1F1E6, 0x1F200)
_TAGS = range(0xE0020, 0xE0080)

# Kinds of characters. Letters of scripts that are written without spaces have their own kind.
KINDS = ("space", "lower", "upper", "letter", "ideograph", "mark", "digit", "number", "punctuation", "symbol", "other")
_KIND_OF_CATEGORY = {"Ll": "lower", "Lu": "upper", "Lt": "upper", "Nd": "digit"}
_KIND_OF_CLASS = {"L": "letter", "M": "mark", "N": "number", "P": "punctuation", "S": "symbol"}
_SPACELESS = ("CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN", "JAVANESE", "BOPOMOFO")


def is_trimmed(text: str) -> bool:
    """Is the text not empty, and without white space at its ends?"""
    return bool(text) and text == text.strip(WHITE)


def code_points(text: str) -> CodePoints:
    """The code points of a text. Raises TextError if it is not valid Unicode (a lone surrogate)."""
    if not isinstance(text, str):
        raise TextError(f"expected a text; got {type(text).__name__}")
    try:
        return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    except UnicodeEncodeError as error:
        found = ord(text[error.start])
        raise TextError(f"expected Unicode text, found the lone surrogate U+{found:04X} at {error.start}") from None


class Property:
    """A number for each character, looked up when the character is first seen.

    There is no lock, which a process that forks while another thread holds it would wait for in vain: threads that look
    up the same characters at the same time write the same numbers.
    """

    def __init__(self, function: Callable[[str], int], dtype: npt.DTypeLike = np.uint8) -> None:
        self._function, self._dtype = function, dtype
        self._tables: tuple[npt.NDArray[Any], BoolArray] | None = None  # several megabytes, so made on first use

    def table(self, points: CodePoints) -> npt.NDArray[Any]:
        """The properties by code point: known for these, at least."""
        if self._tables is None:
            self._tables = np.zeros(_LAST, dtype=self._dtype), np.zeros(_LAST, dtype=bool)
        table, seen = self._tables
        if not seen[points].all():
            new = list(set(points[~seen[points]].tolist()))
            table[new] = [self._function(chr(point)) for point in new]
            seen[new] = True  # not before the numbers are there
        return table

    def values(self, points: CodePoints) -> npt.NDArray[Any]:
        """The property of each code point."""
        return np.asarray(self.table(points)[points])


def kind(character: str) -> int:
    """The kind of a character, as an index into KINDS."""
    if ord(character) in WHITE_SPACE:
        return KINDS.index("space")
    category = unicodedata.category(character)
    name = _KIND_OF_CATEGORY.get(category) or _KIND_OF_CLASS.get(category[0], "other")
    if name == "letter" and unicodedata.name(character, "").startswith(_SPACELESS):
        name = "ideograph"
    return KINDS.index(name)


def _gluing(character: str) -> int:
    """1: belongs to the character before it; 2: and to the one after it as well; 3: half of a flag; 0: stands alone."""
    point = ord(character)
    if point == _JOINER:
        return 2
    if point in _FLAGS:
        return 3
    attached = point == _KEYCAP or point in _SELECTORS or point in _SKIN_TONES or point in _TAGS
    return int(attached or unicodedata.category(character) in ("Mn", "Mc", "Me"))


def _lower(character: str) -> int:
    lowered = character.lower()
    return ord(lowered) if len(lowered) == 1 else ord(character)


_OPENING, _CLOSING = "([{«‹“„「『【《〈（［｛", ")]}»›”」』】》〉）］｝"
_KIND_BIT, _GLUE_BIT, _OPENING_BIT, _CLOSING_BIT = 21, 25, 27, 28  # above the lower case


def _packed(character: str) -> int:
    """All that the engine knows of a character, in 32 bits."""
    brackets = (character in _OPENING) << _OPENING_BIT | (character in _CLOSING) << _CLOSING_BIT
    return _lower(character) | kind(character) << _KIND_BIT | _gluing(character) << _GLUE_BIT | brackets


_CHARACTERS = Property(_packed, np.uint32)


def characters_of(points: CodePoints) -> npt.NDArray[np.uint32]:
    """The engine's table of characters, with those of a text in it."""
    return _CHARACTERS.table(points)


def kinds(points: CodePoints) -> npt.NDArray[np.uint8]:
    """The kind of each character, as indices into KINDS."""
    return np.asarray(_CHARACTERS.values(points) >> _KIND_BIT & 15).astype(np.uint8)


def lower_case(points: CodePoints) -> CodePoints:
    """Characters in lower case, one for one."""
    return np.asarray(_CHARACTERS.values(points) & ((1 << _KIND_BIT) - 1))


def spaces(points: CodePoints) -> BoolArray:
    """Which characters are white space."""
    return np.asarray(kinds(points) == 0)


def glued(points: CodePoints) -> BoolArray:
    """After which characters a token must not end: before combining marks, around joiners, within flags."""
    return _engine.glued(points, characters_of(points)).astype(bool)
