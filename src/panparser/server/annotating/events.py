"""Events: what happened, told to every page that is open; one stream for each."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from panparser.server.refusals import RequestError

_MOST_PAGES = 32
_MOST_WAITING = 64  # events for one page: one that reads none loses the oldest
_BEAT = 15.0  # seconds between signs of life
_ALIVE = ": here\n\n"
_RETRY = "retry: 1000\n\n"  # milliseconds after which a page connects again


class Page:
    """What a page has yet to be told."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(_MOST_WAITING)
        self._waiting.put_nowait(_RETRY)

    def put(self, text: str | None) -> None:
        """Adds an event; None ends the stream."""
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(text)

    async def next(self, gone: asyncio.Future[None]) -> str | None:
        """The next event, or a sign of life; None if there will be none, or the page has `gone`."""
        text = asyncio.ensure_future(self._waiting.get())
        done, _ = await asyncio.wait((text, gone), timeout=_BEAT, return_when=asyncio.FIRST_COMPLETED)
        if text in done:
            return text.result()
        text.cancel()
        return None if gone in done else _ALIVE


class Events:
    """The pages that listen. `tell` may be called in any thread."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pages: set[Page] = set()
        self._is_closed = False

    def tell(self, event: dict[str, Any]) -> None:
        """Tells an event to all pages."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, f"data: {json.dumps(event)}\n\n")

    def close(self) -> None:
        """Ends all streams; in the thread of the event loop."""
        self._is_closed = True
        self._put(None)

    def _put(self, text: str | None) -> None:
        for page in self._pages:
            page.put(text)

    def joined(self) -> Page:
        """A page that is told what happens from now on. Raises RequestError if there are too many."""
        if len(self._pages) >= _MOST_PAGES or self._is_closed:
            raise RequestError("Too many pages are open.", 503, 5)
        self._loop = asyncio.get_running_loop()
        page = Page()
        self._pages.add(page)
        return page

    def leave(self, page: Page) -> None:
        self._pages.discard(page)
