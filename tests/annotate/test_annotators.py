"""AnnotatorAgreement of two annotators."""

from __future__ import annotations

import pytest

import panparser as pp
from annotated import FILE

ROW = "{0}\tw{0}\t_\tX\t_\t_\t{1}\t{2}\t_\t_\n"


def test_scores_kappa_and_disagreements(tmp_path):
    trees = [
        [(1, 0, "root"), (2, 1, "obj"), (3, 1, "obl"), (4, 1, "obj")],
        [(1, 0, "root"), (2, 1, "obl"), (3, 1, "obl"), (4, 2, "obj")],
    ]
    for name, tree in zip("ab", trees, strict=True):
        (tmp_path / name).write_text("".join(ROW.format(*arc) for arc in tree) + "\n")
    found = pp.annotate.measure_agreement(tmp_path / "a", tmp_path / "b")
    assert (found.words, found.uas, found.las) == (4, 75.0, 50.0)
    # Of three words with the same head, two labels agree; by chance (1/3)² + (1/3)·0 + (1/3)·(2/3) would.
    assert found.kappa == pytest.approx((2 / 3 - 1 / 3) / (1 - 1 / 3))
    assert [(each["word"], each["field"], each["first"], each["second"]) for each in found.disagreements] == [
        (2, "label", "obj", "obl"), (4, "head", 1, 2),
    ]  # fmt: skip


def test_sentences_are_matched_by_key_and_what_is_undecided_does_not_count(tmp_path):
    (tmp_path / "a").write_text(FILE)
    pieces = FILE.split("\n\n")
    (tmp_path / "b").write_text("\n\n".join([pieces[2], pieces[0], ""]) + "\n")
    found = pp.annotate.measure_agreement(tmp_path / "a", tmp_path / "b")
    assert (found.sentences, found.only_first, found.only_second) == (2, 1, 0)
    assert (found.words, found.uas, found.kappa, found.disagreements) == (5, 100.0, 1.0, [])
    (tmp_path / "c").write_text(ROW.format(1, 0, "root") + "\n")
    with pytest.raises(pp.errors.AnnotationError, match="no sentence in common"):
        pp.annotate.measure_agreement(tmp_path / "a", tmp_path / "c")
