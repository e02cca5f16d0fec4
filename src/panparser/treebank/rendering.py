"""Output formats of annotated text: CoNLL-U, drawings for a terminal, JSON, SVG, HTML.

`render` makes one text for each sentence, and is thread-safe; `join` makes a file of them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Literal, get_args

from panparser.errors import SpecError
from panparser.treebank.sentence import Sentence, Token
from panparser.treebank.treebank import Treebank
from panparser.trees.drawing import Svg, shown

OutputFormat = Literal["conllu", "tree", "json", "svg", "html"]
Rendered = bytes | Svg  # drawings keep their sizes until they are joined
_GAP = 24  # pixels between drawings in one SVG
_PAGE = """<!doctype html>
<html lang="mul">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trees</title>
<style>
:root { color-scheme: light dark; }
body { font-family: system-ui, sans-serif; margin: 2rem; }
figure { margin: 0 0 2.5rem; overflow-x: auto; }
figcaption { opacity: .7; margin-bottom: .5rem; }
</style>
</head>
<body>
"""


def render(treebank: Treebank, format: OutputFormat) -> list[Rendered]:
    """The sentences of a treebank, each as text or drawing; those of CoNLL-U in one piece."""
    if format not in get_args(OutputFormat):
        raise SpecError(f"expected one of {', '.join(get_args(OutputFormat))}; got {format!r}")
    if format == "conllu":
        return [treebank.to_bytes()]
    if format == "svg":
        return [sentence.svg for sentence in treebank]
    draw = {"tree": _tree, "json": _json, "html": _figure}[format]
    return [draw(sentence).encode("utf-8", "replace") for sentence in treebank]


def join(format: OutputFormat, pieces: Iterable[list[Rendered]]) -> Iterator[bytes]:
    """A file of rendered sentences, piece by piece; an SVG comes as a whole, since it begins with its size."""
    if format == "svg":
        yield _stacked([each for piece in pieces for each in piece if isinstance(each, Svg)])
        return
    texts = ([each for each in piece if isinstance(each, bytes)] for piece in pieces)
    if format == "json":
        yield from _array(texts)
    else:
        if format == "html":
            yield _PAGE.encode()
        for piece in texts:
            yield b"".join(piece)
        if format == "html":
            yield b"</body>\n</html>\n"


def _tree(sentence: Sentence) -> str:
    return f"{sentence.draw()}\n\n"


def _figure(sentence: Sentence) -> str:
    text = html.escape(shown(sentence.text or " ".join(sentence.forms)))
    return f"<figure><figcaption dir=auto>{text}</figcaption>\n{sentence.to_svg()}</figure>\n"


def _json(sentence: Sentence) -> str:
    values: dict[str, Any] = {"sent_id": sentence.sent_id, "text": sentence.text}
    if others := {name: text for name, text in sentence.metadata.items() if name not in values}:
        values["comments"] = others
    ranges = sentence.multiword_tokens
    places = {word: _place(each.misc) for each in ranges for word in range(each.first, each.last + 1)}
    values["tokens"] = [_token(token) | places.get(token.id, {}) for token in sentence]
    if ranges:
        values["multiword_tokens"] = [
            {"first": each.first, "last": each.last, "form": each.form, **_place(each.misc)} for each in ranges
        ]
    return json.dumps(values, ensure_ascii=False)


def _token(token: Token) -> dict[str, Any]:
    cells = {"form": token.form, "lemma": token.lemma, "upos": token.upos, "xpos": token.xpos}
    cells = {name: None if text == "_" and name != "form" else text for name, text in cells.items()}
    label = None if token.label == "_" else token.label
    deps = None if token.deps == "_" else token.deps
    tree = {"head": token.head, "deprel": label, "deps": deps, "misc": token.misc_values}
    return {"id": token.id, **cells, "feats": token.features, **tree, **_place(token.misc)}


def _place(misc: str) -> dict[str, int]:
    """Where a token starts and ends in the text, if it is annotated."""
    found = re.search(r"(?:^|\|)TokenRange=(\d+):(\d+)(?:\||$)", misc)
    return {"start": int(found[1]), "end": int(found[2])} if found else {}


def _array(pieces: Iterable[list[bytes]]) -> Iterator[bytes]:
    """One JSON array, with a line for each sentence."""
    before = b"[\n"
    for piece in pieces:
        for text in piece:
            yield before + text
            before = b",\n"
    yield b"\n]\n" if before == b",\n" else b"[]\n"


def _stacked(drawings: list[Svg]) -> bytes:
    """Drawings below each other in one SVG."""
    width = max((drawing.width for drawing in drawings), default=0)
    inner, top = [], 0
    for drawing in drawings:
        inner.append(drawing.element(top))
        top += drawing.height + _GAP
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{top}">', *inner, "</svg>\n"]
    return "\n".join(lines).encode("utf-8", "replace")
