"""Drawings of trees: arcs over words, as text and as SVG."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from rich.cells import cell_len

from panparser.base.types import ByteArray, IntArray
from panparser.errors import GoldError
from panparser.trees.gold import NO_HEAD, Head

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_CELLS = " ╵╷│╴┘┐┤╶└┌├─┴┬┼▼"  # by the sum of the directions in which lines leave a cell; then the arrow
_ARROW = len(_CELLS) - 1
_MAX_CELLS = 20_000_000  # of arcs as text
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")


def shown(text: str) -> str:
    """A printable text: terminal controls, bidi controls and characters not allowed in XML become U+FFFD."""
    return _UNSHOWN.sub("\ufffd", text)


def draw_arcs(forms: Sequence[str], heads: Sequence[int], below: Sequence[Sequence[str]] = ()) -> str:
    """Words on a line with their arcs above, an arrow at each dependent, and more lines (tags, labels) below.

    `heads[i]` is the index into `forms` of the head of form i, negative if it has none. Where the arcs would fill more
    than `_MAX_CELLS` characters, a line says so in their place.
    """
    forms = [f" {form}" if cell_len(form) == 1 else form for form in map(shown, forms)]  # room for arcs on both sides
    below = [[shown(cell) for cell in row] for row in below]
    widths = [max(3, *(cell_len(row[i]) for row in (forms, *below))) for i in range(len(forms))]
    *starts, width = accumulate((size + 2 for size in widths), initial=0)
    centers = [start + max(1, cell_len(form) // 2) for start, form in zip(starts, forms, strict=True)]
    rows = _arc_rows(heads, centers, width)
    for row in (forms, *below):
        cells = (text + " " * (size - cell_len(text) + 2) for text, size in zip(row, widths, strict=True))
        rows.append("".join(cells).rstrip())
    return "\n".join(rows)


def _arc_rows(heads: Sequence[int], centers: Sequence[int], width: int) -> list[str]:
    """The lines above the words, the highest arcs first; the last line has arrows."""
    levels, _ = _levels(heads)
    height = max(levels, default=0)
    if not height:
        return []
    if height * width > _MAX_CELLS:
        return [f"(too large to draw: arcs {height:,} lines high over {width:,} columns)"]
    grid = np.zeros((height + 1, width), dtype=np.uint8)
    arcs = [(head, dependent) for dependent, head in enumerate(heads) if head >= 0]
    # Arcs leave a head beside its middle and enter a dependent at its middle, so that the two are never confused.
    feet = [centers[head] + (1 if dependent > head else -1) for head, dependent in arcs]
    for (_, dependent), foot in zip(arcs, feet, strict=True):
        _bend(grid, height - levels[dependent], foot, centers[dependent])
    grid[-1] = 0
    grid[-1, feet] = _UP | _DOWN
    grid[-1, [centers[dependent] for _, dependent in arcs]] = _ARROW
    cells = np.array(list(_CELLS))
    return [str(cells[row].view(f"U{width}")[0]).rstrip() for row in grid]


def _levels(heads: Sequence[int]) -> tuple[list[int], IntArray]:
    """How high the arc of each word is drawn, above all shorter arcs that it overlaps, and how high arcs are at all.

    `heads[i]` is the index of the head of word i; without one (negative) its level is 0. The array has the highest arc
    before each word and, in the end, after the last.
    """
    levels, gaps = [0] * len(heads), np.zeros(len(heads) + 1, dtype=np.int32)
    words = (word for word, head in enumerate(heads) if head >= 0)
    for word in sorted(words, key=lambda word: abs(heads[word] - word)):
        low, high = sorted((heads[word], word))
        over = gaps[low + 1 : high + 1]
        levels[word] = int(over.max(initial=0)) + 1
        over[:] = levels[word]
    return levels, gaps


def _bend(grid: ByteArray, row: int, start: int, end: int) -> None:
    low, high = sorted((start, end))
    grid[row, low:high] |= _RIGHT
    grid[row, low + 1 : high + 1] |= _LEFT
    for column in (low, high):
        grid[row, column] |= _DOWN
        grid[row + 1 :, column] |= _UP | _DOWN


def draw_tree(heads: Sequence[Head], root: str, forms: Sequence[str] | None = None) -> str:
    """A tree over words 1..n, Root at its end. Unknown heads have no arc; marks are listed below."""
    words = checked_forms(forms, len(heads))
    arcs = [head if isinstance(head, int) and head >= 0 else -1 for head in heads]
    drawing = draw_with_root(words, arcs, root)
    marks = [
        f"{words[i]}: {'headless' if head is NO_HEAD else f'head to the {head.name.lower()}'}"
        for i, head in enumerate(heads)
        if isinstance(head, int) and head < 0 and hasattr(head, "name")
    ]
    return "\n".join([drawing, *(["   ".join(marks)] if marks else [])])


def checked_forms(forms: Sequence[str] | None, count: int) -> list[str]:
    if forms is None:
        return [str(word) for word in range(1, count + 1)]
    if isinstance(forms, str) or len(forms) != count:
        raise GoldError(f"draw: forms must be {count} words; got {forms!r}")
    return [shown(" ".join(form.split())) for form in forms]


def draw_with_root(words: list[str], heads: Sequence[int], root: str) -> str:
    if root == "first":
        return draw_arcs(["ROOT", *words], [-1, *heads])
    if root == "none":
        drawing = draw_arcs(words, [head - 1 if head > 0 else -1 for head in heads])
        roots = [f"{word}: root" for word, head in zip(words, heads, strict=True) if head == 0]
        return "\n".join([drawing, *(["   ".join(roots)] if roots else [])])
    last = len(words)
    return draw_arcs([*words, "ROOT"], [*(last if head == 0 else head - 1 for head in heads), -1])


# --- SVG ---

_STEP, _BASE = 26, 14  # height of a level, and of the part below the arcs
_BESIDE = 7  # arcs leave this far beside the middle of a word and arrive at it
_SMALL = 0.8  # the width of tags and labels, to that of words
_WIDE, _CAPITAL, _USUAL = 14.5, 11.5, 8.5  # widths of bold characters; generous, since fonts differ


@dataclass(frozen=True)
class Svg:
    """A drawing with its size, in pixels; as text, it is one SVG element."""

    width: int
    height: int
    content: str

    def element(self, top: int | None = None) -> str:
        """The element; with `top`, as a part of a larger drawing, this far down."""
        place = "" if top is None else f'y="{top}" '
        return (
            f'<svg {place}xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}" '
            f'viewBox="0 0 {self.width} {self.height}" font-family="system-ui, sans-serif" font-size="14" '
            f'text-anchor="middle" fill="currentColor" role="img">{self.content}</svg>'
        )

    def __str__(self) -> str:
        return self.element()


def svg_tree(
    forms: Sequence[str], heads: Sequence[int], labels: Sequence[str] | None = None, tags: Sequence[str] | None = None
) -> Svg:
    """A tree as one SVG element: heads of words 1..n (0 is Root, drawn as an arrow from above; negative is none)."""
    nothing = [""] * len(forms)
    forms, labels, tags = ([shown(cell) for cell in cells] for cells in (forms, labels or nothing, tags or nothing))
    levels = _levels_with_root(heads)
    centers, width = _svg_centers(forms, heads, labels, tags)
    height = max([*levels, 1]) * _STEP + _BASE + 22
    lines = []
    for word, head in enumerate(heads):
        top = height - levels[word] * _STEP - _BASE
        if head == 0:
            lines.append(_svg_arrow(centers[word], centers[word], top, height, labels[word]))
        elif head > 0:
            shift = _BESIDE if head - 1 < word else -_BESIDE
            lines.append(_svg_arrow(centers[head - 1] + shift, centers[word], top, height, labels[word]))
    for center, form, tag in zip(centers, forms, tags, strict=True):
        lines.append(f'<text x="{center:.0f}" y="{height + 18}" font-weight="600">{html.escape(form)}</text>')
        if tag not in ("", "_"):
            text = html.escape(tag)
            lines.append(f'<text x="{center:.0f}" y="{height + 34}" font-size="11" opacity=".65">{text}</text>')
    return Svg(round(width), height + 42, "".join(lines))


def _levels_with_root(heads: Sequence[int]) -> list[int]:
    """The levels of the arcs of words 1..n; Root's begin above all that leave, enter or pass over their words."""
    levels, gaps = _levels([head - 1 if head > 0 else -1 for head in heads])
    for word, head in enumerate(heads):
        if head == 0:
            levels[word] = int(gaps[word : word + 2].max()) + 1
    return levels


def _svg_centers(
    forms: Sequence[str], heads: Sequence[int], labels: Sequence[str], tags: Sequence[str]
) -> tuple[list[float], float]:
    """The middle of each word, so that every text has its place and every label fits on its arc; and the width."""
    arcs: list[list[tuple[int, float]]] = [[] for _ in forms]  # by the right end: the left end, the room for the label
    columns = []
    for word, (form, head, label, tag) in enumerate(zip(forms, heads, labels, tags, strict=True)):
        room = text_width(label) * _SMALL
        columns.append(max(text_width(form), text_width(tag) * _SMALL, room if head == 0 else 0) + 22)
        if head > 0:
            low, high = sorted((head - 1, word))
            arcs[high].append((low, room + 2 * _BESIDE))
    centers: list[float] = []
    for word, column in enumerate(columns):
        usual = centers[-1] + (columns[word - 1] + column) / 2 if word else column / 2
        centers.append(max([usual, *(centers[low] + room for low, room in arcs[word] if low < word)]))
    return centers, centers[-1] + columns[-1] / 2 if centers else 0.0


def text_width(text: str) -> float:
    """An upper bound of the width of a bold text of 14 pixels; fonts differ."""
    return sum(
        _WIDE if char in "WMmw@%—…" else _CAPITAL if char.isupper() else _USUAL * cell_len(char) for char in text
    )


def _svg_arrow(start: float, end: float, top: float, foot: float, label: str) -> str:
    """An arc from `start` over `top` down to `end`, or, if the two are one, an arrow straight down (Root's)."""
    if start == end:
        path, text_at = f"M{end:.0f},{top:.0f} V{foot - 4:.0f}", (end, top - 4)
    else:
        bend = min(10.0, abs(end - start) / 2) * (1 if end > start else -1)
        path = (
            f"M{start:.0f},{foot} V{top + 10:.0f} Q{start:.0f},{top:.0f} {start + bend:.0f},{top:.0f} "
            f"H{end - bend:.0f} Q{end:.0f},{top:.0f} {end:.0f},{top + 10:.0f} V{foot - 4}"
        )
        text_at = ((start + end) / 2, top - 4)
    arrow = f"M{end - 4:.0f},{foot - 7:.0f} L{end:.0f},{foot:.0f} L{end + 4:.0f},{foot - 7:.0f} Z"
    text = (
        f'<text x="{text_at[0]:.0f}" y="{text_at[1]:.0f}" font-size="11">{html.escape(label)}</text>' if label else ""
    )
    return f'<path d="{path}" fill="none" stroke="currentColor" opacity=".55"/><path d="{arrow}" opacity=".7"/>{text}'
