"""How much is accepted, and who waits for whom."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

from panparser.server.refusals import RequestError

_HELD = 64  # bodies of the greatest size that may be in memory at a time
_RETRY_AFTER = 2  # seconds


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What one request, and all of them together, may take."""

    body: int = 4 << 20  # bytes of a request's body
    words: int = 1_000_000  # of a request
    kept_words: int = 1_000  # of a sentence whose annotations are kept
    beam: int = 64
    k_best: int = 64
    seconds: float = 60.0  # for a body to arrive, and for processing
    queue: int = 2_000  # requests that are read, wait or are processed
    concurrent: int = 8  # requests that are processed at a time
    threads: int = 2  # that parse

    @property
    def held(self) -> int:
        """Bytes of bodies that may be in memory at a time."""
        return _HELD * self.body


class House:
    """The requests that are in: as many as there is room for, and a few of them at work."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._turns = asyncio.Semaphore(limits.concurrent)
        self.requests = self.working = self.held = 0

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
    async def turn(self) -> AsyncIterator[None]:
        """Waits until it is the request's turn; first come, first served."""
        async with self._turns:
            self.working += 1
            try:
                yield
            finally:
                self.working -= 1
