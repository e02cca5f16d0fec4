"""Drawings of trees: arcs over words, as text and as SVG."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from panparser.errors import GoldError
from panparser.trees.gold import EMPTY, Head

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by the sum of the directions in which lines leave a cell
_UNSHOWN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]")


def shown(text: str) -> str:
    """A printable text: terminal controls, bidi controls and characters not allowed in XML become U+FFFD."""
    return _UNSHOWN.sub("\ufffd", text)


def draw_arcs(forms: Sequence[str], heads: Sequence[int], below: Sequence[Sequence[str]] = ()) -> str:
    """Words on a line with their arcs above, an arrow at each dependent, and more lines (tags, labels) below.

    `heads[i]` is the index into `forms` of the head of form i, negative if it has none.
    """
    forms = [f" {form}" if cell_len(form) == 1 else form for form in map(shown, forms)]  # room for arcs on both sides
    below = [[shown(cell) for cell in row] for row in below]
    widths = [max(3, *(cell_len(row[i]) for row in (forms, *below))) for i in range(len(forms))]
    starts = [sum(widths[:i]) + 2 * i for i in range(len(forms))]
    centers = [start + max(1, cell_len(form) // 2) for start, form in zip(starts, forms, strict=True)]
    width = sum(widths) + 2 * len(widths)
    levels = _levels(heads)
    height = max(levels.values(), default=0)
    grid = [[0] * width for _ in range(height)]
    for (head, dependent), level in levels.items():
        # Arcs leave a head beside its middle and enter a dependent at its middle, so that the two are never confused.
        start = centers[head] + (1 if dependent > head else -1)
        _bend(grid, height - level, start, centers[dependent])
    rows = ["".join(_BOXES[cell] for cell in row).rstrip() for row in grid]
    feet = [" "] * width
    for (head, dependent), _ in levels.items():
        feet[centers[head] + (1 if dependent > head else -1)] = "│"
    for _, dependent in levels:
        feet[centers[dependent]] = "▼"
    if levels:
        rows.append("".join(feet).rstrip())
    for row in (forms, *below):
        cells = (text + " " * (size - cell_len(text) + 2) for text, size in zip(row, widths, strict=True))
        rows.append("".join(cells).rstrip())
    return "\n".join(rows)


def _levels(heads: Sequence[int]) -> dict[tuple[int, int], int]:
    """(head, dependent): how high the arc is drawn, above all shorter arcs that it overlaps."""
    arcs = sorted(((h, d) for d, h in enumerate(heads) if h >= 0), key=lambda arc: abs(arc[0] - arc[1]))
    levels: dict[tuple[int, int], int] = {}
    for head, dependent in arcs:
        low, high = sorted((head, dependent))
        inside = [level for (h, d), level in levels.items() if min(h, d) < high and max(h, d) > low]
        levels[head, dependent] = 1 + max(inside, default=0)
    return levels


def _bend(grid: list[list[int]], row: int, start: int, end: int) -> None:
    low, high = sorted((start, end))
    for column in range(low, high + 1):
        grid[row][column] |= (_LEFT if column > low else 0) | (_RIGHT if column < high else 0)
    for column in (low, high):
        grid[row][column] |= _DOWN
        for below in grid[row + 1 :]:
            below[column] |= _UP | _DOWN


def draw_tree(heads: Sequence[Head], root: str, forms: Sequence[str] | None = None) -> str:
    """A tree over words 1..n, Root at its end. Unknown heads have no arc; marks are listed below."""
    words = checked_forms(forms, len(heads))
    arcs = [head if isinstance(head, int) and head >= 0 else -1 for head in heads]
    drawing = draw_with_root(words, arcs, root)
    marks = [
        f"{words[i]}: {'headless' if head is EMPTY else f'head to the {head.name.lower()}'}"
        for i, head in enumerate(heads)
        if isinstance(head, int) and head < 0 and hasattr(head, "name")
    ]
    return "\n".join([drawing, *(["   ".join(marks)] if marks else [])])


def checked_forms(forms: Sequence[str] | None, count: int) -> list[str]:
    if forms is None:
        return [str(word) for word in range(1, count + 1)]
    if isinstance(forms, str) or len(forms) != count:
        raise GoldError(f"forms of a drawing must be {count} words; got {forms!r}")
    return [shown(" ".join(form.split())) for form in forms]


def draw_with_root(words: list[str], heads: Sequence[int], root: str) -> str:
    if root == "first":
        return draw_arcs(["ROOT", *words], [-1, *heads])
    last = len(words)
    return draw_arcs([*words, "ROOT"], [*(last if head == 0 else head - 1 for head in heads), -1])


# --- SVG, for notebooks and pages ---

_STEP, _BASE = 26, 14  # height of a level, and of the part below the arcs
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
    arcs = _levels([head - 1 if head > 0 else -1 for head in heads])
    columns = [max(map(_width, cells)) + 22 for cells in zip(forms, labels, tags, strict=True)]
    centers = [sum(columns[:i]) + columns[i] / 2 for i in range(len(forms))]
    height = max([*arcs.values(), 1]) * _STEP + _BASE + 22
    lines = []
    for word, head in enumerate(heads):
        if head == 0:
            lines.append(_svg_arrow(centers[word], centers[word], _BASE, height, labels[word]))
        elif head > 0:
            shift = 7 if head - 1 < word else -7  # arcs leave beside the middle and arrive at it
            top = height - arcs[head - 1, word] * _STEP - _BASE
            lines.append(_svg_arrow(centers[head - 1] + shift, centers[word], top, height, labels[word]))
    for center, form, tag in zip(centers, forms, tags, strict=True):
        lines.append(f'<text x="{center:.0f}" y="{height + 18}" font-weight="600">{html.escape(form)}</text>')
        if tag not in ("", "_"):
            text = html.escape(tag)
            lines.append(f'<text x="{center:.0f}" y="{height + 34}" font-size="11" opacity=".65">{text}</text>')
    return Svg(round(sum(columns)), height + 42, "".join(lines))


def _width(text: str) -> float:
    """An upper bound of the width of a text; fonts differ."""
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
