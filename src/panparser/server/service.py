"""The server as an ASGI application: paths, bodies, answers."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from panparser.formats.outputs import Joined
from panparser.server.asked import Asked
from panparser.server.batches import Batches
from panparser.server.bodies import of_body, of_query, of_text
from panparser.server.limits import House, Limits
from panparser.server.metrics import Metrics
from panparser.server.models import Models
from panparser.server.openapi import openapi
from panparser.server.processing import Work
from panparser.server.refusals import INTERNAL, ClientLeftError, RequestError
from panparser.treebank.treebank import Treebank

ABORT = "panparser.abort"  # in the scope of a request: closes the connection at once, whatever is left to send
_PREFIXES = ("/services/udpipe/api", "/api")
_DRAINED = 8  # bodies of the greatest size that are thrown away, so that the answer is read
_DRAIN_SECONDS = 5.0
_CORS = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "*",
    "Access-Control-Max-Age": "86400",
}
_HEADERS = {"Access-Control-Allow-Origin": "*", "X-Content-Type-Options": "nosniff", "Connection": "close"}
_WEBLICHT = {"tokenize": ("tokenizer",), "tag": ("tagger",), "parse": ("parser",)}
_BROKEN = "\n!error: "  # no JSON goes on like this
_SOME = 4  # blocks that are read at a time
_Begun = tuple[Work, Iterator[Treebank], deque[Treebank]]
Result = TypeVar("Result")
_log = logging.getLogger("panparser.server")


class Service:
    """UDPipe's REST interface to some models; `log` is called with a line for each request, without its text."""

    def __init__(self, models: Models, limits: Limits, log: Callable[[str], None] | None = None) -> None:
        self.models, self.limits = models, limits
        self.house = House(limits)
        self.metrics = Metrics(self.house)
        self.is_ready = True
        self._log = log
        self._pool = ThreadPoolExecutor(limits.threads, thread_name_prefix="parse")
        self._batches = Batches(self._pool)

    def close(self) -> None:
        """Waits for the threads."""
        self.is_ready = False
        self._pool.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"expected a request by HTTP, found {scope['type']}")
        exchange = _Exchange(scope, receive, send, self.limits)
        started = time.perf_counter()
        path = _path(scope["path"])
        try:
            await self._answer(exchange, path)
        except RequestError as refused:
            await exchange.refuse(refused)
        except (ClientLeftError, ClientDisconnect, OSError):
            self.metrics.left += 1
        except Exception:
            _log.exception("%s", INTERNAL)
            await exchange.refuse(RequestError(INTERNAL))
        seconds = time.perf_counter() - started
        known = path if path in _KNOWN else "other"
        self.metrics.answers[known, exchange.status] += 1
        self.metrics.seconds += seconds
        if self._log is not None:
            sizes = f"{exchange.received} bytes in, {exchange.sent} bytes out"
            self._log(f"{scope['method']} {known} {exchange.status} {sizes}, {1000 * seconds:.0f} ms")

    async def _answer(self, exchange: _Exchange, path: str) -> None:
        method = exchange.request.method
        if method == "OPTIONS":
            await exchange.whole("", status=204, headers=_CORS)
        elif method not in ("GET", "POST"):
            raise RequestError("Only GET and POST are supported.", 405)
        elif path not in _KNOWN:
            raise RequestError(f"No handler for the given URL '{path}'", 404)
        elif path == "/models":
            await exchange.whole(_json(self.models.listed()), "application/json")
        elif path == "/openapi.json":
            await exchange.whole(_json(openapi()), "application/json")
        elif path == "/metrics":
            await exchange.whole(str(self.metrics), "text/plain; version=0.0.4")
        elif path == "/healthz":
            await exchange.whole("alive\n")
        elif path == "/readyz":
            if not self.is_ready:
                raise RequestError("The server is about to stop.", 503, 1)
            await exchange.whole("ready\n")
        else:
            await self._process(exchange, path)

    # --- /process and /weblicht ---

    async def _process(self, exchange: _Exchange, path: str) -> None:
        parameters = of_query(exchange.request.scope["query_string"])
        size = exchange.checked_size()
        with self.house.admitted(size):
            body = await exchange.body(size)
            self.metrics.received += len(body)
            async with self.house.turn(size or len(exchange.request.scope["query_string"])):
                await self._work(exchange, path, parameters, body)

    async def _work(self, exchange: _Exchange, path: str, query: dict[str, str], body: bytes) -> None:
        """What a request does in its turn, within the limit of time."""
        try:
            async with asyncio.timeout(self.limits.seconds):
                await exchange.check_presence()
                work, blocks, treebanks = await self._run(self._begin, exchange.request, path, query, body)
                del body, query
                while len(treebanks) % _SOME == 0 and (more := await self._run(_some, blocks)):
                    await exchange.check_presence()
                    treebanks += more
                self.metrics.words += work.words
                await self._write(exchange, work, treebanks, as_text=path != "/process")
        except TimeoutError:
            late = f"The processing took longer than {self.limits.seconds:g} seconds; please send less at a time."
            if exchange.has_begun:  # who does not read would not read this, either
                exchange.abort()
                raise ClientLeftError from None
            raise RequestError(late) from None

    def _begin(self, request: Request, path: str, query: dict[str, str], body: bytes) -> _Begun:
        """What is to be done, and the first sentences: all of them, in most cases."""
        if path.startswith("/weblicht/"):
            parameters = {"output": "conllu", **dict.fromkeys(_WEBLICHT[path.rpartition("/")[2]], "")}
            parameters |= {name: query[name] for name in ("model",) if name in query}
            if request.method == "POST":
                parameters["data"] = of_text(body)
            elif "data" in query:
                parameters["data"] = query["data"]
        else:
            form = of_body(request.headers.get("content-type"), body) if request.method == "POST" else {}
            parameters = {**query, **form}
        if "data" not in parameters:
            raise RequestError("The parameter 'data' is required.")
        model = self.models.find(parameters.get("model"))
        work = Work(model, Asked.of(parameters, self.limits), self.limits)
        blocks = work.read()
        return work, blocks, deque(_some(blocks))

    async def _write(self, exchange: _Exchange, work: Work, treebanks: deque[Treebank], *, as_text: bool) -> None:
        start, end = ("", "") if as_text else _envelope(work)
        encoded: Callable[[str], str] = str if as_text else _escaped
        pieces = self._pieces(work, treebanks)
        if work.asked.keep:  # that no tree may keep: so nothing is sent before all trees are found
            pieces = _again([piece async for piece in pieces])
        first = await anext(pieces, "")
        headers = {"X-Billing-Input-NFC-Len": str(work.characters)}
        await exchange.begin("application/conllu" if as_text else "application/json", headers)
        try:
            await exchange.send(start + encoded(work.header() + first))
            async for piece in pieces:
                await exchange.check_presence()
                await exchange.send(encoded(piece))
        except (ClientLeftError, TimeoutError, asyncio.CancelledError, OSError):
            raise
        except Exception as error:
            message = error.message if isinstance(error, RequestError) else INTERNAL
            if not isinstance(error, RequestError):
                _log.exception("%s", INTERNAL)
            await exchange.send(f"{_BROKEN}{message}\n", is_last=True)
            return
        finally:
            await pieces.aclose()
        await exchange.send(end, is_last=True)

    async def _pieces(self, work: Work, treebanks: deque[Treebank]) -> AsyncGenerator[str, None]:
        """What is to be written, piece by piece; threads are a few pieces ahead."""
        output: Any = work.asked.output
        document = None if output == "conllu" else Joined(output)
        pending: deque[asyncio.Future[list[str]]] = deque()
        try:
            while treebanks or pending:
                while treebanks and len(pending) < self.limits.threads:
                    pending.append(self._batches.write(work, treebanks.popleft()))
                found = await pending.popleft()
                yield "".join(found) if document is None else document.add(found)
            if document is not None:
                yield document.end()
        finally:
            for future in pending:
                future.cancel()
                future.add_done_callback(_forget)

    async def _run(self, function: Callable[..., Result], *arguments: Any) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._pool, function, *arguments)


_KNOWN = frozenset(
    "/models /process /openapi.json /metrics /healthz /readyz".split() + [f"/weblicht/{name}" for name in _WEBLICHT]
)


def _path(path: str) -> str:
    """A path without doubled slashes, and without what it may begin with."""
    path = re.sub("/+", "/", path)
    for prefix in _PREFIXES:
        if path.startswith(f"{prefix}/"):
            return path.removeprefix(prefix)
    return path


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _escaped(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1]


def _envelope(work: Work) -> tuple[str, str]:
    """What stands around the result."""
    model = work.model
    values = {"model": model.id, "acknowledgements": list(model.acknowledgements), "result": ""}
    return _json(values).removesuffix('"\n}'), '"\n}\n'


def _some(blocks: Iterator[Treebank]) -> list[Treebank]:
    return list(islice(blocks, _SOME))


async def _again(pieces: list[str]) -> AsyncGenerator[str, None]:
    for piece in pieces:
        yield piece


def _forget(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()  # nobody waits for it


class _Exchange:
    """A request and its answer, with sizes."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, limits: Limits) -> None:
        self.request = Request(scope, receive)
        self.status = self.received = self.sent = 0
        self._receive, self._send, self._limits = receive, send, limits
        self._body_ended = scope["method"] != "POST"

    @property
    def has_begun(self) -> bool:
        return self.status != 0

    # --- The request ---

    def checked_size(self) -> int:
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
        if len(length) > 18 or int(length) > self._limits.body:
            raise RequestError("The payload size is too large.")
        return int(length)

    async def body(self, size: int) -> bytes:
        """The body, if it comes in time."""
        data = bytearray()
        try:
            async with asyncio.timeout(self._limits.seconds):
                async for piece in self._stream():
                    data += piece
                    if len(data) > size:
                        raise RequestError("The payload size is too large.")
        except TimeoutError:
            self._body_ended = True  # for us
            raise RequestError(f"The payload took longer than {self._limits.seconds:g} seconds.", 408) from None
        return bytes(data)

    async def _stream(self) -> AsyncIterator[bytes]:
        while not self._body_ended:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientLeftError
            self._body_ended = not message.get("more_body", False)
            self.received += len(message.get("body", b""))
            yield message.get("body", b"")

    async def drain(self) -> None:
        """Throws the rest of a body away, within limits: a client that is still sending would not read the answer."""
        left = _DRAINED * self._limits.body
        try:
            async with asyncio.timeout(min(_DRAIN_SECONDS, self._limits.seconds)):
                async for piece in self._stream():
                    left -= len(piece)
                    if left < 0:
                        break
        except TimeoutError:
            pass

    async def check_presence(self) -> None:
        """Raises ClientLeftError if the client has left."""
        if await self.request.is_disconnected():
            raise ClientLeftError

    def abort(self) -> None:
        """Closes the connection, if the server lets us."""
        close: Callable[[], None] | None = self.request.scope.get(ABORT)
        if close is not None:
            close()

    # --- The answer ---

    async def whole(
        self, text: str, kind: str = "text/plain", status: int = 200, headers: dict[str, str] | None = None
    ) -> None:
        """An answer in one piece."""
        await self.drain()
        self.status = status
        content = text.encode("utf-8", "replace")
        self.sent = len(content)
        response = Response(content, status, {**_HEADERS, **(headers or {})}, f"{kind}; charset=utf-8")
        await response(self.request.scope, self._receive, self._send)

    async def refuse(self, refused: RequestError) -> None:
        if self.has_begun:
            self.abort()
            return
        try:
            retry = {} if refused.retry_after is None else {"Retry-After": str(refused.retry_after)}
            await self.whole(refused.message, status=refused.status, headers=retry)
        except (ClientLeftError, OSError):
            self.status = refused.status

    async def begin(self, kind: str, headers: dict[str, str]) -> None:
        self.status = 200
        start = Response(None, 200, {**_HEADERS, **headers}, f"{kind}; charset=utf-8")
        raw = [(name, value) for name, value in start.raw_headers if name != b"content-length"]
        await self._send({"type": "http.response.start", "status": 200, "headers": raw})

    async def send(self, text: str, *, is_last: bool = False) -> None:
        content = text.encode()
        self.sent += len(content)
        message: Message = {"type": "http.response.body", "body": content, "more_body": not is_last}
        await self._send(message)
