"""Checks of values that users give, with one wording for all."""

from __future__ import annotations

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


def is_whole(value: object) -> TypeGuard[int]:
    """Is it an int, and not a bool?"""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """Is it an int or a float, and not a bool?"""
    return isinstance(value, int | float) and not isinstance(value, bool)


def check_count(
    name: str,
    value: object,
    *,
    least: int = 1,
    most: int = MAX_COUNT,
    error: type[PanParserError] = SpecError,
) -> None:
    """Raises an error unless the value is an integer within bounds."""
    if not is_whole(value) or value < least:
        raise error(f"{name} must be an integer >= {least}; got {value!r}")
    if value > most:
        raise error(f"{name} must be at most {most}; got {value}")


def check_beam(beam: object, owner: str) -> None:
    check_count(f"{owner}: beam", beam, most=MAX_BEAM)


def check_best(count: object, beam: object, name: str = "count of best") -> None:
    """Raises SpecError for too many best results: the beam is as wide, unless it is 0, and search exhaustive."""
    check_count(name, count, most=MAX_COUNT if beam == 0 else MAX_BEAM)


def check_threads(name: str, threads: object) -> None:
    check_count(name, threads, most=MAX_THREADS)


def check_range(name: str, value: object, least: int, most: int, error: type[PanParserError] = SpecError) -> None:
    """Raises an error unless the value is an integer from `least` to `most`."""
    if not is_whole(value) or not least <= value <= most:
        raise error(f"{name} must be an integer from {least} to {most}; got {value!r}")


def check_share(name: str, value: object) -> None:
    """Raises SpecError unless the value is a number above 0 and at most 1."""
    if not is_number(value) or not 0 < value <= 1:
        raise SpecError(f"{name} must be above 0 and at most 1; got {value!r}")


def check_at_least_zero(name: str, value: object) -> None:
    """Raises SpecError unless the value is a number >= 0."""
    if not is_number(value) or not value >= 0:
        raise SpecError(f"{name} must be a number >= 0; got {value!r}")
