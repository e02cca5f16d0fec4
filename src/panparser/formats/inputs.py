"""Texts in the input formats of UDPipe, as treebanks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from panparser.errors import TextError
from panparser.formats.generic import generic_marks
from panparser.pipeline.pipeline import Pipeline
from panparser.text.characters import code_points
from panparser.text.tokenizer.streaming import finished, stream
from panparser.text.writing import Place, Tokens, to_treebank
from panparser.treebank.treebank import Treebank, check_lengths

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
    return pipeline.tokens(pieces, given=given, path=path, report=report, ranges=ranges)


def _generic(
    pieces: Iterable[str], path: str, ranges: bool, report: Callable[[str], None] | None
) -> Iterator[Treebank]:
    def divide(text: str, *, place: Place, unfinished: bool) -> tuple[Treebank, int]:
        tokens = Tokens.of(code_points(text), generic_marks(text))
        text, tokens = finished(text, tokens) if unfinished else (text, tokens)
        return to_treebank(text, tokens, place=place, path=path), len(text)

    return stream(divide, pieces, given="text", path=path, report=report, ranges=ranges)


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
