"""What a page can ask of a session, as a table: method, path, what it may and must say, who answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from panparser.annotation.session import AnnotationSession
from panparser.errors import AnnotationError
from panparser.server.refusals import RequestError
from panparser.storage.values import COUNT, TABLE, Table, text

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
