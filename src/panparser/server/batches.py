"""Sentences of several requests, annotated together: that takes less time than one by one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Hashable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from threading import Lock

from panparser.server.processing import Work
from panparser.treebank.treebank import Treebank, concatenated

_WORDS = 1 << 14  # that are annotated together, unless one request has more


@dataclass(frozen=True)
class _Item:
    work: Work
    treebank: Treebank
    written: Future[list[str]] = field(default_factory=Future)


class Batches:
    """What waits for a thread; a thread that is free takes all that may be annotated together with the first."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self._lock = Lock()
        self._waiting: dict[Hashable, deque[_Item]] = {}

    def write(self, work: Work, treebank: Treebank) -> asyncio.Future[list[str]]:
        """What `work.write` gives."""
        if (key := work.shared_key) is None:
            return asyncio.get_running_loop().run_in_executor(self._pool, work.write, treebank)
        item = _Item(work, treebank)
        with self._lock:
            self._waiting.setdefault(key, deque()).append(item)
        self._pool.submit(self._write_some, key)
        return asyncio.wrap_future(item.written)

    def _write_some(self, key: Hashable) -> None:
        items = [item for item in self._taken(key) if item.written.set_running_or_notify_cancel()]
        try:
            results = _together(items) if len(items) > 1 else []
        except Exception:  # of one of them: the others must not suffer
            results = []
        for number, item in enumerate(items):
            try:
                item.written.set_result(results[number] if results else item.work.write(item.treebank))
            except Exception as error:
                item.written.set_exception(error)

    def _taken(self, key: Hashable) -> list[_Item]:
        """The next items; none, if another thread has taken them."""
        taken: list[_Item] = []
        words = 0
        with self._lock:
            waiting = self._waiting.get(key, deque())
            while waiting and (not taken or words + waiting[0].treebank.words <= _WORDS):
                taken.append(waiting.popleft())
                words += taken[-1].treebank.words
            if not waiting:
                self._waiting.pop(key, None)
        return taken


def _together(items: list[_Item]) -> list[list[str]]:
    joined = concatenated([item.treebank for item in items])
    ends = accumulate((len(item.treebank) for item in items), initial=0)
    items[0].work.annotate(joined)
    return [item.work.render(joined, *place) for item, place in zip(items, pairwise(ends), strict=True)]
