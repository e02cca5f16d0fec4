"""Batching: sentences of several requests annotated together, which takes less time than one by one."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from threading import Lock

from panparser.serve.processing import RequestProcessor, sentence_lines
from panparser.treebank.treebank import Treebank, concatenated

BATCH_WORDS = 1 << 14  # that are annotated together, unless one request has more
BATCH_BYTES = 1 << 17  # of requests that are begun together, unless one has more


@dataclass
class StartedRequest:
    """A request that has been read, all of it or the beginning; `content` is the whole answer, if it was short."""

    processor: RequestProcessor
    blocks: Iterator[Treebank]
    treebanks: deque[Treebank]
    encode: Callable[[RequestProcessor, str], bytes]
    content: bytes | None = None

    @property
    def is_short(self) -> bool:
        """Is it a single block? If there were more, more would have been read."""
        return len(self.treebanks) <= 1

    def finish(self, parts: list[str]) -> None:
        """Makes the answer of all that is written."""
        self.content = self.encode(self.processor, self.processor.assemble(parts))


@dataclass(frozen=True)
class _New:
    begin: Callable[[], StartedRequest]
    size: int
    begun: Future[StartedRequest] = field(default_factory=Future)


@dataclass(frozen=True)
class _Item:
    processor: RequestProcessor
    treebank: Treebank
    written: Future[list[str]] = field(default_factory=Future)


class BatchQueue:
    """What waits for a thread; a thread that is free takes all that may be annotated together with the first."""

    def __init__(self, pool: ThreadPoolExecutor, threads: int) -> None:
        self._pool, self._threads = pool, threads
        self._lock = Lock()
        self._new: deque[_New] = deque()
        self._called = 0  # threads that will look for new requests
        self._waiting: dict[Hashable, deque[_Item]] = {}

    # --- Requests that come ---

    def begin(self, begin: Callable[[], StartedRequest], size: int) -> asyncio.Future[StartedRequest]:
        """What `begin` gives, in a thread, for a request of so many bytes; of short requests, with the answer."""
        new = _New(begin, size)
        with self._lock:
            self._new.append(new)
            self._call()
        return asyncio.wrap_future(new.begun)

    def _call(self) -> None:
        if self._new and self._called < self._threads:
            self._called += 1
            self._pool.submit(self._begin_some)

    def _begin_some(self) -> None:
        begun: list[tuple[_New, StartedRequest]] = []
        for new in self._taken_new():
            if new.begun.set_running_or_notify_cancel():
                try:
                    begun.append((new, new.begin()))
                except Exception as error:
                    new.begun.set_exception(error)
        _write_short([one for _, one in begun if one.is_short])
        for new, one in begun:
            try:
                if one.is_short and one.content is None:
                    one.finish([part for each in one.treebanks for part in one.processor.write(each)])
                new.begun.set_result(one)
            except Exception as error:
                new.begun.set_exception(error)

    def _taken_new(self) -> list[_New]:
        taken: list[_New] = []
        size = 0
        with self._lock:
            self._called -= 1
            while self._new and (not taken or size + self._new[0].size <= BATCH_BYTES):
                taken.append(self._new.popleft())
                size += taken[-1].size
            self._call()  # if there are more
        return taken

    # --- Blocks of long requests ---

    def write(self, processor: RequestProcessor, treebank: Treebank) -> asyncio.Future[list[str]]:
        """What `work.write` gives."""
        if (key := processor.shared_key) is None:
            return asyncio.get_running_loop().run_in_executor(self._pool, processor.write, treebank)
        item = _Item(processor, treebank)
        with self._lock:
            self._waiting.setdefault(key, deque()).append(item)
        self._pool.submit(self._write_some, key)
        return asyncio.wrap_future(item.written)

    def _write_some(self, key: Hashable) -> None:
        items = [item for item in self._taken(key) if item.written.set_running_or_notify_cancel()]
        results = _together([(item.processor, item.treebank) for item in items])
        for number, item in enumerate(items):
            try:
                item.written.set_result(results[number] if results else item.processor.write(item.treebank))
            except Exception as error:
                item.written.set_exception(error)

    def _taken(self, key: Hashable) -> list[_Item]:
        """The next items; none, if another thread has taken them."""
        taken: list[_Item] = []
        words = 0
        with self._lock:
            waiting = self._waiting.get(key, deque())
            while waiting and (not taken or words + waiting[0].treebank.words <= BATCH_WORDS):
                taken.append(waiting.popleft())
                words += taken[-1].treebank.words
            if not waiting:
                self._waiting.pop(key, None)
        return taken


def _write_short(begun: list[StartedRequest]) -> None:
    """Answers short requests that are annotated in the same way as others."""
    groups: dict[Hashable, list[StartedRequest]] = {}
    for one in begun:
        if one.treebanks and (key := one.processor.shared_key) is not None:
            groups.setdefault(key, []).append(one)
    for group in groups.values():
        written = _together([(one.processor, one.treebanks[0]) for one in group])
        for one, parts in zip(group, written, strict=False):
            one.finish(parts)


def _together(parts: list[tuple[RequestProcessor, Treebank]]) -> list[list[str]]:
    """What is written of each; nothing, if there is but one, or if one of them fails: the others must not suffer."""
    if len(parts) < 2:
        return []
    try:
        joined = concatenated([treebank for _, treebank in parts])
        ends = accumulate((len(treebank) for _, treebank in parts), initial=0)
        parts[0][0].annotate(joined)
        lines = sentence_lines(joined)
        assert len(lines) == len(joined)
        return [work.render(joined, *place, lines) for (work, _), place in zip(parts, pairwise(ends), strict=True)]
    except Exception:
        return []
