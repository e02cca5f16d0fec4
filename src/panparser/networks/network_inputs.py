"""Network inputs: vocabularies learned from a treebank, and batches of sentences as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.base.caching import cached_property
from panparser.base.kinds import TEXT, ListOf, TableOf, check
from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.errors import ModelError, SpecError
from panparser.features.vectors import WordVectors
from panparser.networks.network import NetworkSpec
from panparser.treebank.treebank import Treebank

ROOT, UNKNOWN, FIRST = 0, 1, 2  # numbers of values: of Root, of those not learned, of the first of the others
OUTSIDE, STRANGE, START, END, LETTERS = 0, 1, 2, 3, 4  # numbers of characters: none, unknown, around a word, others
LONGEST = 40  # characters of a word that are read: its beginning and its end
NEAR = 8  # heads are given by their distance, up to this
VOCABULARY = TableOf(ListOf(TEXT))  # of a manifest
_SOURCES = {"lower": "form", "characters": "form", "vector": "form"}  # columns of the treebank, where they differ


def _texts(column: str, text: str) -> Iterable[str]:
    """The values of a cell that are known apart."""
    if column == "lower":
        return (text.lower(),)
    if column == "characters":
        return text
    if column == "feats":
        return () if text == "_" else text.split("|")
    return (text,)


class Vocabulary:
    """The values of inputs that a network has learned: by column, in the order of their numbers."""

    def __init__(self, values: Mapping[str, Sequence[str]]) -> None:
        check(dict(values), VOCABULARY, "vocabulary")
        self.values = {column: tuple(texts) for column, texts in values.items()}
        self.numbers = {
            column: {text: number + self.first(column) for number, text in enumerate(texts)}
            for column, texts in self.values.items()
        }

    @staticmethod
    def first(column: str) -> int:
        return LETTERS if column == "characters" else FIRST

    @classmethod
    def of(cls, network: NetworkSpec, treebank: Treebank, known: Vocabulary | None = None) -> Vocabulary:
        """That of a treebank; values that are known already keep their numbers."""
        values: dict[str, list[str]] = {}
        for one in network.inputs:
            if one.column in ("vector", "given_head"):
                continue
            cells = treebank.vocabulary(_SOURCES.get(one.column, one.column))
            counts = np.bincount(treebank.column(_SOURCES.get(one.column, one.column)), minlength=len(cells)).tolist()
            found: Counter[str] = Counter()
            for cell, count in zip(cells, counts, strict=True):
                for text in _texts(one.column, cell) if count else ():
                    found[text] += count
            before = list(known.values.get(one.column, ())) if known else []
            more = sorted(text for text, count in found.items() if count >= one.min_count)
            values[one.column] = before + [text for text in more if text not in set(before)]
        return cls(values)

    def size(self, column: str) -> int:
        """How many numbers there are."""
        if column == "given_head":
            return 2 * NEAR + 3  # distances, none, Root, and what is not a word
        return len(self.values[column]) + self.first(column)

    def counts(self, column: str, treebank: Treebank) -> LongArray:
        """How often each number occurs in a treebank."""
        numbers = self.table(column, treebank)[treebank.column(_SOURCES.get(column, column))]
        return np.bincount(numbers, minlength=self.size(column)).astype(np.int64)

    def table(self, column: str, treebank: Treebank) -> IntArray:
        """The number of each cell of a treebank's vocabulary."""
        cells, numbers = treebank.vocabulary(_SOURCES.get(column, column)), self.numbers[column]
        if column == "lower":
            return np.array([numbers.get(cell.lower(), UNKNOWN) for cell in cells], dtype=np.int32)
        return np.array([numbers.get(cell, UNKNOWN) for cell in cells], dtype=np.int32)

    def features(self, cell: str) -> list[int]:
        """The numbers of the features in a FEATS cell."""
        return [self.numbers["feats"].get(text, UNKNOWN) for text in _texts("feats", cell)]

    def letters(self, forms: Sequence[str]) -> FeatureBags:
        """The numbers of the characters of words; the first of them is Root, which has none."""
        half = LONGEST // 2
        texts = ["", *(form if len(form) <= LONGEST else form[:half] + form[-half:] for form in forms)]
        starts = np.array([0, *(len(text) + 2 for text in texts)], dtype=np.int64).cumsum()
        numbers = np.zeros(starts[-1], dtype=np.int64)
        numbers[starts[:-1]], numbers[starts[1:] - 1] = START, END
        numbers[numbers == 0] = self._letters_of("".join(texts))
        return FeatureBags(numbers, starts)

    def _letters_of(self, text: str) -> LongArray:
        points, own = self._points
        codes = _code_points(text)
        place = np.minimum(np.searchsorted(points, codes), max(0, len(points) - 1))
        return np.where(points[place] == codes, own[place], STRANGE) if len(points) else np.full(len(codes), STRANGE)

    @cached_property
    def _points(self) -> tuple[LongArray, LongArray]:
        """Code points of the characters that are known, in order, and their numbers."""
        points = _code_points("".join(self.values["characters"]))
        order = points.argsort()
        return points[order], order + LETTERS

    def to_values(self) -> dict[str, list[str]]:
        return {column: list(texts) for column, texts in self.values.items()}


def _code_points(text: str) -> LongArray:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4").astype(np.int64)


@dataclass(frozen=True)
class FeatureBags:
    """Things that consist of several numbers: row i has those from `starts[i]` to `starts[i + 1]`."""

    numbers: LongArray
    starts: LongArray

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> FeatureBags:
        sizes = np.array([len(row) for row in rows], dtype=np.int64)
        numbers = np.array([number for row in rows for number in row], dtype=np.int64)
        return cls(numbers, np.concatenate([np.zeros(1, dtype=np.int64), sizes.cumsum()]))

    def padded(self) -> tuple[LongArray, BoolArray]:
        """(rows, longest) The numbers, and where there are some."""
        sizes = np.diff(self.starts)
        is_there = np.arange(max(1, int(sizes.max(initial=0)))) < sizes[:, None]
        matrix = np.zeros(is_there.shape, dtype=np.int64)
        matrix[is_there] = self.numbers
        return matrix, is_there


@dataclass(frozen=True)
class PackedSequences:
    """How words of sentences are read in step: all first words, all second words, ..., longest sentences first.

    `rows`: the words in this order; `sizes`: how many are read at each step.
    """

    rows: LongArray
    sizes: LongArray

    @classmethod
    def of(cls, lengths: LongArray) -> PackedSequences:
        first = np.concatenate([np.zeros(1, dtype=np.int64), lengths.cumsum()])
        order = np.argsort(-lengths, kind="stable")
        longest = int(lengths.max(initial=0))
        sizes = np.array([int((lengths > step).sum()) for step in range(longest)], dtype=np.int64)
        parts = [first[order[:size]] + step for step, size in enumerate(sizes.tolist())]
        return cls(np.concatenate([np.zeros(0, dtype=np.int64), *parts]), sizes)

    @cached_property
    def places(self) -> LongArray:
        """Where each word is read."""
        places = np.empty(len(self.rows), dtype=np.int64)
        places[self.rows] = np.arange(len(self.rows))
        return places


@dataclass(frozen=True)
class Batch:
    """Sentences as a network sees them. A sentence has a row for Root, then one for each word; `first` are the former.

    `numbers`: of values, by column, a row each. `feats` and `letters`: different values, and for each row which one.
    `vectors`: rows of pre-trained vectors, -1 for Root.
    """

    first: LongArray
    lengths: LongArray  # in rows
    words: LongArray  # their indices in the treebank, without Root
    is_word: BoolArray
    numbers: Mapping[str, LongArray]
    feats: tuple[FeatureBags, LongArray] | None = None
    letters: tuple[FeatureBags, LongArray] | None = None
    vectors: LongArray | None = None

    @property
    def rows(self) -> int:
        return len(self.is_word)

    @cached_property
    def packed(self) -> PackedSequences:
        return PackedSequences.of(self.lengths)

    @cached_property
    def places(self) -> tuple[LongArray, LongArray]:
        """The rows of all words, and for each that of its sentence's Root."""
        rows = np.flatnonzero(self.is_word).astype(np.int64)
        return rows, np.repeat(self.first, self.lengths - 1)


class InputReader:
    """The inputs of one treebank's sentences."""

    def __init__(
        self, network: NetworkSpec, vocabulary: Vocabulary, treebank: Treebank, vectors: WordVectors | None = None
    ) -> None:
        if "vector" in network.columns and vectors is None:
            raise SpecError("the network reads vectors of words, and none were given")
        self.network, self.vocabulary, self.treebank = network, vocabulary, treebank
        self._vectors = vectors if "vector" in network.columns else None
        self._tables: dict[str, IntArray] = {}

    def _table(self, column: str) -> IntArray:
        """The number of each cell; made again when the treebank got new cells."""
        known = self._tables.get(column)
        if known is None or len(known) < len(self.treebank.vocabulary(_SOURCES.get(column, column))):
            source = self._vectors.rows if column == "vector" and self._vectors is not None else None
            known = source(self.treebank) if source else self.vocabulary.table(column, self.treebank)
            self._tables[column] = known
        return known

    def read(self, sentences: LongArray, given: IntArray | None = None) -> Batch:
        """Some sentences; `given` are heads that constraints give to the words of the treebank, -1 where none."""
        offsets = self.treebank.offsets
        lengths = (offsets[sentences + 1] - offsets[sentences]).astype(np.int64) + 1
        first = np.concatenate([np.zeros(1, dtype=np.int64), lengths.cumsum()[:-1]]) if len(lengths) else lengths
        total = int(lengths.sum())
        is_word = np.ones(total, dtype=np.bool_)
        is_word[first] = False
        words = np.arange(total) - np.repeat(first + 1 - offsets[sentences], lengths)
        words = words[is_word].astype(np.int64)
        numbers: dict[str, LongArray] = {}
        feats = letters = vectors = None
        for column in self.network.columns:
            if column == "feats":
                feats = self._bags("feats", words, is_word)
            elif column == "characters":
                letters = self._bags("form", words, is_word)
            elif column == "vector":
                vectors = np.full(total, -1, dtype=np.int64)
                vectors[is_word] = self._table(column)[self.treebank.column("form")[words]]
            elif column == "given_head":
                numbers[column] = self._given(given, words, lengths, is_word)
            else:
                of_rows = np.full(total, ROOT, dtype=np.int64)
                of_rows[is_word] = self._table(column)[self.treebank.column(_SOURCES.get(column, column))[words]]
                numbers[column] = of_rows
        return Batch(first, lengths, words, is_word, numbers, feats, letters, vectors)

    def _bags(self, source: str, words: LongArray, is_word: BoolArray) -> tuple[FeatureBags, LongArray]:
        cells = self.treebank.vocabulary(source)
        different, which = np.unique(self.treebank.column(source)[words], return_inverse=True)
        texts = [cells[cell] for cell in different.tolist()]
        if source == "feats":
            bags = FeatureBags.of([[ROOT], *map(self.vocabulary.features, texts)])
        else:
            bags = self.vocabulary.letters(texts)
        of_rows = np.zeros(len(is_word), dtype=np.int64)
        of_rows[is_word] = which + 1
        return bags, of_rows

    def _given(self, given: IntArray | None, words: LongArray, lengths: LongArray, is_word: BoolArray) -> LongArray:
        """0 for Root, 1 where no head is given, 2 for Root as the head, then distances."""
        found = np.zeros(len(is_word), dtype=np.int64)
        found[is_word] = 1
        if given is not None:
            heads = given[words]
            own = np.arange(len(is_word)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
            distance = np.clip(heads - own[is_word], -NEAR, NEAR)
            far = np.where(distance < 0, distance + NEAR, distance + NEAR - 1) + 3
            found[is_word] = np.where(heads < 0, 1, np.where(heads == 0, 2, far))
        return found


def grouped_by_length(numbers: LongArray, lengths: Any, words: int) -> Iterator[LongArray]:
    """Sentences in batches of about so many words, those of a batch of similar length."""
    order = numbers[np.argsort(lengths[numbers], kind="stable")]
    sizes = np.maximum(lengths[order], 1)
    batch: list[int] = []
    total = 0
    for number, size in zip(order.tolist(), sizes.tolist(), strict=True):
        if batch and total + size > words:
            yield np.array(batch, dtype=np.int64)
            batch, total = [], 0
        batch.append(number)
        total += size
    if batch:
        yield np.array(batch, dtype=np.int64)


def checked_vocabulary(network: NetworkSpec, values: Any) -> Vocabulary:
    """The vocabulary of a manifest. Raises ModelError unless it has what the network reads."""
    check(values, VOCABULARY, "vocabulary")
    needed = {column for column in network.columns if column not in ("vector", "given_head")}
    if set(values) != needed:
        raise ModelError(f"vocabulary: expected {', '.join(sorted(needed))}, found {', '.join(sorted(values))}")
    for column, texts in values.items():
        if len(set(texts)) < len(texts):
            raise ModelError(f"vocabulary of {column}: expected different values")
    if not all(len(text) == 1 for text in values.get("characters", ())):
        raise ModelError("vocabulary of characters: expected single ones")
    return Vocabulary(values)
