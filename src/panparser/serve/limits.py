"""Request limits, admission control, and the errors that refuse a request."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

INTERNAL = "An internal error occurred during processing."


class RequestError(Exception):
    """A request that is answered by a sentence and a code; `retry_after`: seconds after which it may be repeated."""

    def __init__(self, message: str, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after = message, status, retry_after


class ClientDisconnectedError(Exception):
    """The client has left: there is nobody to answer."""


_HELD = 64  # bodies of the greatest size that may be in memory at a time
_BUSY = 4  # bodies of the greatest size that may be processed at a time
_RETRY_AFTER = 2  # seconds


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one request, and all of them together, may take."""

    body: int = 4 << 20  # bytes of a request's body
    words: int = 1_000_000  # of a request
    kept_words: int = 1_000  # of a sentence whose annotations are kept
    beam: int = 64
    k_best: int = 64
    shown_words: int = 200  # of a sentence whose derivation is shown
    shown_beam: int = 16  # of such a derivation
    seconds: float = 60.0  # for a body to arrive, and for processing
    queue: int = 2_000  # requests that are read, wait or are processed
    concurrent: int = 64  # requests that are processed at a time
    threads: int = 2  # that parse

    @property
    def held(self) -> int:
        """Bytes of bodies that may be in memory at a time."""
        return _HELD * self.body

    @property
    def busy(self) -> int:
        """Bytes of bodies that may be processed at a time; one request always may."""
        return _BUSY * self.body


class AdmissionController:
    """The requests that are in: as many as there is room for, and a few of them at work."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._waiting: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.requests = self.working = self.held = self._busy = 0

    @contextmanager
    def admitted(self, size: int) -> Iterator[None]:
        """While a request with a body of this size is in. Raises RequestError if there is no room."""
        if self.requests >= self._limits.queue or self.held + size > self._limits.held:
            raise RequestError("The server is busy; please try again later.", 503, _RETRY_AFTER)
        self.requests += 1
        self.held += size
        try:
            yield
        finally:
            self.requests -= 1
            self.held -= size

    @asynccontextmanager
    async def turn(self, size: int) -> AsyncIterator[None]:
        """Waits until it is the request's turn; first come, first served."""
        if self._waiting or not self._fits(size):
            await self._wait(size)
        else:
            self._take(size)
        try:
            yield
        finally:
            self._release(size)

    def _fits(self, size: int) -> bool:
        has_room = self.working < self._limits.concurrent and self._busy + size <= self._limits.busy
        return has_room or not self.working

    def _take(self, size: int) -> None:
        self.working += 1
        self._busy += size

    async def _wait(self, size: int) -> None:
        waiting = (size, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            await waiting[1]
        except asyncio.CancelledError:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            elif not waiting[1].cancelled():  # it was its turn already
                self._release(size)
            raise

    def _release(self, size: int) -> None:
        self.working -= 1
        self._busy -= size
        while self._waiting and self._fits(self._waiting[0][0]):
            following, turn = self._waiting.popleft()
            if not turn.done():
                self._take(following)
                turn.set_result(None)
