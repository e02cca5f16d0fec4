"""Events, authorization and keyboard shortcuts of the annotation page."""

from __future__ import annotations

import asyncio
import json
import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

from panparser.base.kinds import TABLE, Kind, Table, check, read_values
from panparser.errors import SpecError
from panparser.serve.limits import RequestError

MAX_SUBSCRIBERS = 32
MAX_PENDING_EVENTS = 64  # events for one subscriber: one that reads none loses the oldest
KEEPALIVE_SECONDS = 15.0  # seconds between signs of life
KEEPALIVE = ": here\n\n"
_RETRY = "retry: 1000\n\n"  # milliseconds after which a page connects again


class Subscriber:
    """The queue of events for one subscriber."""

    def __init__(self) -> None:
        self._waiting: asyncio.Queue[str | None] = asyncio.Queue(MAX_PENDING_EVENTS)
        self._waiting.put_nowait(_RETRY)

    def put(self, text: str | None) -> None:
        """Adds an event; None ends the stream."""
        if self._waiting.full():
            self._waiting.get_nowait()
        self._waiting.put_nowait(text)

    async def next(self, gone: asyncio.Future[None]) -> str | None:
        """The next event, or a sign of life; None if there will be none, or the page has `gone`."""
        text = asyncio.ensure_future(self._waiting.get())
        done, _ = await asyncio.wait((text, gone), timeout=KEEPALIVE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if text in done:
            return text.result()
        text.cancel()
        return None if gone in done else KEEPALIVE


class EventBroadcaster:
    """Subscribers of the event stream. `publish` is thread-safe."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscribers: set[Subscriber] = set()
        self._is_closed = False

    def publish(self, event: dict[str, Any]) -> None:
        """Send an event to all subscribers."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._put, f"data: {json.dumps(event)}\n\n")

    def close(self) -> None:
        """Ends all streams; in the thread of the event loop."""
        self._is_closed = True
        self._put(None)

    def _put(self, text: str | None) -> None:
        for subscriber in self._subscribers:
            subscriber.put(text)

    def subscribe(self) -> Subscriber:
        """Return a new subscriber of all later events. Raises RequestError if there are too many."""
        if len(self._subscribers) >= MAX_SUBSCRIBERS or self._is_closed:
            raise RequestError("Too many pages are open.", 503, 5)
        self._loop = asyncio.get_running_loop()
        subscriber = Subscriber()
        self._subscribers.add(subscriber)
        return subscriber

    def unsubscribe(self, subscriber: Subscriber) -> None:
        self._subscribers.discard(subscriber)


LOOPBACK = ("127.0.0.1", "::1", "localhost")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@\s]+)(?::\d{1,5})?")
_OWN_SITES = ("same-origin", "none")  # of Sec-Fetch-Site; another port of this machine is only "same-site"


def _secret() -> str:
    return secrets.token_urlsafe(24)


@dataclass(frozen=True)
class Authenticator:
    """The secrets of one run of the server, and the names that it answers to."""

    port: int
    hosts: frozenset[str] = frozenset(LOOPBACK)
    token: str = field(default_factory=_secret, repr=False)
    cookie: str = field(default_factory=_secret, repr=False)

    @classmethod
    def create(cls, host: str, port: int, names: Iterable[str] = ()) -> Authenticator:
        """Return the authenticator of a server at an address that has additional host names."""
        own = () if host in ("0.0.0.0", "::", "") else (host,)
        return cls(port, frozenset(name.lower() for name in (*LOOPBACK, *own, *names)))

    @property
    def cookie_name(self) -> str:
        """Cookies know no ports: the name has it, so that two servers do not take each other's."""
        return f"panparser-{self.port}"

    def new_cookie(self) -> str:
        """The header that buys all later requests."""
        return f"{self.cookie_name}={self.cookie}; Path=/; HttpOnly; SameSite=Strict"

    def admits(self, token: str) -> bool:
        return secrets.compare_digest(token.encode("utf-8", "replace"), self.token.encode())

    def check_host(self, headers: Mapping[str, str]) -> None:
        """Raises RequestError if the request is for another name."""
        found = _HOST.fullmatch(headers.get("host", ""))
        if found is None or found[1].strip("[]").lower().removesuffix(".") not in self.hosts:
            raise RequestError("This server does not have that name; --allow-host gives it more.", 403)

    def check_origin(self, headers: Mapping[str, str]) -> None:
        """Raises RequestError if a page of another origin asks.

        Browsers tell by Sec-Fetch-Site, over plain HTTP to this machine alone; else Origin must be our address.
        """
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        if site is not None:
            is_own = site in _OWN_SITES
        else:
            is_own = origin is None or re.sub("^https?://", "", origin) == headers.get("host")
        if not is_own:
            raise RequestError("Pages of other origins may neither read nor change anything here.", 403)

    def check_cookie(self, headers: Mapping[str, str]) -> None:
        """Raises RequestError if the request has not our cookie."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self.cookie_name)
        except CookieError:
            found = None
        given = "" if found is None else found.value
        if not secrets.compare_digest(given.encode("utf-8", "replace"), self.cookie.encode()):
            raise RequestError("Open the address that `panparser annotate` printed: this page is of another run.", 401)


COLUMNS = ("DEP", "UPOS", "XPOS", "FEATS", "LEMMA", "MISC")
_RELATIONS = (
    "a amod b obl c case d det e cop f flat g acl h aux i iobj j conj k mark l advcl m nmod n compound o obj p punct "
    "q cc s nsubj t parataxis u nummod v advmod w ccomp y xcomp z appos"
)
_TAGS = (
    "A ADJ B ADV C CCONJ D DET E PROPN I INTJ K SCONJ M NUM N NOUN O PRON P ADP S SYM T PART U PUNCT V VERB X AUX Z X"
)
MAX_SHORTCUTS = 500
_VALUE = Kind("a text, or a list of them", lambda value: _texts(value) is not None)
_FIRST = {"deplabel": "DEP", "upos": "UPOS", "xpos": "XPOS", "feats": "FEATS"}  # of the first version


def _pairs(text: str, column: str) -> dict[str, dict[str, Any]]:
    words = text.split()
    return {key: {column: value} for key, value in zip(words[::2], words[1::2], strict=True)}


DEFAULT: dict[str, dict[str, Any]] = _pairs(_RELATIONS, "DEP") | _pairs(_TAGS, "UPOS")


def read_shortcuts(path: str | Path) -> dict[str, dict[str, Any]]:
    """The shortcuts of a file of ConlluEditor's. Raises SpecError, which names what is wrong in it."""
    values = check(read_values(path, "JSON", SpecError), TABLE, str(path), SpecError)
    if "shortcuts" in values:
        known = check(values["shortcuts"], TABLE, f"{path}: shortcuts", SpecError)
        found = {key: _columns(path, key, each) for key, each in known.items()}
    else:
        found = {}
        for name, column in _FIRST.items():
            for key, value in check(values.get(name, {}), TABLE, f"{path}: {name}", SpecError).items():
                found.setdefault(key, {}).update(_first(path, key, column, value))
    if not found or len(found) > MAX_SHORTCUTS:
        raise SpecError(f"{path}: expected 1 to {MAX_SHORTCUTS} shortcuts, found {len(found)}")
    return found


_ALL = Table({}, dict.fromkeys(COLUMNS, _VALUE))


def _columns(path: str | Path, key: str, value: Any) -> dict[str, Any]:
    check(value, _ALL, f"{path}: {key}", SpecError)
    found = {name: value[name] for name in COLUMNS if name in value}
    return {name: _texts(each) if name == "FEATS" else (_texts(each) or [""])[0] for name, each in found.items()}


def _first(path: str | Path, key: str, column: str, value: Any) -> dict[str, Any]:
    """Of the first version, where two texts for XPOS are XPOS and UPOS."""
    texts = _texts(check(value, _VALUE, f"{path}: {key}", SpecError)) or []
    if column == "FEATS":
        return {column: texts}
    return {column: texts[0]} | ({"UPOS": texts[1]} if column == "XPOS" and len(texts) > 1 else {})


def _texts(value: Any) -> list[str] | None:
    texts = [value] if isinstance(value, str) else value
    fits = isinstance(texts, list) and texts and all(isinstance(each, str) and each for each in texts)
    return texts if fits else None
