"""Static oracles of one's own: the rows of a table as they stand, and functions of systems written in Python."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from learners import treebank_of
from panparser.proofs.system_proof import check_system
from panparser.terms import BUFFER, S0, S1, STACK, children, head
from panparser.trees.enumeration import projective_trees

STANDARD = pp.system("arc-standard")


def with_rows(**losses):
    """ArcStandard with losses of its own, none of them exact."""
    rows = tuple(replace(row, loses=losses.get(row.name, ())) for row in STANDARD.transitions)
    return replace(STANDARD, name="mine", transitions=rows, potential=None, static_oracle="rows")


# Nivre 2008: attach as soon as the arc is gold and the dependent has all its own; else shift.
ROWS = with_rows(
    LEFT=(head(S1).among(STACK - S0), head(S1).among(BUFFER)),
    RIGHT=(head(S0).among(STACK - S1), head(S0).among(BUFFER), children(S0).among(BUFFER)),
)


def test_rows_reproduce_every_projective_tree():
    report = check_system(ROWS, max_words=4)
    assert report.golds == "projective"
    for tree in projective_trees(4):
        assert pp.static_derivation(ROWS, tree) == pp.static_derivation(STANDARD, tree)


def test_rows_that_do_not_are_found():
    hasty = with_rows(LEFT=ROWS["LEFT"].loses, RIGHT=ROWS["RIGHT"].loses[:2])
    with pytest.raises(pp.errors.ProofError, match="the static oracle does not reproduce this tree"):
        check_system(hasty, max_words=3)


def test_losses_of_rows_are_not_drawn_as_costs():
    state = ROWS.apply(ROWS.apply(ROWS.initial(2), "SHIFT"), "SHIFT")
    assert "losses  SHIFT 0*  LEFT 0*  RIGHT 1" in state.draw([2, 0])
    assert "costs   " in STANDARD.initial(2).draw([2, 0])


def test_rows_are_written_and_read():
    assert pp.TransitionSystem.from_json(ROWS.to_json()) == ROWS
    assert "static oracle: the row that loses least" in str(ROWS)


def test_rows_are_learned_by_their_static_oracle():
    treebank = treebank_of("a/A/2/x b/B/0/root c/C/2/y", "a/A/3/x c/C/3/y b/B/0/root")
    spec = pp.ParserSpec(system=ROWS, templates=pp.Templates.parse("S0.upos S1.upos\nS0.upos B0.upos"), beam=2)
    parser = pp.train(spec, treebank, epochs=5)
    assert parser.training["strategy"] == {"oracle": "static", "update_at": "max-violation"}
    assert [s.heads.tolist() for s in parser.parse(treebank)] == [s.heads.tolist() for s in treebank]
    with pytest.raises(pp.errors.StrategyError, match="mine has no dynamic oracle, only the static one rows"):
        pp.train(spec, treebank, strategy=pp.learning.MAX_VIOLATION)


class Standard(pp.PythonSystem):
    """ArcStandard with Root first, and no costs."""

    transitions = ("SHIFT", "LEFT", "RIGHT")
    root = "first"

    def legal(self, state, transition):
        if transition == "SHIFT":
            return bool(state.buffer)
        if transition == "LEFT":
            return len(state.stack) >= 2 and state.stack[-2] != 0
        return len(state.stack) >= 2

    def apply(self, state, transition):
        if transition == "SHIFT":
            state.stack.append(state.buffer.pop(0))
        elif transition == "LEFT":
            state.attach(state.stack[-1], state.stack.pop(-2))
        else:
            state.attach(state.stack[-2], state.stack[-1])
            state.stack.pop()

    def static_oracle(self, state, gold):
        if len(state.stack) >= 2:
            below, top = state.stack[-2:]
            if below and gold.heads[below - 1] == top:
                return "LEFT"
            if gold.heads[top - 1] == below and not any(gold.heads[word - 1] == top for word in state.buffer):
                return "RIGHT"
        return "SHIFT"


def test_a_function_is_a_static_oracle():
    report = check_system(Standard(), max_words=4)
    assert (report.golds, report.rows[-1].golds) == ("projective", len(list(projective_trees(4, "first"))))
    expected = pp.static_derivation(pp.system("arc-standard", root="first"), (2, 0, 2))
    assert pp.static_derivation(Standard(), (2, 0, 2)) == expected
    steps = pp.system(Standard())
    assert steps.costs(steps.initial(2), (2, 0)) == {"SHIFT": 0}


def test_a_function_that_fails_is_found():
    class Hasty(Standard):
        def static_oracle(self, state, gold):
            if len(state.stack) >= 2 and gold.heads[state.stack[-1] - 1] == state.stack[-2]:
                return "RIGHT"
            return super().static_oracle(state, gold)

    with pytest.raises(pp.errors.ProofError, match="the static oracle does not reproduce this tree"):
        check_system(Hasty(), max_words=3)


def test_a_function_gives_legal_transitions():
    class Wrong(Standard):
        def static_oracle(self, state, gold):
            return "REDUCE"

    with pytest.raises(
        pp.errors.IllegalTransitionError, match=r"Wrong: static_oracle returned 'REDUCE' in .*; legal: SHIFT"
    ):
        pp.static_derivation(Wrong(), (0,))
