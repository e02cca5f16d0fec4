"""Cost equals exhaustive search: every built-in system, and every known failing of the printed tables."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import panparser as pp
from panparser.proofs.system_proof import check_system
from panparser.systems import terms
from panparser.systems.registry import BUILT_IN
from panparser.systems.terms import is_word
from panparser.trees.enumeration import (
    all_trees,
    direction_golds,
    projective_trees,
    random_projective_tree,
    random_tree,
)
from variants import ROOTS, each_variant, walk

LOCAL = ("arc-eager", "arc-hybrid", "non-monotonic-arc-eager")


@each_variant()
def test_every_system_is_exact(system):
    report = check_system(system, max_words=4)
    assert all(row.relaxed == 0 for row in report.rows)


@pytest.mark.slow
@each_variant(*LOCAL, "arc-standard", "swap-standard")
def test_every_system_is_exact_at_six_words(system):
    assert check_system(system, max_words=6).rows[-1].relaxed == 0


@pytest.mark.slow
@each_variant("arc-eager-partial", "arc-hybrid-partial")
def test_partial_systems_are_exact_at_five_words(system):
    assert check_system(system, max_words=5).rows[-1].relaxed == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", ["arc-eager-span", "arc-hybrid-span"])
@pytest.mark.parametrize("root", ["first", "last"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_span_systems_are_exact_at_six_words(name, root, k):
    assert check_system(pp.system(name, root=root, k=k), max_words=6).rows[-1].relaxed == 0


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("name", ["arc-eager-span", "arc-hybrid-span"])
@pytest.mark.parametrize("root", ["first", "last"])
def test_span_systems_are_exact_for_other_lengths(name, root, k):
    check_system(pp.system(name, root=root, k=k), max_words=4)


@each_variant(*LOCAL)
def test_head_directions_are_exact(system):
    """Without Root, that of one word alone: no sum of losses can be exact for several (test_deriving.py)."""
    if system.root != "none":
        assert check_system(system, max_words=4, golds="directions").rows[-1].relaxed == 0
    golds = [pp.GoldTree(heads) for heads in direction_golds(5) if heads.count(None) == 4]
    off, _ = inexact(system, 5, golds)
    assert off == 0


@each_variant("arc-standard")
def test_arc_standard_is_exact_on_every_tree(system):
    assert check_system(system, max_words=4, golds="all").rows[-1].golds in (125, 64)
    check_system(system, max_words=4, golds="any")


@pytest.mark.slow
@each_variant("arc-standard")
def test_arc_standard_is_exact_on_every_tree_of_five_words(system):
    check_system(system, max_words=5, golds="all")


@pytest.mark.parametrize(
    ("name", "root", "derivations", "outputs"),
    [
        ("arc-eager", "first", 67, 55),
        ("arc-eager", "last", 67, 55),
        ("arc-hybrid", "first", 67, 55),
        ("arc-hybrid", "last", 67, 55),
        ("arc-standard", "first", 67, 55),
        ("arc-standard", "last", 67, 55),
        ("non-monotonic-arc-eager", "first", 1072, 55),
        ("non-monotonic-arc-eager", "last", 413, 55),
        ("arc-eager", "none", 67, 55),
        ("arc-hybrid", "none", 67, 55),
        ("arc-standard", "none", 67, 55),
        ("arc-eager-partial", "first", 538, 252),
        ("arc-hybrid-partial", "last", 538, 252),
        ("arc-eager-span", "first", 295, 103),
        ("arc-hybrid-span", "last", 295, 103),
    ],
)
def test_search_spaces_have_the_known_size(name, root, derivations, outputs):
    """Derivations and outputs at four words; 55 is the number of projective trees."""
    options = {"k": 2} if name.endswith("span") else {}
    row = check_system(pp.system(name, root=root, **options), max_words=4, exact_cost=False).rows[-1]
    assert (row.derivations, row.outputs) == (derivations, outputs)


# --- Where the printed tables fail: stack | buffer, and what each transition really costs ---


@pytest.mark.parametrize(
    ("name", "root", "path", "gold", "costs"),
    [
        # Supplementary A.1: the incompatibility counts when it is entered, and not again.
        ("arc-eager", "first", ["SHIFT"], [0, 1, 2], {"SHIFT": 1, "LEFT": 0, "RIGHT": 0}),
        # All ancestors of the last word count, not its direct head alone.
        ("arc-eager", "first", [], [0, 1, 2], {"SHIFT": 2, "RIGHT": 0}),
        # The ancestor itself counts among the unattached words.
        ("arc-eager", "first", ["RIGHT"], [0, 0, 2], {"SHIFT": 2, "RIGHT": 1, "REDUCE": 0}),
        ("arc-eager", "first", [], [0, 1], {"SHIFT": 2, "RIGHT": 0}),
        # Goldberg & Nivre 2012, figure 4: LEFT loses B0 as a child of S0 too.
        ("arc-eager", "last", ["SHIFT"], [0, 1], {"SHIFT": 1, "LEFT": 2, "RIGHT": 0}),
        # ... and SHIFT and RIGHT do not lose children that have a head already.
        ("arc-eager", "last", ["SHIFT", "RIGHT"], [0, 3, 0], {"SHIFT": 0, "RIGHT": 1, "REDUCE": 0}),
        # ... footnote 4: a headless word attached to Root at the end would make SHIFT free.
        ("arc-eager", "first", [], [0], {"RIGHT": 0}),
        # Supplementary table 7b lacks a row: the last word is shifted, and 1 gets no head on the right.
        ("arc-hybrid", "first", ["SHIFT"], [pp.HEAD_RIGHT, pp.HEAD_LEFT], {"SHIFT": 1, "LEFT": 0, "RIGHT": 1}),
        (
            "non-monotonic-arc-eager",
            "first",
            ["SHIFT"],
            [pp.HEAD_RIGHT, pp.HEAD_LEFT],
            {"SHIFT": 1, "RIGHT": 1, "LEFT": 0, "REDUCE": 1},
        ),
        # Collapsing the buffer over-states what a non-projective tree can give: 2 of 3 arcs, all of them after SHIFT.
        ("arc-standard", "first", [], [0, 0, 1], {"SHIFT": 0}),
    ],
)
def test_printed_tables_corrected(name, root, path, gold, costs):
    system = pp.system(name, root=root)
    state = walk((system, len(gold)), *path)
    assert system.costs(state, gold) == costs


def without_condition(system, name, condition):
    """The table with one condition taken out, as printed."""
    rows = [
        replace(row, when=tuple(c for c in row.when if c != condition)) if row.name == name else row
        for row in system.transitions
    ]
    return replace(system, transitions=tuple(rows))


@pytest.mark.parametrize(
    ("name", "root", "row", "condition"),
    [
        ("arc-eager", "last", "RIGHT", "B0"),  # supplementary table 1
        ("arc-eager-partial", "last", "RIGHT", "B0"),  # table 8
        ("arc-standard", "last", "RIGHT", "S0"),  # table 5
    ],
)
def test_printed_preconditions_let_root_get_a_head(name, root, row, condition):
    broken = without_condition(pp.system(name, root=root), row, is_word(getattr(terms, condition)))
    with pytest.raises(pp.errors.ProofError, match=r"Root gets a head|stuck"):
        check_system(broken, max_words=2)


def test_root_first_ends_with_root_on_the_stack():
    """Supplementary A.1 asks for an empty stack; Root stays."""
    system = pp.system("arc-eager", root="first")
    state = walk((system, 1), "RIGHT", "REDUCE")
    assert (state.stack, state.buffer) == ((0,), ())
    assert system.is_final(state)


@pytest.mark.parametrize("golds", [[2, None, 1]])
def test_arcs_that_cross_nothing_may_still_exclude_each_other(golds):
    assert not pp.GoldTree(golds).has_projective_completion()
    assert pp.GoldTree([2, None, None]).has_projective_completion()


def outcomes(system, words, golds):
    """(states, best reachable per gold) by exhaustive search, initial state last."""
    from panparser.proofs import system_proof as check

    nodes = check._explore(system, words, lambda *_: None)
    return nodes, check._reachable(system, nodes, golds)


def inexact(system, words, golds):
    """How many pairs of a state and a gold have a wrong cost, and how many there are."""
    nodes, best = outcomes(system, words, golds)
    references = [system.reference(gold) for gold in golds]
    off = seen = 0
    for node, value in zip(nodes, best, strict=True):
        if node.names:
            declared = node.state.engine_states.costs(node.state.index, references)
            true = np.stack([value - best[i] for i in node.after], axis=1)
            off += int((declared != true).any(axis=1).sum())
            seen += len(golds)
    return off, seen


@each_variant("arc-eager", "arc-hybrid", "non-monotonic-arc-eager")
def test_following_the_projective_subset_loses_nothing(system):
    """From the initial state, for every tree of four words, projective or not."""
    golds = [pp.GoldTree(tree) for tree in all_trees(4, system.single_root)]
    _, best = outcomes(system, 4, golds)
    for gold, reachable in zip(golds, best[-1], strict=True):
        subset = gold.projective_subset(root=system.root, single_root=system.single_root)
        state = walk((system, 4), *pp.static_derivation(system, subset))
        assert sum(state.heads[1:] == gold.heads) == reachable


@pytest.mark.parametrize("name", LOCAL)
@pytest.mark.parametrize("root", ROOTS)
def test_directions_mixed_with_heads_are_rarely_off(name, root):
    """docs/concepts/oracles.md: in less than 1 % of the states, at four words; without Root, in less than 6 %."""
    system = pp.system(name, root=root)
    golds = set()
    for tree in projective_trees(4, root):
        marks = [
            (pp.HEAD_LEFT if 0 < h < w or (h == 0 and root == "first") else pp.HEAD_RIGHT)
            for w, h in enumerate(tree, 1)
        ]
        marks = [0 if h == 0 and root == "none" else mark for h, mark in zip(tree, marks, strict=True)]
        for directed in product((False, True), repeat=4):
            golds.add(pp.GoldTree(mark if d else head for mark, head, d in zip(marks, tree, directed, strict=True)))
    off, seen = inexact(system, 4, sorted(golds, key=repr))
    assert off < (0.06 if root == "none" else 0.01) * seen


# --- Labels ---


def test_a_wrong_label_on_a_gold_arc_costs_one_more():
    system = pp.system("arc-hybrid")
    state = walk((system, 2), "SHIFT")
    gold = pp.GoldTree([2, 0], ["nsubj", "root"])
    assert system.costs(state, gold, label="nsubj") == {"SHIFT": 1, "LEFT": 0}
    assert system.costs(state, gold, label="obj") == {"SHIFT": 1, "LEFT": 1}
    assert system.costs(state, pp.GoldTree([2, 0], [None, "root"]), label="obj")["LEFT"] == 0
    assert system.costs(state, pp.GoldTree([0, 1], ["root", "obj"]), label="det") == {"SHIFT": 0, "LEFT": 2}


# --- Long sentences ---


@each_variant()
@pytest.mark.unmeasured
def test_long_sentences(system):
    """Of 500 words; of 150 where any tree can be built, in quadratically many steps."""
    rng = random.Random(5)
    heads = random_tree(150, rng, single_root=True) if system.static_oracle else random_projective_tree(500, rng)
    state = system.initial(len(heads))
    for transition in pp.static_derivation(system, heads):
        state = system.apply(state, transition)
    if system.max_span:
        assert max(abs(w - h) for w, h in enumerate(state.heads) if w and h > 0) <= system.max_span
    else:
        assert tuple(state.heads[1:]) == heads


def test_a_long_non_projective_gold_falls_back_on_its_projective_part():
    system = pp.system("arc-standard", single_root=True)
    heads = random_tree(80, random.Random(1))
    gold = pp.GoldTree(heads)
    assert not gold.has_projective_completion()
    kept = gold.projective_subset(single_root=True)
    derivation = pp.static_derivation(system, gold)
    state = walk((system, 80), *derivation)
    wanted = [(word, head) for word, head in enumerate(kept.heads, start=1) if head is not None]
    assert all(state.heads[word] == head for word, head in wanted)


def test_built_ins_are_listed_once():
    assert len(BUILT_IN) == len(set(BUILT_IN.values()))
