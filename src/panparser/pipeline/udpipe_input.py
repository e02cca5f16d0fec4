"""Input formats of UDPipe."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from panparser.base.types import BoolArray
from panparser.errors import TextError
from panparser.pipeline.pipeline import Pipeline
from panparser.text.characters import KINDS, CodePoints, code_points, glued, kinds
from panparser.text.raw_text import SENTENCE, TOKEN, Marks
from panparser.text.streaming import finished, stream
from panparser.text.text_files import has_blank_line
from panparser.text.text_output import Place, Tokens, to_treebank
from panparser.treebank.treebank import Treebank, check_lengths

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


# Of text; CoNLL-U is read by `panparser.treebank`. The first two are divided by the tokenizer of a model.
TextFormat = Literal["plaintext", "presegmented", "generic_tokenizer", "horizontal", "vertical"]
_BATCH = 4096  # words that are read at a time
_EMPTY = "\t_" * 8


def iter_format(
    pieces: Iterable[str],
    format: TextFormat,
    pipeline: Pipeline,
    *,
    ranges: bool = False,
    path: str = "<text>",
    report: Callable[[str], None] | None = None,
) -> Iterator[Treebank]:
    """The sentences of a text in pieces, as from `iter_text`, a few at a time.

    plaintext: running text; presegmented: a sentence a line; generic_tokenizer: text that rules divide, whatever the
    model is; horizontal: a sentence a line, words with spaces between them (no-break spaces are spaces within a word);
    vertical: a word a line, up to its first tab, with blank lines between sentences. The words of the last two are
    never divided further. With `ranges`, MISC has the places of tokens; `report` as in `Pipeline.tokens`.
    """
    if format not in get_args(TextFormat):
        raise TextError(f"expected one of {', '.join(get_args(TextFormat))}; got {format!r}")
    if format in ("horizontal", "vertical"):
        return _batches(horizontal(pieces) if format == "horizontal" else vertical(pieces), path)
    if format == "generic_tokenizer":
        return _generic(pieces, path, ranges, report)
    if pipeline.tokenizer is None:
        raise TextError("the model has no tokenizer: expected text that is already divided into tokens, or CoNLL-U")
    given: Literal["text", "lines"] = "text" if format == "plaintext" else "lines"
    return pipeline.tokens(pieces, input_format=given, path=path, report=report, ranges=ranges)


def _generic(
    pieces: Iterable[str], path: str, ranges: bool, report: Callable[[str], None] | None
) -> Iterator[Treebank]:
    def divide(text: str, *, place: Place, unfinished: bool) -> tuple[Treebank, int]:
        tokens = Tokens.from_marks(code_points(text), generic_marks(text))
        text, tokens = finished(text, tokens) if unfinished else (text, tokens)
        return to_treebank(text, tokens, place=place, path=path), len(text)

    return stream(divide, pieces, input_format="text", path=path, report=report, ranges=ranges)


@dataclass(frozen=True)
class Words:
    """The words of a sentence, the line on which it begins, and whether a paragraph does."""

    forms: list[str]
    line: int
    paragraph: bool


def horizontal(pieces: Iterable[str]) -> Iterator[Words]:
    """The sentences of horizontal text; a paragraph begins after a blank line."""
    paragraph = True
    for number, line in enumerate(_lines(pieces), start=1):
        forms = [form for word in line.replace("\t", " ").split(" ") if (form := _form(word.replace("\xa0", " ")))]
        if forms:
            yield Words(forms, number, paragraph)
        paragraph = not forms


def vertical(pieces: Iterable[str]) -> Iterator[Words]:
    """The sentences of vertical text; a paragraph begins after two blank lines."""
    forms: list[str] = []
    first, blank = 1, 2
    for number, line in enumerate(_lines(pieces), start=1):
        form = _form(line.strip("\t").partition("\t")[0])
        if form:
            if not forms:
                first, paragraph, blank = number, blank > 1, 0
            forms.append(form)
            continue
        if forms:
            yield Words(forms, first, paragraph)
            forms = []
        blank += 1
    if forms:
        yield Words(forms, first, paragraph)


def _form(text: str) -> str:
    return text.strip(" ")


def _lines(pieces: Iterable[str]) -> Iterator[str]:
    """The lines of a text, which end with LF, CR or both, without their ends."""
    held: list[str] = []
    for piece in pieces:
        *whole, rest = piece.replace("\r\n", "\n").split("\n")
        for line in whole:
            yield from _split("".join([*held, line]))
            held = []
        held.append(rest)
    yield from _split("".join(held))


def _split(line: str) -> list[str]:
    return line.removesuffix("\r").split("\r")


def _batches(sentences: Iterable[Words], path: str) -> Iterator[Treebank]:
    """Treebanks without annotation, numbered through."""
    lines: list[str] = []
    words = 0
    for number, sentence in enumerate(sentences, start=1):
        lines += ["# newdoc"] * (number == 1) + ["# newpar"] * sentence.paragraph
        lines.append(f"# sent_id = {number}")
        lines += (f"{word}\t{form}{_EMPTY}" for word, form in enumerate(sentence.forms, start=1))
        lines.append("")
        words += len(sentence.forms)
        if words >= _BATCH:
            yield _treebank(lines, path)
            lines, words = [], 0
    if lines:
        yield _treebank(lines, path)


def _treebank(lines: list[str], path: str) -> Treebank:
    found = Treebank("".join(f"{line}\n" for line in lines).encode(), path=path)
    check_lengths(found)
    return found
