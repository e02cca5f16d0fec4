"""Threads of training change no byte, and lose no event, interrupt or error; searches in several threads are apart."""

from __future__ import annotations

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import panparser as pp
from covington import Covington
from learners import SMALL
from linear import Linear
from nets import ALONE, REMEMBERING, TINY
from panparser import _engine
from panparser.base import threads as _threads
from panparser.inspection.explaining import Explanation
from panparser.inspection.stepping import TracedDerivation
from panparser.learning import engine_run as native
from panparser.training import engine_parser_run as perceptron
from places import ENGLISH
from reference.networks import random_network_parser

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:70], TREEBANK[70:90]
GREEDY = pp.ParserSpec(templates=SMALL, beam=1)
BEAM = replace(GREEDY, beam=3)
PARTIAL = replace(GREEDY, system=pp.system("arc-eager-partial", root="last"))
STAGES = (
    pp.CascadeStage(name="near", regions=(pp.ArcRegion(max_length=1),), spec=PARTIAL),
    pp.CascadeStage(name="rest", spec=GREEDY),
)
PIPELINE = pp.PipelineSpec(folds=2, parser=GREEDY, tagger_epochs=2, tokenizer_epochs=2, lemmatizer_epochs=2)


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    """So that members take turns within a few sentences."""
    monkeypatch.setattr(native, "CHUNK_SENTENCES", 8)


class Watch(pp.Listener):
    """Notes what it hears, and in which threads."""

    is_passive = True

    def __init__(self):
        self.heard, self.threads = [], set()

    def _note(self, *what):
        self.heard.append(what)
        self.threads.add(threading.get_ident())

    def before_epoch(self, epoch):
        self._note("before_epoch", epoch)

    def on_progress(self, epoch, words, updates):
        self._note("on_progress", epoch, words)

    def after_training_pass(self, epoch, parser):
        self._note("after_training_pass", epoch)

    def before_evaluation(self, epoch):
        self._note("before_evaluation", epoch)

    def after_evaluation(self, report):
        self._note("after_evaluation", report.epoch)

    def after_epoch(self, report):
        self._note("after_epoch", report.epoch)


class Act(Watch):
    is_passive = False


TRAININGS = {
    "parser": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=4, members=3, **options),
    "one member": lambda **options: pp.train(BEAM, TRAIN, dev=DEV, epochs=4, members=1, prune_threshold=1.0, **options),
    "patience": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=9, patience=1, members=2, **options),
    "no dev": lambda **options: pp.train(GREEDY, TRAIN, epochs=2, members=2, **options),
    "small": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=2, members=2, max_model_bytes=40_000, **options),
    "half the heads": lambda **options: pp.train(GREEDY, TRAIN, dev=DEV, epochs=2, constraints=0.5, **options),
    "tagger": lambda **options: pp.train_tagger(
        pp.TaggerSpec(), TRAIN, dev=DEV, epochs=4, prune_threshold=0.5, **options
    ),
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
    options = {"epochs": 20, "members": 1, "strategy": pp.learning.MAX_VIOLATION}
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
    one, two = (pp.lab.cross_validate(GREEDY, TRAIN, 3, epochs=2, threads=threads) for threads in (1, 4))
    assert one == two == pp.lab.cross_validate(GREEDY, TRAIN, 3, epochs=2)
    parsers = [pp.lab.train_seeds(GREEDY, TRAIN, [1, 2], dev=DEV, epochs=2, threads=threads) for threads in (1, 2)]
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
    assert [what[:2] for what in watch.heard if what[0] == "on_progress"] == [
        what[:2] for what in act.heard if what[0] == "on_progress"
    ]
    own = [what for what in watch.heard if what[0].endswith(("evaluation", "learning"))]
    assert own == [what for what in act.heard if what[0].endswith(("evaluation", "learning"))]
    assert [what[1] for what in watch.heard if what[0] == "after_epoch"] == [1, 2, 3, 4]


def test_who_acts_hears_of_an_epoch_before_the_next_one_begins():
    for listener in (Act(), Watch()):
        TRAININGS["parser"](threads=3, listeners=[listener])
        in_turn = listener.heard.index(("after_epoch", 1)) < listener.heard.index(("before_epoch", 2))
        assert in_turn != listener.is_passive


def test_a_listener_stops_training_at_the_same_place(tmp_path):
    class Stop(pp.Listener):
        def on_progress(self, epoch, words, updates):
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
        def on_progress(self, epoch, words, updates):
            if epoch == 2:
                raise KeyboardInterrupt

    model = TRAININGS[name](threads=threads, listeners=[CtrlC()])
    assert model.training.interrupted
    assert [report.epoch for report in model.training.history] == [1]


def test_an_interrupted_run_goes_on_to_the_same_parser(tmp_path):
    class CtrlC(Watch):
        def on_progress(self, epoch, words, updates):
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
    with pytest.raises(pp.SpecError, match=r"\w+: threads must be an integer >= 1; got"):
        TRAININGS[name](threads=threads)


def test_none_is_all_cores_or_a_share_of_them():
    assert _threads.resolve_threads("train: threads", None) == _threads.cores()
    with _threads.capped_default_threads(5):
        assert _threads.resolve_threads("train: threads", None) == 5
        assert _threads.resolve_threads("train: threads", 2) == 2
    assert _threads.resolve_threads("train: threads", None) == _threads.cores()


def test_folds_share_the_threads(monkeypatch):
    asked = []

    def note(self):
        asked.append(self.threads)
        raise ValueError("enough")

    monkeypatch.setattr(perceptron.PerceptronRun, "__post_init__", note)
    for threads, share in ((1, 1), (2, 1), (5, 2)):
        with pytest.raises(ValueError, match="enough"):
            pp.lab.cross_validate(GREEDY, TRAIN, 2, epochs=1, threads=threads)
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
        training=pp.TrainingConfig(epochs=2, members=2),
    )
    run.train_epoch(1)
    averages = _engine.average(run.learners, 2)
    before = averages.compact(0.0, 1)
    run.train_epoch(2)
    after = averages.compact(0.0, 2)
    for name in ("lines", "label_lines", "tables", "label_rows"):
        assert np.array_equal(getattr(before, name), getattr(after, name))
    assert not np.array_equal(_engine.average(run.learners, 1).compact(0.0, 1).lines, before.lines)


# --- Searches ---

SHORT = [sentence for sentence in TREEBANK if 3 <= len(sentence) <= 9][:8]


class Depths(Linear):
    """Keeps something for each state of its search: a score depends on it, and a state of another search has none."""

    name = "depths"

    def start_batch(self, states):
        self.depths = {}

    def score(self, states):
        rows = zip(states.ids.tolist(), states.parents.tolist(), strict=True)
        depths = [self.depths.setdefault(number, self.depths.get(parent, -1) + 1) for number, parent in rows]
        assert depths == [len(states.derivation(number)[1]) for number in states.ids.tolist()]
        return super().score(states) * (1 + np.array(depths)[:, None] % 2)


def number_between(state, sentence):
    return state.buffer[0] - state.stack[-1] if state.stack and state.buffer else None


def trained(spec: pp.ParserSpec = BEAM, **options) -> pp.Parser:
    return pp.train(spec, TRAIN, epochs=1, **options)


def calling() -> pp.Parser:
    templates = pp.Templates.parse("S0.upos B0.upos call[between]\nS0.form B0.form")
    return trained(pp.ParserSpec(templates=templates, beam=2, functions={"between": number_between}))


MODELS = {
    "perceptron": lambda: trained(dev=DEV),
    "feed-forward network": lambda: random_network_parser(BEAM, ALONE, TREEBANK),
    "BiLSTM": lambda: random_network_parser(GREEDY, TINY, TREEBANK),
    "stack LSTM": lambda: random_network_parser(BEAM, REMEMBERING, TREEBANK),
    "classifier with a memory": lambda: trained(classifier=Depths(), strategy=pp.STRATEGIES["max-violation"]),
    "perceptron as a classifier": lambda: trained(GREEDY, classifier=pp.Perceptron()),
    "joint": lambda: trained(classifier=pp.batches.JointClassifier(pp.Perceptron(), outputs="label")),
    "system in Python": lambda: trained(replace(GREEDY, system=Covington()), strategy=pp.STRATEGIES["dynamic"]),
    "templates with functions": calling,
    "vote by scores": lambda: pp.make_voting_parser([trained(seed=1), trained(seed=2)]),
    "vote by choices": lambda: pp.make_voting_parser([trained(seed=1), trained(seed=2)], method="choices"),
    "vote of networks": lambda: pp.make_voting_parser(
        [random_network_parser(BEAM, TINY, TREEBANK, seed=seed) for seed in (1, 2)]
    ),
    "combination": lambda: pp.CombinedParser([trained(seed=1), trained(seed=2)], [1.0, 0.5], ["a", "b"]),
    "cascade": TRAININGS["cascade"],
    "pipeline": TRAININGS["pipeline"],
    "en": lambda: pp.load("en"),
    "en-neural": lambda: pp.load("en-neural"),
}
model_of = lru_cache(maxsize=None)(lambda name: MODELS[name]())


def parse(model, sentence):
    treebank = sentence.treebank[sentence.position : sentence.position + 1].copy()
    model.annotate(treebank)
    return treebank.to_bytes()


def explain(model, sentence):
    explanation = Explanation.from_sentence(parser_of(model), sentence, beam=1)
    steps = [(why.features, why.weights.tolist()) for why in explanation.all_actions()]
    return steps, explanation.actions(1).weights.tolist(), explanation.label_scores(len(explanation))


def confidence(model, sentence):
    treebank = sentence.treebank[sentence.position : sentence.position + 1].copy()
    found = parser_of(model).confidence(treebank)
    return found.heads.tolist(), found.head_confidence.tolist()


def parser_of(model):
    return model.parser if isinstance(model, pp.Pipeline) else model


WAYS = {
    "parse": parse,
    "best": lambda model, sentence: [(tree.heads, tree.score) for tree in parser_of(model).k_best(sentence, 3)],
    "explain": explain,
    "step": lambda model, sentence: TracedDerivation.from_parser(parser_of(model), sentence, beam=2).to_values(),
    "confidence": confidence,
}


def outcome(model, way, sentence) -> object:
    """What comes of it; what a kind of model refuses, it refuses in the same words."""
    try:
        return WAYS[way](model, sentence)
    except pp.PanParserError as error:
        return type(error), str(error)
    except AttributeError as error:  # several parsers in one lack some of the ways; a single one lacks none
        if isinstance(parser_of(model), pp.Parser):
            raise
        return type(error), str(error)


@pytest.fixture
def hasty_threads():
    """Threads that interrupt each other as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.unmeasured
@pytest.mark.usefixtures("hasty_threads")
@pytest.mark.parametrize("name", MODELS)
def test_searches_of_several_threads_find_what_they_find_alone(name):
    model = model_of(name)
    tasks = [(way, sentence) for sentence in SHORT for way in WAYS]
    expected = [outcome(model, *task) for task in tasks]
    assert any(not isinstance(found[0], type) for found in expected)
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            found = list(pool.map(lambda task: outcome(model, *task), tasks))
            assert [way for (way, _), one, other in zip(tasks, found, expected, strict=True) if one != other] == []


def test_one_explanation_serves_several_threads(hasty_threads):
    parser = model_of("stack LSTM")
    explanation = Explanation.from_sentence(parser, SHORT[0])
    steps = [*range(1, len(explanation) + 1)] * 3
    expected = [explanation.actions(step).weights.tolist() for step in steps]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(lambda step: explanation.actions(step).weights.tolist(), steps)] == expected


@pytest.mark.parametrize("name", ["feed-forward network", "BiLSTM", "stack LSTM", "en-neural"])
def test_searches_do_not_change_the_network(name):
    parser = parser_of(model_of(name))
    before = dict(vars(parser.classifier))
    for way in WAYS:
        outcome(parser, way, SHORT[0])
    assert vars(parser.classifier) == before


@pytest.mark.parametrize("classifier", [Depths(), pp.Perceptron()], ids=["memory", "perceptron"])
def test_classified_sequences_of_several_threads(classifier, hasty_threads):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 3, 400).astype(np.int32)
    items = pp.tagging.SequenceItems(np.arange(0, 401, 5), {"a": values})
    window = pp.tagging.SequenceFeatures(templates=pp.Templates.parse("W0.a\nW-1.a W0.a\nT-1 W0.a"), columns=("a",))
    model = pp.tagging.train_sequence_model(window, items, values, 3, beam=2, classifier=classifier, epochs=1)
    expected = model.predict(items).tolist(), [model.best(items, number, 2) for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(model.predict, items) for _ in range(8)]
        assert [*pool.map(lambda number: model.best(items, number, 2), range(40))] == expected[1]
        assert all(one.result().tolist() == expected[0] for one in found)


class Copying:
    """A task: copies a text letter by letter."""

    actions = ("a", "b", "c")

    def initial(self, word):
        return word, ""

    def legal(self, state):
        return tuple("abc") if len(state[1]) < len(state[0]) else ()

    def apply(self, state, action):
        return state[0], state[1] + action

    def cost(self, state, action, gold):
        return int(gold[len(state[1])] != action)

    def features(self, state):
        return [f"letter {state[0][len(state[1])]}", f"before {state[1][-1:]}"]


@pytest.mark.parametrize("classifier", [None, Depths()], ids=["own", "memory"])
def test_tasks_of_several_threads(classifier, hasty_threads):
    words = ["abc", "cab", "bca", "aabbcc", "cba", "ccc"]
    model = pp.train_task(Copying(), [(word, word) for word in words], beam=2, epochs=2, classifier=classifier)
    expected = [model.predict(word) for word in words * 8]
    with ThreadPoolExecutor(8) as pool:
        assert [*pool.map(model.predict, words * 8)] == expected
