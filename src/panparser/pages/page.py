"""Pages: HTML in one file or live, and the fixed table of a server's resources."""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import PurePath
from typing import Any

from panparser.base.caching import cached_property

ASSETS = files("panparser.pages") / "assets"
_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}  # in a script element
MAX_TITLE_CHARACTERS = 90  # in the normal size
_STYLES = ("theme.css", "tree.css")  # of every page
_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\./([\w-]+\.js)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=const |let |function |async )", re.MULTILINE)


def data_text(values: object) -> str:
    """Values as JSON that is safe inside a script element, whatever texts they hold."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Page:
    """A page in one file: `name` is that of its style and script in `folder`, used with those that all pages share.

    It opens from a disk and fetches nothing. Scripts find the data in `data`. `skip_targets`: sections that the first
    links lead to. The policy of the page allows its own script and style, by their hashes, and nothing else.
    """

    title: str
    name: str
    data: Any  # values, or `data_text` of them
    body: str = ""
    skip_targets: tuple[str, ...] = ()
    folder: Traversable = field(default=ASSETS)

    def __str__(self) -> str:
        style = "\n" + "".join(read(name, self.folder) for name in (*_STYLES, f"{self.name}.css"))
        code = "".join(_without_imports(read(name, self.folder)) for name in modules(f"{self.name}.js", self.folder))
        script = f'\n"use strict";\n(() => {{\n{code}}})();\n'
        policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
        data = self.data if isinstance(self.data, str) else data_text(self.data)
        head = (
            f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">\n'
            f"<title>{html.escape(self.title)}</title>\n<style>{style}</style>\n"
        )
        end = f'<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n'
        return _document(self.title, head, self.skip_targets, self.body + _skeleton(self.name, self.folder), end)


@dataclass(frozen=True)
class LivePage:
    """A page that a server sends, with what it is made of beside it in `assets/`; see `site`.

    `name` is that of its style, its script and the elements that the script fills; `includes` names pages whose styles
    and elements it has, too.
    """

    title: str
    name: str
    includes: tuple[str, ...] = ()
    skip_targets: tuple[str, ...] = ()
    folder: Traversable = field(default=ASSETS)

    @property
    def parts(self) -> list[str]:
        """The names of its styles and modules."""
        return [*_STYLES, *(f"{name}.css" for name in (*self.includes, self.name)), *self._modules]

    @property
    def _modules(self) -> list[str]:
        return modules(f"{self.name}.js", self.folder)

    def __str__(self) -> str:
        styles = (f'<link rel="stylesheet" href="assets/{name}">\n' for name in self.parts if name.endswith(".css"))
        early = (f'<link rel="modulepreload" href="assets/{name}">\n' for name in self._modules)
        head = f"<title>{html.escape(self.title)}</title>\n" + '<link rel="icon" href="data:,">\n'
        end = f'<script type="module" src="assets/{self.name}.js"></script>\n'
        skeleton = "".join(_skeleton(name, self.folder) for name in (self.name, *self.includes))
        return _document(self.title, head + "".join([*styles, *early]), self.skip_targets, skeleton, end)


def read(name: str, folder: Traversable) -> str:
    """The text of an asset of a page's own, or of one that all pages share."""
    own = folder / name
    return (own if own.is_file() else ASSETS / name).read_text(encoding="utf-8")


def modules(name: str, folder: Traversable) -> list[str]:
    """A script and all that it imports, each after what it imports itself."""
    found: list[str] = []

    def add(own: str, above: tuple[str, ...]) -> None:
        for other in _IMPORT.findall(read(own, folder)):
            if other not in above:
                add(other, (*above, own))
        if own not in found:
            found.append(own)

    add(name, ())
    return found


def _without_imports(code: str) -> str:
    return _EXPORT.sub("", _IMPORT.sub("", code))


def _document(title: str, head: str, skip: Sequence[str], main: str, end: str) -> str:
    size = ' class="long"' if len(title) > MAX_TITLE_CHARACTERS else ""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n{head}</head>\n<body>\n{_skip(skip)}'
        f'<header><h1 dir="auto"{size}>{html.escape(title)}</h1>'
        '<button id="theme" type="button">Theme: auto</button></header>\n'
        f"<main>\n{main}</main>\n{end}</body>\n</html>\n"
    )


def _skeleton(own: str, folder: Traversable) -> str:
    """The elements that the script of a page fills, if it has any."""
    place = folder / f"{own}.html"
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def _skip(sections: Sequence[str]) -> str:
    return "".join(f'<a class="skip" href="#{name}">Skip to the {name.replace("-", " ")}</a>\n' for name in sections)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


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
