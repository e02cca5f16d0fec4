"""How many threads work shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from panparser._checks import check_count

_most: ContextVar[int | None] = ContextVar("_most", default=None)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def chosen_threads(name: str, threads: int | None) -> int:
    """The number of threads that a user chose; None: as many as there are cores, or `at_most` allows.

    Raises SpecError, with the name of the argument, for what is no such number.
    """
    if threads is None:
        return _most.get() or cores()
    check_count(name, threads)
    return threads


@contextmanager
def at_most(threads: int) -> Iterator[None]:
    """Limits what is chosen by None: the share of one of several trainings, or of a part of one."""
    token = _most.set(threads)
    try:
        yield
    finally:
        _most.reset(token)
