"""Who may ask: whoever has the token of the start, from pages of this server alone, under names of this machine.

The token is in the address that the command prints, and buys a cookie. Other pages of the browser have neither: what
they send is refused; so are names that point here without being ours (DNS rebinding).
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie

from panparser.server.refusals import RequestError

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
