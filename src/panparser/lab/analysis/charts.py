"""Charts as SVG."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
import numpy.typing as npt

from panparser.base.types import FloatArray
from panparser.trees.drawing import text_width

_WIDTH, _HEIGHT = 460, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 38, 12, 12, 46
_ROW, _CELL = 22, 33  # height and width of a cell of a heat map
_OVERHANG = 60  # of the slanted name of the last column of a heat map
MAX_SLANTED_NAME_LENGTH = 44  # how long a slanted name below a chart can be
_VALUE_WIDTH = 36  # of a number in a bar, with the space around it
WHITE_TEXT_THRESHOLD = (
    0.8  # cells from where on white is better read than black: the colors of the theme are made for it
)
_MARKS = ("circle", "square", "triangle")  # of series, which must differ by more than color


@dataclass(frozen=True)
class Series:
    """A line of a chart: values in percent, NaN if missing, and their intervals."""

    name: str
    values: FloatArray
    low: FloatArray
    high: FloatArray


def line_chart(title: str, names: Sequence[str], sizes: Sequence[int], series: Sequence[Series]) -> str:
    """Points of ordered classes, joined by lines; behind them, the number of words of each class."""
    floor = _floor(series)
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(names))
    xs = [_LEFT + step * (i + 0.5) for i in range(len(names))]

    def y(value: float) -> float:
        return _TOP + (100 - value) / (100 - floor) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [*_grid(floor, y), *_size_bars(xs, sizes, step)]
    for number, one in enumerate(series):
        shift = (number - (len(series) - 1) / 2) * 5
        parts.append(_line(one, [x + shift for x in xs], y, number))
        for i, value in enumerate(one.values):
            if math.isnan(value):
                continue
            tip = f"{names[i]}: {one.name} {value:.2f} ({one.low[i]:.1f}–{one.high[i]:.1f}), {sizes[i]:,} words"
            x = xs[i] + shift
            parts.append(
                f'<g class="s{number}"><title>{html.escape(tip)}</title>'
                f'<path class="whisker" d="M{x:.1f},{y(max(one.low[i], floor)):.1f}V{y(one.high[i]):.1f}"/>'
                f"{_mark(number, x, y(value))}</g>"
            )
    slant = max(map(_width, names), default=0) > step - 2
    room = MAX_SLANTED_NAME_LENGTH if slant else step
    for x, name in zip(xs, names, strict=True):
        turn = f' transform="rotate(-35 {x:.1f} {_HEIGHT - _BOTTOM + 14})" text-anchor="end"' if slant else ""
        parts.append(f'<text x="{x:.1f}" y="{_HEIGHT - _BOTTOM + 15}"{turn}>{html.escape(_short(name, room))}</text>')
    return _svg(_WIDTH, _HEIGHT, f"{title}: {_described(names, series)}", parts)


def bar_chart(title: str, names: Sequence[str], sizes: Sequence[int], series: Sequence[Series]) -> str:
    """Horizontal bars of unordered classes, with their intervals and sizes."""
    left, right = 110, 64
    thick = 15 if len(series) == 1 else 12
    tall = thick * len(series) + 7
    height = tall * len(names) + 8
    width = _WIDTH - left - right
    parts: list[str] = []
    for row, name in enumerate(names):
        top = 4 + row * tall
        middle = top + tall / 2 + 3
        shown = html.escape(_short(name, left - 8))
        parts.append(f'<text x="{left - 6}" y="{middle}" text-anchor="end">{shown}</text>')
        parts.append(f'<text class="soft" x="{_WIDTH - 2}" y="{middle}" text-anchor="end">{sizes[row]:,}</text>')
        for number, one in enumerate(series):
            value = float(one.values[row])
            if math.isnan(value):
                continue
            y = top + 2 + number * thick
            low, high = (left + width * end[row] / 100 for end in (one.low, one.high))
            tip = f"{name}: {one.name} {value:.2f} ({one.low[row]:.1f}–{one.high[row]:.1f}), {sizes[row]:,} words"
            inside = low - left >= _VALUE_WIDTH  # the number stands in the bar, or, where the whisker is, behind both
            kind, at = ("value", left + 4) if inside else ("value bare", high + 4)
            parts.append(
                f'<g class="s{number}"><title>{html.escape(tip)}</title>'
                f'<rect class="bar" x="{left}" y="{y:.1f}" width="{width * value / 100:.1f}" height="{thick - 1:.1f}"/>'
                f'<path class="whisker over" d="M{low:.1f},{y + thick / 2 - 0.5:.1f}H{high:.1f}"/>'
                f'<text class="{kind}" x="{at:.1f}" y="{y + thick / 2 + 3:.1f}" text-anchor="start">'
                f"{value:.1f}</text></g>"
            )
    return _svg(_WIDTH, height, f"{title}: {_described(names, series)}", parts)


def heat_map(
    title: str,
    names: Sequence[str],
    counts: npt.NDArray[np.int64],
    link: Callable[[str, str], str | None] = lambda gold, predicted: None,
) -> str:
    """A confusion matrix, gold classes in rows: the stronger a cell, the larger its share of the row.

    `link(gold, predicted)` is the target of a cell, or None.
    """
    left, top = 104, 84
    width, height = left + _CELL * len(names) + _OVERHANG, top + _ROW * len(names) + 10
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    parts = [
        f'<text class="soft" x="4" y="{top - 24}" text-anchor="start">predicted →</text>',
        f'<text class="soft" x="4" y="{top - 8}" text-anchor="start">gold ↓</text>',
    ]
    for i, name in enumerate(names):
        x, y = left + _CELL * i + _CELL / 2, top + _ROW * i + 15
        shown = html.escape(_short(name, left - 16))
        parts.append(f'<text x="{left - 6}" y="{y}" text-anchor="end">{shown}</text>')
        parts.append(
            f'<text x="{x}" y="{top - 6}" text-anchor="start" transform="rotate(-50 {x} {top - 6})">{shown}</text>'
        )
    for (row, column), count in np.ndenumerate(counts):
        if not count:
            continue
        share = float(shares[row, column])
        x, y = left + _CELL * column, top + _ROW * row
        kind = "right" if row == column else "wrong"
        depth = min(1.0, 0.12 + 0.88 * math.sqrt(share) * (1.0 if kind == "right" else 1.6))
        ink = " dark" if depth > WHITE_TEXT_THRESHOLD else ""
        tip = f"gold {names[row]}, predicted {names[column]}: {count:,} words, {100 * share:.1f} % of {names[row]}"
        target = link(names[row], names[column])
        start, end = (f'<a href="{html.escape(target)}">', "</a>") if target else ("<g>", "</g>")
        parts.append(
            f"{start}<title>{html.escape(tip)}</title>"
            f'<rect class="cell {kind}" x="{x}" y="{y}" width="{_CELL - 1}" height="{_ROW - 1}" '
            f'fill-opacity="{depth:.2f}"/>'
            f'<text class="count{ink}" x="{x + _CELL / 2 - 0.5}" y="{y + 15}">{_brief(int(count))}</text>{end}'
        )
    return _svg(width, height, title, parts)


def _grid(floor: float, y: Callable[[float], float]) -> Iterable[str]:
    for value in range(int(floor), 101, 10 if 100 - floor <= 60 else 20):
        at = f"{y(value):.1f}"
        yield f'<path class="grid" d="M{_LEFT},{at}H{_WIDTH - _RIGHT}"/>'
        yield f'<text class="soft" x="{_LEFT - 5}" y="{float(at) + 4:.1f}" text-anchor="end">{value}</text>'


def _size_bars(xs: Sequence[float], sizes: Sequence[int], step: float) -> Iterable[str]:
    most = max(sizes, default=0) or 1
    room = (_HEIGHT - _TOP - _BOTTOM) * 0.45
    for x, size in zip(xs, sizes, strict=True):
        tall = room * size / most
        wide = min(step * 0.7, 40)
        box = f'x="{x - wide / 2:.1f}" y="{_HEIGHT - _BOTTOM - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"'
        yield f'<rect class="size" {box}><title>{size:,} words</title></rect>'


def _line(one: Series, xs: Sequence[float], y: Callable[[float], float], number: int) -> str:
    points, pen = [], "M"
    for x, value in zip(xs, one.values, strict=True):
        if math.isnan(value):
            pen = "M"
            continue
        points.append(f"{pen}{x:.1f},{y(value):.1f}")
        pen = "L"
    return f'<path class="line s{number}" d="{"".join(points)}"/>'


def _mark(number: int, x: float, y: float) -> str:
    kind = _MARKS[number % len(_MARKS)]
    if kind == "circle":
        return f'<circle class="mark" cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
    if kind == "square":
        return f'<rect class="mark" x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2"/>'
    return f'<path class="mark" d="M{x:.1f},{y - 5:.1f}l4.6,8h-9.2z"/>'


def legend_mark(number: int) -> str:
    """The mark of a series, for a legend."""
    inner = f'<path class="line s{number}" d="M1,8H23"/><g class="s{number}">{_mark(number, 12, 8)}</g>'
    return f'<svg class="chart key" width="24" height="16" viewBox="0 0 24 16" aria-hidden="true">{inner}</svg>'


def _floor(series: Sequence[Series]) -> float:
    values = np.concatenate([one.values for one in series]) if series else np.zeros(0)
    lowest = np.nanmin(values) if np.isfinite(values).any() else 0.0
    step = 10 if lowest >= 44 else 20  # as in the grid
    return float(max(0, math.floor((lowest - 4) / step) * step))


def _described(names: Sequence[str], series: Sequence[Series]) -> str:
    """The chart in words, for screen readers."""
    parts = []
    for one in series:
        values = (f"{n} {v:.1f}" for n, v in zip(names, one.values, strict=True) if not math.isnan(v))
        parts.append(f"{one.name}: {', '.join(values)}")
    return "; ".join(parts)


def _short(text: str, room: float) -> str:
    """The text, cut where it would be wider than `room`."""
    for end, wide in enumerate(accumulate(map(_width, text))):
        if wide > room:
            return text[: max(1, end - 1)] + "…"
    return text


def _width(text: str) -> float:
    """About how wide a text is in a chart."""
    return 0.72 * text_width(text)


def _brief(count: int) -> str:
    return f"{count / 1e6:.0f}M" if count >= 1_000_000 else f"{count / 1000:.0f}k" if count >= 10_000 else str(count)


def _svg(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" '
        f'width="{width:.0f}" height="{height:.0f}" role="img" aria-label="{html.escape(label)}">{"".join(parts)}</svg>'
    )


@dataclass(frozen=True)
class Link:
    """A text that links to the sentences that it is about."""

    text: str
    target: str | None

    def __str__(self) -> str:
        return self.text


def html_select(name: str, title: str, options: Iterable[tuple[str, str]]) -> str:
    inner = "".join(f'<option value="{html.escape(value)}">{html.escape(text)}</option>' for value, text in options)
    return f'<label>{title}<select id="{name}">{inner}</select></label>'


def html_table(header: Sequence[str], rows: Iterable[Sequence[object]], texts: int = 1) -> str:
    """A table; the first `texts` columns are words, the others numbers."""

    def cell(tag: str, place: int, value: object) -> str:
        text = html.escape(f"{value:,}" if isinstance(value, int) else str(value))
        if isinstance(value, Link) and value.target:
            text = f'<a href="{html.escape(value.target)}">{text}</a>'
        kind = ' class="text" dir="auto"' if place < texts else ""
        return f"<{tag}{kind}>{text}</{tag}>"

    head = "".join(cell("th", i, name) for i, name in enumerate(header))
    body = "".join("<tr>" + "".join(cell("td", i, v) for i, v in enumerate(row)) + "</tr>" for row in rows)
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>'


def html_note(text: str) -> str:
    return f'<p class="note">{html.escape(text)}</p>'
