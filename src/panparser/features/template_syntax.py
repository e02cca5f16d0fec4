"""The parser of the template language: one template per line, atoms separated by spaces, errors with a caret.

A line that starts with ACTIONS has a template that labels do not use.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeVar

from panparser.errors import TemplateError
from panparser.features import atoms as words
from panparser.features.atoms import Address, Atom

Value = TypeVar("Value")
ACTIONS = "actions:"


class _Part(NamedTuple):
    """A word and the text in brackets after it, with their columns in the line."""

    name: str
    key: str | None
    start: int
    key_start: int
    end: int

    def __str__(self) -> str:
        return self.name if self.key is None else f"{self.name}[{self.key}]"


def read_line(line: str, place: str) -> tuple[tuple[Atom, ...], str]:
    """The atoms of a line, perhaps none, and the line without its comment; errors start with the place.

    Atoms may follow ACTIONS.
    """
    if "#" not in line:
        # Fast path: most lines have no spaces within atoms, and repeat the same atoms. An atom that is cut at a space
        # within it is incomplete, and raises an error.
        try:
            atoms = tuple(map(_read_atom, line.removeprefix(ACTIONS).split()))
        except TemplateError:
            pass  # the parser of whole lines reports the place, or accepts it
        else:
            if atoms or not line.startswith(ACTIONS):
                return atoms, line.strip()
    reader = _Reader(line, place)
    atoms = tuple(reader.template())
    return atoms, reader.line[: reader.at].rstrip()


@lru_cache(maxsize=4096)
def _read_atom(word: str) -> Atom:
    """The atom that a word without spaces spells."""
    (atom,) = _Reader(word, "").atoms()  # a word is not empty, and two atoms have a space between them
    return atom


def pointed(line: str, place: str, problem: str, start: int = 0, end: int | None = None) -> str:
    """A message of three lines: the problem, the line, and carets under a part of it."""
    from rich.cells import cell_len

    shown = "".join(letter if letter.isprintable() else " " for letter in line)  # so that carets stay aligned
    end = len(shown) if end is None else end
    carets = "^" * max(1, cell_len(shown[start:end]))
    return f"{place}: {problem}\n    {shown}\n    {' ' * cell_len(shown[:start])}{carets}"


class _Reader:
    """Parses one line; `at` is the next character."""

    def __init__(self, line: str, place: str) -> None:
        self.line = line.strip()
        self.place = place
        self.at = 0

    def template(self) -> list[Atom]:
        """The atoms, perhaps after ACTIONS."""
        if not self.line.startswith(ACTIONS):
            return self.atoms()
        self.at = len(ACTIONS)
        found = self.atoms()
        if not found:
            raise self.error(f"expected a template after {ACTIONS}", 0, len(ACTIONS))
        return found

    def atoms(self) -> list[Atom]:
        found: list[Atom] = []
        while self.skip_spaces() not in ("", "#"):
            if found and not self.line[self.at - 1].isspace():
                raise self.error(f"expected a space between atoms; found {self.found()}", self.at)
            found.append(self.atom())
        return found

    def atom(self) -> Atom:
        start = self.at
        name = self.word("an atom such as S0.form") + self.offset(start)
        if name in words.FUNCTIONS and self.next() != ".":
            return self.bracketed(name, start) if name in ("history", words.CALL) else self.function(name, start)
        self.make(words.check_base, name, start=start)
        if name in words.CLASSES and self.next() != ".":
            return self.make(Atom, words.CLASS, (Address(name),), start=start)
        if self.next() != ".":
            raise self.error(f"expected an attribute after {name}, as in {name}.form; found {self.found()}", start)
        *path, attribute = self.parts()
        address = Address(name)
        if path:
            text = ".".join(map(str, path))
            address = self.make(Address, name, text, start=path[0].start, end=path[-1].end)
        self.make(words.check_attribute, attribute.name, name, start=attribute.start, end=attribute.key_start)
        return self.make(Atom, attribute.name, (address,), self.key(attribute), start=start)

    def bracketed(self, name: str, start: int) -> Atom:
        part = self.brackets(name, start)
        return self.make(Atom, name, (), self.key(part), start=start)

    def function(self, name: str, start: int) -> Atom:
        self.expect("(", name)
        first = self.token_of(name)
        self.expect(",", name)
        addresses = (first, self.token_of(name))
        key, column, value = None, None, None
        if name == "between":
            self.expect(",", name)
            self.skip_spaces()
            part = self.part("a column such as upos")
            column = part.name
            self.make(words.check_column, column, start=part.start, end=part.key_start)
            key = self.key(part)
            self.expect("=", name)
            value = self.value()
        self.expect(")", name)
        return self.make(Atom, name, addresses, key, column, value, start=start)

    def token_of(self, function: str) -> Address:
        self.skip_spaces()
        start = self.at
        name = self.word("an address such as S0")
        address = self.make(Address, name, start=start)
        if self.next() == ".":
            self.parts()
            raise self.error(f"{function} takes tokens of stack and buffer, without a path", start)
        return address

    def parts(self) -> list[_Part]:
        parts = []
        while self.next() == ".":
            self.at += 1
            parts.append(self.part("an attribute such as form"))
        return parts

    def part(self, expected: str) -> _Part:
        start = self.at
        return self.brackets(self.word(expected), start)

    def brackets(self, name: str, start: int) -> _Part:
        """The word that has been read, with the brackets that follow it, if any."""
        end = self.at
        if self.next() != "[":
            return _Part(name, None, start, end, end)
        self.at += 1
        depth = 0
        while self.next() and not words.stops_key(self.next()) and not (self.next() == "]" and depth == 0):
            depth += (self.next() == "[") - (self.next() == "]")
            self.at += 1
        if self.next() != "]":
            raise self.error(f"expected ] after {self.line[start : self.at]}; found {self.found()}", self.at)
        key = self.line[end + 1 : self.at]
        self.at += 1
        return _Part(name, key, start, end, self.at)

    def key(self, part: _Part) -> str | int | None:
        key: str | int | None = part.key
        # limited to the longest number of the language; int would also read digits of other scripts
        if part.key and part.name in words.NUMBERED and part.key.isascii() and part.key.isdigit() and len(part.key) < 4:
            key = int(part.key)
        start = part.start if part.key is None else part.key_start + 1
        self.make(words.check_key, part.name, key, start=start, end=part.end - (part.key is not None))
        return key

    def value(self) -> str:
        self.skip_spaces()
        start = self.at
        if self.next() == '"':
            return self.quoted()
        while self.next() and not self.next().isspace() and self.next() not in words.STOPS_VALUE:
            self.at += 1
        if start == self.at:
            raise self.error(f"expected a value such as VERB (in quotes if necessary); found {self.found()}", start)
        value = self.line[start : self.at]
        self.make(words.check_value, value, start=start)
        return value

    def quoted(self) -> str:
        start = self.at
        self.at += 1
        letters = []
        while self.next() not in ("", '"'):
            self.at += self.next() == "\\"  # the next character stands for itself
            letters.append(self.next())
            self.at += 1
        if not self.next():
            raise self.error('expected " at the end of the value; found the end of the line', start)
        self.at += 1
        value = "".join(letters)
        self.make(words.check_value, value, start=start)
        return value

    # --- Characters ---

    def next(self) -> str:
        return self.line[self.at : self.at + 1]

    def skip_spaces(self) -> str:
        while self.next().isspace():
            self.at += 1
        return self.next()

    def word(self, expected: str) -> str:
        start = self.at
        while self.next().isalnum() or self.next() == "_":
            self.at += 1
        if start == self.at:
            raise self.error(f"expected {expected}; found {self.found()}", start)
        return self.line[start : self.at]

    def offset(self, start: int) -> str:
        """What follows W or T: -1 in W-1."""
        if self.line[start : self.at] not in ("W", "T") or self.next() != "-":
            return ""
        self.at += 1
        return "-" + self.word("a number after the minus")

    def expect(self, letter: str, function: str) -> None:
        if self.skip_spaces() != letter:
            form = words.EXAMPLES[function]
            raise self.error(f"expected {letter} here, as in {form}; found {self.found()}", self.at)
        self.at += 1

    def found(self) -> str:
        letter = self.next()
        if not letter or letter == "#":
            return "the end of the line"
        return "a space" if letter.isspace() else letter if letter.isprintable() else repr(letter)

    # --- Errors ---

    def make(self, function: Callable[..., Value], *args: object, start: int, end: int | None = None) -> Value:
        """Calls a constructor or a check of values, and points at the text if it raises TemplateError."""
        try:
            return function(*args)
        except TemplateError as error:
            raise self.error(str(error), start, end) from None

    def error(self, problem: str, start: int, end: int | None = None) -> TemplateError:
        return TemplateError(pointed(self.line, self.place, problem, start, self.at if end is None else end))
