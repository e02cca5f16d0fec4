"""Background worker: work that a thread does when it is asked to, once for all who asked meanwhile."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from contextlib import suppress

from panparser.errors import PanParserError

_log = logging.getLogger("panparser.annotation")


def describe_error(error: Exception) -> str:
    """Return the message of an error; that of an unexpected one begins with its class."""
    if isinstance(error, PanParserError):
        return str(error)
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


class BackgroundWorker:
    """A thread that calls a function after `request`; what is asked for while it works is done once, afterwards.

    `idle`: seconds after `request` when it begins, counted anew with every call; 0: at once.
    `failed`: called with what the function raises; the thread goes on, whatever that is.
    """

    def __init__(
        self,
        work: Callable[[], None],
        *,
        idle: float = 0.0,
        name: str = "panparser",
        failed: Callable[[Exception], None] | None = None,
    ) -> None:
        self._work, self._idle, self._failed = work, idle, failed
        self._condition = threading.Condition()
        self._requested = self._processed = 0  # calls of `request`, and those that have been answered
        self._is_urgent = self._is_closed = False
        self._thread = threading.Thread(target=self._run, daemon=True, name=name)
        self._thread.start()

    def request(self, *, urgent: bool = True) -> None:
        """Request the work: immediately if urgent, otherwise once there was no request for `idle` seconds."""
        with self._condition:
            self._requested += 1
            self._is_urgent |= urgent
            self._condition.notify_all()

    def wait(self, timeout: float | None = None) -> bool:
        """Return True if all requests were processed before the timeout."""
        with self._condition:
            self._is_urgent = True
            self._condition.notify_all()
            return self._condition.wait_for(lambda: self._processed >= self._requested or self._is_closed, timeout)

    def close(self, *, wait: bool = True) -> None:
        """Ends when the work that is being done is; what was only asked for is not done."""
        with self._condition:
            self._is_closed = True
            self._condition.notify_all()
        if wait and threading.current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        while True:
            with self._condition:
                self._condition.wait_for(lambda: self._requested > self._processed or self._is_closed)
                while not (self._is_urgent or self._is_closed):
                    before = self._requested
                    if not self._condition.wait(self._idle) and before == self._requested:
                        break
                if self._is_closed:
                    return
                requested, self._is_urgent = self._requested, False
            self._do()
            with self._condition:
                self._processed = requested
                self._condition.notify_all()

    def _do(self) -> None:
        try:
            self._work()
        except Exception as error:
            if not isinstance(error, PanParserError):
                _log.exception("%s", threading.current_thread().name)
            if self._failed is not None:
                with suppress(Exception):  # that it cannot be told is no reason to end
                    self._failed(error)
