"""Figures of tables: bars with intervals and counts, heat maps, curves. Needs matplotlib; nothing opens a window."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from panparser.base.types import FloatArray
from panparser.errors import AnalysisError
from panparser.storage.atomic import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
_COLORS = (
    "#0072b2",
    "#d55e00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#e69f00",
)  # Okabe & Ito: safe for color-blind readers
_Z = 1.959964  # 95 %


def interval(score: FloatArray, words: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Wilson's 95 % interval of scores (in percent) over this many words."""
    n = np.maximum(words, 1)
    p = np.nan_to_num(score) / 100
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * np.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    return 100 * np.maximum(middle - half, 0), 100 * np.minimum(middle + half, 1)


def plot_scores(table: pd.DataFrame, *, title: str = "", max_rows: int = 25) -> Figure:
    """Bars of a table of `scores`: one for each column, with its interval; below, the words of each class.

    Intervals are Wilson's, as if words were independent. Tables of more than `most` rows are cut there.
    """
    words_column = next((column for column in table.columns if _flat(column) == "words"), None)
    if words_column is None:
        raise AnalysisError(
            f"plot: expected a table of scores, found the columns {', '.join(map(_flat, table.columns))}"
        )
    columns = [column for column in table.columns if column != words_column]
    table = table.iloc[:max_rows]
    words = table[words_column].to_numpy(dtype=np.float64)
    figure, axes = _figure(max(5.0, 1.5 + len(table) * max(0.5, 0.22 * len(columns))), 4.2)
    places = np.arange(len(table))
    width = 0.8 / max(1, len(columns))
    lowest = 100.0
    for number, column in enumerate(columns):
        score = table[column].to_numpy(dtype=np.float64)
        low, high = interval(score, words)
        heights = np.nan_to_num(score)
        errors = np.clip([heights - low, high - heights], 0, None) * ~np.isnan(score)
        at = places + (number - (len(columns) - 1) / 2) * width
        color = _COLORS[number % len(_COLORS)]
        axes.bar(at, heights, width * 0.95, yerr=errors, color=color, label=_flat(column), capsize=2, ecolor="#444")
        lowest = min(lowest, low.min(initial=100.0))
    axes.set_ylim(max(0.0, 10 * np.floor(lowest / 10) - 5) if lowest > 50 else 0, 100)
    axes.set_ylabel("percent (whiskers: 95 %)")
    _name_bars(axes, table, words)
    if len(columns) > 1:
        axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    return _with_slanted_names(_titled(figure, axes, title), axes)


def plot_means(
    bars: Mapping[str, Sequence[tuple[float | None, float | None]]], groups: Sequence[str], *, title: str = ""
) -> Figure:
    """Groups of bars, one of each color in each: means, with whiskers of one deviation; None: there is no bar."""
    figure, axes = _figure(max(5.0, 1.5 + len(groups) * max(0.5, 0.22 * len(bars))), 4.2)
    places, width = np.arange(len(groups)), 0.8 / max(1, len(bars))
    lowest, highest = 100.0, -100.0
    for number, (name, figures) in enumerate(bars.items()):
        heights = np.array([np.nan if value is None else value for value, _ in figures])
        spread = np.array([np.nan if deviation is None else deviation for _, deviation in figures])
        at = places + (number - (len(bars) - 1) / 2) * width
        color = _COLORS[number % len(_COLORS)]
        axes.bar(at, heights, width * 0.95, yerr=spread, color=color, label=name, capsize=2, ecolor="#444")
        lowest = min(lowest, np.nanmin(heights - np.nan_to_num(spread), initial=100.0))
        highest = max(highest, np.nanmax(heights, initial=-100.0))
    if lowest > 50 and highest <= 100:
        axes.set_ylim(max(0.0, 10 * np.floor(lowest / 10) - 5), None)
    axes.set_xticks(places, groups, fontsize=8)
    axes.grid(axis="y", color="#ddd", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    return _with_slanted_names(_titled(figure, axes, title), axes)


def plot_counts(table: pd.DataFrame, *, title: str = "", max_rows: int = 25) -> Figure:
    """Bars of a table of `counts`: the words of each class. Tables of more than `most` rows are cut there."""
    table = table.iloc[:max_rows]
    words = table["words"].to_numpy(dtype=np.float64)
    figure, axes = _figure(max(5.0, 1.5 + 0.5 * len(table)), 4.2)
    axes.bar(np.arange(len(table)), words, 0.76, color=_COLORS[0])
    axes.set_ylabel("words")
    _name_bars(axes, table, words)
    return _with_slanted_names(_titled(figure, axes, title), axes)


def plot_matrix(table: pd.DataFrame, *, title: str = "", max_rows: int = 25) -> Figure:
    """A heat map: of `two_way` by score, of `confusion` by the share of each gold class; the numbers in the cells."""
    table = table.iloc[:max_rows, :max_rows]
    values = table.to_numpy(dtype=np.float64)
    counts = all(np.issubdtype(kind, np.integer) for kind in table.dtypes)
    shades = _shares(values) if counts else values
    figure, axes = _figure(2.2 + 0.5 * values.shape[1], 1.8 + 0.38 * values.shape[0])
    low = min(0.0, np.nanmin(shades, initial=0.0))
    limits = (-max(-low, np.nanmax(shades, initial=0.0)), None) if low < 0 else (0.0, None)
    image = axes.imshow(
        shades, aspect="auto", cmap="RdBu" if low < 0 else "Blues", vmin=limits[0], vmax=-limits[0] or None
    )
    axes.set_xticks(
        range(values.shape[1]), [_flat(name) for name in table.columns], rotation=60, ha="right", fontsize=8
    )
    axes.set_yticks(range(values.shape[0]), [_flat(name) for name in table.index], fontsize=8)
    axes.set_xlabel(_flat(tuple(name for name in table.columns.names if name)))
    axes.set_ylabel(_flat(tuple(name for name in table.index.names if name)))
    middle = (np.nanmax(np.abs(shades), initial=0.0)) * 0.6
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value) and value != 0:
            color = "white" if abs(shades[row, column]) > middle else "black"
            text = f"{value:.0f}" if counts or abs(value) >= 99.95 else f"{value:.1f}"
            axes.text(column, row, text, ha="center", va="center", fontsize=7, color=color)
    figure.colorbar(image, ax=axes, label="percent of the row" if counts and low >= 0 else "percent", fraction=0.04)
    return _titled(figure, axes, title)


def plot_curves(table: pd.DataFrame, *, title: str = "", max_rows: int = 12) -> Figure:
    """Lines of a table of `learning_curves`: a class each, over the number of training sentences."""
    sizes = [column for column in table.columns if column != "words"]
    figure, axes = _figure(7.5, 4.8)
    chosen = [*table.index[: max_rows - 1], table.index[-1]] if len(table) > max_rows else list(table.index)
    for number, name in enumerate(chosen):
        whole = name == "all" or (isinstance(name, tuple) and name[0] == "all")
        axes.plot(
            sizes,
            table.loc[[name], sizes].iloc[0].to_numpy(dtype=np.float64),
            marker="o",
            markersize=3,
            linewidth=2.5 if whole else 1.2,
            color="black" if whole else _COLORS[number % len(_COLORS)],
            linestyle="-" if number < len(_COLORS) or whole else "--",
            label=_flat(name),
        )
    axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlabel("training sentences")
    axes.set_ylabel("percent")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8, frameon=False)
    return _with_fewer_names(_titled(figure, axes, title), axes)


def save(figure: Figure, path: str | Path) -> None:
    """Writes a figure: .png, .svg or .pdf."""
    kind = check_format(path)
    undated = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[kind]
    with whole_file(Path(path), AnalysisError) as stream:
        figure.savefig(stream, format=kind, dpi=150, metadata=undated)


def check_format(path: str | Path) -> str:
    """The format of a figure by the name of its file. Raises ImportError without matplotlib."""
    _matplotlib()
    kind = Path(path).suffix.lower().removeprefix(".")
    if kind not in FORMATS:
        raise AnalysisError(f"plot: expected a file {', '.join(f'.{each}' for each in FORMATS)}, found {str(path)!r}")
    return kind


def _matplotlib() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'panparser[analysis]'") from None
    return Figure


def _figure(width: float, height: float) -> tuple[Any, Any]:
    figure = _matplotlib()(figsize=(min(width, 20.0), min(height, 16.0)), layout="constrained")
    return figure, figure.add_subplot()


def _name_bars(axes: Any, table: pd.DataFrame, words: FloatArray) -> None:
    """The classes below the bars, with their words; and a grid behind."""
    names = [f"{_flat(name)}\n{count:,.0f}" for name, count in zip(table.index, words, strict=True)]
    axes.set_xticks(np.arange(len(table)), names, fontsize=8)
    axes.set_xlabel(f"{', '.join(str(name) for name in table.index.names if name)} (words)")
    axes.margins(x=0.01)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)


def _with_slanted_names(figure: Figure, axes: Any) -> Figure:
    """The figure, its classes slanted where they would overlap."""
    figure.draw_without_rendering()
    ends = [name.get_window_extent().intervalx for name in axes.get_xticklabels()]
    if any(one[1] >= two[0] for one, two in pairwise(ends)):
        for name in axes.get_xticklabels():
            name.set(rotation=45, ha="right", rotation_mode="anchor")
    return figure


def _with_fewer_names(figure: Figure, axes: Any) -> Figure:
    """The figure without the sizes that would overlap larger ones."""
    figure.draw_without_rendering()
    names, start = [], np.inf
    for name in reversed(axes.get_xticklabels()):
        low, high = name.get_window_extent().intervalx
        names.append(name.get_text() if high < start else "")
        start = low if high < start else start
    axes.set_xticklabels(reversed(names))
    return figure


def _titled(figure: Figure, axes: Any, title: str) -> Figure:
    if title:
        axes.set_title(title, fontsize=10)
    return figure


def _shares(values: FloatArray) -> FloatArray:
    whole = np.abs(values).sum(axis=1, keepdims=True)
    shares: FloatArray = np.divide(100 * values, whole, out=np.zeros_like(values), where=whole > 0)
    return shares


def _flat(name: object) -> str:
    """The name of a row or column as one text, whatever its levels."""
    if isinstance(name, Sequence) and not isinstance(name, str):
        return " ".join(str(part) for part in name if part != "")
    return str(name)
