"""HTML pages of styles, scripts and data: complete in one file, or live from a server.

Scripts are ES modules in one flat folder, or in that of a page and the one that all pages share. A server sends them as
they are; in a file, which may not import, they stand one after the other in one scope.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

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
