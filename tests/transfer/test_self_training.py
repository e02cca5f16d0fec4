"""Self-training: what a parser is sure of, in text without trees, is learned from."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from languages import language
from learners import ENGLISH
from panparser.errors import SpecError, TreebankError
from panparser.parsing.calibrating import calibration_from_evidence
from panparser.transfer.candidates import AttachmentCounts

TREES = language("own", 16, verb_last=True)
DEV = language("own", 20, verb_last=True, seed=2)
RAW = language("own", 30, verb_last=True, seed=3)
RAW.heads[:] = -1
SPEC = pp.ParserSpec(templates=pp.templates("zn11"), beam=1)
OPTIONS = {"epochs": 2, "members": 1}
MADE = pp.transfer.self_train(SPEC, TREES, RAW, rounds=2, folds=4, **OPTIONS)


def test_sure_heads_alone_are_kept():
    parser = pp.train(SPEC, ENGLISH[:40], dev=ENGLISH[40:60], **OPTIONS)
    text = ENGLISH[60:70]
    confidence = parser.confidence(text)
    least = float(np.median(confidence.head_confidence))
    found = pp.transfer.select_confident_trees(parser, text, min_confidence=least)
    sure = confidence.head_confidence >= least
    assert 0 < sure.mean() < 1
    assert (found.heads == np.where(sure, confidence.heads, -1)).all()
    parsed = parser.parse(text)
    labels = [np.array(each.vocabulary("deprel"))[each.column("deprel")] for each in (found, parsed)]
    assert (labels[0] == np.where(sure, labels[1], "_")).all()


def test_scores_are_of_parsers_that_did_not_see_the_sentence():
    assert MADE.rounds[0].words == 0
    assert all(each.words > 0 for each in MADE.rounds[1:])
    expected = pp.lab.jackknife(SPEC, TREES, 4, **OPTIONS)
    assert MADE.rounds[0].counts == AttachmentCounts.from_treebanks(TREES, expected)


def test_the_best_round_is_kept():
    heads = [(each.counts.heads, each.counts.labeled) for each in MADE.rounds]
    assert heads[MADE.selected_round] == max(heads)
    record = MADE.parser.training["self_training"]
    assert (record["chosen"], record["least"], record["text"]) == (MADE.selected_round, 0.9, RAW.words)
    assert [each["uas"] for each in record["rounds"]] == [each.counts.uas for each in MADE.rounds]


def test_a_round_learns_from_trees_and_from_what_is_sure():
    """The first round with a development set, step by step."""
    made = pp.transfer.self_train(SPEC, TREES, RAW, dev=DEV, min_confidence=0.6, **OPTIONS)
    teacher = pp.train(SPEC, TREES, dev=DEV, **OPTIONS)
    text = pp.transfer.select_confident_trees(teacher, RAW, min_confidence=0.6)
    student = pp.train(SPEC, [TREES, text], treebank_weights=[len(RAW) / len(TREES), 1.0], dev=DEV, **OPTIONS)
    tallies = [AttachmentCounts.from_treebanks(DEV, parser.parse(DEV)) for parser in (teacher, student)]
    assert [each.counts for each in made.rounds] == tallies
    assert made.rounds[1].words == (text.heads >= 0).sum()
    expected = (teacher, student)[made.selected_round]
    assert made.parser.parse(DEV).to_bytes() == expected.parse(DEV).to_bytes()


def test_confidence_is_calibrated_by_parsers_of_other_folds():
    parser = pp.transfer.self_train(SPEC, TREES, RAW, rounds=1, folds=2, **OPTIONS).parser
    halves = [(TREES[1::2], TREES[0::2]), (TREES[0::2], TREES[1::2])]
    words = sum(pp.train(SPEC, rest, **OPTIONS).gather_evidence(held_out).heads.size for rest, held_out in halves)
    assert parser.calibration.words == words
    own = calibration_from_evidence(parser, parser.gather_evidence(TREES), TREES)
    assert own != parser.calibration


def test_a_parser_that_is_sure_of_nothing_stays_as_it_is():
    made = pp.transfer.self_train(SPEC, TREES, RAW, min_confidence=1.0, folds=2, **OPTIONS)
    assert [each.words for each in made.rounds] == [0, 0]
    assert made.parser.parse(DEV).to_bytes() == pp.train(SPEC, TREES, **OPTIONS).parse(DEV).to_bytes()


def test_same_seed_same_bytes(tmp_path):
    for name, threads in (("a", 1), ("b", 2)):
        options = {"min_confidence": 0.7, "folds": 2, "threads": threads}
        pp.transfer.self_train(SPEC, TREES, RAW, **options, **OPTIONS).parser.save(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_record_is_kept_and_told(tmp_path, run):
    MADE.parser.save(tmp_path / "xx.panparser")
    assert pp.load(tmp_path / "xx.panparser").training["self_training"] == MADE.to_values()
    code, out, _ = run("info", tmp_path / "xx.panparser")
    assert code == 0
    assert "self training" in out


@pytest.mark.parametrize(
    ("raw", "options", "error", "message"),
    [
        (pp.parse_conllu(""), {}, TreebankError, "expected sentences, found none"),
        ("x", {}, TreebankError, "self_train: tagged_text must be a Treebank"),
        (RAW, {"min_confidence": 0}, SpecError, r"self_train: min_confidence must be in \(0, 1\]"),
        (RAW, {"rounds": 0}, SpecError, "self_train: rounds"),
        (RAW, {"weight": 0}, SpecError, "self_train: weight must be > 0"),
        (RAW, {"folds": 1}, SpecError, "self_train: folds"),
    ],
)
def test_what_cannot_be_self_trained(raw, options, error, message):
    with pytest.raises(error, match=message):
        pp.transfer.self_train(SPEC, TREES, raw, **options)


def test_one_sentence_cannot_tell_how_sure_a_parser_is():
    with pytest.raises(TreebankError, match="expected at least two sentences, or a development set"):
        pp.transfer.self_train(SPEC, TREES[:1], RAW)
