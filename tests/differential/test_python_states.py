"""States of a system in Python show what the engine's states of the same system show."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import SMALL, short_sentences
from panparser.features.atoms import BASES, BASES_WITH_ARCS, PATHS
from panparser.learning.layers import Labels
from panparser.parsing.python_states import PythonStates
from panparser.systems.python_system import PythonSteps
from panparser.trees.gold import ROOTS

SENTENCES = short_sentences(6, 12)
LABELS = Labels.anywhere(("det", "nsubj", "obj", "punct"))
ADDRESSES = [
    f"{base}.{path}" if path else base for base in BASES for path in PATHS if not path or base in BASES_WITH_ARCS
]


class Eager(pp.PythonSystem):
    """What the transitions of arc-eager do; when they may, its table says."""

    transitions = ("SHIFT", "LEFT", "RIGHT", "REDUCE")

    def __init__(self, root):
        self.root = root

    def is_final(self, state):
        return not state.buffer if self.root == "none" else super().is_final(state)

    def legal(self, state, transition):
        needs_stack, needs_buffer = transition != "SHIFT", transition != "REDUCE"
        return bool(state.stack or not needs_stack) and bool(state.buffer or not needs_buffer)

    def apply(self, state, transition):
        if transition == "LEFT":
            state.attach(state.buffer[0], state.stack.pop())
        elif transition == "REDUCE":
            state.stack.pop()
        else:
            if transition == "RIGHT":
                state.attach(state.stack[-1], state.buffer[0])
            state.stack.append(state.buffer.pop(0))

    def cost(self, state, transition, gold):
        return 0


@pytest.mark.parametrize("root", ROOTS)
def test_what_is_seen_of_them(root):
    system, rng = pp.system("arc-eager", root=root), np.random.default_rng(4)
    given = {"templates": SMALL, "labels": LABELS, "gold": True}
    native = pp.parsing.StateBatch(system, SENTENCES, **given)
    slow = PythonStates(PythonSteps(Eager(root)), SENTENCES, **given)
    assert all(np.array_equal(one, other) for one, other in zip(native.gold, slow.gold, strict=True))
    assert native.names == slow.names
    steps = labels_seen = 0
    while len(native):
        for show in (
            lambda states: states.ids,
            lambda states: states.parents,
            lambda states: states.last_actions,
            lambda states: states.sentence_index,
            lambda states: states.positions(ADDRESSES),
            lambda states: states.labels_at(ADDRESSES),
            lambda states: states.history(4),
            lambda states: states.history(1),
            lambda states: states.stacks(),
            lambda states: states.keys(),
        ):
            assert np.array_equal(show(native), show(slow))
        labels_seen += int((native.labels_at(ADDRESSES) >= 0).sum())
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in native.legal()], dtype=np.int32)
        rows = np.arange(len(actions), dtype=np.int32)
        for own, other in zip(native.arcs(rows, actions), slow.arcs(rows, actions), strict=True):
            assert np.array_equal(own, other)
        makes = native.legal_labels(rows, actions).any(axis=1)
        labels = np.where(makes, rng.integers(len(LABELS.names), size=len(rows)), -1).astype(np.int32)
        assert np.array_equal(native.apply(actions, labels), slow.apply(actions, labels))
        steps += 1
    assert not len(slow)
    assert steps > 15
    assert labels_seen > 100


def test_more_actions_than_are_remembered_are_refused():
    slow = PythonStates(PythonSteps(Eager("last")), SENTENCES)
    native = pp.parsing.StateBatch(pp.system("arc-eager"), SENTENCES)
    for states in (slow, native):
        with pytest.raises(pp.errors.BatchError, match="history: count must be an integer between 0 and 4; got 5"):
            states.history(5)
