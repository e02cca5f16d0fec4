"""Conditions: which words of a frame are looked at, as values and as text. Nothing of the text is executed.

label=mark and direction=right
upos in (NOUN, PROPN) or not (length > 5)
form ~ '^un' and predicted.label != obj

expression  and, or, not, ( )           comparison  = != < <= > >=  in (..)  not in (..)  ~ !~ (regular expression)
left        a criterion                 right       a word, a number, or a text in quotes
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from panparser.analysis.criteria.builtin import is_number, key
from panparser.analysis.criteria.criterion import Key
from panparser.errors import AnalysisError
from panparser.evaluation.counting import Bools, Ints

if TYPE_CHECKING:
    from panparser.analysis.frame import Frame

T = TypeVar("T")
_TOKEN = re.compile(
    r"""\s*(?:(?P<sign>!=|==|<=|>=|!~|[=<>~(),])|(?P<quoted>'[^']*'|"[^"]*")|(?P<word>[^\s()=!<>~,'"]+))"""
)
_KEYWORDS = ("and", "or", "not", "in")
_RANKS: dict[str, Callable[[Ints, int], Bools]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Condition:
    """Which words; combined with &, | and ~."""

    def holds(self, frame: Frame) -> Bools:
        """For each word of the frame: does it hold?"""
        raise NotImplementedError

    def __and__(self, other: Condition) -> Condition:
        return Both(self, other)

    def __or__(self, other: Condition) -> Condition:
        return Either(self, other)

    def __invert__(self) -> Condition:
        return Not(self)


@dataclass(frozen=True)
class Both(Condition):
    first: Condition
    second: Condition

    def __str__(self) -> str:
        return f"({self.first} and {self.second})"

    def holds(self, frame: Frame) -> Bools:
        return self.first.holds(frame) & self.second.holds(frame)


@dataclass(frozen=True)
class Either(Condition):
    first: Condition
    second: Condition

    def __str__(self) -> str:
        return f"({self.first} or {self.second})"

    def holds(self, frame: Frame) -> Bools:
        return self.first.holds(frame) | self.second.holds(frame)


@dataclass(frozen=True)
class Not(Condition):
    inner: Condition

    def __str__(self) -> str:
        return f"not {self.inner}"

    def holds(self, frame: Frame) -> Bools:
        return ~self.inner.holds(frame)


@dataclass(frozen=True)
class Among(Condition):
    """The class, or the number, is one of these."""

    of: Key
    values: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.of} in ({', '.join(map(_quoted, self.values))})"

    def holds(self, frame: Frame) -> Bools:
        found = frame.by_class(self.of, lambda name: name in self.values)
        numbers = frame.numbers(self.of)
        if numbers is None:
            return found
        return found | np.isin(numbers, [int(value) for value in self.values if is_number(value)])


@dataclass(frozen=True)
class Matches(Condition):
    """A regular expression occurs in the class."""

    of: Key
    pattern: str

    def __post_init__(self) -> None:
        try:
            re.compile(self.pattern)
        except (re.error, OverflowError, RecursionError) as error:
            raise AnalysisError(f"expected a regular expression, found {self.pattern!r} ({error})") from None

    def __str__(self) -> str:
        return f"{self.of} ~ {_quoted(self.pattern)}"

    def holds(self, frame: Frame) -> Bools:
        return frame.by_class(self.of, lambda name: re.search(self.pattern, name) is not None)


@dataclass(frozen=True)
class Ranked(Condition):
    """The number is smaller or larger than another; a word that has none is neither."""

    of: Key
    sign: str
    number: int

    def __post_init__(self) -> None:
        if not getattr(self.of, "numeric", False):
            raise AnalysisError(f"expected a criterion of numbers before {self.sign}, found {self.of}")

    def __str__(self) -> str:
        return f"{self.of} {self.sign} {self.number}"

    def holds(self, frame: Frame) -> Bools:
        numbers = frame.numbers(self.of)
        assert numbers is not None  # a criterion of numbers
        return _RANKS[self.sign](numbers, self.number) & (numbers >= 0)


def _balanced(join: Callable[[Condition, Condition], Condition], parts: list[Condition]) -> Condition:
    """Many conditions as one that is not deep, however many there are."""
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return join(_balanced(join, parts[:middle]), _balanced(join, parts[middle:]))


def _quoted(text: str) -> str:
    if _plain(text):
        return text
    return f'"{text}"' if "'" in text else f"'{text}'"


def _plain(text: str) -> bool:
    match = _TOKEN.fullmatch(text)
    return bool(match and match["word"] == text and text not in _KEYWORDS)


# --- As text ---


def condition(text: str | Condition) -> Condition:
    """The condition that a text spells; AnalysisError shows the text with a caret."""
    if isinstance(text, Condition):
        return text
    if not isinstance(text, str):
        raise AnalysisError(f"expected a condition, as a value or as text; got {text!r}")
    try:
        return _Reader(text).whole()
    except RecursionError:
        raise AnalysisError("expected a condition, found one that is nested too deeply") from None


@dataclass(frozen=True)
class _Token:
    kind: str  # sign, quoted, word, end
    text: str
    start: int
    end: int


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[_Token] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                start = at + len(text[at:]) - len(text[at:].lstrip())
                raise self.error(_Token("", "", start, start + 1), "expected a word, a sign or a text in quotes")
            kind = match.lastgroup or ""
            self.tokens.append(_Token(kind, match[kind], match.start(kind), match.end(kind)))
            at = match.end()
        self.tokens.append(_Token("end", "the end", len(text), len(text) + 1))
        self.next = 0

    def whole(self) -> Condition:
        found = self.either()
        if self.now.kind != "end":
            raise self.error(self.now, f"expected and, or, or the end, found {self.now.text}")
        return found

    @property
    def now(self) -> _Token:
        return self.tokens[self.next]

    def take(self) -> _Token:
        token = self.now
        self.next += token.kind != "end"
        return token

    def accept(self, *texts: str) -> bool:
        """Goes on if the next token is a sign or keyword of that text."""
        found = self.now.kind != "quoted" and self.now.text in texts
        self.next += found
        return found

    def either(self) -> Condition:
        parts = [self.both()]
        while self.accept("or"):
            parts.append(self.both())
        return _balanced(Either, parts)

    def both(self) -> Condition:
        parts = [self.single()]
        while self.accept("and"):
            parts.append(self.single())
        return _balanced(Both, parts)

    def single(self) -> Condition:
        if self.accept("not"):
            return Not(self.single())
        if self.accept("("):
            found = self.either()
            if not self.accept(")"):
                raise self.error(self.now, f"expected ), found {self.now.text}")
            return found
        return self.comparison()

    def comparison(self) -> Condition:
        name = self.take()
        if name.kind != "word" or name.text in _KEYWORDS:
            raise self.error(name, f"expected a criterion, found {name.text}")
        of = self.located(name, lambda: key(name.text))
        negated = self.accept("not")
        sign = self.take()
        if sign.text == "in" and sign.kind == "word":
            found: Condition = Among(of, self.values())
        elif negated:
            raise self.error(sign, f"expected in after not, found {sign.text}")
        elif sign.text in ("=", "==", "!="):
            found = Among(of, (self.value(),))
        elif sign.text in ("~", "!~"):
            value = self.now
            found = self.located(value, lambda: Matches(of, self.value()))
        elif sign.text in _RANKS:
            return self.ranked(name, of, sign.text)
        else:
            raise self.error(sign, f"expected = != < <= > >= ~ !~ or in, found {sign.text}")
        return Not(found) if negated or sign.text.startswith("!") else found

    def ranked(self, name: _Token, of: Key, sign: str) -> Condition:
        token = self.now
        value = self.value()
        if not is_number(value):
            raise self.error(token, f"expected a number after {sign}, found {value}")
        return self.located(name, lambda: Ranked(of, sign, int(value)))

    def values(self) -> tuple[str, ...]:
        if not self.accept("("):
            raise self.error(self.now, f"expected ( after in, found {self.now.text}")
        found = [self.value()]
        while self.accept(","):
            found.append(self.value())
        if not self.accept(")"):
            raise self.error(self.now, f"expected , or ), found {self.now.text}")
        return tuple(found)

    def value(self) -> str:
        token = self.take()
        if token.kind == "quoted":
            return token.text[1:-1]
        if token.kind != "word" or token.text in _KEYWORDS:
            raise self.error(token, f"expected a value (in quotes if it is a sign or a keyword), found {token.text}")
        return token.text

    def located(self, token: _Token, make: Callable[[], T]) -> T:
        try:
            return make()
        except AnalysisError as error:
            raise self.error(token, str(error)) from None

    def error(self, token: _Token, problem: str) -> AnalysisError:
        line = self.text.replace("\n", " ").replace("\t", " ") or "(nothing)"
        return AnalysisError(f"{problem}\n    {line}\n    {' ' * token.start}{'^' * (token.end - token.start)}")
