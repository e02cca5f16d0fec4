"""Site: pages, modules and styles that a server sends, from a fixed table: no request names a file."""

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
    """A text that is sent as it is, and may do nothing but what the policy of pages allows."""

    kind: str
    text: str

    @cached_property
    def content(self) -> bytes:
        return self.text.encode()

    @cached_property
    def tag(self) -> str:
        return f'"{hashlib.sha256(self.content).hexdigest()[:24]}"'

    def answer(self, known: str | None = None) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and content, for a client that has what it calls `known` (its `If-None-Match`)."""
        headers = {**_HEADERS, "ETag": self.tag}
        if known is not None and self.tag in (each.strip().removeprefix("W/") for each in known.split(",")):
            return 304, headers, b""
        return 200, {**headers, "Content-Type": f"{self.kind}; charset=utf-8"}, self.content


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
