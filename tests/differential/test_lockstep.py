"""Beams that the engine searches in lockstep, against the search in Python, in which sentences wait for each other.

Both learn from the same derivations: all that a search ended with, from where it began.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import short_sentences, without_heads
from panparser import _engine
from panparser.batches.batch_learner import BatchLearner
from panparser.batches.batch_search import BatchSearch
from panparser.errors import BatchError
from panparser.parsing.kept_constraints import BatchConstraints
from variants import each_variant

ENGLISH = short_sentences(8, 11)
GLOBAL = pp.STRATEGIES["global"]


class Noisy(pp.Classifier):
    """Prefers what costs least, by some strength, but not much; its scores are whole numbers, so that many are equal.

    Collects what it is to learn: of each search a set of derivations, as actions from the initial state.
    """

    name = "noisy"

    def __init__(self, strength: int, seed: int, updates_in_batches: bool) -> None:
        self.strength, self.seed, self.updates_in_batches = strength, seed, updates_in_batches
        self.searches: list[tuple[int, frozenset]] = []
        self.labels: set[tuple] = set()

    def score(self, states):
        seen = [states.sentence_index, *states.positions(("S1", "S0", "B0")).T, states.last_actions]
        mixed = sum((np.asarray(own, dtype=np.uint64) + 7) * np.uint64(2 * i + 3) for i, own in enumerate(seen))
        mixed = (mixed + np.uint64(self.seed))[:, None] * (np.arange(len(states.names), dtype=np.uint64) * 2 + 1)
        noise = (mixed * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(40)) % np.uint64(7)
        costs = np.array(states.costs())
        return noise.astype(np.float64) - self.strength * np.minimum(costs - costs.min(axis=1, keepdims=True), 2)

    def score_labels(self, states, rows, actions):
        return np.tile(np.arange(len(states.labels.names)) % 3, (len(rows), 1)) + (actions % 2)[:, None]

    def update_labels(self, states, rows, actions, labels):
        ids, owners = states.ids[rows], states.sentence_index[rows]
        for state, sentence, action, label in zip(ids, owners, actions, labels, strict=True):
            self.labels.add((int(sentence), *states.derivation(int(state))[1].tolist(), int(action), int(label)))

    def update_beam(self, states, beams):
        ids, owners = states.ids, states.sentence_index
        first, last = np.searchsorted(beams.paths, [np.arange(len(beams.searches)), np.arange(len(beams.searches)) + 1])
        for search in np.unique(beams.searches):
            ends = set()
            for path in np.flatnonzero(beams.searches == search):
                steps = slice(first[path], last[path])
                rows, actions = beams.rows[steps], beams.actions[steps]
                before = states.derivation(int(ids[rows[0]]))[1].tolist()
                assert states.parents[rows[1:]].tolist() == ids[rows[:-1]].tolist()
                assert states.last_actions[rows[1:]].tolist() == actions[:-1].tolist()
                ends.add((len(before), (*before, *actions.tolist()), bool(beams.correct[path])))
            (owner,) = set(owners[beams.rows[beams.paths == path]].tolist())
            self.searches.append((owner, frozenset(ends)))


def learned(states, strategy, beam, *how):
    """What is learned from all sentences at a time: in lockstep, and by the search in Python."""
    found = []
    for updates_in_batches in (True, False):
        classifier = Noisy(*how, updates_in_batches)
        learner = BatchLearner(BatchSearch(states, classifier), beam, 1)
        assert learner._is_in_lockstep(strategy, 0.0, None) == updates_in_batches
        learner.learn(np.arange(len(states.sentences)), strategy, 0.0, None)
        searches = sorted(classifier.searches, key=lambda one: (one[0], sorted(one[1])))
        found.append((searches, classifier.labels, learner.updates, learner.words))
    return found


def states_of(system, treebank, labels=(), constraints=None):
    return pp.parsing.StateBatch(system, treebank, gold=True, labels=labels, start=(), constraints=constraints)


@each_variant(focus="fixed")
@pytest.mark.parametrize("restart", ["pair", "none"])
def test_every_system(system, restart):
    strategy = replace(GLOBAL, restart=restart)
    states = states_of(system, ENGLISH)
    total = 0
    for beam, strength, seed in ((1, 3, 1), (2, 4, 2), (8, 2, 3), (8, 6, 4)):
        lockstep, slow = learned(states, strategy, beam, strength, seed)
        assert lockstep == slow
        total += len(lockstep[0])
    assert total > len(ENGLISH)


@pytest.mark.parametrize("share", [0.3, 1.0])
def test_unknown_heads(share):
    states = states_of(pp.system("arc-eager-partial"), without_heads(ENGLISH, share))
    for beam in (1, 4):
        lockstep, slow = learned(states, GLOBAL, beam, 3, beam)
        assert lockstep == slow


def test_labels_are_those_of_correct_derivations():
    labels = sorted({*ENGLISH.vocabulary("deprel")} - {"_"})
    states = states_of(pp.system("arc-hybrid"), ENGLISH, labels)
    for beam, strength in ((1, 2), (4, 4)):
        lockstep, slow = learned(states, GLOBAL, beam, strength, 5)
        assert lockstep == slow
        assert len(lockstep[1]) > ENGLISH.words / 2


def test_constraints():
    """Half of the words are given a head that the gold does not have: all that is legal violates some of them."""
    system = pp.system("arc-hybrid")
    given = np.full(ENGLISH.words, -1, dtype=np.int32)
    rng = np.random.default_rng(3)
    for first, end in zip(ENGLISH.offsets[:-1], ENGLISH.offsets[1:], strict=True):
        given[first:end] = np.where(rng.random(end - first) < 0.5, rng.integers(0, end - first + 1, end - first), -1)
    given[given == np.arange(ENGLISH.words) - np.repeat(ENGLISH.offsets[:-1], np.diff(ENGLISH.offsets)) + 1] = -1
    labels, moving = np.full(ENGLISH.words, _engine.ANY_LABEL, dtype=np.int32), np.zeros(0, dtype=np.bool_)
    engine = _engine.Constraints(system._lowered.engine, ENGLISH.offsets, given, labels, np.zeros(0, dtype=np.uint8))
    kept = BatchConstraints(given, labels, moving, {}, ENGLISH.offsets, engine)
    states = states_of(system, ENGLISH, constraints=kept)
    for beam in (2, 8):
        lockstep, slow = learned(states, GLOBAL, beam, 4, 7)
        assert lockstep == slow
    every = np.arange(states.states, dtype=np.int32)
    states.select(every[~states.is_final(every)])
    assert states.violations.any()


def test_misuse_is_refused():
    states = states_of(pp.system("arc-hybrid"), ENGLISH)
    with pytest.raises(BatchError, match="no beams have been started"):
        states.choose_steps(np.zeros((0, 3)))
    states.start()
    with pytest.raises(BatchError, match="room for one"):
        states.start_beams(0, restarts=True)
    states.start_beams(2, restarts=True)
    with pytest.raises(BatchError, match="no steps"):
        states.take_steps()
    with pytest.raises(BatchError, match="choose_steps: scores"):
        states.choose_steps(np.zeros((len(states), 2)))
    states.choose_steps(np.zeros((len(states), 3)))
    with pytest.raises(BatchError, match="array of"):
        states.take_steps(np.zeros(1, dtype=np.int32))
    states.take_steps()
    states.select(np.zeros(len(states), dtype=np.int32))
    with pytest.raises(BatchError, match="not the states of the beams"):
        states.choose_steps(np.zeros((len(states), 3)))
    with pytest.raises(BatchError, match="initial states"):
        states.start_beams(2, restarts=True)
    plain = pp.parsing.StateBatch(pp.system("arc-hybrid"), ENGLISH)
    with pytest.raises(BatchError, match="no gold"):
        plain.start_beams(2, restarts=True)
