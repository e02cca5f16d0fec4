"""Tables of a recipe: their names, the values that each may have, and error messages."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Self, TypeVar

from panparser.errors import PanParserError, SpecError

T = TypeVar("T")
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def optional(expected: str, test: Callable[[Any], bool]) -> Any:
    """A value that a recipe may leave out, and the test that it must pass."""
    return field(default=None, metadata={"expected": expected, "test": test})


def integer(least: int) -> Any:
    return optional(f"an integer >= {least}", lambda value: _is_number(value, int) and value >= least)


def number(least: float) -> Any:
    return optional(f"a number >= {least:g}", lambda value: _is_number(value, int, float) and value >= least)


def boolean() -> Any:
    return optional("true or false", lambda value: isinstance(value, bool))


def one_of(*names: str) -> Any:
    return optional(f"one of {', '.join(names)}", lambda value: isinstance(value, str) and value in names)


def text(what: str) -> Any:
    return optional(what, lambda value: isinstance(value, str) and value != "")


def _is_number(value: Any, *types: type) -> bool:
    return isinstance(value, types) and not isinstance(value, bool)


def is_lines(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(isinstance(line, str) and line for line in value)


def size_of(value: str) -> int | None:
    """The number of bytes in "8MB" (10**6 each) or "8 MiB" (2**20 each); None if the value is not a size."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", value)
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
            if value is not None and not each.metadata["test"](value):
                raise SpecError(f"{each.name}: expected {each.metadata['expected']}, found {value!r}")

    @classmethod
    def from_values(cls, values: Any, place: str) -> Self:
        if not isinstance(values, Mapping):
            raise SpecError(f"{place}: expected a table, found {values!r}")
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
    return not {"stages", "cascade"}.isdisjoint(read_toml(path))


def check_names(values: Iterable[str], known: list[str], place: str) -> None:
    """Raises SpecError for an unknown name, and suggests the closest one."""
    for each in values:
        if each not in known:
            near = get_close_matches(each, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise SpecError(f"{place}: {each} is unknown; {hint}")


def within(place: str, work: Callable[[], T]) -> T:
    """The result of `work`; its errors name the place."""
    try:
        return work()
    except PanParserError as error:
        raise SpecError(f"{place}: {error}") from None
    except (TypeError, ValueError) as error:
        raise SpecError(f"{place}: a value of the wrong type: {error}") from None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The values of a TOML file. Raises SpecError if it cannot be read."""
    try:
        return tomllib.loads(Path(path).read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError(f"{os.fspath(path)}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SpecError(f"{os.fspath(path)}: expected TOML; {error}") from None
