"""Reliability: bins, the expected calibration error, and diagrams of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import SpecError, TreebankError
from panparser.lab.analysis.reliability import (
    binned,
    calibration_error,
    draw_reliability,
    expected_calibration_error,
    plot_reliability,
    reliability,
)


def treebank(heads, labels, misc, head="0"):
    rows = zip(heads, labels, misc, strict=True)
    return pp.parse_conllu("".join(f"1\tw\t_\t_\t_\t_\t{head}\t{label}\t_\t{cell}\n\n" for head, label, cell in rows))


GOLD = treebank("0000_", "aaaaa", "_____")
PREDICTED = treebank(
    "0_000",
    "aabaa",
    [
        "Confidence=0.90|LabelConfidence=0.80",
        "Confidence=0.95|LabelConfidence=0.90",
        "X=y|Confidence=0.10|LabelConfidence=0.05",
        "_",
        "Confidence=0.10",
    ],
)


def test_words_are_counted_where_confidence_and_head_are_known():
    table = reliability(GOLD, PREDICTED, bins=2)
    assert list(table.columns) == ["bin", "bin_start", "bin_end", "confidence", "accuracy", "words"]
    assert table["words"].tolist() == [1, 2]
    assert table["confidence"].tolist() == pytest.approx([0.1, 0.925])
    assert table["accuracy"].tolist() == [1, 0.5]
    expected = (0.9 + 2 * 0.425) / 3
    assert expected_calibration_error(GOLD, PREDICTED, bins=2) == pytest.approx(expected)


def test_labels_have_a_confidence_of_their_own():
    table = reliability(GOLD, PREDICTED, bins=2, target="labels")
    assert table["accuracy"].tolist() == [0, 0.5]
    assert table["confidence"].tolist() == pytest.approx([0.05, 0.85])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), max_size=60), st.integers(1, 20))
def test_bins_hold_every_word_once(words, bins):
    confidence = np.array([value for value, _ in words], dtype=np.float64)
    right = np.array([value for _, value in words], dtype=bool)
    for equal in ("width", "mass"):
        table = binned(confidence, right, bins, equal)
        count, some = table["words"], table["words"] > 0
        assert count.sum() == len(words)
        assert (count * np.nan_to_num(table["accuracy"])).sum() == pytest.approx(right.sum())
        assert (count * np.nan_to_num(table["confidence"])).sum() == pytest.approx(confidence.sum())
        assert (table["bin_start"][some] <= table["confidence"][some] + 1e-9).all()
        assert (table["confidence"][some] <= table["bin_end"][some] + 1e-9).all()
        assert 0 <= calibration_error(table) <= 1
        if equal == "mass" and len(words):
            assert count.max() - count.min() <= 1


def test_probabilities_that_are_true_have_no_error():
    random = np.random.default_rng(1)
    confidence = random.random(200_000)
    right = random.random(200_000) < confidence
    assert calibration_error(binned(confidence, right)) < 0.005
    assert calibration_error(binned(np.minimum(1, confidence + 0.2), right)) > 0.1


def test_a_diagram_in_the_terminal():
    assert draw_reliability(reliability(GOLD, PREDICTED, bins=2)).splitlines() == [
        "   confidence  accuracy     words",
        "  0.00   0.50     1.000         1  ████|███████████████████████████████████",
        "  0.50   1.00     0.500         2  ████████████████████                 |",
        "expected calibration error 0.5833",
    ]


@pytest.mark.parametrize("suffix", ["png", "svg", "pdf"])
def test_a_diagram_in_a_file(tmp_path, suffix):
    table = reliability(GOLD, PREDICTED)
    for name in ("one", "two"):
        plot_reliability(table, tmp_path / f"{name}.{suffix}", title="Mine")
    start = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[suffix]
    assert (tmp_path / f"one.{suffix}").read_bytes().startswith(start)
    assert (tmp_path / f"one.{suffix}").read_bytes() == (tmp_path / f"two.{suffix}").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "options", "error", "said"),
    [
        ((GOLD, GOLD), {}, TreebankError, "expected Confidence=... in MISC, found none"),
        ((GOLD, PREDICTED[:2]), {}, TreebankError, "5 words"),
        ((GOLD, "out.conllu"), {}, TreebankError, "predicted must be a Treebank"),
        ((GOLD, PREDICTED), {"bins": 0}, SpecError, "bins must be an integer >= 1"),
        ((GOLD, PREDICTED), {"target": "arcs"}, SpecError, "target must be heads or labels"),
        ((GOLD, PREDICTED), {"binning": "size"}, SpecError, "binning must be width or mass"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments, options, error, said):
    with pytest.raises(error, match=said):
        reliability(*arguments, **options)


def test_a_file_of_another_kind_is_refused(tmp_path):
    with pytest.raises(SpecError, match=r"ends in \.png, \.svg or \.pdf"):
        plot_reliability(reliability(GOLD, PREDICTED), tmp_path / "diagram.txt")
