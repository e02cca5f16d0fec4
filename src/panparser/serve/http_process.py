"""The server process: sockets, slow clients, signals."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from panparser import _engine
from panparser.errors import SpecError
from panparser.serve.http_exchange import ABORT
from panparser.serve.limits import Limits
from panparser.serve.service import ServerApp

HEADER_TIMEOUT_SECONDS = 15.0  # for the first line and the headers of a request to arrive
MAX_HEADER_BYTES = 1 << 18  # bytes of them; a URL may hold a text
MAX_BACKLOG = 2048  # connections that wait to be accepted
SPARE_CONNECTIONS = 100  # connections beyond twice the queue, whose clients are told that the server is busy
SHUTDOWN_MARGIN_SECONDS = 5  # seconds beyond the limit of a request, for those at work when the server stops


class Connection(H11Protocol):
    """A connection with one request, which must come soon; in its first line, raw UTF-8 is as good as encoded."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._in_first_line = True
        inner: Callable[..., Awaitable[None]] = self.app

        async def app(scope: Any, receive: Any, send: Any) -> None:
            await inner({**scope, ABORT: self._abort}, receive, send)

        self.app: Any = app

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        # asyncio does so only for sockets that say that they are TCP: else, the end of an answer waits for 40 ms.
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.loop.call_later(HEADER_TIMEOUT_SECONDS, self._check_begun)

    def data_received(self, data: bytes) -> None:
        if self._in_first_line:
            line, end, rest = data.partition(b"\n")
            self._in_first_line = not end
            data = b"".join(b"%%%02X" % byte if byte > 0x7F else bytes([byte]) for byte in line) + end + rest
        super().data_received(data)

    def _check_begun(self) -> None:
        if self.cycle is None:
            self._abort()

    def _abort(self) -> None:
        if self.transport is not None:
            self.transport.abort()


class Server(uvicorn.Server):
    """A server that a signal stops: it accepts nothing more, finishes what it has, and returns."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        names = ("SIGINT", "SIGTERM", "SIGUSR1")  # Windows has but the first two
        numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
        usual = {number: signal.signal(number, self.handle_exit) for number in numbers}
        try:
            yield
        finally:
            for number, handler in usual.items():
                signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises SpecError if there can be none."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=MAX_BACKLOG)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SpecError(f"--host {host} --port {port}: cannot listen on this address: {reason}") from None


def make_config(service: Any, limits: Limits) -> uvicorn.Config:
    """How an application is served within limits."""
    return uvicorn.Config(
        service,
        http=Connection,
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        backlog=MAX_BACKLOG,
        limit_concurrency=2 * limits.max_requests + SPARE_CONNECTIONS,
        h11_max_incomplete_event_size=MAX_HEADER_BYTES,
        timeout_graceful_shutdown=int(limits.timeout_seconds) + SHUTDOWN_MARGIN_SECONDS,
    )


def make_server(service: ServerApp) -> Server:
    """What serves a service."""
    return Server(make_config(service, service.limits))


def run(service: ServerApp, listening: socket.socket) -> None:
    """Serves until a signal comes."""
    _allow_connections()
    _engine.keep_memory()  # the next request needs what the last one did
    try:
        asyncio.run(make_server(service).serve(sockets=[listening]))
    finally:
        service.close()
        listening.close()


def _allow_connections() -> None:
    """Raises the number of files that the process may open, to what the system allows: each connection is one."""
    try:
        import resource
    except ImportError:  # on Windows
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
