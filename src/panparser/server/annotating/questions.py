"""What a page can ask of a session, as a table: method, path, what it may and must say, who answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from panparser.annotation.session import Session
from panparser.errors import AnnotationError
from panparser.server.refusals import RequestError
from panparser.storage.values import COUNT, TABLE, Table, text

_MOST_TREES = 8
_MOST_FOUND = 200
_NUMBER = re.compile("[0-9]{1,9}")
Answer = Callable[..., Any]


@dataclass(frozen=True)
class Question:
    """A question: numbers are in its path; `query` has the names in its address, `body` what a change must say."""

    method: str
    path: re.Pattern[str]
    query: frozenset[str]
    body: Table | None
    answer: Answer


QUESTIONS: list[Question] = []


def _asked(line: str, query: str = "", body: Table | None = None) -> Callable[[Answer], Answer]:
    """Adds a question such as `GET /api/sentence/N`."""
    method, _, path = line.partition(" ")

    def add(answer: Answer) -> Answer:
        pattern = re.compile(re.escape(path).replace("N", "([0-9]{1,9})"))
        QUESTIONS.append(Question(method, pattern, frozenset(query.split()), body, answer))
        return answer

    return add


def find(method: str, path: str) -> tuple[Question, list[int]]:
    """The question at a path, and the numbers in it. Raises RequestError if there is none."""
    is_known = False
    for question in QUESTIONS:
        if (found := question.path.fullmatch(path)) is not None:
            is_known = True
            if question.method == method:
                return question, [int(number) for number in found.groups()]
    if is_known:
        raise RequestError(f"{method} is not for this path.", 405)
    raise RequestError("There is nothing at this path.", 404)


# --- Looking ---


@_asked("GET /api/summary")
def summary(session: Session) -> Any:
    """How the work stands, and where it goes on."""
    return {**session.summary(), "start": session.next_sentence(-1)}


@_asked("GET /api/sentence/N", query="key order")
def _sentence(session: Session, index: int, key: str | None = None, order: str = "") -> Any:
    """A sentence; with the key and the order of an earlier view, wherever it is now."""
    return session.view(index, key, int(order) if _NUMBER.fullmatch(order) else None)


@_asked("GET /api/sentence/N/labels/N")
def _labels(session: Session, index: int, word: int) -> Any:
    try:
        return {"labels": session.labels(index, word)}
    except AnnotationError:  # the word is no more: it was asked for just before that
        return {"labels": []}


@_asked("GET /api/sentence/N/alternatives")
def _alternatives(session: Session, index: int) -> Any:
    return {"trees": session.alternatives(index, _MOST_TREES)}


@_asked("GET /api/next/N")
def _next(session: Session, index: int) -> Any:
    return {"index": session.next_sentence(index)}


@_asked("GET /api/search", query="text")
def _search(session: Session, text: str = "") -> Any:
    return {"found": session.search(text, _MOST_FOUND), "most": _MOST_FOUND}


@_asked("GET /api/consistency")
def _consistency(session: Session) -> Any:
    return {"mixed": session.consistency()["mixed"][:_MOST_FOUND]}


@_asked("GET /api/sentence/N/consistency/N")
def _others(session: Session, index: int, word: int) -> Any:
    return session.consistency(index, word)


# --- Changing ---


_SEEN = {"key": text(), "order": COUNT, "version": COUNT}  # of the view that the person saw


@_asked("POST /api/sentence/N/edit", body=Table({**_SEEN, "operation": TABLE}, closed=True))
def _edit(session: Session, index: int, body: Mapping[str, Any]) -> Any:
    return session.edit(index, body["version"], body["operation"], order=body["order"])


@_asked("POST /api/undo", body=Table({}, closed=True))
def _undo(session: Session, body: Mapping[str, Any]) -> Any:
    return {"view": session.undo()}


@_asked("POST /api/redo", body=Table({}, closed=True))
def _redo(session: Session, body: Mapping[str, Any]) -> Any:
    return {"view": session.redo()}
