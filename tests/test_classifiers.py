"""A classifier in Python trains and parses as the engine's perceptron does; it is saved, loaded, refused."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict

import numpy as np
import pytest
from conftest import ENGLISH
from learners import SMALL, Recorder, attaches_deeper, learn, short_sentences, treebank_of, without_heads
from test_features import mix

import panparser as pp
from panparser import _engine
from panparser._batch_learning import is_local
from panparser._model_file import encode, read_arrays
from panparser.testing.features import seen_by_labels

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


def side_by_side(spec, strategy, epochs=3, sentences=SENTENCES):
    """What the engine learns, and what the same classifier in Python learns."""
    learned = learn(spec, sentences, strategy=strategy, epochs=epochs)
    recorder = Recorder()
    parser = pp.train(spec, sentences, classifier=Dictionary(), strategy=strategy, epochs=epochs, listeners=[recorder])
    return learned, parser, recorder


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
@pytest.mark.parametrize(("name", "unknown"), [("static", 0), ("dynamic", 0), ("dynamic", 0.5)])
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
    strategy = pp.Strategy(oracle="static", update_at="max-violation", restart=restart)
    spec = pp.ParserSpec(system=SYSTEMS[0], templates=SMALL, beam=4)
    learned, parser, recorder = side_by_side(spec, strategy)
    assert recorder.updates == learned.updates
    assert parser.classifier.actions == {key: list(weights) for key, (weights, _) in learned.actions().items()}


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: system.name)
def test_the_same_weights_parse_as_they_do_in_the_engine(system, beam):
    spec = pp.ParserSpec(system=system, templates=SMALL, beam=beam)
    learned = learn(spec, SENTENCES, strategy=pp.MAX_VIOLATION, epochs=3)
    others = pp.read_conllu(ENGLISH)[100:160]
    time, names = learned.learner.time, learned.run.labels.names

    def rounded(total):
        average = abs(total) / time * 256
        return int(math.copysign(math.floor(average + 0.5), total))

    classifier = Dictionary()
    setup = pp.Setup(system=system, templates=SMALL, labels=learned.run.labels, sentences=SENTENCES, seed=1)
    classifier.prepare(setup)
    for key, (_, totals) in learned.actions().items():
        classifier.actions[key] = [rounded(total) for total in totals]
    for key, row in learned.labels().items():
        for label, (_, total) in row.items():
            classifier.labels[key][names.index(label)] = rounded(total)
    classifier.batch = 16
    parser = pp.Parser(learned.run.spec, learned.run.labels, [], {}, classifier=classifier)
    found = parser.lowered(others, *_engine.parse_averaged(learned.run.learners, others._store, beam))
    for ours, expected in zip(parser.predict(others), found, strict=True):
        assert np.array_equal(ours, expected)


# --- A classifier that learns fast: used below ---


class Linear(pp.Classifier):
    """Perceptron updates on hashed features; what it knows is one array."""

    name = "linear"
    batch = 8

    def prepare(self, setup):
        self.labels = np.zeros((1 << 14, len(setup.labels.names)), dtype=np.float32)
        self.actions = np.zeros((1 << 14, len(setup.system.names)), dtype=np.float32)
        self.calls = []

    def begin(self, states):
        self.calls = [*getattr(self, "calls", []), "begin"]

    def end(self, states):
        self.calls.append("end")

    def score(self, states):
        return self.actions[states.features(14)].sum(axis=1)

    def score_labels(self, states, rows, actions):
        return self.labels[states.features(14)[rows]].sum(axis=1)

    def update(self, states, gold):
        scores = self.score(states)
        changes = np.zeros_like(scores)
        rows = np.arange(len(scores))
        changes[rows, np.where(gold, scores, -np.inf).argmax(axis=1)] += 1
        changes[rows, np.where(states.legal(), scores, -np.inf).argmax(axis=1)] -= 1
        np.add.at(self.actions, states.features(14), changes[:, None, :])

    def update_pair(self, states, actions, signs):
        np.add.at(self.actions, (states.features(14), actions[:, None]), signs[:, None])

    def update_labels(self, states, rows, actions, labels):
        guesses = self.score_labels(states, rows, actions).argmax(axis=1)
        for numbers, sign in ((labels, 1), (guesses, -1)):
            np.add.at(self.labels, (states.features(14)[rows], numbers[:, None]), sign)

    def to_arrays(self):
        return {"actions": self.actions, "labels": self.labels}

    @classmethod
    def from_arrays(cls, arrays, values):
        restored = cls()
        restored.actions, restored.labels = arrays["actions"], arrays["labels"]
        return restored


GREEDY = pp.ParserSpec(system=pp.system("arc-hybrid", single_root=True), templates=pp.ZN11, beam=1)
BEAM = pp.ParserSpec(system=pp.system("arc-eager", single_root=True), templates=pp.ZN11, beam=3)
EXPLORE = pp.STRATEGIES["dynamic-explore"]


@pytest.fixture(scope="module")
def linear(english):
    treebank, dev = english
    return pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), strategy=EXPLORE, epochs=4)


EXPLORING = pp.Strategy(update_at="max-violation", restart="pair", exploration=0.5)


@pytest.mark.parametrize("strategy", [pp.EARLY_UPDATE, pp.MAX_VIOLATION, EXPLORING], ids=["early", "max", "exploring"])
def test_a_beam_teaches(english, strategy):
    treebank, dev = english
    parser = pp.train(BEAM, treebank, dev=dev, classifier=Linear(), strategy=strategy, epochs=4)
    assert max(report["uas"] for report in parser.training["history"]) > 60


@pytest.mark.parametrize("name", ["static", "dynamic", "dynamic-ambiguity", "dynamic-explore"])
def test_steps_teach(english, name):
    treebank, dev = english
    parser = pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), strategy=pp.STRATEGIES[name], epochs=4)
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
    folds = pp.cross_validate(GREEDY, english[0][:20], 2, classifier=given, strategy=EXPLORE, epochs=1, threads=2)
    assert len(folds) == 2


def test_batches_begin_and_end(english):
    """As many sentences at a time as the classifier says, the last batch perhaps smaller."""
    seen = []

    class Watching(Linear):
        def begin(self, states):
            seen.append(("begin", len(states.started)))

        def end(self, states):
            seen.append(("end", len(states.started)))

    pp.train(GREEDY, english[0][:20], classifier=Watching(), strategy=EXPLORE, epochs=1)
    assert seen == [(what, size) for size in (8, 8, 4) for what in ("begin", "end")]


def test_stateful_models_find_the_states_that_they_know(english):
    """A model that keeps something for each number of a state meets every parent before its child."""

    class Depth(Linear):
        """Keeps the length of each state's derivation."""

        def begin(self, states):
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

    parser = pp.train(BEAM, english[0][:20], classifier=Depth(), strategy=pp.MAX_VIOLATION, epochs=2)
    parser.parse(english[1])


def test_k_best_trees(linear, english):
    sentence = english[1][2]
    trees = linear.best(sentence, 3, beam=8)
    assert len(trees) == 3
    assert len({(tree.heads, tree.labels) for tree in trees}) == 3
    assert [tree.score for tree in trees] == sorted((tree.score for tree in trees), reverse=True)
    wide = linear.parse(english[1], beam=8)[2]
    assert trees[0].heads == tuple(wide.heads.tolist())
    short = short_sentences(1, 4)[0]
    everything = linear.best(short, 10**4, beam=0)
    assert everything[0].score >= linear.best(short, 1, beam=1)[0].score
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

        def after_words(self, epoch, words, updates):
            self.words = words

    watch = Watch()
    subsample = pp.Subsample(share=0.5, by="accuracy")
    options = {"strategy": EXPLORE, "epochs": 2, "subsample": subsample, "listeners": [watch]}
    parser = pp.train(GREEDY, treebank, dev=dev, classifier=Linear(), **options)
    assert watch.updates == parser.training["history"][-1]["updates"]
    assert 0 < watch.words <= 2 * treebank.words


# --- Files ---


def test_a_model_file_needs_the_class(linear, english, tmp_path, run):
    path = tmp_path / "model"
    linear.save(path)
    parser = pp.load(path, classifier=Linear)
    assert parser.parse(english[1]).to_bytes() == linear.parse(english[1]).to_bytes()
    parser.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == path.read_bytes()
    with pytest.raises(pp.ModelError, match=r"model: needs the classifier 'linear': in Python, pp.load\(.*classifier="):
        pp.load(path)
    with pytest.raises(pp.ModelError, match="with the classifier 'dictionary', found one with 'linear'"):
        pp.load(path, classifier=Dictionary)
    code, _, err = run("parse", "-m", path, ENGLISH)
    assert code == 2
    assert "needs the classifier 'linear'" in err


def test_info_needs_no_class(linear, tmp_path, run):
    linear.save(tmp_path / "model")
    code, out, _ = run("info", tmp_path / "model")
    assert code == 0
    assert "classifier" in out
    assert "linear" in out
    values = json.loads(run("info", tmp_path / "model", "--json")[1])
    assert values["classifier"] == {"name": "linear", "values": {}}
    arrays = linear.classifier.to_arrays()
    assert values["weights_size"] == sum(array.nbytes for array in arrays.values())


def test_a_model_of_the_perceptron_has_no_classifier(parser, tmp_path):
    parser.save(tmp_path / "model")
    with pytest.raises(pp.ModelError, match="expected a model with the classifier 'linear', found the perceptron's"):
        pp.load(tmp_path / "model", classifier=Linear)


@pytest.mark.parametrize("wrong", [object, 3, "linear"])
def test_what_loads_a_model_is_a_class(linear, tmp_path, wrong):
    linear.save(tmp_path / "model")
    with pytest.raises(pp.SpecError, match="classifier of load must be a class, a subclass of Classifier"):
        pp.load(tmp_path / "model", classifier=wrong)


@pytest.mark.parametrize("said", [{"classifier": {"name": 5, "values": {}}}, {"training": None}, {"training": 3}])
def test_odd_manifests_are_refused_by_commands(linear, tmp_path, run, said):
    linear.save(tmp_path / "model")
    arrays, manifest = read_arrays(tmp_path / "model", "model")
    (tmp_path / "odd").write_bytes(encode(arrays, manifest | said))
    code, _, err = run("info", tmp_path / "odd")
    assert code == 2
    assert "odd: expected" in " ".join(err.split())


def test_a_broken_classifier_in_a_file(linear, tmp_path):
    class Other(Linear):
        def to_arrays(self):
            return {"actions": self.actions}

    other = Other.from_arrays(linear.classifier.to_arrays(), {})
    pp.Parser(linear.spec, linear.labels, [], {}, classifier=other).save(tmp_path / "model")
    with pytest.raises(pp.ModelError, match="not a model that can be used"):
        pp.load(tmp_path / "model", classifier=Linear)


def test_every_kind_of_number_is_kept(linear, tmp_path):
    kinds = "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64".split()

    class Kinds(Linear):
        def to_arrays(self):
            return {kind: np.ones((2, 3), dtype=kind) for kind in kinds}

        @classmethod
        def from_arrays(cls, arrays, values):
            assert {name: str(array.dtype) for name, array in arrays.items()} == {kind: kind for kind in kinds}
            assert all(array.shape == (2, 3) and array.all() for array in arrays.values())
            return cls()

    pp.Parser(linear.spec, linear.labels, [], {}, classifier=Kinds()).save(tmp_path / "model")
    assert isinstance(pp.load(tmp_path / "model", classifier=Kinds).classifier, Kinds)


def test_what_a_file_cannot_hold(linear, tmp_path):
    class Texts(Linear):
        def to_arrays(self):
            return {"words": np.array(["a"])}

    class Objects(Linear):
        def to_values(self):
            return {"what": object()}

    for kind, message in ((Texts, "to_arrays of linear: expected arrays of"), (Objects, "to_values of linear must")):
        classifier = kind.from_arrays(linear.classifier.to_arrays(), {})
        with pytest.raises(pp.SpecError, match=message):
            pp.Parser(linear.spec, linear.labels, [], {}, classifier=classifier).save(tmp_path / "model")
    assert not (tmp_path / "model").exists()


# --- What is refused ---


def without(*methods, **attributes):
    """A classifier that lacks some methods."""
    empty = {method: getattr(pp.Classifier, method) for method in methods}
    return type("Lacking", (Linear,), empty | attributes)()


REFUSED = [
    ({"classifier": Linear}, "must be a Classifier, not its class; got Linear"),
    ({"classifier": object()}, "classifier must have a method prepare; object has none"),
    ({"classifier": without("score")}, "classifier must have a method score; Lacking has none"),
    ({"classifier": without("from_arrays")}, "must have a method from_arrays"),
    ({"classifier": without("update")}, "a method update, for this strategy .early-update and max-violation need"),
    ({"classifier": without("update_pair"), "strategy": pp.MAX_VIOLATION}, "a method update_pair, for this strategy"),
    ({"classifier": without("update_labels")}, "a method update_labels, for labels .or train an unlabeled parser"),
    ({"classifier": without(name="")}, "name of Lacking must be a text; got ''"),
    ({"classifier": without(batch=0)}, "batch of Lacking must be an integer >= 1; got 0"),
    ({"members": 2}, "members of train is for the perceptron"),
    ({"prune": 1.0}, "prune of train is for the perceptron"),
    ({"max_size": 10**6}, "max_size of train is for the perceptron"),
    ({"checkpoint": "x"}, "checkpoint of train is for the perceptron"),
    ({"resume": True}, "resume of train is for the perceptron"),
    ({"strategy": lambda epoch, sentence: EXPLORE}, "must be a Strategy where a classifier learns"),
]


@pytest.mark.parametrize(("options", "message"), REFUSED)
def test_what_training_refuses(options, message):
    with pytest.raises(pp.SpecError, match=message):
        pp.train(GREEDY, SENTENCES, **({"classifier": Linear(), "strategy": EXPLORE} | options))


def test_a_classifier_without_labels_trains_an_unlabeled_parser():
    spec = pp.ParserSpec(system=GREEDY.system, templates=SMALL, beam=1, labeled=False)
    parser = pp.train(spec, SENTENCES, classifier=without("update_labels", "score_labels"), strategy=EXPLORE, epochs=1)
    assert parser.parse(SENTENCES)[0].heads.min() >= 0


def test_templates_with_vectors_are_refused():
    spec = pp.ParserSpec(templates=pp.Templates.parse("S0.vector\nS0.form"), beam=1)
    with pytest.raises(pp.SpecError, match="templates with vectors are for the perceptron"):
        pp.train(spec, SENTENCES, classifier=Linear(), strategy=EXPLORE)


def test_strategies_that_are_refused():
    with pytest.raises(pp.StrategyError, match="positive of Strategy must be best-scoring where a classifier learns"):
        pp.train(BEAM, SENTENCES, classifier=Linear(), strategy=pp.STRATEGIES["longest-prefix"])
    with pytest.raises(pp.StrategyError, match="a classifier learns without restart or with restart from the pair"):
        is_local(pp.Strategy(restart="sample"), 4)
    with pytest.raises(pp.StrategyError, match="got update_at='longest-prefix'"):
        is_local(pp.Strategy(update_at="longest-prefix"), 4)
    with pytest.raises(pp.StrategyError, match="horizon of Strategy must be None where a classifier learns; got 5"):
        is_local(pp.Strategy(horizon=5), 1)
    with pytest.raises(pp.StrategyError, match=r"focus of Strategy must be 1.0"):
        is_local(pp.Strategy(focus=0.5), 1)
    with pytest.raises(pp.StrategyError, match="and a beam of 2"):
        is_local(pp.STRATEGIES["dynamic-explore"], 2)


def test_threads_are_refused(linear):
    with pytest.raises(pp.SpecError, match="threads of parse must be 1 where a classifier parses; got 2"):
        linear.parse(SENTENCES, threads=2)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (
            lambda shape: np.zeros((1, 1)),
            r"score of linear must give an array of numbers of shape \(8, 3\); got",
        ),
        (lambda shape: np.full(shape, "a"), "got one of <U1"),
        (lambda shape: np.full(shape, np.nan), "score of linear must give finite numbers; got nan"),
        (lambda shape: None, "got one of object"),
    ],
)
def test_scores_that_are_none(scores, message):
    class Wrong(Linear):
        def score(self, states):
            return scores((len(states), 3))

    with pytest.raises(pp.BatchError, match=message):
        pp.train(GREEDY, SENTENCES, classifier=Wrong(), strategy=EXPLORE)


def test_an_empty_treebank_and_long_words(linear):
    empty = pp.parse_conllu("")
    assert linear.parse(empty).words == 0
    one = linear.parse(treebank_of("word/X/0/root"))
    assert one[0].heads.tolist() == [0]
    assert linear.parse(treebank_of("word/X/0/root"), beam=4)[0].labels == ["root"]


def test_the_example_parses_well():
    """As in examples/: trains greedily, parses greedily and with a beam, from a file."""
    import runpy

    folder = ENGLISH.parents[2] / "examples"
    found = runpy.run_path(str(folder / "logistic_regression.py"))
    for beam in (1, 4):
        scores = pp.evaluate(found["dev"], found["parser"].parse(found["dev"], beam=beam))
        assert scores.uas > 80
        assert scores.las > 75
    assert "torch" not in sys.modules
