"""Where the texts of charts, trees and figures are: none leaves its drawing, and none lies on another."""

from __future__ import annotations

import html
import itertools
import sys
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from browser import attribute
from panparser.lab import analysis
from panparser.lab.analysis import plots
from panparser.lab.analysis.charts import Series, bar_chart, heat_map, line_chart
from panparser.lab.analysis.reliability import plot_reliability
from panparser.trees.drawing import svg_tree
from places import ROOT

JUDGE = (ROOT / "tests" / "support" / "layout.js").read_text(encoding="utf-8")
STYLE = (resources.files("panparser.lab.analysis") / "assets" / "report.css").read_text(encoding="utf-8")
CHARTS = 'judge(document.querySelectorAll("svg.chart:not(.key)"));'
TREES = """
  for (const item of document.querySelectorAll("#list li[id]")) {
    item.click();
    judge(document.querySelectorAll("#tree svg"));
  }
"""
DARK = 'document.documentElement.dataset.theme = "dark";'
LABELS = [
    "compound:preverb",
    "root",
    "advmod:mode",
    "nmod",
    "x",
    "WWWWWWWWWWWWWWWWWWWW",
    "名詞修飾関係子句と補語",
    "acl:relcl",
]


def misplaced(dom):
    assert int(attribute(dom, "data-texts")) > 20
    return html.unescape(attribute(dom, "data-misplaced"))


# --- The page ---


@pytest.mark.parametrize(
    ("systems", "theme", "width"), [(1, "", 1400), (2, DARK, 1400), (3, "", 1400), (3, DARK, 420), (1, DARK, 2600)]
)
def test_texts_of_a_report(two, browse, systems, theme, width):
    gold, *found = two
    frame = analysis.make_frame(
        gold, *[*found, found[0]][:systems], names=["a", "a name of some length", "c"][:systems]
    )
    dom = browse(analysis.report(frame), "#kind=all", theme + JUDGE + CHARTS + TREES, width)
    assert misplaced(dom) == ""


def test_numbers_of_short_bars_stand_behind_the_whiskers():
    values = np.array([0.0, 2.3, 14.0, 50.0, 99.3])
    one = Series("LAS", values, np.maximum(values - 30, 0), np.minimum(values + 30, 100))
    assert bar_chart("a", list("abcde"), [1] * 5, [one]).count('class="value bare"') == 3


def test_texts_of_charts_with_long_names_and_large_numbers(browse):
    few = np.array([0.0, 0.4, 3.0, 12.0, 20.0, 50.0, 99.3, 100.0])
    series = [
        Series(name, few, np.maximum(few - wide, 0), np.minimum(few + wide, 100))
        for name, wide in zip("abc", (1, 9, 40), strict=True)
    ]
    counts = np.arange(64).reshape(8, 8) * 123_457
    charts = [
        *(bar_chart("bars", LABELS, [5, 1_234_567, 10, 99, 1, 1, 1, 12_345], series[:some]) for some in (1, 2, 3)),
        line_chart("lines", LABELS, [5, 1_234_567, 10, 99, 1, 1, 1, 12_345], series),
        heat_map("map", LABELS, counts),
    ]
    page = f"<style>{STYLE}</style><body>{''.join(charts)}</body>"
    assert misplaced(browse(page, "", JUDGE + CHARTS)) == ""


def test_texts_of_trees_as_svg(browse):
    heads = [[2, 0, 2, 2, 4, 5, 2, 7], [0, 1, 1, 1, 1, 1, 1, 1], [8, 8, 8, 8, 8, 8, 8, 0], [3, 4, 0, 3, 1, 2, 0, -1]]
    forms = ["I", "a", "grüße", "WWWW", "猫が好き", "it", ".", "!"]
    turned = (LABELS[shift:] + LABELS[:shift] for shift in range(8))
    drawings = [str(svg_tree(forms, tree, labels, LABELS)) for tree, labels in itertools.product(heads, turned)]
    page = f"<body>{''.join(drawings)}</body>"
    assert misplaced(browse(page, "", JUDGE + 'judge(document.querySelectorAll("svg"));')) == ""


# --- Figures ---


def texts_of(figure):
    """The texts that are drawn; no slanted ones."""
    for panel in figure.axes:
        yield from (panel.title, panel.xaxis.label, panel.yaxis.label, *panel.texts)
        for legend in filter(None, (panel.get_legend(), *figure.legends)):
            yield from legend.get_texts()
        for axis in (panel.xaxis, panel.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if low <= tick.get_loc() <= high and tick.label1.get_visible() and not tick.label1.get_rotation():
                    yield tick.label1


def overlapping(figure):
    """Pairs of texts of a figure that lie on each other, and texts that leave it."""
    figure.draw_without_rendering()
    boxes = {text: text.get_window_extent() for text in texts_of(figure) if text.get_text()}
    whole = figure.bbox.padded(1)
    outside = [text for text, box in boxes.items() if not whole.contains(*box.min) or not whole.contains(*box.max)]
    pairs = itertools.combinations(boxes, 2)
    return outside + [(one, two) for one, two in pairs if boxes[one].overlaps(boxes[two])]


@pytest.mark.parametrize("sizes", [[10, 20, 50, 100, 200, 400, 800, 1000, 1200], [10_000, 10_001, 10_002], [7]])
def test_sizes_below_curves(sizes):
    table = pd.DataFrame({"words": 1, **{size: [50.0, 60.0] for size in sizes}}, index=["A", "all"])
    figure = plots.plot_curves(table, title="curves")
    assert overlapping(figure) == []
    assert [name.get_text() for name in figure.axes[0].get_xticklabels()][-1] == f"{sizes[-1]:,}"


@pytest.mark.parametrize("names", [["a", "b"], [*"abcdefgh", "compound:preverb", "compound:preverbal"]])
def test_classes_below_bars(names):
    table = pd.DataFrame({"words": 12_345, "uas": 50.0, "las": 60.0}, index=names)
    for figure in (plots.plot_scores(table, title="t"), plots.plot_counts(table, title="t")):
        assert overlapping(figure) == []
        assert {name.get_rotation() for name in figure.axes[0].get_xticklabels()} == {45 if len(names) > 2 else 0}


def test_a_reliability_diagram(monkeypatch, tmp_path):
    from matplotlib.figure import Figure

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    edges = np.linspace(0, 1, 11)
    columns = {"bin_start": edges[:-1], "bin_end": edges[1:], "confidence": edges[:-1], "accuracy": 1.0, "words": 10**6}
    plot_reliability(pd.DataFrame(columns), tmp_path / "a.png", title="A model that is always right")
    assert overlapping(drawn[0]) == []
    legend, panel = drawn[0].legends[0].get_window_extent(), drawn[0].axes[0].get_window_extent()
    assert not legend.overlaps(panel)  # where it would hide bars


def test_labels_of_the_frontier_are_not_under_its_legend(monkeypatch, tmp_path):
    from matplotlib.figure import Figure

    monkeypatch.setattr(sys, "path", [str(ROOT / "benchmarks"), *sys.path])
    import frontier

    drawn = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *_, **__: drawn.append(figure))
    speeds = {None: 100_000.0, 0.12345: 400_000.0, 3.0: 20_000.0}
    points = [
        frontier.Point(name="lean", family="lean", beam=1, prune=prune, speed=speed, las=70 + place)
        for place, (prune, speed) in enumerate(speeds.items())
    ]
    frontier.draw({"hu": points}, tmp_path / "a.svg")
    assert overlapping(drawn[0]) == []
    (panel,) = drawn[0].axes
    legend = panel.get_legend().get_window_extent()
    assert not any(text.get_window_extent().overlaps(legend) for text in panel.texts)
