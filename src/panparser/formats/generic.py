"""Tokens by rules that know no language: letters and digits together, everything else apart."""

from __future__ import annotations

import numpy as np

from panparser._arrays import BoolArray
from panparser.text.characters import KINDS, CodePoints, code_points, glued, kinds
from panparser.text.raw import SENTENCE, TOKEN, Marks
from panparser.text.reading import has_blank_line

_WORD = [KINDS.index(name) for name in ("lower", "upper", "letter", "mark", "digit", "number")]
_SPACE, _LOWER, _DIGIT = (KINDS.index(name) for name in ("space", "lower", "digit"))
_POINT = ord(".")  # part of a number between two digits
_ENDS, _WIDE_ENDS = set(".!?…؟।"), set("。！？")  # of sentences; the latter need no space
_CLOSING = set("\"'”’»›)]}」』）")


def generic_marks(text: str) -> Marks:
    """What ends after each character, as in RawText.

    A sentence ends at a blank line, and after a full stop, with the quotes and brackets that close there, if white
    space follows and then no letter in lower case.
    """
    points = code_points(text)
    if not len(points):
        return np.zeros(0, dtype=np.uint8)
    ends = _token_ends(points, kinds(points))
    marks = ends.astype(np.uint8) * TOKEN
    places = np.flatnonzero(ends)
    solid = np.append(np.flatnonzero(kinds(points) != _SPACE), len(points))
    following = solid[np.searchsorted(solid, places, side="right")]  # the first character of the next token
    lower = np.append(kinds(points) == _LOWER, False)
    ended = False  # has a full stop been seen, and only what closes after it?
    for place, after in zip(places.tolist(), following.tolist(), strict=True):
        last = text[place]
        ended = last in _ENDS or last in _WIDE_ENDS or (ended and last in _CLOSING)
        gap = text[place + 1 : after]
        closes = after < len(points) and not gap and text[after] in _CLOSING
        stops = ended and not closes and (bool(gap) or last in _WIDE_ENDS) and not lower[after]
        if stops or has_blank_line(gap):
            marks[place] = SENTENCE
            ended = False
    return marks


def _token_ends(points: CodePoints, kind: CodePoints | Marks) -> BoolArray:
    """After which characters a token ends."""
    word = np.isin(kind, _WORD)
    digit = kind == _DIGIT
    word |= (points == _POINT) & np.append(False, digit[:-1]) & np.append(digit[1:], False)
    joined = (word & np.append(word[1:], False)) | glued(points)
    return np.asarray((kind != _SPACE) & ~joined)
