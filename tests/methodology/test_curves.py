"""Learning curves: nested prefixes of the treebank, scored on what they say."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from places import ENGLISH
from spies import sentence_ids, spy_on

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV, TEST = TREEBANK[:40], TREEBANK[40:60], TREEBANK[60:80]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
SIZES = [3, 10, 40]
QUICK = {"epochs": 2, "members": 1}


@pytest.mark.parametrize("threads", [1, 2])
def test_a_curve_is_of_the_first_sentences(threads, monkeypatch):
    calls = spy_on(monkeypatch, pp.train)
    points = pp.lab.learning_curve(GREEDY, TRAIN, DEV, SIZES, threads=threads, **QUICK)
    calls.sort(key=lambda call: len(call.arguments[1]))
    for size, point, call in zip(SIZES, points, calls, strict=True):
        assert sentence_ids(call.arguments[1]) == sentence_ids(TRAIN)[:size]
        assert sentence_ids(call.options["dev"]) == sentence_ids(DEV)
        assert (point.sentences, point.words) == (size, TRAIN[:size].words)
        judged = pp.evaluate(
            DEV, call.result.parse(DEV, allow_unseen_tags=True), bootstrap_samples=0
        )  # few sentences have few tags
        assert (point.uas, point.las) == pytest.approx((judged.uas, judged["FullLAS"].f1))


def test_points_come_in_the_order_of_the_sizes(monkeypatch):
    points = pp.lab.learning_curve(GREEDY, TRAIN, DEV, [40, 3], threads=2, **QUICK)
    assert [point.sentences for point in points] == [40, 3]
    assert points == pp.lab.learning_curve(GREEDY, TRAIN, DEV, [3, 40], **QUICK)[::-1]


def test_curves_of_classes_are_scored_on_the_test_set_alone(monkeypatch):
    calls = spy_on(monkeypatch, pp.train)
    table = pp.lab.analysis.learning_curves(GREEDY, TRAIN, TEST, SIZES, dev=DEV, ignore=(), **QUICK)
    for size, call in zip(SIZES, calls, strict=True):
        assert sentence_ids(call.arguments[1]) == sentence_ids(TRAIN)[:size]
        assert sentence_ids(call.options["dev"]) == sentence_ids(DEV)
        parsed = call.result.parse(TEST, allow_unseen_tags=True)
        assert table.loc["all", size] == pytest.approx(pp.evaluate(TEST, parsed, bootstrap_samples=0).uas)
        nouns = np.array([tag == "NOUN" for sentence in TEST for tag in sentence.values("upos")])
        assert table.loc["NOUN", size] == pytest.approx(100 * np.mean((parsed.heads == TEST.heads)[nouns]))
    assert table.loc["all", "words"] == TEST.words


def test_without_a_development_set_nothing_but_the_prefix_is_seen(monkeypatch):
    calls = spy_on(monkeypatch, pp.train)
    pp.lab.analysis.learning_curves(GREEDY, TRAIN, TEST, SIZES, **QUICK)
    assert [call.options["dev"] for call in calls] == [None] * len(SIZES)


def test_the_command_learns_from_prefixes_of_the_first_file(run, tmp_path, monkeypatch):
    calls = spy_on(monkeypatch, pp.train)
    paths = [tmp_path / name for name in ("train.conllu", "test.conllu")]
    for path, treebank in zip(paths, (TRAIN, TEST), strict=True):
        pp.write_conllu(path, treebank)
    code, _, errors = run("curves", *paths, "--epochs", 1, "--beam", 1, "--min-count", 0)
    assert code == 0, errors
    assert [sentence_ids(call.arguments[1]) for call in calls] == [sentence_ids(TRAIN)[:size] for size in (10, 20, 40)]
    assert all(call.options["dev"] is None for call in calls)


def test_a_class_is_learned_at_the_first_size_that_reaches_its_share():
    import pandas as pd

    curves = pd.DataFrame(
        {"words": [10, 10, 10], 5: [80.0, 10, 89], 10: [90.0, 60, 70], 20: [100.0, 90, 90]}, index=["a", "b", "c"]
    )
    found = pp.lab.analysis.simplicity(curves, 0.9)
    assert found["sentences"].to_dict() == {"c": 5, "a": 10, "b": 20}
    assert found["gain"].to_dict() == {"c": 1, "a": 20, "b": 80}
    assert list(found.index) == ["c", "a", "b"]
