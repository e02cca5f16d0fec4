"""Checks of values that users give, with one wording for all."""

from __future__ import annotations

from panparser.errors import SpecError

_MOST = 1 << 20  # of hypotheses, trees, threads


def check_count(name: str, value: object) -> None:
    """Raises SpecError unless the value is a number of things that can be."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise SpecError(f"{name} must be an integer >= 1; got {value!r}")
    if value > _MOST:
        raise SpecError(f"{name} must be at most {_MOST}; got {value}")


def check_beam(beam: object, owner: str) -> None:
    check_count(f"beam of {owner}", beam)
