"""Output formats of annotated text: CoNLL-U, drawings for a terminal, JSON, JSON lines, SVG, HTML.

`render` makes one text for each sentence, and is thread-safe; `join` makes a file of them.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from typing import Literal, get_args

from panparser.errors import SpecError
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.drawing import Svg, shown

OutputFormat = Literal["conllu", "tree", "json", "jsonl", "svg", "html"]
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
    draw = {"tree": _tree, "json": Sentence.to_json, "jsonl": _json_line, "html": _figure}[format]
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


def _json_line(sentence: Sentence) -> str:
    return f"{sentence.to_json()}\n"


def _figure(sentence: Sentence) -> str:
    text = html.escape(shown(sentence.text or " ".join(sentence.forms)))
    return f"<figure><figcaption dir=auto>{text}</figcaption>\n{sentence.to_svg()}</figure>\n"


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
