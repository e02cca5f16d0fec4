"""What sentences are worth: samples, intervals, where curves meet another parser, what classes are like."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from learners import SMALL
from panparser.lab import analysis
from panparser.lab.curves import Curves
from places import ENGLISH
from spies import sentence_ids, spy_on

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, TEST = TREEBANK[:30], TREEBANK[60:80]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
QUICK = {"epochs": 1, "members": 1}


def curves_of(*rows: list[float], sizes=(10, 100, 1000), baseline=None) -> Curves:
    """Curves of one sample; the last row is that of all words."""
    names = [*(f"c{number}" for number in range(len(rows) - 1)), "all"]
    other = None if baseline is None else np.array(baseline, dtype=float)
    return Curves(pd.Index(names), np.full(len(rows), 50), sizes, np.array(rows, dtype=float)[:, :, None], other)


def test_a_curve_meets_another_parser_where_its_logarithm_says():
    curves = curves_of([40, 60, 80], [70, 80, 90], [20, 30, 40], baseline=[50, 60, 50])
    found = curves.break_even(cost_per_sentence=2.5)
    assert found["sentences"].tolist() == pytest.approx([math.sqrt(1000), 10, math.nan], nan_ok=True)
    assert found["cost"].tolist() == pytest.approx([32 * 2.5, 25, math.nan], nan_ok=True)
    assert found["baseline"].tolist() == [50, 60, 50]
    assert "ci_low" not in found  # of one sample there is no interval
    with pytest.raises(pp.errors.AnalysisError, match="expected another parser"):
        curves_of([40, 60, 80]).break_even()


@settings(max_examples=30)
@given(st.lists(st.integers(1, 99), min_size=3, max_size=3, unique=True), st.floats(1, 99))
def test_it_lies_between_the_sizes_whose_scores_enclose_it(scores, level):
    row = [float(score) for score in sorted(scores)]
    found = float(curves_of(row, baseline=[level]).break_even()["sentences"].iloc[0])
    enclosed = [size for size, score in zip((10, 100, 1000), row, strict=True) if score < level]
    if not enclosed:
        assert found == 10
    elif len(enclosed) == 3:
        assert math.isnan(found)
    else:
        assert enclosed[-1] <= found <= enclosed[-1] * 10


def test_the_first_time_counts_where_a_curve_falls():
    assert curves_of([40, 60, 50], baseline=[55]).break_even()["sentences"].iloc[0] < 100


def test_sentences_for_scores():
    found = curves_of([1, 1, 1], [40, 60, 80]).capacity([30, 50, 80, 81], cost_per_sentence=10)
    assert found.index.tolist() == [30, 50, 80, 81]
    assert found["sentences"].tolist() == pytest.approx([10, math.sqrt(1000), 1000, math.nan], nan_ok=True)
    assert found["cost"].tolist() == pytest.approx([100, 320, 10000, math.nan], nan_ok=True)


def test_classes_by_how_easily_they_are_learned():
    """Worked by hand: the error of all words is 20 %, and 90 % of the last score is 81, 54 and 72."""
    curves = curves_of([72, 81, 90], [20, 40, 60], [52, 72, 80], sizes=(10, 100, 500))
    found = curves.classes()
    assert found["learnability"].tolist() == pytest.approx([80, 100 / 3, 65])
    assert found["hardness"].tolist() == pytest.approx([-50, 100, 0])
    needed = 100 * 5 ** ((54 - 40) / 20)
    assert found["complexity"].tolist() == pytest.approx([0, needed - 100, 0])
    assert curves.relative.loc["c0"].tolist() == pytest.approx([50, 80, 90, 100])
    with pytest.raises(pp.errors.AnalysisError, match="learned_share must be in"):
        curves.classes(2)


def test_what_was_never_right_has_no_measure():
    found = curves_of([0, 0, 0], [52, 72, 80]).classes()
    assert math.isnan(found.loc["c0", "learnability"])


def test_intervals_are_those_of_student():
    scores = np.array([[[50.0, 52, 54], [60, 60, 60]]])
    curves = Curves(pd.Index(["all"]), np.array([9]), (10, 20), scores, np.array([55.0]))
    assert curves.table.loc["all"].tolist() == [9, 52, 60]
    assert curves.intervals.loc["all", 10] == pytest.approx(4.303 * 2 / math.sqrt(3))
    assert curves.intervals.loc["all", 20] == 0
    even = curves.break_even().loc["all"]
    assert even["ci_low"] == 10 < even["sentences"] < even["ci_high"] < 20


def test_samples_are_those_of_seeds_and_the_whole_is_learned_once(monkeypatch):
    calls = spy_on(monkeypatch, pp.train)
    done = []
    found = analysis.sample_curves(
        GREEDY, TRAIN, TEST, [4, 9, 30], samples_per_size=2, seed=5, progress=lambda *each: done.append(each), **QUICK
    )
    learned = [sentence_ids(call.arguments[1]) for call in calls]
    expected = [sentence_ids(pp.sample_sentences(TRAIN, size, seed=seed)) for size in (4, 9) for seed in (5, 6)]
    assert learned == [*expected, sentence_ids(TRAIN)]
    assert set(learned[0]) < set(learned[2])  # the smaller one is in the larger one of the same seed
    assert done == [(number, 5) for number in range(1, 6)]
    assert found.scores.shape == (len(found.index), 3, 2)
    for place, call in zip([(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)], [*calls, calls[-1]], strict=True):
        table = analysis.scores(
            analysis.make_frame(TEST, call.result.parse(TEST, allow_unseen_tags=True)), metrics=["uas"]
        )
        assert found.scores[-1][place] == pytest.approx(table.loc["all", "uas"])
    assert found.table.equals(
        analysis.learning_curves(GREEDY, TRAIN, TEST, [4, 9, 30], samples_per_size=2, seed=5, threads=2, **QUICK)
    )


def test_the_other_parser_is_scored_by_class():
    other = TEST.copy()
    other.heads[:] = 0
    found = analysis.sample_curves(GREEDY, TRAIN, TEST, [5], by="kind", baseline=other, **QUICK)
    expected = analysis.scores(analysis.make_frame(TEST, other), "kind", ["uas"])["uas"]
    assert dict(zip(found.index[:-1], found.baseline[:-1], strict=True)) == pytest.approx(expected.to_dict())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"samples_per_size": 0}, "sample_curves: samples_per_size must be an integer >= 1"),
        ({"baseline": TREEBANK[:3]}, "predictions must have the words of the gold"),
        ({"sizes": [9, 4]}, "sample_curves: sizes must be increasing numbers"),
    ],
)
def test_what_cannot_be(options, said):
    with pytest.raises(pp.PanParserError, match=said):
        analysis.sample_curves(GREEDY, TRAIN, TEST, **{"sizes": [4], **QUICK, **options})
