"""Kinds of values from files (manifests, checkpoints, recipes, tables): structure, types and bounds.

A kind is a declaration; `check` compares a value with it and names the place of the first that does not fit:
`training.epochs: expected an integer >= 1, found 'x'`. Values are never converted.
"""

from __future__ import annotations

import json
import math
import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Literal

from panparser.base.checks import MAX_INT, Interval, integers, is_number
from panparser.errors import ModelError, PanParserError

MAX_ITEMS = 1 << 24  # of a list or a table
MAX_TEXT = 1 << 20  # characters
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_AT_LINE = re.compile(r" \(at line (\d+), column (\d+)\)$")  # in errors of tomllib
_AT_END = " (at end of document)"
_OUTSIDE = re.compile(r"[/\\\0]|^\.+$|^\w:")  # other folders or drives
_MAX_NAME_CHARS = 200  # characters
_MAX_VALUE_CHARS = 60  # characters of a value in a message


class SchemaError(Exception):
    """A value that does not fit: its place, what was expected, what was found."""


class Kind:
    """What a value must be, in words, and a test of all of it."""

    def __init__(self, expected: str, test: Callable[[Any], bool]) -> None:
        self.expected, self.test = expected, test

    def fits_all(self, values: Iterable[Any]) -> bool:
        """Do all values fit? For lists of thousands: kinds that lists are made of test them at once."""
        return all(map(self.test, values))

    def find(self, value: Any, place: str) -> None:
        """Raises Unexpected at the first place that does not fit; kinds with parts look into them."""
        if not self.test(value):
            raise SchemaError(f"{place}: expected {self.expected}, found {short_repr(value)}")


def check(value: Any, kind: Kind, place: str, error: type[PanParserError] = ModelError) -> Any:
    """The value, if it fits. Raises `error`, which names the place, if it does not."""
    try:
        if not kind.test(value):
            kind.find(value, place)
    except SchemaError as found:
        raise error(str(found).removeprefix(": ")) from None
    except RecursionError:
        raise error(f"{_before(place)}expected {kind.expected}, found one nested too deeply") from None
    return value


def short_repr(value: Any) -> str:
    """The beginning of a value, for messages."""
    if isinstance(value, int) and not -(1 << 256) < value < 1 << 256:
        return "a number of hundreds of digits"
    text = f"{value!r:.{_MAX_VALUE_CHARS * 2}}" if isinstance(value, str) else repr(value)
    return text if len(text) <= _MAX_VALUE_CHARS else text[: _MAX_VALUE_CHARS - 3] + "..."


def inner(place: str, key: object) -> str:
    """The place of a member of a table or a list."""
    if isinstance(key, int):
        return f"{place}[{key}]"
    return f"{place}.{key}" if place else str(key)


# --- Plain values ---


class Plain(Kind):
    """Integers within bounds, or texts of bounded length; tested many at once."""

    def __init__(self, expected: str, type: type, size: Callable[[Any], int], minimum: int, maximum: int) -> None:
        self.type, self.size, self.minimum, self.maximum = type, size, minimum, maximum
        super().__init__(expected, lambda value: self.fits_all((value,)))

    def fits_all(self, values: Iterable[Any]) -> bool:
        values = tuple(values)
        if not values or set(map(type, values)) != {self.type}:
            return not values
        sizes = list(map(self.size, values))
        return self.minimum <= min(sizes) and max(sizes) <= self.maximum


def integer(minimum: int = -MAX_INT, maximum: int = MAX_INT) -> Kind:
    """Return the kind of integers within bounds."""
    expected = str(minimum) if minimum == maximum else integers(minimum, maximum)
    return Plain(expected, int, int, minimum, maximum)


def number(interval: Interval | None = None) -> Kind:
    """Return the kind of finite numbers, or of those in an interval."""
    if interval is None:
        return Kind("a number", lambda value: is_number(value) and _is_finite(value))
    return Kind(f"a number {interval}", lambda value: value in interval and _is_finite(value))


def _is_finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer that no float holds
        return False


def text(expected: str = "a text", *, minimum: int = 0, maximum: int = MAX_TEXT) -> Kind:
    """Return the kind of texts with a number of characters within bounds."""
    return Plain(expected, str, len, minimum, maximum)


def one_of(*names: str) -> Kind:
    return Kind(f"one of {', '.join(names)}", lambda value: isinstance(value, str) and value in names)


def _is_name(value: str) -> bool:
    """Can a file have it, with a suffix, in a folder and not outside?"""
    return bool(value) and len(value) <= _MAX_NAME_CHARS and not _OUTSIDE.search(value)


BOOLEAN = Kind("true or false", lambda value: isinstance(value, bool))
TEXT = text()
NAME = Kind("a name, without folders", lambda value: isinstance(value, str) and _is_name(value))
NUMBER = number()
COUNT = integer(0)
ANYTHING = Kind("a value", lambda value: True)
NOTHING = Kind("null", lambda value: value is None)
TABLE = Kind("a table", lambda value: isinstance(value, Mapping) and all(isinstance(key, str) for key in value))


# --- Kinds with parts ---


class Nullable(Kind):
    """Null, or something else."""

    def __init__(self, inside: Kind) -> None:
        super().__init__(f"{inside.expected}, or null", lambda value: value is None or inside.test(value))
        self.inside = inside

    def fits_all(self, values: Iterable[Any]) -> bool:
        return self.inside.fits_all(value for value in values if value is not None)

    def find(self, value: Any, place: str) -> None:
        if value is not None:
            self.inside.find(value, place)


class OneOf(Kind):
    """One of several kinds."""

    def __init__(self, *kinds: Kind) -> None:
        super().__init__(", or ".join(kind.expected for kind in kinds), lambda v: any(kind.test(v) for kind in kinds))


class ListOf(Kind):
    """A list of one kind, of bounded length."""

    def __init__(self, item: Kind, *, minimum: int = 0, maximum: int = MAX_ITEMS) -> None:
        super().__init__(
            f"a list of {minimum} or more" if minimum else "a list",
            lambda value: self.is_one(value) and item.fits_all(value),
        )
        self.item, self.minimum, self.maximum = item, minimum, maximum

    def fits_all(self, values: Iterable[Any]) -> bool:
        values = tuple(values)
        return all(map(self.is_one, values)) and self.item.fits_all(chain.from_iterable(values))

    def is_one(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and self.minimum <= len(value) <= self.maximum

    def find(self, value: Any, place: str) -> None:
        Kind(self.expected, self.is_one).find(value, place)
        for at, item in enumerate(value):
            self.item.find(item, inner(place, at))


class Row(Kind):
    """A list with a kind for each of its first items, and one for all others, if there may be any.

    Those after the first `minimum` may be missing.
    """

    def __init__(self, *items: Kind, minimum: int | None = None, rest: Kind | None = None) -> None:
        self.items, self.minimum, self.rest = items, len(items) if minimum is None else minimum, rest
        self.maximum = len(items) if rest is None else MAX_ITEMS
        bounds = f"{self.minimum} to {len(items)}" if self.minimum < len(items) else str(self.minimum)
        super().__init__(f"a list of {bounds}{' or more' if rest else ''}", lambda value: self.fits_all((value,)))

    def is_one(self, value: Any) -> bool:
        return isinstance(value, list | tuple) and self.minimum <= len(value) <= self.maximum

    def fits_all(self, values: Iterable[Any]) -> bool:
        values, count = tuple(values), len(self.items)
        return (
            all(map(self.is_one, values))
            and all(kind.fits_all(v[at] for v in values if at < len(v)) for at, kind in enumerate(self.items))
            and (self.rest is None or self.rest.fits_all(chain.from_iterable(value[count:] for value in values)))
        )

    def find(self, value: Any, place: str) -> None:
        Kind(self.expected, self.is_one).find(value, place)
        kinds = chain(self.items, repeat(self.rest or ANYTHING))
        for at, (item, kind) in enumerate(zip(value, kinds, strict=False)):
            kind.find(item, inner(place, at))


class TableOf(Kind):
    """A table with any keys, which are texts, and values of one kind."""

    def __init__(self, item: Kind) -> None:
        super().__init__("a table", lambda value: TABLE.test(value) and all(map(item.test, value.values())))
        self.item = item

    def find(self, value: Any, place: str) -> None:
        TABLE.find(value, place)
        for key, item in value.items():
            self.item.find(item, inner(place, key))


class Table(Kind):
    """A table with a kind for each key. Keys under `may` may be missing; if it is `closed`, there are no others."""

    def __init__(self, must: dict[str, Kind], may: dict[str, Kind] | None = None, *, closed: bool = False) -> None:
        self.must, self.may, self.closed = must, may or {}, closed
        super().__init__("a table", self._fits)

    def _fits(self, value: Any) -> bool:
        return (
            TABLE.test(value)
            and all(key in value and kind.test(value[key]) for key, kind in self.must.items())
            and all(kind.test(value[key]) for key, kind in self.may.items() if key in value)
            and not (self.closed and self._unknown(value))
        )

    def _unknown(self, value: Mapping[str, Any]) -> list[str]:
        return [key for key in value if key not in self.must and key not in self.may]

    def find(self, value: Any, place: str) -> None:
        TABLE.find(value, place)
        for key, kind in (self.must | self.may).items():
            if key in value:
                kind.find(value[key], inner(place, key))
            elif key in self.must:
                raise SchemaError(f"{inner(place, key)}: expected {kind.expected}, found nothing")
        if self.closed and (unknown := self._unknown(value)):
            known = ", ".join((*self.must, *self.may))
            raise SchemaError(f"{inner(place, unknown[0])}: unknown; expected one of {known}")


# --- JSON and TOML ---


def parse_json(source: str, place: str, error: type[PanParserError]) -> Any:
    """The values of a JSON text, in which all characters are whole."""
    try:
        values = json.loads(source)
        if _SURROGATE.search(source):
            json.dumps(values, ensure_ascii=False).encode()
        return values
    except json.JSONDecodeError as fault:
        where = f"line {fault.lineno}, column {fault.colno}: {fault.msg}"
        raise error(f"{_before(place)}expected JSON; {where}") from None
    except (ValueError, RecursionError) as fault:
        raise error(f"{_before(place)}expected JSON; {_reason(fault)}") from None


def parse_toml(source: str, place: str, error: type[PanParserError]) -> dict[str, Any]:
    """The values of a TOML text."""
    try:
        return tomllib.loads(source)
    except (ValueError, RecursionError) as fault:
        line, reason = _located(_reason(fault), source)
        raise error(f"{_before(f'{place}:{line}' if place and line else place)}expected TOML; {reason}") from None


def _located(reason: str, source: str) -> tuple[int | None, str]:
    """The line that a fault of TOML is in, and the rest of what is said of it."""
    if found := _AT_LINE.search(reason):
        return int(found[1]), f"{reason[: found.start()]} (column {found[2]})"
    if reason.endswith(_AT_END):
        return source.rstrip("\n").count("\n") + 1, f"{reason.removesuffix(_AT_END)} (at its end)"
    return None, reason


def _before(place: str) -> str:
    return f"{place}: " if place else ""


def _reason(fault: Exception) -> str:
    if isinstance(fault, RecursionError):
        return "it is nested too deeply"
    if isinstance(fault, UnicodeError):
        return "a text contains half a character (a lone surrogate)"
    return str(fault) if isinstance(fault, tomllib.TOMLDecodeError) else "a number has too many digits"


def read_values(path: str | os.PathLike[str], form: Literal["JSON", "TOML"], error: type[PanParserError]) -> Any:
    """The values of a file. Raises `error`, with its name, if it cannot be read."""
    name = os.fspath(path)
    try:
        source = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as fault:  # ValueError: not UTF-8, or a name with a null character
        raise error(f"{name}: cannot be read: {getattr(fault, 'strerror', None) or fault}") from None
    return (parse_json if form == "JSON" else parse_toml)(source, name, error)


def path_exists(path: str | os.PathLike[str], test: Callable[[Path], bool] = Path.exists) -> bool:
    """Does a file exist? No file has a name that the system does not allow."""
    try:
        return test(Path(path))
    except (OSError, ValueError):
        return False
