"""A session with its page: requests are given to the application, or go through a loopback port."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from panparser.annotate.page_process import listen_near, make_server
from panparser.annotate.page_service import AnnotationService
from panparser.annotate.page_support import Authenticator
from panparser.annotate.session import AnnotationSession

TEXTS = ("The dog sees a cat", "She sleeps", "We read old books every evening", "It rains")


def conllu(texts: tuple[str, ...] = TEXTS, tag: str = "X") -> str:
    """Sentences without trees."""
    blocks = []
    for number, text in enumerate(texts, start=1):
        rows = (
            f"{i}\t{form}\t{form.lower()}\t{tag}\t_\t_\t_\t_\t_\t_\n" for i, form in enumerate(text.split(), start=1)
        )
        blocks.append(f"# sent_id = s{number}\n# text = {text}\n" + "".join(rows) + "\n")
    return "".join(blocks)


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def value(self) -> Any:
        return json.loads(self.body)


class Asker:
    """Gives requests to the page of a session; as a browser with the cookie would, unless headers say otherwise."""

    def __init__(self, session: AnnotationSession, **limits: Any) -> None:
        self.authenticator = Authenticator.create("127.0.0.1", 8010)
        self.service = AnnotationService(session, self.authenticator, **limits)

    def own(self) -> dict[str, str]:
        return {
            "host": "127.0.0.1:8010",
            "cookie": f"{self.authenticator.cookie_name}={self.authenticator.cookie}",
            "sec-fetch-site": "same-origin",
        }

    def get(self, target: str, **headers: str | None) -> Reply:
        return self("GET", target, headers=headers)

    def post(self, target: str, value: Any, **headers: str | None) -> Reply:
        return self("POST", target, json.dumps(value).encode(), headers=headers)

    def __call__(
        self, method: str, target: str, body: bytes = b"", *, headers: dict[str, str | None] | None = None
    ) -> Reply:
        path, _, query = target.partition("?")
        given: dict[str, str | None] = {**self.own()}
        if method == "POST":
            given |= {"content-type": "application/json", "content-length": str(len(body))}
        given |= {name.replace("_", "-"): value for name, value in (headers or {}).items()}
        raw = [(name.encode(), value.encode("latin-1")) for name, value in given.items() if value is not None]
        scope = {
            **{"type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "scheme": "http"},
            **{"method": method, "path": path, "raw_path": path.encode(), "headers": raw},
            **{"query_string": query.encode(), "root_path": "", "client": None, "server": None},
        }
        return asyncio.run(self._exchanged(scope, [body]))

    async def _exchanged(self, scope: dict[str, Any], waiting: list[bytes]) -> Reply:
        found = Reply(0, {}, b"")

        async def receive() -> dict[str, Any]:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}
            await asyncio.Event().wait()
            raise AssertionError

        async def send(message: dict[str, Any]) -> None:
            if message["type"] == "http.response.start":
                found.status = message["status"]
                found.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                found.body += message.get("body", b"")

        await self.service(scope, receive, send)
        return found


# --- In a browser ---


def visited(context: Any, address: str, *, may_complain: bool = False) -> Any:
    """The page, once it is ready; what the browser complains about is in `complaints`."""
    page = context.new_page()
    page.complaints = []
    if not may_complain:
        page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(address)
    page.wait_for_selector('html[data-ready="yes"]', state="attached", timeout=20_000)
    return page


def settle(page: Any) -> None:
    """Waits until all that was typed is acknowledged."""
    page.wait_for_selector('html[data-busy=""]', state="attached")


@contextmanager
def annotating(file: Path, port: int = 0, **options: Any) -> Iterator[tuple[str, AnnotationSession]]:
    """The address, with its token, of a page at a loopback port; and its session."""
    with AnnotationSession(file, **options) as session, listen_near("127.0.0.1", port) as listening:
        number = listening.getsockname()[1]
        authenticator = Authenticator.create("127.0.0.1", number)
        service = AnnotationService(session, authenticator)
        server = make_server(service)
        thread = threading.Thread(target=lambda: asyncio.run(_served(server, listening)))
        thread.start()
        try:
            yield f"http://127.0.0.1:{number}/?token={authenticator.token}", session
        finally:
            server.should_exit = True
            thread.join()
            service.close()


async def _served(server: Any, listening: Any) -> None:
    """Serves; what browsers still hold at the end, or begin just then, is closed."""
    await server._serve([listening])
    await asyncio.sleep(0.05)
    for connection in list(server.server_state.connections):
        connection.transport.abort()
    await asyncio.sleep(0.05)
