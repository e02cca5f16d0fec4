"""Work on several items or folds at a time; the same result whatever the threads."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from panparser.errors import SpecError, TreebankError
from panparser.learning.listeners import Listener

T = TypeVar("T")


def fold_numbers(sentences: int, folds: int) -> list[list[int]]:
    """The sentences of each fold: sentence i is in fold i mod `folds`."""
    if not isinstance(folds, int) or isinstance(folds, bool) or folds < 2:
        raise SpecError(f"folds must be an integer >= 2; got {folds!r}")
    if folds > sentences:
        raise TreebankError(f"expected at least {folds} sentences for {folds} folds, found {sentences}")
    return [list(range(fold, sentences, folds)) for fold in range(folds)]


class _Stop(Listener):
    """Ends training soon after the whole was interrupted."""

    def __init__(self) -> None:
        self.event = threading.Event()

    def after_words(self, epoch: int, words: int, updates: int) -> None:
        if self.event.is_set():
            raise KeyboardInterrupt


def run_all(work: Callable[[Any, Listener], T], items: list[Any], threads: int) -> list[T]:
    """The work on each item, in order; the first error ends it."""
    if not isinstance(threads, int) or isinstance(threads, bool) or threads < 1:
        raise SpecError(f"threads must be an integer >= 1; got {threads!r}")
    if threads == 1:
        return [work(item, Listener()) for item in items]
    stop = _Stop()
    with ThreadPoolExecutor(threads) as pool:
        futures = [pool.submit(work, item, stop) for item in items]
        try:
            return [future.result() for future in futures]
        except BaseException:
            stop.event.set()
            pool.shutdown(wait=False, cancel_futures=True)
            raise
