"""Static resources of a server (pages, modules, styles) in a fixed table: requests never name files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePath

from panparser.base.caching import cached_property
from panparser.pages.page import LivePage, read

_KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css"}
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",  # kept, and asked for again by its tag: a new version shows at once
}


@dataclass(frozen=True)
class Resource:
    """A static text resource, served under the content security policy."""

    content_type: str
    text: str

    @cached_property
    def content(self) -> bytes:
        return self.text.encode()

    @cached_property
    def etag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:24]}"'

    def respond(self, if_none_match: str | None = None) -> tuple[int, dict[str, str], bytes]:
        """Return status, headers and content, for a client that sent this `If-None-Match`."""
        headers = {**_HEADERS, "ETag": self.etag}
        if if_none_match is not None and self.etag in (
            each.strip().removeprefix("W/") for each in if_none_match.split(",")
        ):
            return 304, headers, b""
        return 200, {**headers, "Content-Type": f"{self.content_type}; charset=utf-8"}, self.content


def site(pages: Mapping[str, LivePage]) -> dict[str, Resource]:
    """What is at each path: the pages, and under `/assets/` what they are made of.

    Pages are beside `assets`, at `/` or `/NAME`, since they name their parts relative to themselves, so that they also
    work below some path of a proxy.
    """
    found = {path: Resource(_KINDS[".html"], str(page)) for path, page in pages.items()}
    for page in pages.values():
        for name in page.parts:
            found[f"/assets/{name}"] = Resource(_KINDS[PurePath(name).suffix], read(name, page.folder))
    return found
