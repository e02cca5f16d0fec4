"""Draws docs/images/rooms.svg: the rooms of the package and the folders of the engine, each above what it uses.

    python tools/draw_rooms.py

The order is that of the contracts: `layers` in pyproject.toml, and FOLDERS of check_includes.py.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from check_includes import FOLDERS

ROOT = Path(__file__).parents[1]
ROOMS = {
    "cli": "the commands",
    "server": "models over HTTP, as UDPipe",
    "annotation": "treebanks by a person and a parser",
    "analysis": "where a parser is wrong",
    "grid": "many runs, one table",
    "recipes": "everything that makes a model, in one file",
    "transfer": "parsers for languages with little data",
    "experiments": "seeds, folds, curves",
    "neural": "networks learn, with torch",
    "corpora": "many files, shared",
    "formats": "formats of UDPipe, read and written",
    "pipeline": "raw text to trees in one model",
    "ensembles": "votes, combined trees, cascades",
    "parsing": "search, models, constraints",
    "text": "tokens and lemmas",
    "sequences": "a class for each item: taggers",
    "networks": "neural classifiers, with numpy",
    "learning": "strategies, epochs, folds, listeners",
    "work": "processes that share calls; keys of results",
    "features": "templates and embeddings",
    "systems": "tables, oracles, proofs",
    "evaluation": "scores",
    "treebank": "CoNLL-U, read and written",
    "pages": "HTML: theme, trees",
    "trees": "gold, projectivity, decoding",
    "storage": "files and named arrays",
}
ENGINE = {
    "python": "the bindings",
    "learning": "strategies, run",
    "sequences": "items and classes",
    "search": "beams, scores",
    "weights": "perceptron, models",
    "features": "templates, hashed",
    "systems": "states, tables, costs",
    "treebank": "CoNLL-U",
    "trees": "Eisner, Edmonds",
    "text": "characters, ends of tokens",
    "base": "memory, threads",
}
TOP, ROW, GAP = 50, 31, 6
LEFT, WIDE, SECOND = 30, 470, 200  # rooms: where they begin, how wide they are, and the second of two in a row
ENGINE_LEFT, ENGINE_WIDE = 560, 270
DARK, LIGHT = "#12312e", "#3d5553"
GREEN, YELLOW = ("#e0f2ef", "#5a9c94"), ("#fdf0dc", "#c9974a")


def box(place: tuple[float, float, float, float], colors: tuple[str, str], name: str, words: str) -> list[str]:
    left, top, width, height = place
    middle = top + height / 2
    return [
        f'<rect x="{left:g}" y="{top:g}" width="{width:g}" height="{height:g}" rx="5" '
        f'fill="{colors[0]}" stroke="{colors[1]}"/>',
        f'<text x="{left + 12:g}" y="{middle + 4.5:g}" font-size="13" font-weight="bold" fill="{DARK}">{name}</text>',
        f'<text x="{left + width - 12:g}" y="{middle + 4:g}" font-size="11" text-anchor="end" '
        f'fill="{LIGHT}">{words}</text>',
    ]


def rooms(layers: list[str]) -> list[str]:
    lines = []
    for row, layer in enumerate(layers):
        names = sorted(layer.split(" | "), key=lambda name: -len(ROOMS[name]))  # the one with more words has more room
        top = TOP + row * (ROW + GAP)
        if len(names) == 1:
            lines += box((LEFT, top, WIDE, ROW), GREEN, names[0], ROOMS[names[0]])
            continue
        first, second = names
        lines += box((LEFT, top, WIDE - SECOND - 8, ROW), GREEN, first, ROOMS[first])
        lines += box((LEFT + WIDE - SECOND, top, SECOND, ROW), GREEN, second, ROOMS[second])
    return lines


def drawing() -> str:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = settings["contracts"][0]["layers"]
    height = len(layers) * (ROW + GAP) - GAP
    end, share = TOP + height, (height + GAP) / len(FOLDERS)
    whole = end + 38
    says = "A room imports only rooms below it, a folder of the engine includes only those below it. Both are checked."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {whole}" width="860" height="{whole}" '
        'font-family="DejaVu Sans, Verdana, sans-serif">',
        "<title>The rooms of panparser: each imports only rooms below it; Python says what, the engine runs it</title>",
        f'<rect width="860" height="{whole}" rx="10" fill="#ffffff" stroke="#b8c4c2"/>',
        f'<text x="30" y="34" font-size="15" font-weight="bold" fill="{DARK}">src/panparser: Python says what</text>',
        f'<text x="560" y="34" font-size="15" font-weight="bold" fill="{DARK}">engine: C++ runs it</text>',
        *rooms(layers),
    ]
    for number, name in enumerate(reversed(FOLDERS)):
        place = (ENGINE_LEFT, round(TOP + number * share, 1), ENGINE_WIDE, round(share - GAP, 1))
        lines += box(place, YELLOW, name, ENGINE[name])
    lines += [
        f'<path d="M530 {TOP + 8} L530 {end - 6} M524 {end - 16} L530 {end - 4} L536 {end - 16}" fill="none" '
        f'stroke="{LIGHT}" stroke-width="1.5"/>',
        f'<text x="30" y="{end + 26}" font-size="12" fill="{LIGHT}">{says}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "images" / "rooms.svg").write_text(drawing(), encoding="utf-8")
