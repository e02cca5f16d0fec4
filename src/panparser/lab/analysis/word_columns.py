"""The words of one treebank as columns: the input of criteria. Loops run over distinct values, never over words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.types import BoolArray, LongArray
from panparser.errors import AnalysisError
from panparser.parsing.confidence import read_confidence
from panparser.treebank.statistics import climb, crossing_arcs
from panparser.treebank.treebank import Treebank

NONE = "none"  # the class of words that lack what is asked for
_MAX_COMBINATIONS = 1 << 62  # that fit into one number
ROOT = "ROOT"  # what stands for the artificial token where a head is described


@dataclass(frozen=True, eq=False)
class Column:
    """A class for each word: `names[codes[word]]`. `ordered`: the order of the names is meaningful."""

    codes: LongArray
    names: tuple[str, ...]
    is_ordered: bool = False

    @classmethod
    def merged(cls, codes: npt.NDArray[np.integer], names: Iterable[str], ordered: bool = False) -> Column:
        """A column from names that may repeat: equal names become one class."""
        numbers: dict[str, int] = {}
        table = np.array([numbers.setdefault(name, len(numbers)) for name in names], dtype=np.int64)
        return cls(table[codes] if len(codes) else np.empty(0, np.int64), tuple(numbers), ordered)

    def at(self, parents: LongArray) -> Column:
        """The class of each word's head; `parents` has -1 for Root and -2 for none."""
        codes = np.append(self.codes, [len(self.names), len(self.names) + 1])
        return Column.merged(codes[parents], (*self.names, NONE, ROOT), self.is_ordered)


Values = Column | LongArray  # classes, or numbers >= 0 (-1: none)


def combinations(columns: Sequence[Column]) -> tuple[list[LongArray], LongArray]:
    """The combinations of classes that occur, in order: their codes in each column; and the one that each word has."""
    if math.prod(len(column.names) for column in columns) >= _MAX_COMBINATIONS:
        distinct, inverse = np.unique(np.stack([column.codes for column in columns]), axis=1, return_inverse=True)
        return list(distinct), inverse.reshape(-1)
    codes = np.zeros(len(columns[0].codes), dtype=np.int64)
    for column in columns:
        codes = codes * len(column.names) + column.codes
    found, inverse = np.unique(codes, return_inverse=True)
    parts = []
    for column in reversed(columns):
        found, part = np.divmod(found, max(1, len(column.names)))
        parts.append(part)
    return parts[::-1], inverse


def join(columns: Sequence[Column], sign: str = "-") -> Column:
    """One column of the names of several, joined; only combinations that occur."""
    parts, inverse = combinations(columns)
    texts = ([column.names[i] for i in part.tolist()] for column, part in zip(columns, parts, strict=True))
    names = [sign.join(each) for each in zip(*texts, strict=True)]
    return Column.merged(inverse, names, all(column.is_ordered for column in columns))


class Words:
    """One treebank, gold or predicted, as columns over all its words.

    `gold` is the reference that a prediction is scored against (None for the reference itself), `train` the treebank
    in which frequencies are counted.
    """

    def __init__(self, treebank: Treebank, *, gold: Words | None = None, train: Treebank | None = None) -> None:
        self.treebank, self.gold, self.train = treebank, gold, train

    def __len__(self) -> int:
        return self.treebank.words

    @cached_property
    def sentence(self) -> LongArray:
        """The sentence of each word, from 0."""
        return self.treebank.sentence_of_word()

    @cached_property
    def first(self) -> LongArray:
        """The first word of each word's sentence."""
        return self.treebank.offsets[self.sentence] if len(self) else np.empty(0, np.int64)

    @cached_property
    def ids(self) -> LongArray:
        """The position of each word in its sentence, from 1."""
        return np.arange(len(self)) - self.first + 1

    @cached_property
    def sentence_length(self) -> LongArray:
        """How many words each word's sentence has."""
        return np.diff(self.treebank.offsets)[self.sentence] if len(self) else np.empty(0, np.int64)

    @cached_property
    def heads(self) -> LongArray:
        """The head of each word, from 1; 0 is Root, -1 none."""
        return self.treebank.heads.astype(np.int64)

    @cached_property
    def parents(self) -> LongArray:
        """The word that is each word's head, counted over the treebank; -1 is Root, -2 none."""
        return np.where(self.heads > 0, self.first + self.heads - 1, self.heads - 1)

    def text(self, name: str, change: Callable[[str], str] = str) -> Column:
        """A column of the file, each string changed."""
        return Column.merged(self.treebank.column(name), map(change, self.treebank.vocabulary(name)))

    def value(self, name: str, key: str) -> Column:
        """The value of a key of FEATS or MISC; `none` if it is missing."""
        return self.text(name, lambda cell: _value_of(cell, key))

    @cached_property
    def _climbed(self) -> tuple[LongArray, LongArray]:
        return climb(self.heads, self.first, int(self.sentence_length.max(initial=0)))

    @property
    def depth(self) -> LongArray:
        """Arcs from each word up to Root: 1 for a child of Root; -1 if Root cannot be reached."""
        return self._climbed[0]

    @property
    def root_distance(self) -> LongArray:
        """Distance in words to the child of Root above each word: 0 for that child itself."""
        depth, top = self._climbed
        return np.where(depth < 0, -1, np.abs(np.arange(len(self)) - top))

    @property
    def length(self) -> LongArray:
        """Distance to the head in words: 1 for a neighbor; 0 for Root, -1 for none."""
        return np.where(self.heads > 0, np.abs(self.ids - self.heads), self.heads)

    @property
    def direction(self) -> Column:
        """Where the head stands: left, right; root; none."""
        codes = np.where(self.heads > self.ids, 1, np.where(self.heads > 0, 0, 2 - self.heads))
        return Column(codes, ("left", "right", "root", NONE), True)

    def children(self, left: bool = True, right: bool = True) -> LongArray:
        """How many dependents each word has, to its left and to its right."""
        at = np.arange(len(self))
        chosen = (self.parents >= 0) & ((left & (at < self.parents)) | (right & (at > self.parents)))
        return np.bincount(self.parents[chosen], minlength=len(self))

    @cached_property
    def crossing(self) -> BoolArray:
        """A flag for each word: whether its arc is non-projective."""
        return crossing_arcs(self.treebank)[0]

    @property
    def confidence(self) -> LongArray:
        """The confidence of the head in percent, as written by `parse --confidence`; -1 if missing."""
        share = read_confidence(self.treebank)
        return np.where(np.isnan(share), -1, np.floor(100 * np.nan_to_num(share) + 1e-9)).astype(np.int64)

    @property
    def frequency(self) -> LongArray:
        """How often each word's form occurs in the training treebank."""
        if self.train is None:
            raise AnalysisError("frequency: expected a training treebank (train=..., --train FILE), found none")
        forms = self.train.vocabulary("form")
        seen: dict[str, int] = {}
        for form, count in zip(forms, np.bincount(self.train.column("form"), minlength=len(forms)), strict=True):
            seen[form] = seen.get(form, 0) + int(count)
        table = np.array([seen.get(form, 0) for form in self.treebank.vocabulary("form")], dtype=np.int64)
        return table[self.treebank.column("form")]


def same(first: Words, second: Words, name: str, change: Callable[[str], str] = str) -> BoolArray:
    """A flag for each word: whether both treebanks have the same string after `change`."""
    numbers: dict[str, int] = {}
    codes = []
    for words in (first, second):
        strings = words.treebank.vocabulary(name)
        table = np.array([numbers.setdefault(change(text), len(numbers)) for text in strings], dtype=np.int64)
        codes.append(table[words.treebank.column(name)])
    equal: BoolArray = codes[0] == codes[1]
    return equal


def _value_of(cell: str, key: str) -> str:
    for item in cell.split("|"):
        name, sign, value = item.partition("=")
        if sign and name == key:
            return value
    return NONE


def is_number(text: str) -> bool:
    """Whether the text is a number that can be compared with those of a column."""
    return text.isascii() and text.isdigit() and len(text) <= 18
