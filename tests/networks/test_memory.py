"""What LSTMs have read of states, whoever looked at them before: actions and stacks."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS, situation, walk
from panparser.networks.encoding import Lstm
from panparser.networks.network_scoring import Sequences
from reference.networks import ReferenceNetwork, random_network_parser

RNG = np.random.default_rng(1)


@pytest.fixture
def sequences():
    arrays = {
        f"x.{name}_l0": RNG.normal(size=shape).astype(np.float32)
        for name, shape in {"weight_ih": (12, 2), "weight_hh": (12, 3), "bias_ih": 12, "bias_hh": 12}.items()
    }
    lstm = Lstm.of(arrays, "x", 2, 3)
    values = RNG.normal(size=(5, 2)).astype(np.float32)
    return Sequences(lstm, values @ lstm.inputs + lstm.bias), arrays, values


def numbers(*values):
    return np.array(values, dtype=np.int64)


def test_a_sequence_is_read_once(sequences):
    found, _, _ = sequences
    one = found.after(numbers(0, 0, 0), numbers(4, 2, 4))
    assert one.tolist() == [2, 1, 2]
    two = found.after(numbers(2, 1, 2), numbers(4, 4, 4))
    assert found.after(numbers(0), numbers(2)).tolist() == [1]
    assert found.after(two[:1], numbers(0)).tolist() == [5]
    assert (found.before, found.values, found.lengths) == ([0, 0, 0, 1, 2, 4], [0, 2, 4, 4, 4, 0], [0, 1, 1, 2, 2, 3])
    assert found.after(numbers(), numbers()).tolist() == []


def test_hidden_states_are_those_of_an_lstm(sequences):
    found, arrays, values = sequences
    slow = ReferenceNetwork(KINDS["memory"], {}, arrays)
    node = numbers(0)
    order = RNG.integers(5, size=40)
    for value in order:
        node = found.after(node, numbers(value))
    expected = slow._lstm("x", [values[value].tolist() for value in order], "")[-1]
    assert found.hidden[node[0]] == pytest.approx(np.array(expected), abs=1e-5)
    assert (found.hidden[0] == 0).all()


@pytest.mark.parametrize("system", ["arc-eager", "swap-standard"])
@pytest.mark.parametrize("kind", ["memory", "all of it"])
def test_states_that_nobody_looked_at_before(kind, system):
    """In the middle of derivations, in another order, some of them twice."""
    spec = pp.ParserSpec(system=pp.system(system), beam=1)
    vectors = VECTORS if "vector" in KINDS[kind].columns else None
    parser = random_network_parser(spec, KINDS[kind], TREEBANK[:5], vectors=vectors)
    classifier = parser.classifier
    slow = ReferenceNetwork(KINDS[kind], classifier.to_values()["vocabulary"], classifier.to_arrays(), vectors)
    states = parser.model.states(TREEBANK)
    states.start(np.array([2, 6]))
    batch = classifier.encode(states)
    kept = []
    for _ in walk(states, np.random.default_rng(2), 12):
        kept += states.ids.tolist()
    chosen = [state for state in reversed(kept) if state % 3 == 1]
    encoded = [slow.encode(TREEBANK[2]), slow.encode(TREEBANK[6])]
    for some in (chosen[:3], chosen, chosen[::-1], kept[:2]):
        states.select(np.array([*some, some[0]], dtype=np.int32))
        hidden = batch.scorer.hidden(batch.inputs(states), batch.words)
        for row, sentence in enumerate(states.sentence_index.tolist()):
            expected = slow.hidden(encoded[sentence], situation(KINDS[kind], states, row))
            assert hidden[row] == pytest.approx(np.array(expected), abs=1e-5)


class Turning(pp.PythonSystem):
    """Its stack may change below the top: TURN exchanges the words below, once."""

    transitions = ("SHIFT", "LEFT", "TURN")

    def legal(self, state, transition):
        if transition == "SHIFT":
            return len(state.buffer) > 1
        if transition == "LEFT":
            return bool(state.stack)
        return len(state.stack) > 2 and state.stack[-3] < state.stack[-2]

    def apply(self, state, transition):
        if transition == "SHIFT":
            state.stack.append(state.buffer.pop(0))
        elif transition == "LEFT":
            state.attach(state.buffer[0], state.stack.pop())
        else:
            state.stack[-3:-1] = state.stack[-3:-1][::-1]

    def cost(self, state, transition, gold):
        return 0


def test_stacks_of_systems_in_python_may_change_anywhere():
    parser = random_network_parser(pp.ParserSpec(system=Turning(), beam=1), KINDS["memory"], TREEBANK[:5])
    classifier = parser.classifier
    slow = ReferenceNetwork(KINDS["memory"], classifier.to_values()["vocabulary"], classifier.to_arrays())
    states = parser.model.states(TREEBANK)
    states.start(np.array([2, 6]))
    batch = classifier.encode(states)
    encoded = [slow.encode(TREEBANK[2]), slow.encode(TREEBANK[6])]
    turns = 0
    for _ in walk(states, np.random.default_rng(5), 16):
        hidden = batch.scorer.hidden(batch.inputs(states), batch.words)
        turns += int((states.last_actions == 2).sum())
        for row, sentence in enumerate(states.sentence_index.tolist()):
            expected = slow.hidden(encoded[sentence], situation(KINDS["memory"], states, row))
            assert hidden[row] == pytest.approx(np.array(expected), abs=1e-5)
    assert turns > 0
