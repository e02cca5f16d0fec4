"""Cross-validation and jackknifing of whatever is trained."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import panparser as pp
from linear import EXPLORE, Linear
from panparser.treebank.arc_regions import ArcRegion

SPEC = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
STAGES = [pp.CascadeStage(name="nouns", regions=(ArcRegion(upos=("DET",)),)), pp.CascadeStage(name="rest", spec=SPEC)]
PIPELINE = pp.PipelineSpec(parts=("tagger", "lemmatizer", "parser"), folds=2, parser=SPEC, tagger_epochs=1)


@pytest.fixture(scope="module")
def treebank(english):
    return english[0][:24]


def texts(treebank, name):
    return np.array(treebank.vocabulary(name), dtype=object)[treebank.column(name)]


KINDS = {
    "parser": (SPEC, {"epochs": 1}, {"UAS", "LAS"}, ("deprel",)),
    "unlabeled": (pp.ParserSpec(templates=pp.templates("fast"), beam=1, labeled=False), {"epochs": 1}, {"UAS"}, ()),
    "classifier": (SPEC, {"epochs": 1, "classifier": Linear(), "strategy": EXPLORE}, {"UAS", "LAS"}, ("deprel",)),
    "tagger": (pp.TaggerSpec(columns=("upos", "feats")), {"epochs": 1}, {"upos", "feats", "all"}, ("upos", "feats")),
    "lemmatizer": (pp.train_lemmatizer, {"epochs": 1}, {"lemma"}, ("lemma",)),
    "cascade": (STAGES, {"epochs": 1}, {"UAS", "LAS"}, ("deprel",)),
    "pipeline": (PIPELINE, {"epochs": 1}, {"UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"}, ("upos", "lemma")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_is_trained_is_cross_validated(treebank, kind):
    spec, options, names, columns = KINDS[kind]
    scores = pp.lab.cross_validate(spec, treebank, 2, threads=2, **options)
    assert scores == pp.lab.cross_validate(spec, treebank, 2, **options)
    assert [score.words for score in scores] == [treebank[fold::2].words for fold in range(2)]
    for score in scores:
        assert set(score.scores) == names
        assert all(0 < value <= 100 for value in score.scores.values())
        assert (score.uas, score.las) == (score.scores.get("UAS"), score.scores.get("LAS"))
    predicted = pp.lab.jackknife(spec, treebank, 2, threads=2, **options)
    assert predicted.to_bytes() == pp.lab.jackknife(spec, treebank, 2, **options).to_bytes()
    assert texts(predicted, "form").tolist() == texts(treebank, "form").tolist()
    for name in columns:
        assert (texts(predicted, name) != texts(treebank, name)).any()


def test_scores_are_those_of_what_the_jackknife_writes(treebank):
    stages = partial(pp.train_cascade, STAGES, stage_constraints="gold")
    tagger = pp.TaggerSpec()
    owner = treebank.sentence_of_word() % 3
    trees, tags = pp.lab.jackknife(stages, treebank, 3, epochs=1), pp.lab.jackknife(tagger, treebank, 3, epochs=1)
    right = {"UAS": trees.heads == treebank.heads, "upos": texts(tags, "upos") == texts(treebank, "upos")}
    right["LAS"] = right["UAS"] & (texts(trees, "deprel") == texts(treebank, "deprel"))
    for spec, names in ((stages, ("UAS", "LAS")), (tagger, ("upos",))):
        for fold, score in enumerate(pp.lab.cross_validate(spec, treebank, 3, epochs=1)):
            for name in names:
                assert score.scores[name] == pytest.approx(100 * right[name][owner == fold].mean())


def test_a_model_of_a_fold_did_not_see_it(treebank):
    seen = []

    def train(rest, *, listeners):
        seen.append({sentence.text for sentence in rest})
        return pp.train(SPEC, rest, listeners=listeners, epochs=1)

    pp.lab.cross_validate(train, treebank, 3, threads=1)  # so that they come in order
    all_texts = [sentence.text for sentence in treebank]
    assert seen == [{text for i, text in enumerate(all_texts) if i % 3 != fold} for fold in range(3)]


def test_a_tokenizer_is_scored_from_raw_text_and_writes_no_columns(treebank):
    scores = pp.lab.cross_validate(pp.text.train_tokenizer, treebank, 2, epochs=1)
    assert [set(score.scores) for score in scores] == [{"Tokens", "Sentences", "Words"}] * 2
    with pytest.raises(pp.SpecError, match="expected a model that annotates the words of a treebank; got <Tokenizer"):
        pp.lab.jackknife(pp.text.train_tokenizer, treebank, 2, epochs=1)


def test_listeners_follow_every_fold(treebank):
    class Counting(pp.Listener):
        epochs = 0

        def after_epoch(self, report):
            self.epochs += 1

    counting = Counting()
    pp.lab.cross_validate(SPEC, treebank, 3, epochs=2, listeners=[counting])
    pp.lab.jackknife(SPEC, treebank, 2, epochs=1, listeners=[counting])
    assert counting.epochs == 3 * 2 + 2 * 1


@pytest.mark.parametrize("wrong", [None, 3, "parser", [], [SPEC]])
def test_what_cannot_be_trained_is_refused(treebank, wrong):
    with pytest.raises(pp.SpecError, match="spec of an experiment must be"):
        pp.lab.cross_validate(wrong, treebank, 2)
