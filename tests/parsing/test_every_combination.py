"""Every strategy with every kind of system, classifier and search: it runs, or is refused for a reason of method."""

from __future__ import annotations

import time
from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import panparser as pp
from covington import Covington
from learners import SMALL, short_sentences
from linear import Linear
from nets import TINY

pytestmark = pytest.mark.unmeasured

TRAIN = short_sentences(6, 7)
FEW = TRAIN[:3]
SYSTEMS = {
    "table": pp.system("arc-hybrid", single_root=True),
    "static table": pp.system("swap-standard"),
    "Python": Covington(),
}
NETWORK = replace(TINY, stack_lstm=4, action_history=1, label_inputs=("S0",))  # what a network can see, all of it
CLASSIFIERS = {
    "perceptron": None,
    "classifier": Linear(),
    "joint": pp.batches.JointClassifier(pp.Perceptron()),
    "network": pp.networks.NetworkClassifier(NETWORK),
}
NEEDS_TORCH = pytest.mark.skipif(find_spec("torch") is None, reason="networks learn with torch")
EACH_CLASSIFIER = [pytest.param(name, marks=NEEDS_TORCH if name == "network" else ()) for name in CLASSIFIERS]
BASE = {
    **pp.STRATEGIES,
    "sample": pp.TrainingStrategy(restart="sample"),
    "beam": pp.TrainingStrategy(restart="beam", update_at="max-violation"),
    "horizon": pp.TrainingStrategy(search_horizon=3, restart="pair"),
    "focus": pp.TrainingStrategy(focus=0.5, update_at="max-violation"),
    "late focus": pp.TrainingStrategy(focus=2.0),
    "most similar": pp.TrainingStrategy(positive="most-similar", update_at="latest-violation"),
    "static max-violation": replace(pp.learning.MAX_VIOLATION, oracle="static"),
    "function": lambda epoch, sentence: pp.STRATEGIES["static" if sentence % 2 else "early-update"],
}


@pytest.mark.parametrize("beam", [1, 3], ids=["greedy", "beam"])
@pytest.mark.parametrize("classifier", EACH_CLASSIFIER)
@pytest.mark.parametrize("system", SYSTEMS)
@pytest.mark.parametrize("name", BASE)
def test_every_combination_runs_or_is_refused_for_a_reason(name, system, classifier, beam):
    spec = pp.ParserSpec(system=SYSTEMS[system], templates=SMALL, beam=beam, nonprojective="as-is")
    options = {"strategy": BASE[name], "epochs": 1, "classifier": CLASSIFIERS[classifier]}
    if CLASSIFIERS[classifier] is None and system == "table":
        options["members"] = 1
    strategy = BASE[name] if isinstance(BASE[name], pp.TrainingStrategy) else BASE[name](1, 0)
    if system == "static table" and strategy.oracle == "dynamic":
        # Nothing tells what is right in states off the one derivation.
        with pytest.raises(pp.errors.StrategyError, match="has no dynamic oracle"):
            pp.train(spec, FEW, **options)
        return
    if strategy.competitor == "beam" and classifier != "network":
        with pytest.raises(pp.PanParserError, match=r"learns against the best of the beam|update_beam, for learning"):
            pp.train(spec, FEW, **options)
        return
    parser = pp.train(spec, FEW, **options)
    assert parser.training.history[0].updates > 0
    parsed = parser.parse(FEW)
    assert (parsed.heads >= 0).all()
    for sentence in parsed:
        assert 0 in sentence.heads.tolist()


@pytest.mark.parametrize("system", ["table", "Python"])
@pytest.mark.parametrize("classifier", EACH_CLASSIFIER)
@pytest.mark.parametrize("beam", [1, 3])
def test_constraints_are_kept_in_training_and_parsing(system, classifier, beam):
    spec = pp.ParserSpec(system=SYSTEMS[system], templates=SMALL, beam=beam, nonprojective="as-is")
    parser = pp.train(spec, TRAIN, constraints=0.5, epochs=1, classifier=CLASSIFIERS[classifier])
    given = pp.Constraints.from_treebank(TRAIN, keep={"heads"})
    given.heads[np.arange(len(given.heads)) % 2 == 1] = -1
    heads, _ = parser.predict(TRAIN, constraints=given)
    known = given.heads >= 0
    assert (heads[known] == TRAIN.heads[known]).all()
    best = parser.k_best(TRAIN[0], 3, constraints=given)
    for tree in best:
        assert all(tree.heads[i] == head for i, head in enumerate(given.heads[: len(TRAIN[0])]) if head >= 0)


@pytest.mark.parametrize("classifier", EACH_CLASSIFIER)
@pytest.mark.parametrize("system", ["table", "Python"])
def test_confidence_threads_and_k_best(system, classifier):
    spec = pp.ParserSpec(system=SYSTEMS[system], templates=SMALL, beam=3, nonprojective="as-is")
    parser = pp.train(spec, TRAIN, epochs=2, classifier=CLASSIFIERS[classifier])
    parser = pp.calibrate(parser, TRAIN)
    found = parser.confidence(TRAIN)
    assert ((found.head_confidence > 0) & (found.head_confidence < 1)).all()
    assert parser.parse(TRAIN, threads=2).to_bytes() == parser.parse(TRAIN).to_bytes()
    trees = parser.k_best(TRAIN[0], 3)
    assert len({tree.heads for tree in trees} | {tree.labels for tree in trees}) > 1
    assert [tree.score for tree in trees] == sorted((tree.score for tree in trees), reverse=True)


@pytest.mark.parametrize(
    "classifier", [pp.Perceptron(), pp.batches.JointClassifier(pp.Perceptron())], ids=["perceptron", "joint"]
)
@pytest.mark.parametrize("system", ["table", "Python"])
def test_checkpoints_and_warm_starts(system, classifier, tmp_path):
    spec = pp.ParserSpec(system=SYSTEMS[system], templates=SMALL, beam=2, nonprojective="as-is")
    whole = pp.train(spec, TRAIN, epochs=4, classifier=classifier)
    options = {"classifier": classifier, "checkpoint": tmp_path / "checkpoint"}
    pp.train(spec, TRAIN, epochs=2, **options)
    resumed = pp.train(spec, TRAIN, epochs=4, resume=True, **options)
    for name, array in whole.to_arrays().items():
        np.testing.assert_array_equal(array, resumed.to_arrays()[name])
    with pytest.raises(pp.SpecError, match="belongs to another run"):
        pp.train(spec, TRAIN, epochs=4, resume=True, seed=2, **options)
    warm = pp.train(spec, TRAIN, epochs=1, init=whole)
    cold = pp.train(spec, TRAIN, epochs=1, classifier=classifier)
    assert warm.training.history[0].updates < cold.training.history[0].updates


class Steps(pp.SearchListener):
    """Counts steps, and may forbid an action."""

    def __init__(self, forbidden=None):
        self.forbidden, self.steps, self.final = forbidden, 0, 0

    def on_scores(self, states, scores):
        self.steps += 1
        if self.forbidden is None:
            return None
        changed = scores.copy()
        action = states.names.index(self.forbidden)
        others = np.isfinite(np.delete(scores, action, axis=1)).any(axis=1)
        changed[others, action] = -np.inf
        return changed

    def after_search(self, states, final):
        self.final += len(final)


@pytest.mark.parametrize("beam", [1, 3])
@pytest.mark.parametrize("classifier", [one for one in EACH_CLASSIFIER if one.values[0] != "joint"])
@pytest.mark.parametrize("system", ["table", "Python"])
def test_listeners_follow_parsing_and_may_act(system, classifier, beam):
    spec = pp.ParserSpec(system=SYSTEMS[system], templates=SMALL, beam=beam, nonprojective="as-is")
    strategy = pp.STRATEGIES["dynamic"] if beam == 1 else pp.learning.MAX_VIOLATION
    parser = pp.train(spec, TRAIN, epochs=8, classifier=CLASSIFIERS[classifier], strategy=strategy)
    watching = Steps()
    assert parser.parse(TRAIN, listeners=[watching]).to_bytes() == parser.parse(TRAIN).to_bytes()
    assert watching.steps > 5
    assert watching.final == len(TRAIN)
    without = parser.parse(TRAIN, listeners=[Steps("LEFT")])
    words = np.arange(TRAIN.words) - TRAIN.offsets[TRAIN.sentence_of_word()] + 1
    rightward = (without.heads > words).mean()
    assert rightward < (parser.parse(TRAIN).heads > words).mean()


@pytest.mark.parametrize("beam", [1, 3])
def test_what_listeners_return_is_finite_or_minus_infinity(beam):
    class Forcing(pp.SearchListener):
        def on_scores(self, states, scores):
            return np.where(np.isfinite(scores), np.inf, scores)

    parser = pp.train(pp.ParserSpec(templates=SMALL, beam=beam), TRAIN, epochs=1)
    with pytest.raises(pp.errors.BatchError, match="Forcing must return finite numbers, or minus infinity"):
        parser.parse(TRAIN, listeners=[Forcing()])


def test_many_weights_are_restored_at_once():
    """Keys come sorted: a table that grows as they come would be searched from end to end for each."""
    from panparser import _engine

    keys = np.sort(np.random.default_rng(1).integers(1, 2**63, 400_000, dtype=np.uint64))
    rows = _engine.ActionRows(
        keys=keys, weights=np.ones(2 * len(keys), dtype=np.int32), dated=np.zeros(2 * len(keys), dtype=np.int64)
    )
    none = np.zeros(0, dtype=np.int32)
    labels = _engine.LabelRows(keys=keys[:0], counts=none, labels=none, weights=none, dated=np.zeros(0, dtype=np.int64))
    start = time.process_time()
    _engine.KeyedPerceptron(2, 0).load(rows, labels)
    assert time.process_time() - start < 2  # it took a minute
