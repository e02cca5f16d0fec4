"""Ctrl-C in every driver, with one thread and with two: what was cut short never counts as whole."""

from __future__ import annotations

from itertools import count

import pytest

import panparser as pp
from linear import EXPLORE, Linear
from panparser.batches.classifier import StoredClassifier
from panparser.ensembles.cascade_training import estimate_regions
from panparser.lab.curves import parse_sizes
from panparser.learning import folds
from panparser.treebank.arc_regions import ArcRegion

SPEC = pp.ParserSpec(templates=pp.templates("fast"), beam=1)
STAGES = [
    pp.CascadeStage(name="determiners", regions=(ArcRegion(upos=("DET",)),)),
    pp.CascadeStage(name="rest", spec=SPEC),
]
PIPELINE = pp.PipelineSpec(folds=2, parser=SPEC, tagger_epochs=2, tokenizer_epochs=2, lemmatizer_epochs=2)
TAGGING = pp.PipelineSpec(parts=("tagger", "parser"), folds=2, parser=SPEC, tagger_epochs=2)
THREADS = pytest.mark.parametrize("threads", [1, 2])


class Stop(pp.Listener):
    """Ctrl-C in the second epoch of the training with this number, when there is a model of the first already."""

    def __init__(self, training: int) -> None:
        self.left = training

    def before_epoch(self, epoch: int) -> None:
        if epoch == 2:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.fixture
def treebank(english):
    return english[0][:24]


@pytest.fixture
def dev(english):
    return english[1][:6]


# --- One model: the best so far is kept, and says so ---


@pytest.mark.parametrize(
    "learn",
    [
        lambda treebank, **options: pp.train(SPEC, treebank, **options),
        lambda treebank, **options: pp.train(SPEC, treebank, classifier=Linear(), strategy=EXPLORE, **options),
        lambda treebank, **options: pp.train_tagger(pp.TaggerSpec(), treebank, **options),
        pp.train_lemmatizer,
        pp.train_tokenizer,
    ],
    ids=["parser", "classifier", "tagger", "lemmatizer", "tokenizer"],
)
def test_a_model_that_was_interrupted_says_so(treebank, tmp_path, learn):
    model = learn(treebank, epochs=3, listeners=[Stop(1)])
    assert model.training.interrupted
    assert len(model.training.history) == 1
    model.save(tmp_path / "model")
    assert pp.load(tmp_path / "model", StoredClassifier).training["interrupted"]
    assert not learn(treebank, epochs=1).training.interrupted


def test_before_the_first_epoch_there_is_nothing_to_keep(treebank):
    class AtOnce(pp.Listener):
        def before_epoch(self, epoch):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pp.train(SPEC, treebank, epochs=2, listeners=[AtOnce()])


# --- Several models: all or none ---


@THREADS
@pytest.mark.parametrize("part", range(1, 5))
def test_no_pipeline_of_some_parts(treebank, dev, threads, part):
    """Tokenizer, tagger, lemmatizer and parser, one after the other."""
    with pytest.raises(KeyboardInterrupt):
        pp.train_pipeline(PIPELINE, treebank, dev=dev, epochs=2, threads=threads, listeners=[Stop(part)])


@THREADS
@pytest.mark.parametrize("stage", [1, 2])
def test_no_cascade_of_some_stages(treebank, dev, threads, stage):
    with pytest.raises(KeyboardInterrupt):
        pp.train_cascade(STAGES, treebank, dev=dev, folds=2, epochs=2, threads=threads, listeners=[Stop(stage)])


# --- Folds: Ctrl-C falls on a training of which no listener of the user hears ---


@pytest.fixture
def interrupted_folds(monkeypatch):
    """Every training of a fold is interrupted in its second epoch."""
    trainings = count()

    class Interrupted(folds.StopOnInterrupt):
        def before_epoch(self, epoch):
            if epoch == 2:
                next(trainings)
                raise KeyboardInterrupt

    monkeypatch.setattr(folds, "StopOnInterrupt", Interrupted)
    monkeypatch.setattr(folds, "Listener", Interrupted)
    return trainings


@THREADS
@pytest.mark.parametrize(
    "work",
    [
        lambda treebank, dev, threads: pp.lab.cross_validate(SPEC, treebank, 2, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.cross_validate(pp.TaggerSpec(), treebank, 2, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.cross_validate(
            pp.train_lemmatizer, treebank, 2, epochs=3, threads=threads
        ),
        lambda treebank, dev, threads: pp.lab.cross_validate(STAGES, treebank, 2, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.jackknife(SPEC, treebank, 2, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.jackknife(TAGGING, treebank, 2, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.train_seeds(SPEC, treebank, [1, 2], dev=dev, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.lab.learning_curve(SPEC, treebank, dev, [9, 20], epochs=3, threads=threads),
        lambda treebank, dev, threads: parse_sizes(SPEC, treebank, dev, [9, 20], epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.train_pipeline(TAGGING, treebank, dev=dev, epochs=3, threads=threads),
        lambda treebank, dev, threads: pp.train_cascade(STAGES, treebank, folds=2, epochs=3, threads=threads),
        lambda treebank, dev, threads: estimate_regions(treebank, folds=2, epochs=3, threads=threads),
    ],
    ids=[
        "cross_validate",
        "cross_validate a tagger",
        "cross_validate a lemmatizer",
        "cross_validate a cascade",
        "jackknife",
        "jackknife a pipeline",
        "train_seeds",
        "learning_curve",
        "parse_sizes",
        "folds of a pipeline",
        "folds of a cascade",
        "estimate_regions",
    ],
)
def test_a_fold_that_was_interrupted_ends_it_all(treebank, dev, threads, work, interrupted_folds):
    with pytest.raises(KeyboardInterrupt):
        work(treebank, dev, threads)
    assert 1 <= next(interrupted_folds) <= threads


@THREADS
def test_listeners_of_the_user_end_experiments_too(treebank, threads):
    with pytest.raises(KeyboardInterrupt):
        pp.lab.cross_validate(SPEC, treebank, 4, epochs=2, threads=threads, listeners=[Stop(2)])
