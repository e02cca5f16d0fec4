"""Plain text by the Leipzig glossing rules: blocks of words, [morphemes], glosses and a 'translation'."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from panparser.errors import TextError
from panparser.transfer.glossed.sentences import (
    GlossedSentence,
    GlossedWord,
    GlossMismatchError,
    bare_gloss,
    split_punctuation,
    with_punctuation,
    written_word,
)

_QUOTES = {"'": "'", "‘": "’", "’": "’", '"': '"', "“": "”", "”": "”", "„": "“", "`": "'", "«": "»"}
_NUMBER = re.compile(r"\(([\w.'-]{1,20})\)\s+|((?:\d+|[a-z])[.)])\s+")  # (12), 12. or a.
_ID = re.compile(r"#\s*sent_id\s*=\s*(\S+)\s*")
_AFTER = re.compile(r"[.,;!?]?\s*(?:[(\[].*)?")  # a translation: where it is from
_LINES = ("words", "morphemes", "glosses", "a translation in quotes")

Line = tuple[int, str]  # its number and its text


def read_leipzig(text: str, path: str = "<text>") -> list[GlossedSentence]:
    """The sentences of a text: a block for each, of two to four lines, with blank lines between them.

    Lines are words, morphemes (may be missing: then words are divided by hyphens, or not at all), glosses, and a
    translation in quotes (may be missing). The first may begin with a number, such as (12). Lines that begin with #
    are comments; `# sent_id = ...` names a sentence. Raises TextError if words, morphemes and glosses do not match.
    """
    return [_sentence(block, path, number) for number, block in enumerate(_blocks(text), start=1)]


def _blocks(text: str) -> Iterator[list[Line]]:
    """Lines between blank lines; comments alone are no block."""
    block: list[Line] = []
    for number, line in enumerate([*text.split("\n"), ""], start=1):
        if line.strip():
            block.append((number, line.strip()))
        else:
            if any(not each.startswith("#") for _, each in block):
                yield block
            block = []


def _sentence(block: list[Line], path: str, count: int) -> GlossedSentence:
    ids = [found[1] for _, line in block if (found := _ID.fullmatch(line))]
    lines = [line for line in block if not line[1].startswith("#")]
    translation = _unquoted(lines[-1][1])
    rows = lines if translation is None else lines[:-1]
    if len(rows) not in (2, 3):
        raise TextError(_wrong_lines(lines, rows, path))
    number, first = rows[0]
    if found := _NUMBER.match(first):
        rows[0] = (number, first[found.end() :])
    own = (found[1] or found[2].rstrip(".)")) if found else ""
    return GlossedSentence(
        words=tuple(_words(rows, path, translation is not None)),
        translation=translation or "",
        id=ids[0] if ids else own or str(count),
        path=path,
        line=lines[0][0],
    )


def _unquoted(line: str) -> str | None:
    """A translation without its quotes; None if it has none. What stands after them is no part of it."""
    end = _QUOTES.get(line[0])
    if end is None or len(line) < 2:
        return None
    place = line.rfind(end, 1)
    if place < 0 or not _AFTER.fullmatch(line, place + 1):
        return None
    return " ".join(line[1:place].split())


def _wrong_lines(lines: Sequence[Line], rows: Sequence[Line], path: str) -> str:
    place, last = lines[0][0], lines[-1]
    if len(rows) == len(lines) > 3:
        return f"{path}:{last[0]}: expected {_LINES[3]} as the last line of a block, found {last[1][:60]!r}"
    return (
        f"{path}:{place}: expected a block of {_LINES[0]}, {_LINES[1]} (may be missing), {_LINES[2]} and {_LINES[3]} "
        f"(may be missing), found {len(lines)} line{'s' * (len(lines) != 1)}"
    )


def _words(rows: Sequence[Line], path: str, is_translated: bool) -> Iterator[GlossedWord]:
    """The words of two lines, or of three."""
    split = [row[1].split() for row in rows]
    names = _LINES[1:3][-len(rows) + 1 :]
    for name, (number, _), tokens in zip(names, rows[1:], split[1:], strict=True):
        if len(tokens) != len(split[0]):
            may_be_translation = len(rows) == 3 and number == rows[2][0] and not is_translated
            hint = " (a translation must stand in quotes)" if may_be_translation else ""
            raise TextError(
                f"{path}:{number}: expected as many {name} as words in line {rows[0][0]}, {len(split[0])}; "
                f"found {len(tokens)}{hint}"
            )
    number = rows[-1][0]
    for place, cells in enumerate(zip(*split, strict=True), start=1):
        before, written, after = split_punctuation(cells[0])
        gloss, segmented = bare_gloss(cells[-1]), split_punctuation(cells[-2])[1]
        if not any(map(str.isalnum, written + gloss)):  # a punctuation mark that stands alone
            yield GlossedWord(form=cells[0])
            continue
        try:
            word = written_word(written if len(rows) == 3 else "", segmented, gloss)
        except GlossMismatchError as error:
            raise TextError(f"{path}:{number}: word {place}: {error}") from None
        yield from with_punctuation(word, before, after)
