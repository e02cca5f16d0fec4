"""RawText: the raw text of a treebank, and the ends of its tokens and sentences.

Spacing follows the conventions of CoNLL-U: `SpaceAfter=No`; `SpacesAfter`, `SpacesBefore` and `SpacesInToken` with
escapes (`\\s` space, `\\t` tab, `\\r`, `\\n`, `\\p` pipe, `\\\\`); `# newdoc` and `# newpar`, which a blank line
precedes; `# text`, if it differs from the forms with their spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import TextError, TreebankError
from panparser.text.characters import WHITE, characters_of, code_points
from panparser.treebank.treebank import Treebank

Marks = npt.NDArray[np.uint8]
INSIDE, TOKEN, SENTENCE = 0, 1, 2  # what ends after a character
_PARAGRAPH = "\n\n"
_ESCAPES = {"s": " ", "t": "\t", "r": "\r", "n": "\n", "p": "|", "\\": "\\"}
_ESCAPED = str.maketrans({character: f"\\{letter}" for letter, character in _ESCAPES.items()})
_GAP = re.compile(f"[{WHITE}]+")
_ESCAPE = re.compile(r"\\([strnp\\]|u(?![dD][89a-fA-F])[0-9a-fA-F]{4})")


@dataclass(frozen=True)
class RawText:
    """A text, and for each of its characters what ends after it: nothing (0), a token (1), a token and a sentence (2).

    A token begins where the previous one ends; white space at its edges is not part of it.
    """

    text: str
    marks: Marks

    def __post_init__(self) -> None:
        if len(self.text) != len(self.marks):
            raise TextError(f"RawText: marks must be {len(self.text)} values, one per character; got {len(self.marks)}")

    def tokens(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Where tokens start and end; characters after the last mark belong to a last token."""
        points = code_points(self.text)
        starts, ends, _ = _engine.marked_tokens(points, characters_of(points), self.marks)
        return starts, ends


def extract_raw_text(treebank: Treebank) -> RawText:
    """The text of a treebank, token by token. Raises TextError if a token is only white space."""
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"extract_raw_text: treebank must be a Treebank; got {treebank!r}")
    pieces: list[str] = []
    ends: list[int] = []  # in characters
    sentence_ends: list[int] = []
    length = 0
    for number, sentence in enumerate(_surface(treebank), 1):
        for before, form, after in sentence:
            if not form.strip(WHITE):
                raise TextError(
                    f"{treebank.path}: sentence {number}: expected a token of a text, found {form!r}, white space alone"
                )
            length += len(before) + len(form)
            ends.append(length - 1)
            pieces += (before, form, after)
            length += len(after)
        sentence_ends.append(ends[-1])
    marks = np.zeros(length, dtype=np.uint8)
    marks[ends] = TOKEN
    marks[sentence_ends] = SENTENCE
    return RawText("".join(pieces), marks)


_Piece = tuple[str, str, str]  # spaces before, form, spaces after


def _surface(treebank: Treebank) -> Iterator[list[_Piece]]:
    """The tokens of each sentence as they are written."""
    forms, form_ids = treebank.vocabulary("form"), treebank.column("form").tolist()
    spacing = [spacing_of(cell) for cell in treebank.vocabulary("misc")]
    misc_ids = treebank.column("misc").tolist()
    breaks = [_break(treebank[i].comments) for i in range(len(treebank))]
    for index in range(len(treebank)):
        start, stop = (int(offset) for offset in treebank.offsets[index : index + 2])
        words = [(_trimmed(forms[form_ids[i]]), spacing[misc_ids[i]]) for i in range(start, stop)]
        for first, last, line in reversed(treebank.extra_lines("ranges", index)):
            cells = line.split("\t")
            words[first - 1 : last] = [(_trimmed(cells[1]), spacing_of(cells[9]))]
        between = "\n" if index + 1 == len(treebank) else breaks[index + 1][0]
        yield _spaced(words, breaks[index][1], between)


def _trimmed(form: str) -> str:
    return form.strip(WHITE) or form


@dataclass(frozen=True)
class Spacing:
    """The white space around a token, and in it."""

    before: str
    form: str | None
    after: str | None  # None: not specified
    tight: bool


def spacing_of(misc: str) -> Spacing:
    """The white space described by a MISC cell."""
    values = dict(item.split("=", 1) for item in misc.split("|") if "=" in item)
    before, form, after = (values.get(key) for key in ("SpacesBefore", "SpacesInToken", "SpacesAfter"))
    return Spacing(
        unescape(before or ""),
        None if form is None else unescape(form),
        None if after is None else unescape(after),
        values.get("SpaceAfter") == "No",
    )


def unescape(value: str) -> str:
    """A value of MISC with its escapes resolved."""
    return _ESCAPE.sub(lambda match: _ESCAPES.get(match[1]) or chr(int(match[1][1:], 16)), value)


def escape(text: str) -> str:
    """A text as a value of MISC: spaces, bars and backslashes are escaped, and what ends a line."""
    return text.translate(_ESCAPED)


def _break(comments: list[str]) -> tuple[str, str | None]:
    """The default white space before a sentence with these comments, and its `# text`."""
    text, between = None, " "
    for line in comments:
        key, sign, value = line[1:].partition("=")
        key = key.strip()
        if sign and key == "text":
            text = value.strip(WHITE)
        elif key.split(" ")[0] in ("newdoc", "newpar"):
            between = _PARAGRAPH
    return between, text


def _spaced(words: list[tuple[str, Spacing]], text: str | None, between: str) -> list[_Piece]:
    """The tokens of a sentence with the white space around them; `between` separates it from the next sentence."""
    after = ["" if spacing.tight else " " for _, spacing in words]
    forms = [spacing.form or form for form, spacing in words]
    if text is not None:
        joined = "".join(f + a for f, a in zip(forms, after, strict=True))
        if joined.split() != text.split():
            after = gaps(forms, text) or after
    if between == _PARAGRAPH or not words[-1][1].tight:
        after[-1] = between
    pieces = zip(words, forms, after, strict=True)
    return [(s.before, form, gap if s.after is None else s.after) for (_, s), form, gap in pieces]


def gaps(forms: list[str], text: str) -> list[str] | None:
    """The white space after each form in a text; None if the text has other forms."""
    found, place = [], 0
    for form in forms:
        if not text.startswith(form, place):
            return None
        gap = _GAP.match(text, place + len(form))
        found.append(gap[0] if gap else "")
        place += len(form) + len(found[-1])
    return found if place == len(text) else None
