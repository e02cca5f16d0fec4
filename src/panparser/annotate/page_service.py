"""The HTTP interface of the annotation page."""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from starlette.requests import ClientDisconnect
from starlette.types import Receive, Scope, Send

from panparser.annotate.page_support import DEFAULT, Authenticator, EventBroadcaster
from panparser.annotate.session import AnnotationSession
from panparser.base.kinds import COUNT, TABLE, Table, check, parse_json, text
from panparser.errors import AnnotationError, JournalError, PanParserError, StaleEditError
from panparser.pages.page import LivePage, site
from panparser.serve.http_body import parse_query
from panparser.serve.http_exchange import HttpExchange
from panparser.serve.limits import INTERNAL_ERROR, ClientDisconnectedError, Limits, RequestError
from panparser.treebank.universal import RELATIONS, UPOS

MAX_TREES = 8
MAX_RESULTS = 200
_NUMBER = re.compile("[0-9]{1,9}")
Handler = Callable[..., Any]


@dataclass(frozen=True)
class Route:
    """A route: numbers are in its path; `query` has the names in its address, `body` what a change must say."""

    method: str
    path: re.Pattern[str]
    query: frozenset[str]
    body: Table | None
    handler: Handler


ROUTES: list[Route] = []


def _register_route(line: str, query: str = "", body: Table | None = None) -> Callable[[Handler], Handler]:
    """Adds a route such as `GET /api/sentence/N`."""
    method, _, path = line.partition(" ")

    def add(answer: Handler) -> Handler:
        pattern = re.compile(re.escape(path).replace("N", "([0-9]{1,9})"))
        ROUTES.append(Route(method, pattern, frozenset(query.split()), body, answer))
        return answer

    return add


def find(method: str, path: str) -> tuple[Route, list[int]]:
    """The route at a path, and the numbers in it. Raises RequestError if there is none."""
    is_known = False
    for route in ROUTES:
        if (found := route.path.fullmatch(path)) is not None:
            is_known = True
            if route.method == method:
                return route, [int(number) for number in found.groups()]
    if is_known:
        raise RequestError(f"{method} is not for this path.", 405)
    raise RequestError("There is nothing at this path.", 404)


# --- Looking ---


@_register_route("GET /api/summary")
def summary(session: AnnotationSession) -> Any:
    """How the work stands, and where it goes on."""
    return {**session.summary(), "start": session.next_sentence(-1)}


@_register_route("GET /api/sentence/N", query="key layout_version")
def _sentence(session: AnnotationSession, index: int, key: str | None = None, layout_version: str = "") -> Any:
    """A sentence; with the key and the layout version of an earlier view, wherever it is now."""
    return session.view(index, key, int(layout_version) if _NUMBER.fullmatch(layout_version) else None)


@_register_route("GET /api/sentence/N/labels/N")
def _labels(session: AnnotationSession, index: int, word: int) -> Any:
    try:
        return {"labels": session.labels(index, word)}
    except AnnotationError:  # the word is no more: it was asked for just before that
        return {"labels": []}


@_register_route("GET /api/sentence/N/alternatives")
def _alternatives(session: AnnotationSession, index: int) -> Any:
    return {"trees": session.alternatives(index, MAX_TREES)}


@_register_route("GET /api/next/N")
def _next(session: AnnotationSession, index: int) -> Any:
    return {"index": session.next_sentence(index)}


@_register_route("GET /api/search", query="text")
def _search(session: AnnotationSession, text: str = "") -> Any:
    return {"found": session.search(text, MAX_RESULTS), "most": MAX_RESULTS}


@_register_route("GET /api/consistency")
def _consistency(session: AnnotationSession) -> Any:
    return {"mixed": session.consistency()["mixed"][:MAX_RESULTS]}


@_register_route("GET /api/sentence/N/consistency/N")
def _others(session: AnnotationSession, index: int, word: int) -> Any:
    return session.consistency(index, word)


# --- Changing ---


_SEEN = {"key": text(), "layout_version": COUNT, "version": COUNT}  # of the view that the person saw


@_register_route("POST /api/sentence/N/edit", body=Table({**_SEEN, "edit": TABLE}, closed=True))
def _edit(session: AnnotationSession, index: int, body: Mapping[str, Any]) -> Any:
    return session.edit(index, body["version"], body["edit"], layout_version=body["layout_version"])


@_register_route("POST /api/undo", body=Table({}, closed=True))
def _undo(session: AnnotationSession, body: Mapping[str, Any]) -> Any:
    return {"view": session.undo()}


@_register_route("POST /api/redo", body=Table({}, closed=True))
def _redo(session: AnnotationSession, body: Mapping[str, Any]) -> Any:
    return {"view": session.redo()}


LIMITS = Limits(max_body_bytes=1 << 20, timeout_seconds=20.0, max_requests=100)
_EVENTS = "/api/events"
READ_THREADS = 3  # threads that answer what changes nothing
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Connection": "keep-alive",
}
_log = logging.getLogger("panparser.serve")


class AnnotationService:
    """The page of one session, behind an authenticator. Changes are made one after the other, in one thread.

    `hints` are told to the page: shortcuts, known relations and tags.
    """

    def __init__(
        self,
        session: AnnotationSession,
        authenticator: Authenticator,
        hints: Mapping[str, Any] | None = None,
        limits: Limits = LIMITS,
    ) -> None:
        self.session, self.authenticator, self.limits = session, authenticator, limits
        self.hints = {"shortcuts": DEFAULT, "labels": sorted(RELATIONS), "tags": sorted(UPOS), **(hints or {})}
        self.events = EventBroadcaster()
        session.listen(self.events.publish)
        page = LivePage(
            session.path.name, "annotate", skip_targets=("tree", "words"), folder=files(__package__) / "assets"
        )
        self._site = site({"/": page})
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="change")
        self._readers = ThreadPoolExecutor(READ_THREADS, thread_name_prefix="look")

    def stop(self) -> None:
        """Ends the streams of events, so that the server can end; in the thread of the event loop."""
        self.events.publish({"event": "closing"})
        self.events.close()

    def close(self) -> None:
        """Waits for what is at work."""
        for threads in (self._writer, self._readers):
            threads.shutdown(wait=True, cancel_futures=True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            raise ValueError(f"expected a request by HTTP, found {scope['type']}")
        exchange = HttpExchange(scope, receive, send, self.limits, _HEADERS)
        try:
            await self._answer(exchange, scope["path"])
        except RequestError as refused:
            await _refuse(exchange, refused.message, refused.status)
        except PanParserError as error:
            await _refuse(exchange, str(error), 400)
        except (ClientDisconnectedError, ClientDisconnect, OSError):
            pass
        except Exception:
            _log.exception("%s", INTERNAL_ERROR)
            await _refuse(exchange, INTERNAL_ERROR, 500)

    async def _answer(self, exchange: HttpExchange, path: str) -> None:
        headers, method = exchange.request.headers, exchange.request.method
        self.authenticator.check_host(headers)
        if path == "/" and method == "GET":
            try:
                await self._open(exchange)
            except RequestError as refused:  # which a person reads
                await exchange.respond(refused.message + "\n", status=refused.status)
            return
        self.authenticator.check_origin(headers)
        self.authenticator.check_cookie(headers)
        if path in self._site and method == "GET":
            await exchange.send_resource(*self._site[path].respond(headers.get("if-none-match")))
        elif path == _EVENTS and method == "GET":
            await self._stream(exchange)
        else:
            route, numbers = find(method, path)
            await self._handle_route(exchange, route, numbers)

    async def _open(self, exchange: HttpExchange) -> None:
        """The page: for the token, which buys a cookie, or for the cookie. It may be reached from anywhere.

        A cookie that is set by a redirection would not come back to whoever came from another site; the script of the
        page removes the token from its address instead.
        """
        token = parse_query(exchange.request.scope["query_string"]).get("token")
        if token is not None and not self.authenticator.admits(token):
            raise RequestError("This is not the token of this run; open the address that was printed.", 403)
        status, headers, content = self._site["/"].respond()
        if token is not None:
            headers |= {"Set-Cookie": self.authenticator.new_cookie(), "Cache-Control": "no-store"}
        else:
            self.authenticator.check_cookie(exchange.request.headers)
        await exchange.send_resource(status, headers, content)

    async def _handle_route(self, exchange: HttpExchange, route: Route, numbers: list[int]) -> None:
        given: dict[str, Any] = {}
        if route.query:
            found = parse_query(exchange.request.scope["query_string"])
            given |= {name: found[name] for name in route.query & found.keys()}
        if route.body is not None:
            given["body"] = check(await _json_body(exchange), route.body, "", AnnotationError)
        try:
            threads = self._readers if route.body is None else self._writer
            answer = await _run(threads, route.handler, self.session, *numbers, **given)
        except (StaleEditError, JournalError) as error:
            seen = {name: given["body"].get(name) for name in ("key", "layout_version")}
            now = await _run(self._readers, self.session.view, numbers[0], **seen) if numbers else None
            await _refuse(exchange, str(error), 409, view=now)
            return
        if route.handler is summary:
            answer |= self.hints
        if route.body is not None:
            self._publish_change(answer)
        await _send(exchange, answer)

    def _publish_change(self, answer: dict[str, Any]) -> None:
        """Tells all pages that a sentence changed: the one that changed it knows the version already."""
        view = answer.get("view", answer)
        if view is not None:
            told = {name: view[name] for name in ("index", "version", "layout_version")}
            self.events.publish({"event": "changed", **told})

    async def _stream(self, exchange: HttpExchange) -> None:
        """Tells what happens until the page or the server leaves."""
        page = self.events.subscribe()
        gone: asyncio.Future[None] | None = None
        try:
            await exchange.begin("text/event-stream", {})
            gone = asyncio.ensure_future(exchange.wait_for_disconnect())
            while (text := await page.next(gone)) is not None:
                await exchange.send(text)
        finally:
            if gone is not None:
                gone.cancel()
            self.events.unsubscribe(page)
        await exchange.send("", is_last=True)


async def _run(threads: ThreadPoolExecutor, function: Callable[..., Any], *arguments: Any, **given: Any) -> Any:
    return await asyncio.get_running_loop().run_in_executor(threads, lambda: function(*arguments, **given))


async def _json_body(exchange: HttpExchange) -> Any:
    """The body of a change: JSON and nothing else, so that no form of another page can send it."""
    kind = exchange.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RequestError("Expected a body of type application/json.", 415)
    text = await exchange.read_body(exchange.content_length())
    try:
        return parse_json(text.decode(), "the body", AnnotationError)
    except UnicodeDecodeError:
        raise RequestError("Expected a body of JSON, in UTF-8.") from None


async def _send(exchange: HttpExchange, value: Any, status: int = 200) -> None:
    content = json.dumps(value, separators=(",", ":")).encode()
    await exchange.send_resource(status, {**_HEADERS, "Content-Type": "application/json"}, content)


async def _refuse(exchange: HttpExchange, message: str, status: int, **more: Any) -> None:
    if exchange.has_begun:
        exchange.abort()
        return
    with suppress(ClientDisconnectedError, OSError):
        await _send(exchange, {"error": message, **more}, status)
