"""Texts in pieces: their formats, and the boundaries between successive treebanks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, Protocol, get_args

import numpy as np

from panparser import _engine
from panparser.errors import TextError
from panparser.text.characters import WHITE
from panparser.text.text_files import PieceBoundary, has_blank_line
from panparser.text.text_output import Place, Tokens
from panparser.treebank.treebank import Treebank

# What a text is; the last two are former names of text and lines.
TextFormat = Literal["text", "paragraphs", "lines", "tokens", "vertical", "nothing", "sentences"]
_FORMER = {"nothing": "text", "sentences": "lines"}
_LINEWISE = ("paragraphs", "lines", "tokens")  # where a line ends, so does a sentence
Report = Callable[[str], None]  # called with a message


@dataclass(frozen=True)
class TextStart:
    """Where a text begins that is a part of another: its first line, sentence and character, and the gap before it."""

    line: int = 1
    sentence: int = 1
    offset: int = 0
    gap: str = ""


_MAX_HELD_CHARS = 1 << 16  # characters that wait for the rest of their sentence


def kind_of(input_format: object) -> str:
    """What a text is, by its present name."""
    if input_format not in get_args(TextFormat):
        names = [name for name in get_args(TextFormat) if name not in _FORMER]
        raise TextError(f"input_format must be one of {', '.join(names)}; got {input_format!r}")
    return _FORMER.get(str(input_format), str(input_format))


class TextSplitter(Protocol):
    """Divides a text; if it is `unfinished`, only up to where its last sentence begins."""

    def __call__(self, text: str, *, place: Place, unfinished: bool) -> tuple[Treebank, int]:
        """The treebank, and how many characters are in it."""


def finished(text: str, tokens: Tokens) -> tuple[str, Tokens]:
    """The sentences of a text but for the last, which may go on; nothing if there are no others.

    All of them, if the text is too long to wait.
    """
    ends = np.flatnonzero(tokens.last)
    if len(ends) < 2:
        return (text, tokens) if not len(ends) or len(text) > _MAX_HELD_CHARS else ("", tokens.first(0))
    count = int(ends[-2]) + 1
    return text[: int(tokens.starts[count])], tokens.first(count)


def stream(
    divide: TextSplitter,
    pieces: Iterable[str],
    *,
    input_format: TextFormat,
    document: str = "",
    path: str = "<text>",
    report: Report | None = None,
    ranges: bool = True,
    start: TextStart | None = None,
) -> Iterator[Treebank]:
    """The treebanks of the pieces of a text, with continued numbering; without `ranges`, MISC has no TokenRange.

    A sentence that may go on in the next piece is in the next treebank. With `start` the text is a part of another, and
    not its first: no document begins.
    """
    if isinstance(pieces, str):
        raise TextError("stream: pieces must be an iterable of texts, such as [text]; got one text")
    kind = kind_of(input_format)
    ends = sentence_ends(kind)
    place, seam = Place(document=document, lines=kind == "paragraphs", ranges=ranges), PieceBoundary()
    held, line = "", 1
    if start is not None:
        place = replace(place, sentence=start.sentence, offset=start.offset, document=None)
        seam, line = PieceBoundary(start.gap), start.line
    for piece, is_last in _with_last(pieces):
        text = held + piece
        unfinished = not is_last and not ends(text[len(text.rstrip(WHITE)) :])
        paragraph = seam.before(text) or (place.lines and place.sentence > 1 and seam.line_ended)
        found, used = divide(text, place=replace(place, paragraph=paragraph), unfinished=unfinished)
        yield _checked(found, text, place, f"{path}:{line}", report)
        seam.after(text[:used])
        begun = None if len(found) or place.document is None else place.document
        place = replace(place, sentence=place.sentence + len(found), offset=place.offset + used, document=begun)
        held, line = text[used:], line + text.count("\n", 0, used)


def sentence_ends(kind: str) -> Callable[[str], bool]:
    """Whether white space, in a text of this kind, is where a sentence ends whatever stands around it."""
    return _has_line_end if kind in _LINEWISE else has_blank_line


def _with_last(pieces: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Each piece, and whether it is the last."""
    rest = iter(pieces)
    piece = next(rest, None)
    while piece is not None:
        following = next(rest, None)
        yield piece, following is None
        piece = following


def _has_line_end(gap: str) -> bool:
    return any(end in gap for end in ("\n", "\r", "\u2029"))


def _checked(found: Treebank, text: str, place: Place, begin: str, report: Report | None) -> Treebank:
    """Sentences that a parser takes. Others raise TextError or, if there is a `report`, are left out."""
    lengths = np.diff(found.offsets)
    long = np.flatnonzero(lengths > _engine.MAX_WORDS).tolist()
    path, _, line = begin.rpartition(":")  # where the text begins
    for number in long:
        written = found[number][0].misc_values.get("TokenRange")  # without it, the line is that of the text
        start = 0 if written is None else int(written.partition(":")[0]) - place.offset
        what = f"at most {_engine.MAX_WORDS} words in a sentence, found {lengths[number]}"
        message = f"{path}:{int(line) + text.count(chr(10), 0, start)}: expected {what}"
        if report is None:
            raise TextError(message)
        report(message)
    return found[[number for number in range(len(found)) if number not in long]] if long else found
