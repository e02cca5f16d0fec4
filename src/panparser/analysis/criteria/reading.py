"""Conditions as text: a small language that selects words of a frame. No part of the text is executed.

label=mark and direction=right
upos in (NOUN, PROPN) or not (length > 5)
form ~ '^un' and predicted.label != obj

expression  and, or, not, ( )           comparison  = != < <= > >=  in (..)  not in (..)  ~ !~ (regular expression)
left        a criterion                 right       a word, a number, or a text in quotes
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from panparser.analysis.criteria.builtin import key
from panparser.analysis.criteria.conditions import (
    KEYWORDS,
    RANKS,
    TOKEN,
    And,
    Comparison,
    Condition,
    InSet,
    Matches,
    Not,
    Or,
)
from panparser.analysis.criteria.criterion import Key
from panparser.analysis.words import is_number
from panparser.errors import AnalysisError

T = TypeVar("T")


def condition(text: str | Condition) -> Condition:
    """Parses a condition. Raises AnalysisError, which shows the text with a caret, if it is malformed."""
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
            match = TOKEN.match(text, at)
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
        """Advances if the next token is this sign or keyword."""
        found = self.now.kind != "quoted" and self.now.text in texts
        self.next += found
        return found

    def either(self) -> Condition:
        parts = [self.both()]
        while self.accept("or"):
            parts.append(self.both())
        return _balanced(Or, parts)

    def both(self) -> Condition:
        parts = [self.single()]
        while self.accept("and"):
            parts.append(self.single())
        return _balanced(And, parts)

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
        if name.kind != "word" or name.text in KEYWORDS:
            raise self.error(name, f"expected a criterion, found {name.text}")
        of = self.located(name, lambda: key(name.text))
        negated = self.accept("not")
        sign = self.take()
        if sign.text == "in" and sign.kind == "word":
            found: Condition = InSet(of, self.values())
        elif negated:
            raise self.error(sign, f"expected in after not, found {sign.text}")
        elif sign.text in ("=", "==", "!="):
            found = InSet(of, (self.value(),))
        elif sign.text in ("~", "!~"):
            value = self.now
            found = self.located(value, lambda: Matches(of, self.value()))
        elif sign.text in RANKS:
            return self.ranked(name, of, sign.text)
        else:
            raise self.error(sign, f"expected = != < <= > >= ~ !~ or in, found {sign.text}")
        return Not(found) if negated or sign.text.startswith("!") else found

    def ranked(self, name: _Token, of: Key, sign: str) -> Condition:
        token = self.now
        value = self.value()
        if not is_number(value):
            raise self.error(token, f"expected a number after {sign}, found {value}")
        return self.located(name, lambda: Comparison(of, sign, int(value)))

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
        if token.kind != "word" or token.text in KEYWORDS:
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


def _balanced(join: Callable[[Condition, Condition], Condition], parts: list[Condition]) -> Condition:
    """Combines many conditions into a balanced tree, so that nesting stays shallow."""
    if len(parts) == 1:
        return parts[0]
    middle = (len(parts) + 1) // 2
    return join(_balanced(join, parts[:middle]), _balanced(join, parts[middle:]))
