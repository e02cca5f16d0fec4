"""Treebanks from a text and the positions of its tokens; they account for every character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.errors import TextError
from panparser.text.characters import CodePoints, characters_of, code_points, is_trimmed, spaces
from panparser.text.raw_text import INSIDE, SENTENCE, Marks, RawText
from panparser.treebank.treebank import Treebank

_PATH = "<text>"


@dataclass(frozen=True)
class Place:
    """The place of a piece of text within a longer one.

    `sentence` is the number of its first sentence, `offset` that of its first character; `document` is None within a
    document, else the id of the document that begins here (or ""); `paragraph`: one begins here; `lines`: each line is
    one. `ranges`: whether to write `TokenRange` to MISC.
    """

    sentence: int = 1
    offset: int = 0
    document: str | None = ""
    paragraph: bool = False
    ranges: bool = True
    lines: bool = False


@dataclass(frozen=True)
class Tokens:
    """Tokens of a text: where they start and end (in code points), and which are the last of their sentences."""

    starts: LongArray
    ends: LongArray
    last: npt.NDArray[np.uint8]

    @classmethod
    def from_marks(cls, points: CodePoints, marks: Marks) -> Tokens:
        """The tokens between marks. The end of the text ends a token and a sentence, whatever the last mark is."""
        return cls(*_engine.marked_tokens(points, characters_of(points), marks))

    def first(self, count: int) -> Tokens:
        """The first of them."""
        return Tokens(self.starts[:count], self.ends[:count], self.last[:count])

    def forms(self, text: str) -> DistinctForms:
        return DistinctForms(*_engine.distinct_forms(text.encode(), self.starts, self.ends, self.last))


@dataclass(frozen=True)
class DistinctForms:
    """The distinct forms of tokens, and the number of each token's form."""

    texts: list[str]
    numbers: IntArray

    @classmethod
    def from_forms(cls, forms: Sequence[str]) -> DistinctForms:
        known: dict[str, int] = {}
        numbers = np.array([known.setdefault(form, len(known)) for form in forms], dtype=np.int32)
        return cls(list(known), numbers)


Words = tuple[str, ...]


@dataclass(frozen=True)
class Splits:
    """The words that tokens consist of: the number of each token's words among `words`, -1 if it is one word."""

    numbers: IntArray
    words: list[Words]

    @classmethod
    def by_form(cls, forms: DistinctForms, splits: Sequence[Sequence[str] | None]) -> Splits:
        """Of the distinct forms of tokens: those of each form, or None."""
        known: dict[Words, int] = {}
        found = [-1 if split is None else known.setdefault(tuple(split), len(known)) for split in splits]
        return cls(np.array(found, dtype=np.int32)[forms.numbers], list(known))

    @classmethod
    def from_words(cls, splits: Sequence[Sequence[str] | None]) -> Splits:
        """Of all tokens: those of each, or None."""
        return cls.by_form(DistinctForms([], np.arange(len(splits), dtype=np.int32)), splits)

    def __getitem__(self, token: int) -> Words | None:
        number = int(self.numbers[token])
        return None if number < 0 else self.words[number]

    def replaced(self, places: LongArray, other: Splits, several: BoolArray) -> Splits:
        """With the words of others at these places where they are several, and one word where they are not."""
        numbers = self.numbers.copy()
        numbers[places] = np.where(several, other.numbers[places] + len(self.words), -1)
        return Splits(numbers, self.words + other.words)


def to_treebank(
    text: str,
    tokens: Tokens | Marks,
    *,
    splits: Splits | Sequence[Sequence[str] | None] | None = None,
    place: Place | None = None,
    path: str = _PATH,
) -> Treebank:
    """A treebank of a text: forms, `SpaceAfter`, `SpacesAfter`, `TokenRange`, `# text`, `# newpar`, `# sent_id`.

    `tokens` are places, or a mark for each character as `RawText` has them. `splits` gives for each token the words
    that it consists of, or None. White space before the first token is its `SpacesBefore`; a text without tokens has no
    sentence, and its white space is lost.
    """
    if isinstance(tokens, np.ndarray):
        tokens = Tokens.from_marks(code_points(text), RawText(text, tokens).marks)
    if splits is not None and not isinstance(splits, Splits):
        splits = Splits.from_words(splits)
    return Treebank(conllu_bytes(text, tokens, splits, place or Place()), path=path)


def conllu_bytes(text: str, tokens: Tokens, splits: Splits | None, place: Place) -> bytes:
    """The file that `to_treebank` reads."""
    if place.document is not None and not place.document.isprintable():
        raise TextError(f"document must be one printable line; got {place.document!r}")
    numbers = np.empty(0, dtype=np.int32)
    words: list[list[str]] = []
    if splits is not None:
        numbers, words = splits.numbers, [list(split) for split in splits.words]
        if len(numbers) != len(tokens.starts):
            raise TextError(f"expected words, or None, for each of {len(tokens.starts)} tokens; got {len(numbers)}")
        for split in words:
            if len(split) < 2 or not all(map(is_trimmed, split)):
                raise TextError(f"expected two or more words without white space at their edges; got {split}")
    return _engine.write_tokens(
        text.encode(),
        tokens.starts,
        tokens.ends,
        tokens.last,
        numbers,
        words,
        place.sentence,
        place.offset,
        place.ranges,
        place.document,
        place.paragraph,
        place.lines,
    )


# --- Pretokenized input ---


def sentence_per_line(points: CodePoints) -> Marks:
    """Marks for text with one sentence per line: the ends of sentences, not those of tokens."""
    marks = np.zeros(len(points), dtype=np.uint8)
    marks[_line_ends(points)] = SENTENCE
    return marks


def tokens_by_spaces(text: str) -> Marks:
    """Marks for text with one sentence per line and spaces between tokens."""
    points = code_points(text)
    marks = sentence_per_line(points)
    space = spaces(points)
    last = ~space & np.append(space[1:], True)
    marks[last & (marks == INSIDE)] = 1
    return marks


def tokens_by_lines(text: str) -> Marks:
    """Marks for text with one token per line and a blank line between sentences (vertical)."""
    points = code_points(text)
    ends = _line_ends(points)
    marks = np.zeros(len(points), dtype=np.uint8)
    marks[ends] = 1
    solid = np.append(np.flatnonzero(~spaces(points)), len(points))
    following = solid[np.searchsorted(solid, ends, side="right")]  # the next token's first character
    lines = np.cumsum(_newlines(points))
    breaks = lines[np.minimum(following, len(points) - 1)] - lines[ends] > 1
    marks[ends[breaks]] = SENTENCE
    return marks


def _newlines(points: CodePoints) -> npt.NDArray[np.bool_]:
    """Where lines end: LF, or CR without one."""
    return np.asarray((points == 10) | ((points == 13) & (np.append(points[1:], 0) != 10)))


def _line_ends(points: CodePoints) -> LongArray:
    """The last character of each line that is not white space."""
    solid = np.flatnonzero(~spaces(points))
    if not len(solid):
        return solid
    line = np.cumsum(_newlines(points))[solid]
    return np.asarray(solid[np.append(line[1:] != line[:-1], True)])
