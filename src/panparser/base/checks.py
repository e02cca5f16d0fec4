"""Checks of arguments, with one wording of all bounds: `train: margin must be in [0, 1); got 2`.

The `name` of an argument is "function: parameter", in the words of users.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass
from typing import TypeGuard

from panparser.errors import PanParserError, SpecError

# Limits of what users may ask for. Nothing useful is above them; what is below, but large, only takes its time.
MAX_COUNT = 1 << 20  # of what has no other bound
MAX_BEAM = 1 << 14  # hypotheses, and trees of one sentence: a sentence of 35 words takes a second and 0.3 GB
MAX_THREADS = 1 << 10
MAX_EPOCHS = 100_000
MAX_MEMBERS = 256  # perceptrons that learn side by side, all in memory
MAX_SEEDS = 1000  # parsers that are trained one after the other
MAX_PROVEN_WORDS = 12  # of exhaustive proofs: each word multiplies their time by a growing factor
MAX_INT = (1 << 63) - 1  # of what nothing is allocated for


# --- Bounds ---


@dataclass(frozen=True)
class Interval:
    """Numbers from `low` to `high`; a round bracket in `ends` excludes an end."""

    low: float
    high: float = math.inf
    ends: str = "[]"

    def __contains__(self, value: object) -> bool:
        """Return whether a value is a number within the bounds."""
        if not is_number(value):
            return False
        above = value >= self.low if self.ends[0] == "[" else value > self.low
        return above and (value <= self.high if self.ends[1] == "]" else value < self.high)

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"{'>=' if self.ends[0] == '[' else '>'} {self.low:g}"
        return f"in {self.ends[0]}{self.low:g}, {self.high:,.15g}{self.ends[1]}"


POSITIVE = Interval(0, ends="(]")
NON_NEGATIVE = Interval(0)
SHARE = Interval(0, 1, "(]")
PROBABILITY = Interval(0, 1)
RATE = Interval(0, 1, "[)")


def integers(minimum: int, maximum: int = MAX_INT) -> str:
    """Return the words for integers within bounds."""
    if maximum < MAX_INT:
        return f"an integer between {minimum} and {maximum}"
    return "an integer" if minimum == -MAX_INT else f"an integer >= {minimum}"


# --- Checks ---


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether a value is an int, and not a bool."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is an int or a float, and not a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def invalid(name: str, expected: str, value: object, error: type[Exception] = SpecError) -> Exception:
    """Return the error of an argument that is not what it must be."""
    return error(f"{name} must be {expected}; got {value!r}")


def check_count(
    name: str,
    value: object,
    *,
    minimum: int = 1,
    maximum: int = MAX_COUNT,
    error: type[PanParserError] = SpecError,
) -> None:
    """Raise an error unless the value is an integer within bounds, of which the upper one is beyond common values."""
    if not is_whole(value) or value < minimum:
        raise invalid(name, integers(minimum), value, error)
    if value > maximum:
        raise invalid(name, f"<= {maximum}", value, error)


def check_beam(beam: object, function: str) -> None:
    """Raise SpecError unless the beam is an integer within bounds."""
    check_count(f"{function}: beam", beam, maximum=MAX_BEAM)


def check_best(count: object, beam: object, name: str) -> None:
    """Raise SpecError for too many best results: the beam is as wide, unless it is 0, and search exhaustive."""
    check_count(name, count, maximum=MAX_COUNT if beam == 0 else MAX_BEAM)


def check_threads(name: str, threads: object) -> None:
    """Raise SpecError unless the number of threads is an integer within bounds."""
    check_count(name, threads, maximum=MAX_THREADS)


def check_range(name: str, value: object, minimum: int, maximum: int, error: type[PanParserError] = SpecError) -> None:
    """Raise an error unless the value is an integer between `minimum` and `maximum`."""
    if not is_whole(value) or not minimum <= value <= maximum:
        raise invalid(name, integers(minimum, maximum), value, error)


def check_number(name: str, value: object, interval: Interval, error: type[PanParserError] = SpecError) -> None:
    """Raise an error unless the value is a number in the interval."""
    if value not in interval:
        raise invalid(name, f"{'' if is_number(value) else 'a number '}{interval}", value, error)


def check_choice(name: str, value: object, choices: Collection[str], error: type[Exception] = SpecError) -> None:
    """Raise an error unless the value is one of the choices."""
    if value not in choices:
        raise invalid(name, f"one of {', '.join(choices)}", value, error)
