"""Page: a self-contained HTML file of styles, scripts and data, which opens from a disk and fetches nothing."""

from __future__ import annotations

import hashlib
import html
import json
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

ASSETS = files("panparser.pages") / "assets"
_UNSAFE = {ord(char): f"\\u{ord(char):04x}" for char in "<>&\u2028\u2029"}  # in a script element
_LONG = 90  # characters of a title: beyond that, it is smaller
_STYLES, _SCRIPTS = ("theme.css", "tree.css"), ("elements.js", "theme.js", "tree.js")  # of every page


def data_text(values: object) -> str:
    """Values as JSON that is safe inside a script element, whatever texts they hold."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).translate(_UNSAFE)
    return text.encode("utf-8", "replace").decode("utf-8")


@dataclass(frozen=True)
class Page:
    """A page: `own` names its style and script in `folder`, beside those that all pages share.

    The scripts share one scope; they find the data in `data`. `skip` is the section that a first link leads to.
    The policy of the page allows its own script and style, by their hashes, and nothing else.
    """

    title: str
    own: str
    data: Any  # values, or `data_text` of them
    body: str = ""
    skip: tuple[str, ...] = ()
    folder: Traversable = field(default=ASSETS)

    def __str__(self) -> str:
        style = "\n" + "".join([*map(_shared, _STYLES), _read(self.folder, f"{self.own}.css")])
        code = "".join([*map(_shared, _SCRIPTS), _read(self.folder, f"{self.own}.js")])
        script = f'\n"use strict";\n(() => {{\n{code}}})();\n'
        policy = f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'"
        title, size = html.escape(self.title), ' class="long"' if len(self.title) > _LONG else ""
        data = self.data if isinstance(self.data, str) else data_text(self.data)
        return (
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">\n'
            f"<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n{_skip(self.skip)}"
            f'<header><h1 dir="auto"{size}>{title}</h1><button id="theme" type="button">Theme: auto</button></header>\n'
            f"<main>\n{self.body}{_skeleton(self.folder, self.own)}</main>\n"
            f'<script type="application/json" id="data">{data}</script>\n<script>{script}</script>\n</body>\n</html>\n'
        )


def _read(folder: Traversable, name: str) -> str:
    return (folder / name).read_text(encoding="utf-8")


def _shared(name: str) -> str:
    return _read(ASSETS, name)


def _skeleton(folder: Traversable, own: str) -> str:
    """The elements that the script of a page fills, if it has any."""
    place = folder / f"{own}.html"
    return place.read_text(encoding="utf-8") if place.is_file() else ""


def _skip(sections: Sequence[str]) -> str:
    return "".join(f'<a class="skip" href="#{name}">Skip to the {name.replace("-", " ")}</a>\n' for name in sections)


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
