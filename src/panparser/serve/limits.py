"""Request limits, admission control, and the errors that refuse a request."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

INTERNAL_ERROR = "An internal error occurred during processing."


class RequestError(Exception):
    """A request that is answered by a sentence and a code; `retry_after`: seconds after which it may be repeated."""

    def __init__(self, message: str, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after = message, status, retry_after


class ClientDisconnectedError(Exception):
    """The client has left: there is nobody to answer."""


MAX_PENDING_BODIES = 64  # maximum-size request bodies held in memory
MAX_ACTIVE_BODIES = 4  # maximum-size request bodies being processed
RETRY_AFTER_SECONDS = 2


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Limits per request and for the whole server."""

    max_body_bytes: int = 4 << 20
    max_words: int = 1_000_000  # per request
    max_constrained_words: int = 1_000  # per sentence whose annotation is kept
    max_beam: int = 64
    max_k_best: int = 64
    max_derivation_words: int = 200  # per sentence whose derivation is shown
    max_derivation_beam: int = 16
    timeout_seconds: float = 60.0  # to receive a body, and to process it
    max_requests: int = 2_000  # being read, waiting or being processed
    max_active_requests: int = 64
    parser_threads: int = 2

    @property
    def max_pending_bytes(self) -> int:
        """Total size of the request bodies in memory."""
        return MAX_PENDING_BODIES * self.max_body_bytes

    @property
    def max_active_bytes(self) -> int:
        """Total size of the request bodies being processed; a single request is always allowed."""
        return MAX_ACTIVE_BODIES * self.max_body_bytes


class AdmissionController:
    """Admits requests up to the limits and lets a few of them run at a time, first come, first served."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()
        self.request_count = self.active_count = self.pending_bytes = self._active_bytes = 0

    @contextmanager
    def admit(self, size: int) -> Iterator[None]:
        """Count a request with a body of `size` bytes; raise RequestError (503) if the server is full."""
        is_full = self.request_count >= self._limits.max_requests
        if is_full or self.pending_bytes + size > self._limits.max_pending_bytes:
            raise RequestError("The server is busy; please try again later.", 503, RETRY_AFTER_SECONDS)
        self.request_count += 1
        self.pending_bytes += size
        try:
            yield
        finally:
            self.request_count -= 1
            self.pending_bytes -= size

    @asynccontextmanager
    async def slot(self, size: int) -> AsyncIterator[None]:
        """Wait for a processing slot and hold it."""
        if self._queue or not self._has_capacity(size):
            await self._wait_for_slot(size)
        else:
            self._acquire(size)
        try:
            yield
        finally:
            self._release(size)

    def _has_capacity(self, size: int) -> bool:
        if self.active_count == 0:  # even if the body exceeds max_active_bytes
            return True
        is_below_count = self.active_count < self._limits.max_active_requests
        return is_below_count and self._active_bytes + size <= self._limits.max_active_bytes

    def _acquire(self, size: int) -> None:
        self.active_count += 1
        self._active_bytes += size

    async def _wait_for_slot(self, size: int) -> None:
        ready = asyncio.get_running_loop().create_future()
        entry = (size, ready)
        self._queue.append(entry)
        try:
            await ready
        except asyncio.CancelledError:
            if entry in self._queue:
                self._queue.remove(entry)
            elif not ready.cancelled():  # the slot had already been acquired
                self._release(size)
            raise

    def _release(self, size: int) -> None:
        self.active_count -= 1
        self._active_bytes -= size
        while self._queue and self._has_capacity(self._queue[0][0]):
            next_size, ready = self._queue.popleft()
            if not ready.done():
                self._acquire(next_size)
                ready.set_result(None)
