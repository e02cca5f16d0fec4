"""The record of training: typed for us, a mapping of plain values for users and files."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from panparser.learning.listeners import EpochReport, SequenceEpochReport
from panparser.learning.training_record import CASCADE, TrainingRecord, whole

SPEC = pp.ParserSpec(templates=pp.templates("zn11"), beam=1)


@pytest.fixture(scope="module")
def parser(english):
    treebank, dev = english
    return pp.train(SPEC, treebank[:20], dev=dev[:5], epochs=2, seed=7)


def test_attributes_are_typed_and_items_are_plain(parser):
    record = parser.training
    assert record.seed == record["seed"] == 7
    assert record.interrupted is record["interrupted"] is False
    assert all(isinstance(report, EpochReport) for report in record.history)
    assert record["history"] == [vars(report) for report in record.history]
    assert record.best is not None
    assert record.best.epoch == record.best_epoch == record.get("best_epoch")
    assert "given" not in record
    assert record.get("given", "nothing") == "nothing"
    assert list(record)[:4] == ["strategy", "epochs", "patience", "seed"]
    with pytest.raises(KeyError):
        record["given"]


def test_a_record_is_what_its_values_say(parser):
    values = json.loads(json.dumps(parser.training.to_values()))
    again = TrainingRecord.from_values(values)
    assert again == parser.training == values
    assert list(again.to_values()) == list(values)
    assert again.history == parser.training.history


def test_what_other_versions_wrote_is_kept():
    values = {"seed": 3, "weather": "fine", "items": 5, "history": [{"epoch": 1, "words": 2, "updates": 0}]}
    record = TrainingRecord.from_values(values)
    assert record.item_count == record["items"] == 5
    assert record.more == {"weather": "fine"}
    assert list(record) == list(values)
    assert record.history == (EpochReport(1, 2, 0),)


def test_reports_of_sequences_have_an_accuracy(english):
    tagger = pp.train_tagger(pp.TaggerSpec(), english[0][:20], dev=english[1][:5], epochs=1)
    (report,) = TrainingRecord.from_values(tagger.training.to_values()).history
    assert isinstance(report, SequenceEpochReport)
    assert report.score == report.accuracy is not None


@pytest.mark.parametrize("values", [None, 3, [], {"history": 3}, {"history": [{"epoch": 1}]}, {"init": 5}])
def test_what_is_no_record_is_refused(values):
    with pytest.raises((TypeError, ValueError)):
        TrainingRecord.from_values(values)


def test_a_record_cannot_be_changed(parser):
    with pytest.raises(AttributeError):
        parser.training.seed = 2
    parser.training["history"][0]["epoch"] = 99
    assert parser.training.history[0].epoch == 1


def test_what_was_interrupted_is_not_whole(parser):
    assert whole(parser) is parser
    cut = parser.with_training(TrainingRecord.from_values(parser.training.to_values() | {"interrupted": True}))
    with pytest.raises(KeyboardInterrupt):
        whole(cut)


def test_only_what_applies_is_written():
    record = TrainingRecord(written=CASCADE, given="gold", seed=2)
    assert record.to_values() == {
        "given": "gold",
        "folds": None,
        "seed": 2,
        "sentences": 0,
        "words": 0,
        "data": {},
    }
