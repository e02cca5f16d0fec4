"""Criteria and conditions: which class a word belongs to, and which words count."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Protocol, TypeAlias

import numpy as np

from panparser.base.types import BoolArray, LongArray
from panparser.errors import AnalysisError
from panparser.lab.analysis.word_columns import NONE, Column, Values, Words, is_number
from panparser.treebank.sentences import Token

TOKEN = re.compile(
    r"""\s*(?:(?P<sign>!=|==|<=|>=|!~|[=<>~(),])|(?P<quoted>'[^']*'|"[^"]*")|(?P<word>[^\s()=!<>~,'"]+))"""
)
KEYWORDS = ("and", "or", "not", "in")
RANKS: dict[str, Callable[[LongArray, int], BoolArray]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Frame(Protocol):
    """The part of a frame that conditions need."""

    def by_class(self, criterion: Any, predicate: Callable[[str], bool]) -> BoolArray: ...
    def numbers(self, criterion: Any) -> LongArray | None: ...


class Condition:
    """Selects words; conditions combine with &, | and ~."""

    def holds(self, frame: Frame) -> BoolArray:
        """A flag for each word of the frame: whether the condition holds."""
        raise NotImplementedError

    def __and__(self, other: Condition) -> Condition:
        return And(self, other)

    def __or__(self, other: Condition) -> Condition:
        return Or(self, other)

    def __invert__(self) -> Condition:
        return Not(self)


@dataclass(frozen=True)
class And(Condition):
    first: Condition
    second: Condition

    def __str__(self) -> str:
        return f"({self.first} and {self.second})"

    def holds(self, frame: Frame) -> BoolArray:
        return self.first.holds(frame) & self.second.holds(frame)


@dataclass(frozen=True)
class Or(Condition):
    first: Condition
    second: Condition

    def __str__(self) -> str:
        return f"({self.first} or {self.second})"

    def holds(self, frame: Frame) -> BoolArray:
        return self.first.holds(frame) | self.second.holds(frame)


@dataclass(frozen=True)
class Not(Condition):
    inner: Condition

    def __str__(self) -> str:
        return f"not {self.inner}"

    def holds(self, frame: Frame) -> BoolArray:
        return ~self.inner.holds(frame)


@dataclass(frozen=True)
class InSet(Condition):
    """The class, or the number, is one of these."""

    criterion: Any  # a criterion, or several joined
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.criterion} in ({', '.join(map(_quoted, self.values))})"

    def holds(self, frame: Frame) -> BoolArray:
        found = frame.by_class(self.criterion, lambda name: name in self.values)
        numbers = frame.numbers(self.criterion)
        if numbers is None:
            return found
        return found | np.isin(numbers, [int(value) for value in self.values if is_number(value)])


@dataclass(frozen=True)
class Matches(Condition):
    """A regular expression occurs in the class."""

    criterion: Any  # a criterion, or several joined
    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise AnalysisError(f"expected a regular expression, found {self.pattern!r} ({error})") from None

    def __str__(self) -> str:
        return f"{self.criterion} ~ {_quoted(self.pattern)}"

    def holds(self, frame: Frame) -> BoolArray:
        return frame.by_class(self.criterion, lambda name: re.search(self.pattern, name) is not None)


@dataclass(frozen=True)
class Comparison(Condition):
    """The number is smaller or larger than another; false for words without a number."""

    criterion: Any  # a criterion, or several joined
    sign: str
    number: int

    def __post_init__(self) -> None:
        if not getattr(self.criterion, "is_numeric", False):
            raise AnalysisError(f"expected a criterion of numbers before {self.sign}, found {self.criterion}")

    def __str__(self) -> str:
        return f"{self.criterion} {self.sign} {self.number}"

    def holds(self, frame: Frame) -> BoolArray:
        numbers = frame.numbers(self.criterion)
        assert numbers is not None  # a criterion of numbers
        return RANKS[self.sign](numbers, self.number) & (numbers >= 0)


def _quoted(text: str) -> str:
    if _plain(text):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _plain(text: str) -> bool:
    match = TOKEN.fullmatch(text)
    return bool(match and match["word"] == text and text not in KEYWORDS)


_MAX_CLASSES = 10_000  # of a cap


@dataclass(frozen=True)
class Criterion:
    """Groups words; `function` computes a class or a number for each word of a treebank.

    Numbers are grouped by `bins`, the first number of each class; None makes each number a class. `zero` is the name
    of the class of 0. `side` is whose annotation is read: gold, predicted, predicted2, ...
    """

    name: str
    description: str
    function: Callable[[Words], Values]
    is_numeric: bool = False
    bins: tuple[int, ...] | None = None
    zero: str = "0"
    side: str = "gold"

    def __str__(self) -> str:
        return self.name if self.side == "gold" else f"{self.side}.{self.name}"

    def on(self, side: str) -> Criterion:
        """The same criterion, read from a prediction: predicted, predicted2, ..."""
        return replace(self, side=side)

    def capped(self, maximum: int) -> Criterion:
        """Return the criterion with all numbers from `maximum` on in one class."""
        if not 1 <= maximum <= _MAX_CLASSES:
            raise AnalysisError(f"{self}: cap must be an integer between 1 and {_MAX_CLASSES}; got {maximum}")
        return self.binned(*range(1, maximum + 1))

    def binned(self, *starts: int) -> Criterion:
        """Classes of numbers, each from one start to before the next."""
        if not self.is_numeric:
            raise AnalysisError(f"{self}: expected a criterion of numbers to cap or bin, found one of words")
        if not starts or any(a >= b for a, b in pairwise(starts)):
            raise AnalysisError(
                f"bins of {self}: expected rising numbers, found {'/'.join(map(str, starts)) or 'none'}"
            )
        return replace(self, bins=starts)

    def exact(self) -> Criterion:
        """Every number is a class of its own."""
        return replace(self, bins=None)

    def values(self, words: Words) -> Values:
        """Numbers or classes of all words, before numbers are binned."""
        found = self.function(words)
        codes = found.codes if isinstance(found, Column) else found
        if len(codes) != len(words):
            raise AnalysisError(f"{self}: expected a value for each of {len(words)} words, found {len(codes)}")
        return found

    def classes(self, words: Words) -> Column:
        """The class of each word."""
        found = self.values(words)
        return found if isinstance(found, Column) else _binned(np.asarray(found), self.bins, self.zero)

    def __add__(self, other: Criterion | JointCriterion) -> JointCriterion:
        return JointCriterion((self, *(other.parts if isinstance(other, JointCriterion) else (other,))))

    # --- Conditions, as in `UPOS.eq("VERB") & ~DIRECTION.eq("root")` ---

    def eq(self, value: object) -> Condition:
        return self.isin([value])

    def isin(self, values: Iterable[object]) -> Condition:
        return InSet(self, tuple(str(value) for value in values))

    def matches(self, pattern: str) -> Condition:
        """Does a regular expression occur in the class?"""
        return Matches(self, pattern)

    def at_least(self, number: int) -> Condition:
        return Comparison(self, ">=", number)

    def at_most(self, number: int) -> Condition:
        return Comparison(self, "<=", number)


@dataclass(frozen=True)
class JointCriterion:
    """Several criteria as one key: `FORM + UPOS` has classes such as except-ADP."""

    parts: tuple[Criterion, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.parts))

    def __add__(self, other: Criterion | JointCriterion) -> JointCriterion:
        return JointCriterion((*self.parts, *(other.parts if isinstance(other, JointCriterion) else (other,))))


Key: TypeAlias = Criterion | JointCriterion
By: TypeAlias = str | Key | Sequence[str | Key] | None


def by_token(name: str, function: Callable[[Token], object], description: str = "a function of the word") -> Criterion:
    """A criterion of your own, from a function of one word (a Python call for each: slower than one over columns)."""

    def compute(words: Words) -> Column:
        found = [str(function(token)) for sentence in words.treebank for token in sentence]
        numbers: dict[str, int] = {}
        codes = np.array([numbers.setdefault(value, len(numbers)) for value in found], dtype=np.int64)
        return Column(codes, tuple(numbers))

    return Criterion(name, description, compute)


def _binned(numbers: LongArray, bins: tuple[int, ...] | None, zero: str) -> Column:
    if bins is None:
        starts = np.unique(np.maximum(numbers, 0))
        names = [str(start) for start in starts.tolist()]
    else:
        first = [0] if bins[0] > 0 else []
        first += [1] if bins[0] > 1 and zero != "0" else []  # what 0 stands for is a class of its own
        starts = np.array([*first, *bins])
        ends = [*(starts[1:] - 1).tolist(), None]
        names = [_range(start, end) for start, end in zip(starts.tolist(), ends, strict=True)]
    names = [zero if name == "0" else name for name in names]
    codes = np.where(numbers < 0, len(names), np.searchsorted(starts, numbers, side="right") - 1)
    return Column.merged(codes, [*names, NONE], ordered=True)


def _range(start: int, end: int | None) -> str:
    return f"{start}+" if end is None else str(start) if start == end else f"{start}-{end}"
