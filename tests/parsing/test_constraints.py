"""Constraints: what they say, whether trees can keep them, and what the filter leaves."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import panparser as pp
from constrained import EVERY, constraints_over, made, name_of, some_and_all, treebank_of
from panparser.parsing.constraint_solver import Solver
from panparser.parsing.constraints import Constraint, parse_constraint
from panparser.proofs import system_proof as check
from panparser.proofs.constraint_proof import check_constraints, completable_sets, engine_filters
from panparser.trees.enumeration import projective_trees

# --- What constraints say ---


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("left", "the head of word 2 is on the left"),
        ("right", "the head of word 2 is on the right"),
        ("0", "the head of word 2 is 0 (Root)"),
        ("3,1", "the head of word 2 is one of 1, 3"),
        (" 4, 0 ", "the head of word 2 is one of 0 (Root), 4"),
        ("subtree:2-4", "words 2-4 are a subtree"),
        ("closed:1-1", "no arc leaves or enters words 1-1"),
    ],
)
def test_constraints_are_read_and_told(text, said):
    assert str(parse_constraint(text, 2, 4)) == said


@pytest.mark.parametrize(
    "text",
    ["", "up", "2", "5", "1,2", "1,,3", "-1", "subtree:0-3", "subtree:3-2", "closed:2-5", "closed:2", "x:1-2", "²"],
)
def test_malformed_constraints(text):
    with pytest.raises(pp.ConstraintError, match="Constraint: expected left, right"):
        parse_constraint(text, 2, 4)


def test_a_treebank_as_constraints():
    treebank = treebank_of(
        [2, None, None], [None, None], misc={(2, 1): "A=b|Constraint=right;subtree:1-2"}, labels={(1, 1): "x"}
    )
    everything = pp.Constraints.from_treebank(treebank, keep={"heads", "labels", "constraints"})
    assert list(map(str, everything.for_sentence(0))) == ["the head of word 1 is 2"]
    assert list(map(str, everything.for_sentence(1))) == [
        "the head of word 1 is on the right",
        "words 1-2 are a subtree",
    ]
    assert len(everything) == 4
    assert len(pp.Constraints.from_treebank(treebank, keep=())) == 0
    golds = [None, pp.GoldTree([pp.HEAD_RIGHT, {0, 1}], spans=[pp.Span(1, 2)])]
    given = pp.Constraints.from_treebank(treebank, golds=golds)
    assert list(map(str, given.for_sentence(1))) == [
        "the head of word 1 is on the right",
        "the head of word 2 is one of 0 (Root), 1",
        "words 1-2 are a subtree",
    ]


def test_no_constraint_in_misc_is_overlooked():
    twice = treebank_of([None] * 3, misc={(1, 2): "Constraint=right|SpaceAfter=No|Constraint=left"})
    found = pp.Constraints.from_treebank(twice, keep=["constraints"])
    assert [c.allowed for c in found.for_sentence(0)] == [pp.HEAD_RIGHT, pp.HEAD_LEFT]
    bare = treebank_of([None] * 3, misc={(1, 2): "Constraint"})
    with pytest.raises(pp.ConstraintError, match="word 2: Constraint: expected left, right"):
        pp.Constraints.from_treebank(bare, keep=["constraints"])


def test_what_cannot_be_constraints():
    treebank = treebank_of([2, None], misc={(1, 2): "Constraint=3"})
    for options, message in [
        ({"keep": ["tags"]}, "keep: expected some of heads, labels, constraints; got 'tags'"),
        ({}, "expected either keep or golds"),
        ({"golds": []}, "golds: expected 1"),
        ({"golds": [pp.GoldTree([None])]}, "expected a Gold of 2 words"),
        ({"golds": [pp.GoldTree([pp.NO_HEAD, None])]}, "NO_HEAD is not a constraint"),
        ({"keep": ["constraints"]}, r"<text>:1 \(sent_id s1\), word 2: Constraint: expected"),
    ]:
        with pytest.raises(pp.ConstraintError, match=message):
            pp.Constraints.from_treebank(treebank, **options)


# --- Whether a tree keeps them: against all trees ---


def keep_all(solver, constraints, words):
    """Every projective tree that keeps all constraints."""
    trees = projective_trees(words, solver.system.root, solver.system.single_root)
    return [tree for tree in trees if all(solver.is_satisfied(constraint, tree) for constraint in constraints)]


SOLVED = [
    pp.system("arc-eager", root="first"),
    pp.system("arc-eager", root="last", single_root=True),
    pp.system("arc-hybrid-span", root="first", k=1),
    pp.system("arc-hybrid-span", root="last", k=2),
]


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", SOLVED, ids=name_of)
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_satisfiability_is_that_of_all_trees(system, data):
    words = data.draw(st.integers(1, 5))
    constraints = data.draw(st.lists(constraints_over(words), max_size=5, unique=True))
    solver = Solver(system, words)
    trees = keep_all(solver, constraints, words)
    scores = np.array(
        data.draw(st.lists(st.integers(-5, 5), min_size=(words + 1) ** 2, max_size=(words + 1) ** 2)), float
    )
    scores = scores.reshape(words + 1, words + 1)
    found = solver.tree(constraints, scores)
    assert solver.keeps(constraints) == bool(trees) == (found is not None)
    if found is not None:
        assert tuple(found) in trees
        assert score_of(scores, found) == max(score_of(scores, tree) for tree in trees)
        assert solver.largest(constraints) == constraints
        return
    conflict = solver.conflict(constraints)
    assert not keep_all(solver, conflict, words)
    for constraint in conflict:
        assert keep_all(solver, [other for other in conflict if other != constraint], words)
    kept = solver.largest(constraints)
    assert keep_all(solver, kept, words)
    every = projective_trees(words, system.root, system.single_root)
    assert len(kept) == max(sum(solver.is_satisfied(c, tree) for c in constraints) for tree in every)


def score_of(scores, tree):
    return sum(scores[head, word] for word, head in enumerate(tree, start=1))


def test_conflicts_are_as_small_as_can_be():
    solver = Solver(pp.system("arc-eager", root="last", single_root=True), 4)

    def conflict(*constraints):
        return "; ".join(
            map(
                str,
                solver.conflict(
                    [made(*pair) if isinstance(pair[1], set) else Constraint(*pair) for pair in constraints]
                ),
            )
        )

    assert conflict((1, 0), (2, 0), (3, 4)) == "the head of word 1 is 0 (Root); the head of word 2 is 0 (Root)"
    assert conflict((1, 3), (2, 4)) == "the head of word 1 is 3; the head of word 2 is 4"
    assert conflict((1, 2), (2, 3), (3, 1)) in (
        "the head of word 1 is 2; the head of word 3 is 1",
        "the head of word 2 is 3; the head of word 3 is 1",
    )
    assert conflict((2, 2), (1, 0)) == "the head of word 2 is 2"
    assert (
        conflict((2, pp.HEAD_LEFT), (2, {3, 4}), (1, 0))
        == "the head of word 2 is on the left; the head of word 2 is one of 3, 4"
    )
    assert conflict((0, pp.Span(1, 2)), (0, pp.Span(2, 3))) == "words 1-2 are a subtree; words 2-3 are a subtree"
    assert conflict((0, pp.Span(1, 2, "closed"))) == "no arc leaves or enters words 1-2"


# --- The filter: against all derivations ---


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", EVERY, ids=name_of)
def test_least_cost_keeps_all_given_heads(system):
    rows = check_constraints(system, 4).rows
    assert rows[-1].outputs >= rows[-1].sets > 30


@pytest.mark.unmeasured
@pytest.mark.parametrize(("system", "words"), [*some_and_all(EVERY, 4, 5)])
def test_the_filter_is_least_cost(system, words):
    """The filter lets through the transitions of least cost, and no others.

    Arc-standard's has its own way to tell, and makes given arcs to the left at once.
    """
    golds = [pp.GoldTree(heads) for heads in completable_sets(system, words)]
    filters, costs = engine_filters(system, golds), check._Costs(system, golds)
    nodes = check._explore(system, words, lambda *_: None)
    reached = np.zeros((len(nodes), len(golds)), dtype=bool)
    reached[-1] = True
    for number in range(len(nodes) - 1, -1, -1):
        node = nodes[number]
        if not node.names:
            continue
        passing = node.state.engine_states.filtered(node.state.index, filters)
        declared = costs.costs(node.state, node.names)
        least = declared == declared.min(axis=1, keepdims=True)
        for column, (name, successor) in enumerate(zip(node.names, node.after, strict=True)):
            passes = passing[:, column]
            at_once = left_arcs(system, node, least, golds)
            expected = np.where(at_once >= 0, at_once == column, least[:, column])
            assert (passes == expected)[reached[number]].all(), (node.state, name)
            reached[successor] |= reached[number] & passes


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", [s for s in EVERY if s.name in ("arc-standard", "attardi")], ids=name_of)
@given(seed=st.integers(0, 2**32), words=st.integers(6, 12), share=st.sampled_from((0.2, 0.5, 0.8)))
@settings(max_examples=40)
def test_the_filter_is_least_cost_in_longer_sentences(system, seed, words, share):
    """Their filters have short cuts: a random derivation's tree, some of its heads, and a way that keeps them."""
    draw = random.Random(seed)
    state = system.initial(words)
    while names := system.legal(state):
        state = system.apply(state, draw.choice(names))
    golds = [pp.GoldTree(head if draw.random() < share else None for head in state.heads[1:].tolist())]
    filters, costs = engine_filters(system, golds), check._Costs(system, golds)
    state = system.initial(words)
    while names := system.legal(state):
        (passes,) = state.engine_states.filtered(state.index, filters)
        least = costs.costs(state, names) == costs.costs(state, names).min()
        (at_once,) = left_arcs(system, check._Node(state, names), least, golds)
        expected = [name for i, name in enumerate(names) if (i == at_once if at_once >= 0 else least[0, i])]
        passing = [name for name, passes_here in zip(names, passes, strict=True) if passes_here]
        assert passing == expected, (golds, state)
        state = system.apply(state, draw.choice(passing))


def left_arcs(system, node, least, golds):
    """For each gold the transition that makes a given arc to the left, where that is done at once; else -1."""
    found = np.full(len(golds), -1)
    if system.name not in ("arc-standard", "attardi"):
        return found
    for column, name in reversed(list(enumerate(node.names))):
        arc = system.arc(node.state, name)
        if arc and arc[1] and name.startswith("LEFT"):
            given = np.array([gold.heads[arc[1] - 1] == arc[0] for gold in golds])
            found[given & least[:, column]] = column
    return found


def test_a_table_that_loses_heads_is_found_out():
    eager = pp.system("arc-eager", root="first")
    with pytest.raises(pp.errors.ProofError, match="ends without all given heads"):
        check_constraints(replace(eager, potential=None), 3)
    with pytest.raises(pp.ConstraintError, match="swap-standard keeps no constraints"):
        check_constraints("swap-standard", 3)
