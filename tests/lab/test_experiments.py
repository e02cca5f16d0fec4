"""Seeds, folds, jackknifing, learning curves: deterministic, and honest about what was seen."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from panparser.learning.folds import make_folds

SPEC = pp.ParserSpec(templates=pp.templates("zn11"), beam=1)


def saved(parser, path):
    parser.save(path)
    return path.read_bytes()


def test_seeds_give_what_training_one_by_one_gives(english, tmp_path):
    treebank, dev = english
    alone = [saved(pp.train(SPEC, treebank, dev=dev, epochs=2, seed=seed), tmp_path / "m") for seed in (3, 1, 2)]
    for threads in (1, 3):
        together = pp.lab.train_seeds(SPEC, treebank, [3, 1, 2], dev=dev, epochs=2, threads=threads)
        assert [saved(parser, tmp_path / "m") for parser in together] == alone


def test_folds_cover_each_sentence_once():
    folds = make_folds(10, 3)
    assert sorted(number for fold in folds for number in fold.held_out) == list(range(10))
    assert folds[1].held_out == [1, 4, 7]
    assert folds[1].rest == [0, 2, 3, 5, 6, 8, 9]


def test_cross_validation_scores_what_was_held_out(english):
    treebank, _ = english
    scores = pp.lab.cross_validate(SPEC, treebank, 4, epochs=1)
    assert scores == pp.lab.cross_validate(SPEC, treebank, 4, epochs=1, threads=2)
    assert sum(score.words for score in scores) == treebank.words
    assert [score.fold for score in scores] == [1, 2, 3, 4]
    predicted = pp.lab.jackknife(SPEC, treebank, 4, epochs=1, threads=2)
    right = predicted.heads == treebank.heads
    owner = treebank.sentence_of_word() % 4
    assert [score.uas for score in scores] == [pytest.approx(100 * np.mean(right[owner == fold])) for fold in range(4)]


def test_jackknifing_keeps_everything_but_the_trees(english):
    treebank, _ = english
    predicted = pp.lab.jackknife(SPEC, treebank, 3, epochs=1)
    assert len(predicted) == len(treebank)
    assert (predicted.heads != treebank.heads).any()
    predicted.heads[:] = treebank.heads
    for ours, theirs in zip(predicted, treebank, strict=True):
        ours.labels = theirs.labels
    assert predicted.to_bytes() == treebank.to_bytes()


def test_an_unlabeled_parser_jackknifes_heads(english):
    spec = pp.ParserSpec(templates=pp.templates("zn11"), beam=1, labeled=False)
    predicted = pp.lab.jackknife(spec, english[0][:20], 2, epochs=1)
    assert {label for sentence in predicted for label in sentence.labels} == {"_"}


def test_learning_curves(english):
    treebank, dev = english
    points = pp.lab.learning_curve(SPEC, treebank, dev, [10, 80], epochs=2, threads=2)
    assert points == pp.lab.learning_curve(SPEC, treebank, dev, [10, 80], epochs=2)
    assert [point.sentences for point in points] == [10, 80]
    assert points[0].uas < points[1].uas


def test_what_cannot_be(english):
    treebank, dev = english
    with pytest.raises(pp.SpecError, match="folds must be an integer >= 2"):
        pp.lab.cross_validate(SPEC, treebank, 1)
    with pytest.raises(pp.TreebankError, match="at least 100 sentences"):
        pp.lab.jackknife(SPEC, treebank, 100)
    with pytest.raises(pp.SpecError, match="a size of a part of"):
        pp.lab.learning_curve(SPEC, treebank, dev, [0])
    with pytest.raises(pp.SpecError, match="threads must be"):
        pp.lab.train_seeds(SPEC, treebank, [1], threads=0)


def test_an_error_in_a_thread_ends_all(english):
    treebank, dev = english
    with pytest.raises(pp.SpecError, match="train: seed"):
        pp.lab.train_seeds(SPEC, treebank, [1, -1, 2, 3], dev=dev, epochs=30, patience=None, threads=2)
