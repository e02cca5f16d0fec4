"""Listeners: the same events in the same order, whatever learns and whoever drives it."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

import panparser as pp
from learners import SMALL
from linear import EXPLORE, Linear
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:70], TREEBANK[70:76]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)


class Notes(pp.Listener):
    """All events, as letters: E epoch, s sentence, u update, V evaluation, L learned, w words; ( before, ) after."""

    def __init__(self):
        self.text, self.epochs, self.reports, self.words = "", [], [], []

    def before_epoch(self, epoch):
        self.text += "E("
        self.epochs.append(epoch)

    def after_epoch(self, report):
        self.text += "E)"
        self.reports.append(report)

    def before_sentence(self, epoch, sentence):
        self.text += "s("
        assert epoch == self.epochs[-1]

    def after_sentence(self, epoch, sentence):
        self.text += "s)"

    def before_update(self, update):
        self.text += "u("
        assert update.epoch == self.epochs[-1]
        assert len(update.positive) == len(update.negative) >= update.started

    def after_update(self, update):
        self.text += "u)"

    def after_training_pass(self, epoch, parser):
        self.text += "L)"
        assert parser.parse(DEV).words == DEV.words

    def before_evaluation(self, epoch):
        self.text += "V("

    def after_evaluation(self, report):
        self.text += "V)"
        assert report.score is not None

    def on_progress(self, epoch, words, updates):
        self.text += "w)"
        self.words.append(words)


LEARNERS = {
    "parser": lambda **options: pp.train(GREEDY, TRAIN, members=1, **options),
    "beam": lambda **options: pp.train(replace(GREEDY, beam=3), TRAIN, members=1, **options),
    "members": lambda **options: pp.train(GREEDY, TRAIN, members=2, **options),
    "classifier": lambda **options: pp.train(GREEDY, TRAIN, classifier=Linear(), strategy=EXPLORE, **options),
    "tagger": lambda **options: pp.train_tagger(pp.TaggerSpec(), TRAIN, members=1, **options),
    "lemmatizer": lambda **options: pp.train_lemmatizer(TRAIN, **options),
}
SENTENCE = r"s\((u\(u\))*s\)(w\))?"  # a perceptron: each update by itself
BATCH = r"(s\()+(u\(|u\))*(s\))+(w\))?"  # a classifier: sentences together


def pattern(name: str, with_dev: bool) -> str:
    body = BATCH if name == "classifier" else SENTENCE
    learned = r"L\)" if name in ("parser", "beam", "members", "classifier") else ""
    evaluation = r"V\(V\)" if with_dev else ""
    return rf"(E\(({body})+{learned}{evaluation}E\))+"


@pytest.mark.parametrize("with_dev", [True, False], ids=["dev", "no dev"])
@pytest.mark.parametrize("name", LEARNERS)
def test_events_come_in_order(name, with_dev):
    notes = Notes()
    model = LEARNERS[name](epochs=2, listeners=[notes], **({"dev": DEV} if with_dev else {}))
    assert re.fullmatch(pattern(name, with_dev), notes.text), notes.text[:300]
    assert notes.epochs == [1, 2] == [report.epoch for report in notes.reports]
    assert notes.text.count("u(") == notes.text.count("u)") == notes.reports[-1].updates
    assert notes.words == sorted(notes.words)
    history = model.training["history"]
    assert [vars(report) for report in notes.reports] == history
    assert all((report.score is None) is not with_dev for report in notes.reports)


@pytest.mark.parametrize("name", LEARNERS)
def test_who_listens_changes_nothing(name):
    silent, heard = (LEARNERS[name](epochs=2, dev=DEV, listeners=who) for who in ((), [Notes(), Notes()]))
    for one, other in zip(silent.to_arrays().values(), heard.to_arrays().values(), strict=True):
        assert (one == other).all()
    assert silent.training["history"] == heard.training["history"]


@pytest.mark.parametrize("name", LEARNERS)
def test_a_listener_that_raises_ends_training(name):
    class Refuse(pp.Listener):
        def after_epoch(self, report):
            raise ZeroDivisionError("enough")

    with pytest.raises(ZeroDivisionError, match="enough"):
        LEARNERS[name](epochs=3, listeners=[Refuse()])


def test_every_stage_of_a_cascade_is_heard_and_its_folds_are_not():
    notes, stages = Notes(), []
    pp.train_cascade(
        STAGES, TRAIN, dev=DEV, folds=2, epochs=2, members=1, listeners=[notes],
        on_stage_start=lambda number, stage: stages.append((number, stage.name, len(notes.epochs))),
    )  # fmt: skip
    assert stages == [(0, "near", 0), (1, "rest", 2)]
    assert notes.epochs == [1, 2, 1, 2]
    assert re.fullmatch(f"({pattern('parser', True)}){{2}}", notes.text)


def test_every_part_of_a_pipeline_is_heard_and_its_folds_are_not():
    notes, parts = Notes(), []
    spec = pp.PipelineSpec(parser=GREEDY, folds=2, tokenizer_epochs=1, tagger_epochs=2, lemmatizer_epochs=1)
    pp.train_pipeline(
        spec, TRAIN, dev=DEV, epochs=2, members=1, listeners=[notes],
        on_part_start=lambda name: parts.append((name, len(notes.epochs))),
    )  # fmt: skip
    assert [name for name, _ in parts] == ["tokenizer", "tagger upos+xpos+feats", "2 folds", "lemmatizer", "parser"]
    assert [heard for _, heard in parts] == [0, 1, 3, 3, 4]
    assert notes.epochs == [1, 1, 2, 1, 1, 2]
