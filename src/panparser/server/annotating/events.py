"""Events of a session, broadcast to all open pages; one stream for each."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from panparser.server.refusals import RequestError

MAX_SUBSCRIBERS = 32
MAX_PENDING_EVENTS = 64  # events for one subscriber: one that reads none loses the oldest
KEEPALIVE_SECONDS = 15.0  # seconds between signs of life
KEEPALIVE = ": here\n\n"
_RETRY = "retry: 1000\n\n"  # milliseconds after which a page connects again


class Subscriber:
    """The queue of events for one subscriber."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(MAX_PENDING_EVENTS)
        self._waiting.put_nowait(_RETRY)

    def put(self, text: str | None) -> None:
        """Adds an event; None ends the stream."""
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(text)

    async def next(self, gone: asyncio.Future[None]) -> str | None:
        """The next event, or a sign of life; None if there will be none, or the page has `gone`."""
        text = asyncio.ensure_future(self._waiting.get())
        done, _ = await asyncio.wait((text, gone), timeout=KEEPALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if text in done:
            return text.result()
        text.cancel()
        return None if gone in done else KEEPALIVE


class EventBroadcaster:
    """Subscribers of the event stream. `publish` is thread-safe."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscribers: set[Subscriber] = set()
        self._is_closed = False

    def publish(self, event: dict[str, Any]) -> None:
        """Send an event to all subscribers."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, f"data: {json.dumps(event)}\n\n")

    def close(self) -> None:
        """Ends all streams; in the thread of the event loop."""
        self._is_closed = True
        self._put(None)

    def _put(self, text: str | None) -> None:
        for subscriber in self._subscribers:
            subscriber.put(text)

    def subscribe(self) -> Subscriber:
        """Return a new subscriber of all later events. Raises RequestError if there are too many."""
        if len(self._subscribers) >= MAX_SUBSCRIBERS or self._is_closed:
            raise RequestError("Too many pages are open.", 503, 5)
        self._loop = asyncio.get_running_loop()
        subscriber = Subscriber()
        self._subscribers.add(subscriber)
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)
