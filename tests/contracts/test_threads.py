"""Threads of training: they change no byte, and neither listeners nor Ctrl-C nor errors get lost in them."""

from __future__ import annotations

import threading
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from panparser import _engine, _threads
from panparser.learning import native
from panparser.parsing.training import perceptron
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:70], TREEBANK[70:90]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
STAGES = (
    pp.Stage(name="near", regions=(pp.Region(max_length=1),), spec=PARTIAL),
    pp.Stage(name="rest", spec=GREEDY),
)
PIPELINE = pp.PipelineSpec(folds=2, parser=GREEDY, tagger_epochs=2, tokenizer_epochs=2, lemmatizer_epochs=2)


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    """So that members take turns within a few sentences."""
    monkeypatch.setattr(native, "CHUNK_SENTENCES", 8)


class Watch(pp.Listener):
    """Notes what it hears, and in which threads."""

    only_watches = True

    def __init__(self):
        self.heard, self.threads = [], set()

    def _note(self, *what):
        self.heard.append(what)
        self.threads.add(threading.get_ident())

    def before_epoch(self, epoch):
        self._note("before_epoch", epoch)

    def after_words(self, epoch, words, updates):
        self._note("after_words", epoch, words)

    def after_learning(self, epoch, parser):
        self._note("after_learning", epoch)

    def before_evaluation(self, epoch):
        self._note("before_evaluation", epoch)

    def after_evaluation(self, report):
        self._note("after_evaluation", report.epoch)

    def after_epoch(self, report):
        self._note("after_epoch", report.epoch)


class Act(Watch):
    only_watches = False


TRAININGS = {
    "parser": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=4, members=3, **options),
    "one member": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=4, members=1, prune=1.0, **options),
    "patience": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=9, patience=1, members=2, **options),
    "no dev": lambda **options: pp.train(GREEDY, TRAIN, epochs=2, members=2, **options),
    "small": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=2, members=2, max_size=40_000, **options),
    "half the heads": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=2, constraints=0.5, **options),
    "tagger": lambda **options: pp.train_tagger(pp.TaggerSpec(), TRAIN, dev=DEV, epochs=4, prune=0.5, **options),
    "lemmatizer": lambda **options: pp.train_lemmatizer(TRAIN, dev=DEV, epochs=3, **options),
    "tokenizer": lambda **options: pp.train_tokenizer(TRAIN, dev=DEV, epochs=3, **options),
    "pipeline": lambda **options: pp.train_pipeline(PIPELINE, TRAIN, dev=DEV, epochs=2, **options),
    "cascade": lambda **options: pp.train_cascade(STAGES, TRAIN, dev=DEV, folds=2, epochs=2, **options),
}


def saved(model, path) -> bytes:
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", TRAININGS)
def test_no_byte_depends_on_them(name, tmp_path):
    one, *others = (saved(TRAININGS[name](threads=threads), tmp_path / "model") for threads in (1, 2, 3))
    assert others == [one, one]


@pytest.mark.parametrize("spec", [GREEDY, BEAM])
def test_sentences_are_searched_ahead_of_those_that_change_nothing(spec, tmp_path):
    """After many epochs that is most of them."""
    options = {"epochs": 20, "members": 1, "strategy": pp.MAX_VIOLATION}
    one, *others = (
        saved(pp.train(spec, TRAIN, threads=threads, **options), tmp_path / "model") for threads in (1, 2, 5)
    )
    assert others == [one, one]
    updates = [report.updates for report in pp.train(spec, TRAIN, threads=5, **options).training.history]
    assert updates[-1] - updates[-5] < len(TRAIN)  # in four epochs


@pytest.mark.parametrize("listener", [Watch, Act])
def test_no_byte_depends_on_listeners(listener, tmp_path):
    heard = saved(TRAININGS["parser"](threads=3, listeners=[listener()]), tmp_path / "model")
    assert heard == saved(TRAININGS["parser"](threads=1), tmp_path / "model")


def test_experiments_give_the_same(tmp_path):
    one, two = (pp.cross_validate(GREEDY, TRAIN, 3, epochs=2, threads=threads) for threads in (1, 4))
    assert one == two == pp.cross_validate(GREEDY, TRAIN, 3, epochs=2)
    parsers = [pp.train_seeds(GREEDY, TRAIN, [1, 2], dev=DEV, epochs=2, threads=threads) for threads in (1, 2)]
    for one, two in zip(*parsers, strict=True):
        assert saved(one, tmp_path / "model") == saved(two, tmp_path / "model")


# --- Who hears what ---


def test_members_learn_in_threads_of_their_own(monkeypatch):
    seen = set()
    teach = perceptron.PerceptronRun._train

    def noted(self, *values):
        seen.add(threading.get_ident())
        teach(self, *values)

    monkeypatch.setattr(perceptron.PerceptronRun, "_train", noted)
    pp.train(GREEDY, TRAIN, epochs=1, members=3, threads=3, listeners=[Watch()])
    assert threading.get_ident() not in seen
    seen.clear()
    pp.train(GREEDY, TRAIN, epochs=1, members=3, threads=3, listeners=[Act()])
    assert seen == {threading.get_ident()}


@pytest.mark.parametrize("threads", [1, 3])
def test_listeners_hear_all_in_their_own_thread(threads):
    watch, act = Watch(), Act()
    for listener in (watch, act):
        TRAININGS["parser"](threads=threads, listeners=[listener])
        assert listener.threads == {threading.get_ident()}
    assert [what[:2] for what in watch.heard if what[0] == "after_words"] == [
        what[:2] for what in act.heard if what[0] == "after_words"
    ]
    own = [what for what in watch.heard if what[0].endswith(("evaluation", "learning"))]
    assert own == [what for what in act.heard if what[0].endswith(("evaluation", "learning"))]
    assert [what[1] for what in watch.heard if what[0] == "after_epoch"] == [1, 2, 3, 4]


def test_who_acts_hears_of_an_epoch_before_the_next_one_begins():
    for listener in (Act(), Watch()):
        TRAININGS["parser"](threads=3, listeners=[listener])
        in_turn = listener.heard.index(("after_epoch", 1)) < listener.heard.index(("before_epoch", 2))
        assert in_turn != listener.only_watches


def test_a_listener_stops_training_at_the_same_place(tmp_path):
    class Stop(pp.Listener):
        def after_words(self, epoch, words, updates):
            if words > 2500:
                raise pp.StopTraining

    one, two = (
        saved(pp.train(GREEDY, TRAIN, epochs=5, members=2, threads=threads, listeners=[Stop()]), tmp_path / "model")
        for threads in (1, 3)
    )
    assert one == two


# --- Interrupts and errors ---


@pytest.mark.parametrize("name", ["parser", "one member", "tagger", "tokenizer"])
@pytest.mark.parametrize("threads", [1, 3])
def test_an_interrupt_leaves_the_best_so_far(name, threads):
    class CtrlC(Watch):
        def after_words(self, epoch, words, updates):
            if epoch == 2:
                raise KeyboardInterrupt

    model = TRAININGS[name](threads=threads, listeners=[CtrlC()])
    assert model.training.interrupted
    assert [report.epoch for report in model.training.history] == [1]


def test_an_interrupted_run_goes_on_to_the_same_parser(tmp_path):
    class CtrlC(Watch):
        def after_words(self, epoch, words, updates):
            if epoch == 3:
                raise KeyboardInterrupt

    checkpoint = tmp_path / "checkpoint"
    assert TRAININGS["parser"](threads=3, checkpoint=checkpoint, listeners=[CtrlC()]).training.interrupted
    parser = TRAININGS["parser"](threads=2, checkpoint=checkpoint, resume=True)
    assert saved(parser, tmp_path / "model") == saved(TRAININGS["parser"](threads=1), tmp_path / "model")


def test_an_error_of_a_member_reaches_the_caller(monkeypatch):
    taught = []

    def teach(self, learner, chosen, *rest):
        if learner is self.learners[1]:
            raise ValueError("member 1")
        taught.append(len(chosen))

    monkeypatch.setattr(perceptron.PerceptronRun, "_train", teach)
    with pytest.raises(ValueError, match="member 1"):
        pp.train(GREEDY, TRAIN, epochs=1, members=3, threads=3)
    assert sum(taught) <= 2 * len(TRAIN)


def test_an_error_of_an_evaluation_reaches_the_caller(monkeypatch):
    def score(*values):
        raise ValueError("scores")

    monkeypatch.setattr(perceptron, "score", score)
    with pytest.raises(ValueError, match="scores"):
        TRAININGS["parser"](threads=3)


@pytest.mark.parametrize("threads", [0, -1, 1.0, True, "2"])
@pytest.mark.parametrize("name", ["parser", "tagger", "lemmatizer", "tokenizer", "pipeline", "cascade"])
def test_their_number_is_checked(name, threads):
    with pytest.raises(pp.SpecError, match=r"threads of \w+ must be an integer >= 1; got"):
        TRAININGS[name](threads=threads)


def test_none_is_all_cores_or_a_share_of_them():
    assert _threads.chosen_threads("threads of train", None) == _threads.cores()
    with _threads.at_most(5):
        assert _threads.chosen_threads("threads of train", None) == 5
        assert _threads.chosen_threads("threads of train", 2) == 2
    assert _threads.chosen_threads("threads of train", None) == _threads.cores()


def test_folds_share_the_threads(monkeypatch):
    asked = []

    def note(self):
        asked.append(self.threads)
        raise ValueError("enough")

    monkeypatch.setattr(perceptron.PerceptronRun, "__post_init__", note)
    for threads, share in ((1, 1), (2, 1), (5, 2)):
        with pytest.raises(ValueError, match="enough"):
            pp.cross_validate(GREEDY, TRAIN, 2, epochs=1, threads=threads)
        assert set(asked) == {share}
        asked.clear()


def test_averages_do_not_change_with_the_learners():
    run = perceptron.PerceptronRun(
        spec=GREEDY,
        treebank=TRAIN,
        dev=None,
        vectors=None,
        init=None,
        checkpoint=None,
        listeners=(),
        training=pp.Training(epochs=2, members=2),
    )
    run.train_epoch(1)
    averages = _engine.average(run.learners, 2)
    before = averages.compact(0.0, 1)
    run.train_epoch(2)
    after = averages.compact(0.0, 2)
    for name in ("lines", "label_lines", "tables", "label_rows"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert not np.array_equal(_engine.average(run.learners, 1).compact(0.0, 1).lines, before.lines)
