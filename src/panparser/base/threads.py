"""Numbers of threads, and parallel work with results in order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from panparser.base.checks import check_threads

Item = TypeVar("Item")
Result = TypeVar("Result")
SINGLE_THREADED = {  # libraries that start threads read the environment when they are imported
    **{f"{name}_NUM_THREADS": "1" for name in ("OPENBLAS", "MKL", "OMP", "BLIS", "NUMEXPR")},
    "VECLIB_MAXIMUM_THREADS": "1",
}
_most: ContextVar[int | None] = ContextVar("_most", default=None)


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def resolve_threads(name: str, threads: int | None) -> int:
    """The number of threads that a user chose; None: as many as there are cores, or `at_most` allows.

    Raises SpecError, with the name of the argument, for what is no such number.
    """
    if threads is None:
        return _most.get() or cores()
    check_threads(name, threads)
    return threads


@contextmanager
def capped_default_threads(threads: int) -> Iterator[None]:
    """Limits what is chosen by None: the share of one of several trainings, or of a part of one."""
    token = _most.set(threads)
    try:
        yield
    finally:
        _most.reset(token)


def map_in_order(work: Callable[[Item], Result], items: Iterable[Item], threads: int) -> Iterator[Result]:
    """The results of work that threads share, in order; few items are in memory at a time."""
    pending: deque[Future[Result]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for item in items:
                pending.append(pool.submit(work, item))
                if len(pending) >= 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
