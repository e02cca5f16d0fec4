"""A classifier in Python trains and parses as the engine's perceptron does; and what it is asked for."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from hashing import mix
from learners import (
    PERCEPTRON_STRATEGIES,
    SMALL,
    Recorder,
    attaches_deeper,
    learn,
    short_sentences,
    treebank_of,
    without_heads,
)
from linear import BEAM, EXPLORE, GREEDY, Linear
from panparser import _engine
from panparser.inspection.naive_features import seen_by_labels
from panparser.parsing.parser import classifier_model
from places import ENGLISH

MASK = 511
BITS = 2**64


class Dictionary(pp.Classifier):
    """A perceptron with whole weights in dictionaries, by key, or by key and action for labels."""

    name = "dictionary"
    batch = 1

    def prepare(self, setup):
        deeper = attaches_deeper(setup.system)
        self.for_labels = [i for i, template in enumerate(setup.templates) if seen_by_labels(template, deeper)]
        self.sizes = len(setup.system.names), len(setup.labels.names)
        self.actions = defaultdict(lambda: [0] * self.sizes[0])
        self.labels = defaultdict(lambda: [0] * self.sizes[1])

    def score(self, states):
        return self.sums(self.actions, states.keys().tolist(), self.sizes[0])

    @staticmethod
    def sums(weights, rows, width):
        known = [[weights[key] for key in keys if key in weights] for keys in rows]
        return np.array([np.sum(found, axis=0) if found else [0] * width for found in known], dtype=np.int64)

    def label_keys(self, states, rows, actions):
        """As the engine has them."""
        keys = states.keys()[rows][:, self.for_labels].tolist()
        turns = [mix(action + 0x51ED270B) & ~MASK for action in actions.tolist()]
        return [[(key + turn) % BITS for key in row] for row, turn in zip(keys, turns, strict=True)]

    def score_labels(self, states, rows, actions):
        return self.sums(self.labels, self.label_keys(states, rows, actions), self.sizes[1])

    def update(self, states, gold):
        scores = self.score(states)
        best = [np.where(among, scores, -(10**9)).argmax(axis=1) for among in (gold, states.legal())]
        wrong = np.flatnonzero(best[0] != best[1])
        for row in wrong:
            self.change(self.actions, states.keys()[row].tolist(), best[0][row], 1)
            self.change(self.actions, states.keys()[row].tolist(), best[1][row], -1)

    def update_pair(self, states, actions, signs):
        for keys, action, sign in zip(states.keys().tolist(), actions, signs, strict=True):
            self.change(self.actions, keys, action, sign)

    def update_labels(self, states, rows, actions, labels):
        scores = np.where(states.legal_labels(rows, actions), self.score_labels(states, rows, actions), -(10**9))
        found = zip(self.label_keys(states, rows, actions), labels, scores.argmax(axis=1), strict=True)
        for keys, gold, predicted in found:
            if gold != predicted:
                self.change(self.labels, keys, gold, 1)
                self.change(self.labels, keys, predicted, -1)

    @staticmethod
    def change(weights, keys, number, by):
        for key in keys:
            weights[key][number] += int(by)

    def to_arrays(self):
        found = {}
        for name, size in zip(("actions", "labels"), self.sizes, strict=True):
            weights = getattr(self, name)
            found[f"{name}.keys"] = np.array(list(weights), dtype=np.uint64)
            found[name] = np.array(list(weights.values()), dtype=np.int64).reshape(len(weights), size)
        return found

    def to_values(self):
        return {"for_labels": self.for_labels, "sizes": self.sizes}

    @classmethod
    def from_arrays(cls, arrays, values):
        restored = cls()
        restored.for_labels, restored.sizes = values["for_labels"], values["sizes"]
        for name in ("actions", "labels"):
            rows = zip(arrays[f"{name}.keys"].tolist(), arrays[name].tolist(), strict=True)
            setattr(restored, name, dict(rows))
        return restored


SYSTEMS = [
    pp.system("arc-eager", root="last"),
    pp.system("arc-hybrid"),
    pp.system("non-monotonic-arc-eager", root="last"),
    pp.system("swap-standard", root="first"),
]
SENTENCES = short_sentences(12, 9)


def side_by_side(spec, strategy, epochs=2, sentences=SENTENCES):
    """What the engine learns, and what the same classifier in Python learns; by the static oracle if need be."""
    if not spec.system.has_dynamic_oracle:
        strategy = replace(strategy, oracle="static", exploration=0)
    learned = learn(spec, sentences, strategy=strategy, epochs=epochs)
    recorder = Recorder()
    parser = pp.train(spec, sentences, classifier=Dictionary(), strategy=strategy, epochs=epochs, listeners=[recorder])
    return learned, parser, recorder


@pytest.mark.parametrize(
    ("system", "name", "unknown"),
    [
        (system, name, unknown)
        for system in SYSTEMS
        for name, unknown in [("static", 0), ("dynamic", 0), ("dynamic", 0.5)]
        # By a static oracle the engine derives before it learns from a sentence, and steps learn as they go.
        if not unknown or system.has_dynamic_oracle
    ],
    ids=lambda part: getattr(part, "name", str(part)),
)
def test_steps_teach_what_they_teach_the_engine(system, name, unknown):
    """Without labels: those are learned after each step, not at the end of a search."""
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=1, labeled=False)
    learned, parser, recorder = side_by_side(spec, pp.STRATEGIES[name], sentences=without_heads(SENTENCES, unknown))
    expected = {key: list(weights) for key, (weights, _) in learned.actions().items()}
    assert expected
    assert parser.classifier.actions == expected
    assert recorder.order == learned.order
    ours = [(update.positive, update.negative) for update in recorder.updates]
    assert ours == [(update.positive, update.negative) for update in learned.updates]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_a_static_oracle_teaches_nothing_where_heads_are_unknown(system):
    recorder = Recorder()
    sentences = without_heads(SENTENCES, 1.0) + treebank_of("a/A/0/root")
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=1, labeled=False)
    options = {"strategy": pp.STRATEGIES["static"], "epochs": 2, "listeners": [recorder]}
    pp.train(spec, sentences, classifier=Dictionary(), **options)
    assert all(len(update.positive) < 4 for update in recorder.updates)  # of the one word that has a head


@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize(
    "name", ["early-update", "max-violation", "latest", "full-update", "early-update-restart", "max-violation-restart"]
)
def test_pairs_teach_what_they_teach_the_engine(system, name, beam):
    """The same updates with the same scores; the same weights of actions and labels."""
    if beam == 1 and name == "early-update-restart":
        return  # that is what steps teach
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam)
    learned, parser, recorder = side_by_side(spec, pp.STRATEGIES[name])
    assert recorder.updates == learned.updates
    assert parser.classifier.actions == {key: list(weights) for key, (weights, _) in learned.actions().items()}
    labels = {
        key: {learned.run.labels.names[i]: weight for i, weight in enumerate(row) if weight}
        for key, row in parser.classifier.labels.items()
    }
    native = {key: {label: w for label, (w, _) in row.items() if w} for key, row in learned.labels().items()}
    assert {key: row for key, row in labels.items() if row} == {key: row for key, row in native.items() if row}


@pytest.mark.parametrize("restart", ["none", "pair"])
def test_pairs_of_a_static_oracle(restart):
    strategy = pp.TrainingStrategy(oracle="static", update_at="max-violation", restart=restart)
    spec = pp.ParserSpec(system=SYSTEMS[0], templates=SMALL, beam=4)
    learned, parser, recorder = side_by_side(spec, strategy)
    assert recorder.updates == learned.updates
    assert parser.classifier.actions == {key: list(weights) for key, (weights, _) in learned.actions().items()}


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_same_weights_parse_as_they_do_in_the_engine(system, beam):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam)
    learned = learn(spec, SENTENCES, strategy=pp.learning.MAX_VIOLATION, epochs=3)
    others = pp.read_conllu(ENGLISH)[100:160]
    time, names = learned.learner.time, learned.run.labels.names

    def rounded(total):
        average = abs(total) / time * 256
        return int(math.copysign(math.floor(average + 0.5), total))

    classifier = Dictionary()
    setup = pp.ClassifierSetup(system=system, templates=SMALL, labels=learned.run.labels, sentences=SENTENCES, seed=1)
    classifier.prepare(setup)
    for key, (_, totals) in learned.actions().items():
        classifier.actions[key] = [rounded(total) for total in totals]
    for key, row in learned.labels().items():
        for label, (_, total) in row.items():
            classifier.labels[key][names.index(label)] = rounded(total)
    classifier.batch = 16
    parser = pp.Parser(model=classifier_model(learned.run.spec, learned.run.labels, classifier))
    averaged = _engine.parse_averaged(learned.run.learners, others._store, beam, threads=1)
    found = parser._label_encoding.put_back(others, averaged.heads, averaged.labels)
    for ours, expected in zip(parser.predict(others), found, strict=True):
        assert np.array_equal(ours, expected)


# --- A classifier that learns fast ---

EXPLORING = pp.TrainingStrategy(update_at="max-violation", restart="pair", exploration=0.5)


@pytest.mark.parametrize(
    "strategy", [pp.learning.EARLY_UPDATE, pp.learning.MAX_VIOLATION, EXPLORING], ids=["early", "max", "exploring"]
)
def test_a_beam_teaches(english, strategy):
    treebank, dev = english
    parser = pp.train(BEAM, treebank, dev=dev, classifier=Linear(), strategy=strategy, epochs=4)
    assert max(report["uas"] for report in parser.training["history"]) > 60


@pytest.mark.parametrize("name", ["static", "dynamic", "dynamic-ambiguity", "dynamic-explore"])
def test_steps_teach(english, name):
    treebank, dev = english
    parser = pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), strategy=pp.STRATEGIES[name], epochs=4, seed=2)
    assert pp.evaluate(dev, parser.parse(dev)).uas > 60


def test_selection_patience_and_manifest(linear, english):
    history = linear.training["history"]
    best = max(range(len(history)), key=lambda i: (history[i]["las"], i))  # the last of equals
    assert linear.training["best_epoch"] == best + 1
    assert linear.training["strategy"] == EXPLORE.to_values()
    assert linear.training["words"] == english[0].words
    scores = pp.evaluate(english[1], linear.parse(english[1]))
    assert round(scores.uas, 6) == round(history[best]["uas"], 6)
    assert "classifier linear" in repr(linear)


def test_the_same_seed_gives_the_same_weights(english):
    treebank = english[0][:30]
    runs = [pp.train(GREEDY, treebank, classifier=Linear(), strategy=EXPLORE, epochs=3, seed=s) for s in (5, 5, 6)]
    first, same, other = (run.classifier.actions for run in runs)
    assert np.array_equal(first, same)
    assert not np.array_equal(first, other)


def test_what_train_is_given_stays_as_it_is(english):
    given = Linear()
    parser = pp.train(GREEDY, english[0][:10], classifier=given, strategy=EXPLORE, epochs=1)
    assert not hasattr(given, "actions")
    assert parser.classifier is not given
    folds = pp.lab.cross_validate(GREEDY, english[0][:20], 2, classifier=given, strategy=EXPLORE, epochs=1, threads=2)
    assert len(folds) == 2


def test_batches_begin_and_end(english):
    """As many sentences at a time as the classifier says, the last batch perhaps smaller."""
    seen = []

    class Watching(Linear):
        def start_batch(self, states):
            seen.append(("begin", len(states.started)))

        def end_batch(self, states):
            seen.append(("end", len(states.started)))

    pp.train(GREEDY, english[0][:20], classifier=Watching(), strategy=EXPLORE, epochs=1)
    assert seen == [(what, size) for size in (8, 8, 4) for what in ("begin", "end")]


def test_stateful_models_find_the_states_that_they_know(english):
    """A model that keeps something for each number of a state meets every parent before its child."""

    class Depth(Linear):
        """Keeps the length of each state's derivation."""

        def start_batch(self, states):
            self.depth = {}

        def score(self, states):
            known = zip(states.ids.tolist(), states.parents.tolist(), states.last_actions.tolist(), strict=True)
            for number, parent, action in known:
                assert (parent == -1) == (action == -1)
                depth = 0 if parent == -1 else self.depth[parent] + 1
                assert self.depth.setdefault(number, depth) == depth
            return super().score(states)

        def update_pair(self, states, actions, signs):
            assert set(states.ids.tolist()) <= set(self.depth)
            super().update_pair(states, actions, signs)

    parser = pp.train(BEAM, english[0][:20], classifier=Depth(), strategy=pp.learning.MAX_VIOLATION, epochs=2)
    parser.parse(english[1])


def test_k_best_trees(linear, english):
    sentence = english[1][2]
    trees = linear.k_best(sentence, 3, beam=8)
    assert len(trees) == 3
    assert len({(tree.heads, tree.labels) for tree in trees}) == 3
    assert [tree.score for tree in trees] == sorted((tree.score for tree in trees), reverse=True)
    wide = linear.parse(english[1], beam=8)[2]
    assert trees[0].heads == tuple(wide.heads.tolist())
    short = short_sentences(1, 4)[0]
    everything = linear.k_best(short, 10**4, beam=0)
    assert everything[0].score >= linear.k_best(short, 1, beam=1)[0].score
    assert len(short) == 3
    assert len(everything) == 7  # all projective trees with one child of Root


def test_a_subsample_and_listeners(english):
    treebank, dev = english

    class Watch(pp.Listener):
        updates, words = 0, 0

        def after_update(self, update):
            assert update.positive[:-1] == update.negative[:-1]
            assert len(update.positive) == update.started + 1
            self.updates += 1

        def on_progress(self, epoch, words, updates):
            self.words = words

    watch = Watch()
    subsample = pp.Subsampling(share=0.5, criterion="accuracy")
    options = {"strategy": EXPLORE, "epochs": 2, "subsample": subsample, "listeners": [watch]}
    parser = pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), **options)
    assert watch.updates == parser.training["history"][-1]["updates"]
    assert 0 < watch.words <= 2 * treebank.words


# --- The shipped perceptron over batches of states learns what the engine's own learns, by every strategy ---

STRATEGIES = {
    **PERCEPTRON_STRATEGIES,
    "sample": pp.TrainingStrategy(restart="sample", temperature=3.0),
    "beam": pp.TrainingStrategy(restart="beam", update_at="max-violation"),
    "horizon": pp.TrainingStrategy(search_horizon=4, restart="pair", exploration=0.5),
    "random": pp.TrainingStrategy(restart="random-correct", exploration=0.5, update_at="latest-violation"),
    "focus": pp.TrainingStrategy(focus=0.5, update_at="max-violation", restart="pair"),
    "late focus": pp.TrainingStrategy(focus=2.0, update_at="end"),
    "most similar": pp.TrainingStrategy(positive="most-similar", update_at="latest-violation", restart="pair"),
    "prefix": pp.TrainingStrategy(positive="best-scoring", update_at="longest-prefix", restart="pair"),
}


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", [SYSTEMS[0], SYSTEMS[1]], ids=lambda system: system.name)
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_makes_the_updates_of_the_engine(name, system, beam):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam, nonprojective="as-is")
    learned = learn(spec, SENTENCES, strategy=STRATEGIES[name], epochs=2)
    recorder = Recorder()
    options = {"strategy": STRATEGIES[name], "epochs": 2, "listeners": [recorder]}
    parser = pp.train(spec, SENTENCES, classifier=pp.Perceptron(), **options)
    ours = [(update.positive, update.negative, update.started) for update in recorder.updates]
    assert ours == [(update.positive, update.negative, update.started) for update in learned.updates]
    assert len(ours) > 5
    expected = {key: weights for key, (weights, _) in learned.actions().items() if any(weights)}
    arrays = parser.classifier.to_arrays()
    assert set(arrays["keys"].tolist()) <= set(learned.actions())
    assert len(expected) > 20


def test_constraints_restrict_learning_as_in_the_engine():
    spec = pp.ParserSpec(system=SYSTEMS[0], templates=SMALL, beam=2, nonprojective="as-is")
    recorders = Recorder(), Recorder()
    for recorder, more in zip(recorders, ({"members": 1}, {"classifier": pp.Perceptron()}), strict=True):
        pp.train(spec, SENTENCES, constraints=0.4, epochs=3, listeners=[recorder], **more)
    ours, theirs = ([(u.positive, u.negative, u.started) for u in recorder.updates] for recorder in recorders)
    assert ours == theirs
    assert len(ours) > 5


def test_signals_of_confidence_are_those_of_the_engine():
    """The same weights, asked step by step, give the same margins."""
    from panparser.parsing.classifier_model import ClassifierModel
    from panparser.parsing.model_protocol import Search

    for beam in (1, 4):
        parser = pp.train(pp.ParserSpec(templates=SMALL, beam=beam), SENTENCES, epochs=2, members=1)
        search = Search(beam=beam, signals=True)
        native = parser.model.find(SENTENCES, search)
        asked = ClassifierModel(parser.spec, parser.labels, parser.model.as_classifier()).find(SENTENCES, search)
        np.testing.assert_array_equal(native.heads, asked.heads)
        np.testing.assert_array_equal(native.labels, asked.labels)
        np.testing.assert_array_equal(native.signals, asked.signals)
