"""Draws docs/images/packages.svg: the packages and the folders of the engine, each above what it uses.

    python tools/draw_packages.py

The order is that of the contracts: `layers` in pyproject.toml, and FOLDERS of check_includes.py.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from check_includes import FOLDERS

ROOT = Path(__file__).parents[1]
PACKAGES = {
    "annotate": "treebanks by a person and a parser",
    "serve": "models over HTTP, as UDPipe",
    "transfer": "languages with few trees",
    "lab": "grids, curves, errors",
    "inspection": "why an action was taken, step by step",
    "proofs": "tables proven",
    "neural": "torch trains",
    "pages": "HTML",
    "cli": "commands, help, terminal",
    "corpora": "many files, several processes",
    "recipes": "everything that determines a model, in one file",
    "pipeline": "raw text to trees in one model",
    "ensembles": "votes, combined trees, cascades",
    "training": "runs that train parsers",
    "parsing": "parsers, states, constraints, confidence",
    "text": "tokens and lemmas",
    "tagging": "sequence models, taggers",
    "networks": "neural classifiers, with numpy",
    "batches": "classifiers and states of many sentences",
    "learning": "options, strategies, epochs, listeners",
    "work": "worker processes, keys of results",
    "features": "templates and word vectors",
    "evaluation": "scores and tests",
    "systems": "tables, states, oracles",
    "validation": "rules of CoNLL-U",
    "treebank": "CoNLL-U, read and written",
    "trees": "gold trees, projectivity, decoding",
    "storage": "files and named arrays",
    "base": "checks, kinds of values, threads",
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
FIRST_OF_THE_CORE = "cli"
TOP, ROW, GAP = 50, 29, 5
LEFT, WIDTH = 30, 470
ENGINE_LEFT, ENGINE_WIDTH = 560, 270
DARK, LIGHT = "#12312e", "#3d5553"
GREEN, BLUE, YELLOW = ("#e0f2ef", "#5a9c94"), ("#e4ecf9", "#6f8fc4"), ("#fdf0dc", "#c9974a")


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


def packages(layers: list[str]) -> list[str]:
    lines, colors = [], BLUE
    for row, layer in enumerate(layers):
        names = layer.split(" | ")
        if names[0] == FIRST_OF_THE_CORE:
            colors = GREEN
        letters = [len(name) * 1.4 + len(PACKAGES[name]) + 4 for name in names]
        left, top = float(LEFT), TOP + row * (ROW + GAP)
        for name, size in zip(names, letters, strict=True):
            width = (WIDTH - 8 * (len(names) - 1)) * size / sum(letters)
            lines += box((round(left, 1), top, round(width, 1), ROW), colors, name, PACKAGES[name])
            left += width + 8
    return lines


def drawing() -> str:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    layers = settings["contracts"][0]["layers"]
    height = len(layers) * (ROW + GAP) - GAP
    end, share = TOP + height, (height + GAP) / len(FOLDERS)
    whole = end + 38
    caption = "Blue: families. Green: the core, which imports no family. A package imports only packages below it."
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 {whole}" width="860" height="{whole}" '
        'font-family="DejaVu Sans, Verdana, sans-serif">',
        "<title>The packages of panparser, each above those that it imports; the engine runs what they declare</title>",
        f'<rect width="860" height="{whole}" rx="10" fill="#ffffff" stroke="#b8c4c2"/>',
        f'<text x="30" y="34" font-size="15" font-weight="bold" fill="{DARK}">src/panparser: Python says what</text>',
        f'<text x="560" y="34" font-size="15" font-weight="bold" fill="{DARK}">engine: C++ runs it</text>',
        *packages(layers),
    ]
    for number, name in enumerate(reversed(FOLDERS)):
        place = (ENGINE_LEFT, round(TOP + number * share, 1), ENGINE_WIDTH, round(share - GAP, 1))
        lines += box(place, YELLOW, name, ENGINE[name])
    lines += [
        f'<path d="M530 {TOP + 8} L530 {end - 6} M524 {end - 16} L530 {end - 4} L536 {end - 16}" fill="none" '
        f'stroke="{LIGHT}" stroke-width="1.5"/>',
        f'<text x="30" y="{end + 26}" font-size="12" fill="{LIGHT}">{caption}</text>',
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (ROOT / "docs" / "images" / "packages.svg").write_text(drawing(), encoding="utf-8")
