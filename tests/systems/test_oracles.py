"""Static derivations, the derivations that dynamic oracles accept, and the papers' worked examples."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.trees.enumeration import all_trees, projective_trees, random_gold
from variants import ROOTS, each_variant, walk

# Goldberg & Nivre 2012, figure 1: 2 heads 1, 3, 5 and 6, 5 heads 4. Read off the two derivations of section 2.2.
LETTER = pp.GoldTree([2, 0, 2, 5, 2, 2], ["SBJ", "PRD", "IOBJ", "DET", "DOBJ", "p"])
SH, LA, RA, RE = "SHIFT", "LEFT", "RIGHT", "REDUCE"
FIRST = (SH, LA, RA, RA, SH, LA, RE, RA, RE, RA)
SECOND = (SH, LA, RA, RA, RE, SH, LA, RA, RE, RA)
AT_THE_END = (RE, RE)  # the paper stops when the buffer is empty; here Root alone remains


def test_the_two_derivations_of_the_arc_eager_paper():
    """Section 2.2, (1) and (2): all that the dynamic oracle accepts; Algorithm 1 gives the first."""
    system = pp.system("arc-eager", root="first")
    accepted = list(pp.oracle_derivations(system, LETTER))
    assert accepted == [FIRST + AT_THE_END, SECOND + AT_THE_END]
    assert pp.static_derivation(system, LETTER) == FIRST + AT_THE_END


def test_all_optimal_transitions_at_every_step_of_the_arc_eager_paper():
    system = pp.system("arc-eager", root="first")
    costs = []
    state = system.initial(6)
    for transition in FIRST + AT_THE_END:
        costs.append(system.costs(state, LETTER))
        state = system.apply(state, transition)
    assert costs == [
        {SH: 0, RA: 1},
        {SH: 3, LA: 0, RA: 3},
        {SH: 2, RA: 0},
        {SH: 1, RA: 0, RE: 3},
        {SH: 0, RA: 1, RE: 0},
        {SH: 2, LA: 0, RA: 2},
        {SH: 1, RA: 1, RE: 0},
        {SH: 1, RA: 0, RE: 2},
        {RA: 1, RE: 0},
        {RA: 0, RE: 1},
        {RE: 0},
        {RE: 0},
    ]


def test_the_wrong_shift_of_the_arc_eager_paper():
    """Section 2.2: SHIFT instead of RIGHT(IOBJ) costs 1, and the best way out that it shows costs nothing more."""
    system = pp.system("arc-eager", root="first")
    state = walk((system, 6), SH, LA, RA)
    assert system.costs(state, LETTER)[SH] == 1
    state = system.apply(state, SH)
    assert (state.stack, state.buffer) == ((0, 2, 3), (4, 5, 6))
    total = 0
    for transition in (SH, LA, LA, RA, RE, RA):
        total += system.costs(state, LETTER)[transition]
        state = system.apply(state, transition)
    assert total == 0
    missed = [word for word in range(1, 7) if state.heads[word] != LETTER.heads[word - 1]]
    assert missed == [3]


@pytest.mark.unmeasured
@each_variant()
def test_static_derivations_give_the_gold_tree(system):
    if system.partial:
        return
    trees = (
        all_trees(4, system.single_root) if system.static_oracle else projective_trees(4, "first", system.single_root)
    )
    for tree in trees:
        for seed in (None, 1):
            state = walk((system, 4), *pp.static_derivation(system, tree, seed=seed))
            assert tuple(state.heads[1:]) == tree


def test_ties_are_broken_as_asked():
    system = pp.system("arc-eager", root="first")
    late = pp.static_derivation(system, LETTER, ties=(LA, RA, RE, SH))
    assert late == SECOND + AT_THE_END
    seeds = {pp.static_derivation(system, LETTER, seed=seed) for seed in range(20)}
    assert seeds == {FIRST + AT_THE_END, SECOND + AT_THE_END}
    with pytest.raises(ValueError, match="ties and seed exclude each other"):
        pp.static_derivation(system, LETTER, ties=(LA, RA, RE, SH), seed=1)
    assert pp.static_derivation(system, LETTER, seed=3) == pp.static_derivation(system, LETTER, seed=3)


def test_non_monotonic_ties_propose_the_gold_head():
    """RIGHT and SHIFT cost the same; RIGHT is taken where its provisional head is right."""
    system = pp.system("non-monotonic-arc-eager")
    assert pp.static_derivation(system, [0, 1]) == (SH, RA, RE, LA)
    assert pp.static_derivation(system, [2, 0]) == (SH, LA, SH, LA)


def test_arc_standard_and_hybrid_attach_as_soon_as_they_can():
    assert pp.static_derivation("arc-standard", [2, 0, 2]) == (SH, SH, LA, SH, RA, SH, LA)
    assert pp.static_derivation("arc-hybrid", [2, 0, 2]) == (SH, LA, SH, SH, RA, LA)


# --- Swap ---


def test_swap_reproduces_a_crossing():
    """1 <- 3, 2 <- Root, 3 <- 2, 4 <- 1: the arc from 1 to 4 crosses the one from Root to 2."""
    tree = (3, 0, 2, 1)
    for oracle in ("eager", "lazy"):
        for root in ROOTS:
            system = pp.system("swap-standard", root=root, oracle=oracle)
            derivation = pp.static_derivation(system, tree)
            assert "SWAP" in derivation
            assert tuple(walk((system, 4), *derivation).heads[1:]) == tree


def swaps(root: str, oracle: str, words: int) -> list[int]:
    system = pp.system("swap-standard", root=root, oracle=oracle)
    return [pp.static_derivation(system, tree).count("SWAP") for tree in all_trees(words)]


@pytest.mark.parametrize("root", ROOTS)
def test_the_lazy_oracle_never_swaps_more(root):
    eager, lazy = (swaps(root, oracle, 4) for oracle in ("eager", "lazy"))
    assert all(a >= b for a, b in zip(eager, lazy, strict=True))
    assert sum(eager) > sum(lazy)


@pytest.mark.slow
def test_numbers_of_swaps_at_six_words():
    """Over all 16807 trees."""
    assert sum(swaps("first", "eager", 6)) == 41350
    assert sum(swaps("first", "lazy", 6)) == 36860


@pytest.mark.unmeasured
@each_variant("swap-standard")
def test_swap_derivations_have_all_known_arcs(system):
    """Whatever is done about words whose head is unknown: every derivation of cost 0 has the arcs that are known."""
    trees = [tree for tree in all_trees(4) if tree.count(0) == 1 or not system.single_root]
    for tree in trees[::7]:
        for known in product((True, False), repeat=4):
            gold = tuple(head if kept else None for head, kept in zip(tree, known, strict=True))
            pending = [system.initial(4)]
            while pending:
                state = pending.pop()
                if system.is_final(state):
                    assert all(head in (None, found) for head, found in zip(gold, state.heads[1:], strict=True))
                    continue
                costs = system.costs(state, gold)
                assert min(costs.values()) == 0
                pending += [system.apply(state, name) for name, cost in costs.items() if cost == 0]


def test_projective_trees_need_no_swap():
    system = pp.system("swap-standard")
    for tree in projective_trees(4):
        assert "SWAP" not in pp.static_derivation(system, tree)


@pytest.mark.unmeasured
@given(words=st.integers(1, 30), seed=st.integers(0, 10**6), known=st.sampled_from([0.3, 0.7, 1.0]))
def test_minimum_cost_from_the_start_loses_nothing(words, seed, known):
    """Partial golds of random projective trees, in a system with a potential and one without."""
    import random

    gold = random_gold(words, random.Random(seed), known)
    for name, root in (("arc-eager", "first"), ("arc-hybrid", "last"), ("arc-standard", "last")):
        for single_root in (False, True):
            system = pp.system(name, root=root, single_root=single_root)
            state = walk((system, words), *pp.static_derivation(system, gold, seed=seed))
            wanted = [(word, head) for word, head in enumerate(gold.heads, start=1) if head is not None]
            assert all(state.heads[word] == head for word, head in wanted)
            assert not single_root or list(state.heads[1:]).count(0) == 1
