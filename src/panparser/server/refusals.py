"""Answers other than 200, in the words of UDPipe where it has some."""

from __future__ import annotations

INTERNAL = "An internal error occurred during processing."


class RequestError(Exception):
    """A request that is answered by a sentence and a code; `retry_after`: seconds after which it may be repeated."""

    def __init__(self, message: str, status: int = 400, retry_after: int | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.retry_after = message, status, retry_after


class ClientDisconnectedError(Exception):
    """The client has left: there is nobody to answer."""
