"""Tables of a recipe: their names, the values that each may have, and error messages."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from typing import Any, Self, TypeVar

from panparser._checks import MAX_INT
from panparser.errors import PanParserError, SpecError
from panparser.storage import values
from panparser.storage.values import TABLE, Kind, check, read_values, shown

T = TypeVar("T")
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def optional(kind: Kind) -> Any:
    """A value that a recipe may leave out, and what it must be."""
    return field(default=None, metadata={"kind": kind})


def that(expected: str, test: Callable[[Any], bool]) -> Any:
    """A value that a recipe may leave out, and the test that it must pass."""
    return optional(Kind(expected, test))


def integer(least: int, most: int = MAX_INT) -> Any:
    return optional(values.integer(least, most))


def number(least: float) -> Any:
    return optional(values.number(least))


def boolean() -> Any:
    return optional(values.BOOLEAN)


def one_of(*names: str) -> Any:
    return optional(values.one_of(*names))


def text(what: str) -> Any:
    return optional(values.text(what, least=1))


def table(what: str = "a table") -> Any:
    return that(what, values.TABLE.test)


def is_lines(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(isinstance(line, str) and line for line in value)


def size_of(value: str) -> int | None:
    """The number of bytes in "8MB" (10**6 each) or "8 MiB" (2**20 each); None if the value is not a size."""
    match = re.fullmatch(r"(\d{1,18}(?:\.\d{1,18})?) ?([A-Za-z]*)", value)
    if match is None or match[2].upper() not in _UNITS:
        return None
    return int(float(match[1]) * _UNITS[match[2].upper()])


@dataclass(frozen=True)
class Part:
    """A table of a recipe; fields that are None are left out."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, list):
                object.__setattr__(self, each.name, value := tuple(value))
            if value is not None:
                check(value, each.metadata["kind"], each.name, SpecError)

    @classmethod
    def from_values(cls, values: Any, place: str) -> Self:
        check(values, TABLE, place, SpecError)
        check_names(values, [each.name for each in fields(cls)], place)
        try:
            return cls(**values)
        except SpecError as error:
            raise SpecError(f"{place} {error}") from None

    def filled(self, values: Mapping[str, Any]) -> Self:
        """The table, with values for what it leaves out."""
        return replace(self, **{name: value for name, value in values.items() if getattr(self, name) is None})

    def to_values(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def is_cascade(path: str | os.PathLike[str]) -> bool:
    """Whether a recipe file describes a cascade."""
    return describes_cascade(read_toml(path))


def describes_cascade(values: Iterable[str]) -> bool:
    """Whether these are the tables of a cascade's recipe."""
    return not {"stages", "cascade"}.isdisjoint(values)


def check_names(values: Iterable[str], known: list[str], place: str) -> None:
    """Raises SpecError for an unknown name, and suggests the closest one."""
    for each in values:
        if each not in known:
            near = get_close_matches(each, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise SpecError(f"{place}: {shown(each)[1:-1]} is unknown; {hint}")


def within(place: str, work: Callable[[], T]) -> T:
    """The result of `work`; its errors name the place."""
    try:
        return work()
    except PanParserError as error:
        raise SpecError(f"{place}: {error}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise SpecError(f"{place}: a value of the wrong type: {error}") from None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The values of a TOML file. Raises SpecError if it cannot be read."""
    found: dict[str, Any] = read_values(path, "TOML", SpecError)
    return found
