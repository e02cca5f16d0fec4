"""Conditions that select words of a frame, as values; `reading` parses them from text."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from panparser._arrays import BoolArray, LongArray
from panparser.analysis.words import is_number
from panparser.errors import AnalysisError

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

    def by_class(self, of: Any, holds: Callable[[str], bool]) -> BoolArray: ...
    def numbers(self, of: Any) -> LongArray | None: ...


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

    of: Any  # a criterion, or several joined
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.of} in ({', '.join(map(_quoted, self.values))})"

    def holds(self, frame: Frame) -> BoolArray:
        found = frame.by_class(self.of, lambda name: name in self.values)
        numbers = frame.numbers(self.of)
        if numbers is None:
            return found
        return found | np.isin(numbers, [int(value) for value in self.values if is_number(value)])


@dataclass(frozen=True)
class Matches(Condition):
    """A regular expression occurs in the class."""

    of: Any  # a criterion, or several joined
    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise AnalysisError(f"expected a regular expression, found {self.pattern!r} ({error})") from None

    def __str__(self) -> str:
        return f"{self.of} ~ {_quoted(self.pattern)}"

    def holds(self, frame: Frame) -> BoolArray:
        return frame.by_class(self.of, lambda name: re.search(self.pattern, name) is not None)


@dataclass(frozen=True)
class Comparison(Condition):
    """The number is smaller or larger than another; false for words without a number."""

    of: Any  # a criterion, or several joined
    sign: str
    number: int

    def __post_init__(self) -> None:
        if not getattr(self.of, "numeric", False):
            raise AnalysisError(f"expected a criterion of numbers before {self.sign}, found {self.of}")

    def __str__(self) -> str:
        return f"{self.of} {self.sign} {self.number}"

    def holds(self, frame: Frame) -> BoolArray:
        numbers = frame.numbers(self.of)
        assert numbers is not None  # a criterion of numbers
        return RANKS[self.sign](numbers, self.number) & (numbers >= 0)


def _quoted(text: str) -> str:
    if _plain(text):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _plain(text: str) -> bool:
    match = TOKEN.fullmatch(text)
    return bool(match and match["word"] == text and text not in KEYWORDS)
