"""Comparisons, curves, plots: equal to `evaluate`, and to what is counted by hand; and what tables cost."""

from __future__ import annotations

import itertools
import subprocess
import sys
import time

import numpy as np
import pytest

import panparser as pp
from analysed import GUESS, SMALL

pytest.importorskip("pandas")
import pandas as pd

from panparser.lab import analysis
from panparser.lab.analysis import plots

# --- Comparison ---


def test_comparisons_agree_with_evaluate(gold, parsed):
    """The whole has the difference, interval and p-value that `evaluate` with two predictions has."""
    frame = analysis.make_frame(gold, *parsed, names=["greedy", "beam"], ignore=())
    both = [pp.evaluate(gold, each, bootstrap_samples=0) for each in parsed]
    only = [pp.Evaluation({}, 100, {name: each.counts[name] for name in ("Words", "UAS")}) for each in both]
    wanted = pp.compare_evaluations(*only, bootstrap_samples=200, permutations=200)["UAS"]
    row = analysis.compare(frame, bootstrap_samples=200, permutations=200).iloc[0]
    assert row["difference"] == pytest.approx(wanted.difference)
    assert row["p"] == row["p_holm"] == pytest.approx(wanted.p_randomization)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx(wanted.interval)


def test_comparisons_by_hand(gold):
    guess, third = pp.parse_conllu(GUESS), pp.parse_conllu(SMALL.replace("2\tdet", "3\tdet"))
    frame = analysis.make_frame(pp.parse_conllu(SMALL), guess, third, names=["a", "b"])
    row = analysis.compare(frame, bootstrap_samples=0).iloc[0]
    assert row[
        ["both_correct", "only_a_correct", "only_b_correct", "neither_correct", "agreement"]
    ].tolist() == pytest.approx([400 / 6, 100 / 6, 100 / 6, 0, 400 / 6])
    assert analysis.who_is_right(frame, "upos").loc["DET", "a"] == 100
    assert analysis.agreement(frame, by="upos").loc["NOUN", "a = b"] == 50
    assert analysis.compare(frame, "upos", bootstrap_samples=0, first="b", second="a").loc["DET", "difference"] == 100
    with pytest.raises(pp.errors.AnalysisError, match="found a twice"):
        analysis.compare(frame, first="a", second="a")


def test_predictions_that_are_the_same_do_not_differ(gold, parsed):
    frame = analysis.make_frame(gold, parsed[0], parsed[0], names=["a", "b"])
    table = analysis.compare(frame, "upos", bootstrap_samples=50, permutations=50)
    assert (table["difference"] == 0).all()
    assert (table["p_holm"] == 1).all()
    assert (table["agreement"] == 100).all()


def test_tests_are_of_the_largest_classes(frame):
    table = analysis.compare(frame, "upos", bootstrap_samples=20, permutations=20, max_tested_classes=3)
    assert table["p"].notna().sum() == 3
    assert table["p"].notna().tolist()[:3] == [True] * 3


def test_holm_by_hand():
    assert analysis.holm(np.array([0.01, 0.04, 0.03, 0.005])).tolist() == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert analysis.holm(np.array([0.9, 0.8])).tolist() == [1, 1]
    assert len(analysis.holm(np.array([]))) == 0


def test_differences_of_tables(frame):
    first, second = (analysis.confusion(frame, "label", prediction=name) for name in frame.names)
    change = analysis.difference(first, second)
    assert change.to_numpy().sum() == 0
    for a, b in itertools.product(change.index[:8], change.columns[:8]):
        before = first.loc[a, b] if a in first.index and b in first.columns else 0
        after = second.loc[a, b] if a in second.index and b in second.columns else 0
        assert change.loc[a, b] == after - before
    whole, part = (analysis.scores(each, "upos,direction") for each in (frame, frame.where("direction != root")))
    assert analysis.difference(whole, part).loc[("NOUN", "root"), ("", "words")] == -15
    assert np.isnan(analysis.difference(whole, part).loc[("NOUN", "root"), ("beam", "uas")])
    one, two = (analysis.precision_recall(frame, "upos", prediction=name) for name in frame.names)
    assert analysis.difference(one, two).loc["NOUN", "recall"] == two.loc["NOUN", "recall"] - one.loc["NOUN", "recall"]


# --- Curves ---


def test_correlations(frame):
    table = analysis.correlation(frame, "upos", max_classes=6)
    assert table.shape == (6, 6)
    assert np.diag(table.to_numpy()) == pytest.approx(np.ones(6))
    data = frame.data("upos", ["uas"])
    means = data.groupby(["sentence", "upos"], observed=True)["greedy uas"].mean().unstack()
    assert table.loc["NOUN", "VERB"] == pytest.approx(means["NOUN"].corr(means["VERB"]))
    over = analysis.correlation(frame, "upos", over="predictions", min_count=2)
    assert set(np.round(over.to_numpy()[~np.isnan(over.to_numpy())], 6)) <= {-1.0, 1.0}


def test_learning_curves(english):
    treebank, test = english
    table = analysis.learning_curves(pp.ParserSpec(beam=1), treebank, test, [5, 80], by="upos", epochs=2, members=1)
    assert list(table.columns) == ["words", 5, 80]
    assert table.index[-1] == "all"
    words = table["words"].iloc[:-1]
    assert words.sum() == table.loc["all", "words"]
    for size in (5, 80):
        assert (table[size].iloc[:-1] * words).sum() / words.sum() == pytest.approx(table.loc["all", size])
    assert table.loc["all", 80] > table.loc["all", 5]
    simple = analysis.simplicity(table)
    assert set(simple.index) == set(table.index)
    assert simple["sentences"].is_monotonic_increasing
    assert simple.loc["all", "gain"] == pytest.approx(table.loc["all", 80] - table.loc["all", 5])
    two = analysis.learning_curves(pp.ParserSpec(beam=1), treebank, test, [5], by="upos,direction", epochs=1, members=1)
    assert two.index[-1] == ("all", "")
    with pytest.raises(pp.SpecError, match=r"a size of a part of .* must be an integer between 1 and"):
        analysis.learning_curves(pp.ParserSpec(), treebank, test, [0])


# --- Plots ---


def test_figures(frame, tmp_path):
    pytest.importorskip("matplotlib")
    curves = pd.DataFrame({"words": [10, 20, 30], 10: [50.0, 60, 57], 100: [70.0, 90, 83]}, index=["A", "B", "all"])
    change = analysis.difference(*(analysis.confusion(frame, "direction", prediction=name) for name in frame.names))
    bars = plots.plot_scores(analysis.scores(frame, "form+upos"))
    for name, figure in {
        "bars.png": plots.plot_scores(analysis.scores(frame, "upos"), title="by tag"),
        "bars.svg": bars,
        "heat.svg": plots.plot_matrix(analysis.confusion(frame, "label", max_classes=8)),
        "pairs.pdf": plots.plot_matrix(analysis.two_way(frame, "direction", "length")),
        "change.png": plots.plot_matrix(change),
        "curves.png": plots.plot_curves(curves),
    }.items():  # fmt: skip
        plots.save(figure, tmp_path / name)
        assert (tmp_path / name).stat().st_size > 5000
    axes = bars.axes[0]
    assert axes.get_xlabel() == "form+upos (words)"
    assert len(axes.get_xticklabels()) == 25
    with pytest.raises(pp.errors.AnalysisError, match=r"expected a file \.png, \.svg, \.pdf, found 'x.gif'"):
        plots.save(bars, "x.gif")
    with pytest.raises(pp.errors.AnalysisError, match="expected a table of scores"):
        plots.plot_scores(curves[[10]])


def test_intervals_by_hand():
    """Wilson's interval of 8 of 10: from 0.490 to 0.943."""
    low, high = plots.interval(np.array([80.0, 0.0]), np.array([10.0, 0.0]))
    assert (low[0], high[0]) == (pytest.approx(49.02, abs=0.01), pytest.approx(94.33, abs=0.01))


# --- Cost ---


def test_panparser_alone_imports_neither_pandas_nor_matplotlib():
    code = "import panparser, panparser.cli, sys; sys.exit(bool({'pandas', 'matplotlib'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_twenty_thousand_words_by_every_criterion_take_a_second_or_two(gold, parsed):
    large = [pp.parse_conllu(each.to_bytes() * 10) for each in (gold, parsed[0])]
    start = time.process_time()
    frame = analysis.make_frame(*large, train=large[0])
    for name in analysis.CRITERIA:
        analysis.scores(frame, name)
    assert time.process_time() - start < 4
