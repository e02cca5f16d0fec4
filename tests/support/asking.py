"""A server without a network: requests are given to the application, and a few go through a loopback port."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from panparser.serve.http_process import listen, make_server
from panparser.serve.limits import Limits
from panparser.serve.served_models import ModelRegistry
from panparser.serve.service import ServerApp

URLENCODED = "application/x-www-form-urlencoded"


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    pieces: int = 0
    is_complete: bool = False

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def result(self) -> str:
        assert self.status == 200, self.text
        return json.loads(self.body)["result"]


class Asking:
    """Gives requests to a service, each in an event loop of its own."""

    def __init__(self, models: ModelRegistry, **limits: Any) -> None:
        self.models, self.limits = models, replace(Limits(parser_threads=2), **limits)
        self.service: ServerApp | None = None

    def __call__(self, method: str, target: str, body: bytes = b"", **options: Any) -> Answer:
        (found,) = self.all([(method, target, body, options)])
        return found

    def get(self, path: str, **parameters: str) -> Answer:
        return self("GET", f"{path}?{urlencode(parameters)}" if parameters else path)

    def post(self, path: str = "/process", **parameters: str) -> Answer:
        return self("POST", path, urlencode(parameters).encode())

    def all(self, requests: list[tuple[str, str, bytes, dict[str, Any]]]) -> list[Answer]:
        """The answers to requests that come at the same time."""

        async def run() -> list[Answer]:
            self.service = ServerApp(self.models, self.limits)
            try:
                return await asyncio.gather(*(self._ask(*each[:3], **each[3]) for each in requests))
            finally:
                self.service.close()

        return asyncio.run(run())

    async def _ask(
        self,
        method: str,
        target: str,
        body: bytes,
        *,
        kind: str | None = URLENCODED,
        headers: dict[str, str] | None = None,
        pieces: list[bytes] | None = None,
        leaves: bool = False,
        pause: float = 0.0,
    ) -> Answer:
        sent = [body] if pieces is None else pieces
        path, _, query = target.partition("?")
        given = {"content-length": str(sum(map(len, sent)))} if method == "POST" else {}
        given |= {"content-type": kind} if method == "POST" and kind is not None else {}
        given = {name: value for name, value in (given | (headers or {})).items() if value is not None}
        raw = [(name.lower().encode(), value.encode("latin-1")) for name, value in given.items()]
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
            **{"method": method, "path": path, "raw_path": path.encode(), "headers": raw},
            **{"query_string": query.encode(), "root_path": "", "client": None, "server": None},
        }
        waiting = list(sent)
        answer = Answer()

        async def receive() -> dict[str, Any]:
            if waiting:
                if pause:
                    await asyncio.sleep(pause)
                return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}
            if not leaves:
                await asyncio.Event().wait()
            return {"type": "http.disconnect"}

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                answer.body += message.get("body", b"")
                answer.pieces += 1
                answer.is_complete = not message.get("more_body", False)

        assert self.service is not None
        await self.service(scope, receive, send)
        return answer


@contextmanager
def serving(models: ModelRegistry, **limits: Any) -> Iterator[tuple[str, int]]:
    """A server at a loopback port."""
    service = ServerApp(models, replace(Limits(parser_threads=2), **limits))
    listening = listen("127.0.0.1", 0)
    server = make_server(service)
    thread = threading.Thread(target=lambda: asyncio.run(server._serve([listening])))
    thread.start()
    try:
        yield listening.getsockname()
    finally:
        server.should_exit = True
        thread.join()
        service.close()
        listening.close()
