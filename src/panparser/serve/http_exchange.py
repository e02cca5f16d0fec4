"""An HTTP request and its response, with sizes and limits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from panparser.serve.limits import ClientDisconnectedError, Limits, RequestError

ABORT = "panparser.abort"  # in the scope of a request: closes the connection at once, whatever is left to send
MAX_DRAINED_BODIES = 8  # bodies of the greatest size that are thrown away, so that the answer is read
_DRAIN_SECONDS = 5.0
_HEADERS = {"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff", "Connection": "close"}


class HttpExchange:
    """A request and its answer, with sizes. `headers` are those of answers: by default, pages of all sites may read."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, limits: Limits, headers: Mapping[str, str] = _HEADERS
    ) -> None:
        self.request = Request(scope, receive)
        self.status = self.received = self.sent = 0
        self._receive, self._send, self._limits, self._headers = receive, send, limits, headers
        self._body_ended = scope["method"] != "POST"

    @property
    def has_begun(self) -> bool:
        return self.status != 0

    # --- The request ---

    def content_length(self) -> int:
        """The size of the body; 0 of a request that has none. Raises RequestError."""
        headers = self.request.headers
        if self.request.method != "POST":
            return 0
        if headers.get("transfer-encoding", "identity").lower() != "identity":
            raise RequestError("Only 'identity' Transfer-Encoding of payload is supported for now.")
        if "content-encoding" in headers:
            raise RequestError(f"Unsupported payload Content-Encoding '{headers['content-encoding']}'.")
        length = headers.get("content-length", "")
        if not (length.isascii() and length.isdigit()):
            raise RequestError("The Content-Length of payload is required.")
        if len(length) > 18 or int(length) > self._limits.max_body_bytes:
            raise RequestError("The payload size is too large.")
        return int(length)

    async def read_body(self, size: int) -> bytes:
        """The body, if it comes in time."""
        data = bytearray()
        try:
            async with asyncio.timeout(self._limits.timeout_seconds):
                async for piece in self._stream():
                    data += piece
                    if len(data) > size:
                        raise RequestError("The payload size is too large.")
        except TimeoutError:
            self._body_ended = True  # for us
            raise RequestError(f"The payload took longer than {self._limits.timeout_seconds:g} seconds.", 408) from None
        return bytes(data)

    async def _stream(self) -> AsyncIterator[bytes]:
        while not self._body_ended:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnectedError
            self._body_ended = not message.get("more_body", False)
            self.received += len(message.get("body", b""))
            yield message.get("body", b"")

    async def drain(self) -> None:
        """Throws the rest of a body away, within limits: a client that is still sending would not read the answer."""
        left = MAX_DRAINED_BODIES * self._limits.max_body_bytes
        try:
            async with asyncio.timeout(min(_DRAIN_SECONDS, self._limits.timeout_seconds)):
                async for piece in self._stream():
                    left -= len(piece)
                    if left < 0:
                        break
        except TimeoutError:
            pass

    async def check_connected(self) -> None:
        """Raises ClientLeftError if the client has left."""
        if await self.request.is_disconnected():
            raise ClientDisconnectedError

    async def wait_for_disconnect(self) -> None:
        """Waits until the client has left."""
        await self.drain()
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def abort(self) -> None:
        """Closes the connection, if the server lets us."""
        close: Callable[[], None] | None = self.request.scope.get(ABORT)
        if close is not None:
            close()

    # --- The answer ---

    async def respond(
        self, text: str, content_type: str = "text/plain", status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """An answer in one piece."""
        await self.drain()
        await self.send_response(text.encode("utf-8", "replace"), content_type, headers or {}, status)

    async def send_response(
        self, content: bytes, content_type: str, headers: dict[str, str], status: int = 200
    ) -> None:
        """An answer in one piece, to a request that has been read."""
        self.sent = len(content)
        await self.begin(content_type, {**headers, "Content-Length": str(len(content))}, status)
        await self._send({"type": "http.response.body", "body": content, "more_body": False})

    async def send_resource(self, status: int, headers: dict[str, str], content: bytes) -> None:
        """A page, or a part of one; other sites may not read it."""
        await self.drain()
        self.status, self.sent = status, len(content)
        response = Response(content, status, {"Connection": "close", **headers})
        await response(self.request.scope, self._receive, self._send)

    async def send_error(self, error: RequestError) -> None:
        if self.has_begun:
            self.abort()
            return
        try:
            retry = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
            await self.respond(error.message, status=error.status, headers=retry)
        except (ClientDisconnectedError, OSError):
            self.status = error.status

    async def begin(self, content_type: str, headers: dict[str, str], status: int = 200) -> None:
        self.status = status
        every = {**self._headers, "Content-Type": f"{content_type}; charset=utf-8", **headers}
        raw = [(name.lower().encode(), value.encode()) for name, value in every.items()]
        await self._send({"type": "http.response.start", "status": status, "headers": raw})

    async def send(self, text: str, *, is_last: bool = False) -> None:
        content = text.encode()
        self.sent += len(content)
        message: Message = {"type": "http.response.body", "body": content, "more_body": not is_last}
        await self._send(message)
