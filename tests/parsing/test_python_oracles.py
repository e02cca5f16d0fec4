"""Parsers of systems written in Python, by the oracles that they define."""

from __future__ import annotations

import pytest

import panparser as pp
from covington import Covington
from learners import SMALL, short_sentences

TRAIN = short_sentences(15, 8)


class Standard(pp.PythonSystem):
    """Arc-standard, with an oracle that knows nothing of states that it does not lead to."""

    transitions = ("SHIFT", "LEFT", "RIGHT")
    root = "first"
    is_nonprojective = False

    def legal(self, state, transition):
        if transition == "SHIFT":
            return bool(state.buffer)
        if len(state.stack) < 2:
            return False
        return state.stack[-2] != 0 or (transition == "RIGHT" and not state.buffer)

    def apply(self, state, transition):
        if transition == "SHIFT":
            state.stack.append(state.buffer.pop(0))
            return
        second, first = state.stack[-2:]
        head, dependent = (first, second) if transition == "LEFT" else (second, first)
        state.attach(head, dependent)
        state.stack.remove(dependent)

    def static_oracle(self, state, gold):
        def is_done(word):
            return all(state.heads[child] == word for child, head in enumerate(gold.heads, start=1) if head == word)

        second, first = [None, *state.stack][-2:]
        if second and gold.heads[second - 1] == first and is_done(second):
            return "LEFT"
        if first and gold.heads[first - 1] == second and is_done(first):
            return "RIGHT"
        return "SHIFT"


@pytest.mark.parametrize("beam", [1, 3])
def test_a_static_oracle_is_not_held_to_states_that_it_does_not_lead_to(beam):
    spec = pp.ParserSpec(system=Standard(), templates=SMALL, beam=beam)
    parser = pp.train(spec, TRAIN, epochs=5)  # max-violation, the default
    assert pp.evaluate(TRAIN, parser.parse(TRAIN), bootstrap_samples=0).uas > 80


def test_an_oracle_that_gives_something_illegal_is_refused():
    class Wrong(Standard):
        def static_oracle(self, state, gold):
            return "LEFT"

    with pytest.raises(pp.errors.IllegalTransitionError, match="Wrong: static_oracle returned 'LEFT'"):
        pp.train(pp.ParserSpec(system=Wrong(), templates=SMALL, beam=3), TRAIN, epochs=1)


def test_a_system_with_both_oracles_keeps_constraints():
    class Both(Covington):
        def static_oracle(self, state, gold):
            legal = [name for name in self.transitions if self.legal(state, name)]
            return min(legal, key=lambda name: self.cost(state, name, gold))

    parser = pp.train(pp.ParserSpec(system=Both(), templates=SMALL, beam=1), TRAIN, constraints=0.5, epochs=1)
    constraints = pp.Constraints.from_treebank(TRAIN, keep={"heads"})
    heads, _ = parser.predict(TRAIN, constraints=constraints)
    assert heads.tolist() == TRAIN.heads.tolist()
