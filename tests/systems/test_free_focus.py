"""Systems whose focus is free: EasyFirst, and tables of the same kind."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.errors import DeclarationError, IllegalTransitionError
from panparser.proofs.interpreter import ReferenceSystem
from panparser.proofs.system_proof import check_system
from panparser.trees.enumeration import projective_trees, random_gold, random_tree
from panparser.trees.gold import ROOTS

EVERY = [pp.system("easy-first", root=root, single_root=single) for root in ROOTS for single in (False, True)]
each = pytest.mark.parametrize("system", EVERY, ids=lambda s: f"{s.root}{'-single' * s.single_root}")
# A focus on S1 and S2, words that leave without a head, and conditions on both sides.
WILD = pp.TransitionSystem(
    "wild",
    (
        pp.Transition(
            "LEFT2",
            when=("is_word(S1)", "size(STACK, unattached) >= 2"),
            then=("arc(head=B0, dependent=S1)", "pop(S1)"),
            loses=("head(S1).among(STACK - S0)", "children(S1).among(BUFFER - B0)"),
        ),
        pp.Transition(
            "RIGHT2", when=("is_word(B0)",), then=("arc(head=S1, dependent=B0)", "pop(B0)"), loses=("headless(B0)",)
        ),
        pp.Transition("OUT", when=("is_word(S0)", "span(S0, B0) <= 3"), then=("pop",), loses=("head(S0).among(B0)",)),
        pp.Transition("REST", when=("is_word(S0)", "size(BUFFER) <= 1"), then=("pop",)),
    ),
    root="first",
    partial=True,
    focus="free",
)


@each
def test_it_is_exact_for_all_parts_of_all_trees(system):
    row = check_system(system, max_words=4, golds="any").rows[-1]
    assert row.relaxed == 0
    assert row.outputs == len(list(projective_trees(4, system.root, system.single_root)))


@pytest.mark.slow
@each
def test_it_is_exact_in_longer_sentences(system):
    assert check_system(system, max_words=5, golds="any").rows[-1].relaxed == 0
    assert check_system(system, max_words=6, golds="all").rows[-1].relaxed == 0


@pytest.mark.parametrize("system", [*(replace(s, potential=None) for s in EVERY), WILD], ids=lambda s: s.name)
@given(words=st.integers(1, 12), seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_the_engine_equals_the_reference(system, words, seed):
    rng = random.Random(seed)
    slow, gold = ReferenceSystem(system), random_gold(words, rng, known=0.8)
    state, expected = system.initial(words), slow.initial(words)
    mutable = _engine.MutableStates(system._lowered.engine, words)
    while True:
        outside = {expected.root: 0}
        assert state.stack == tuple(outside.get(token, token) for token in expected.stack)
        assert state.buffer == tuple(outside.get(token, token) for token in expected.buffer)
        assert system.legal(state) == slow.legal(expected)
        if system.is_final(state):
            break
        assert system.costs(state, gold) == slow.costs(expected, gold)
        name = rng.choice(system.legal(state))
        mutable.apply(0, system.step_number(name), -1)
        state, expected = system.apply(state, name), slow.apply(expected, name)
        assert mutable.tokens(0) == state.engine_states.tokens(state.index)
        assert mutable.arcs(0) == state.engine_states.arcs(state.index)
        heads = {word: int(head) for word, head in enumerate(state.heads) if head >= (system.root == "none")}
        assert heads == {word: outside.get(head, head) for word, head in expected.heads.items()}


@each
@given(words=st.integers(1, 15), seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_the_best_derivation_has_all_that_one_projective_tree_has(system, words, seed):
    gold = pp.GoldTree(random_tree(words, random.Random(seed)))
    subset = gold.projective_subset(root=system.root, single_root=system.single_root)
    state = system.initial(words)
    for name in pp.static_derivation(system, gold):
        assert system.costs(state, gold)[name] == 0
        state = system.apply(state, name)
    right = sum(head == found for head, found in zip(gold.heads, state.heads[1:].tolist(), strict=True))
    assert right == sum(head is not None for head in subset.heads)
    assert system.lost_arcs(gold) == words - right


def test_too_many_crossing_arcs_are_reduced():
    words = 140
    gold = pp.GoldTree(random_tree(words, random.Random(1)))
    system = pp.system("easy-first", root="last", single_root=True)
    lost = words - sum(head is not None for head in gold.projective_subset(root="last", single_root=True).heads)
    assert system.lost_arcs(gold) == lost
    assert min(system.costs(system.initial(words), gold).values()) == 0


@each
def test_both_kinds_of_state_walk_alike(system):
    rng = random.Random(3)
    references = [system.reference(pp.GoldTree(random_tree(rng.randint(1, 20), rng))) for _ in range(10)]
    runs = [_engine.walk(system._lowered.engine, references, 7, 200, linked, True) for linked in (False, True)]
    assert runs[0] == runs[1]


# --- Steps have names ---


def test_a_step_names_the_token_at_the_focus():
    system = pp.system("easy-first", root="last", single_root=True)
    state = system.initial(3)
    assert system.legal(state) == ("LEFT@1", "RIGHT@1", "LEFT@2", "RIGHT@2")
    state = system.apply(state, "RIGHT@2", "obj")
    assert (state.stack, state.buffer) == ((), (1, 2, 0))
    assert state.derivation == ("RIGHT@2",)
    assert state.labels[3] == "obj"
    assert system.arc(state, "LEFT@1") == (2, 1)
    assert system.apply(system.apply(state, "LEFT@1"), "LEFT@2").draw().endswith("final")
    assert state.draw([2, 0, 2]).endswith("costs   LEFT@1 0*  RIGHT@1 2")


def test_equal_states_are_equal_whatever_the_way():
    system = pp.system("easy-first", root="first")
    one, two = (["LEFT@1", "RIGHT@3"], ["RIGHT@3", "LEFT@1"])
    states = []
    for names in (one, two):
        state = system.initial(4)
        for name in names:
            state = system.apply(state, name)
        states.append(state)
    assert states[0] == states[1]
    assert states[0].key() == states[1].key()


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("LEFT", "a step names the token at S0; got 'LEFT'"),
        ("LEFT@x", "a step names the token at S0; got 'LEFT@x'"),
        ("LEFT@3", "LEFT@3 is illegal"),
        ("SHIFT@1", "easy-first has LEFT, RIGHT; got 'SHIFT@1'"),
    ],
)
def test_other_names_are_refused(name, problem):
    system = pp.system("easy-first", root="last", single_root=True)
    with pytest.raises(IllegalTransitionError, match=problem):
        system.apply(system.initial(3), name)


# --- Declarations ---


def test_it_is_declared_in_files(tmp_path):
    system = pp.system("easy-first", root="first")
    assert pp.TransitionSystem.from_json(system.to_json()) == system
    system.save(tmp_path / "easy.toml")
    assert pp.TransitionSystem.load(tmp_path / "easy.toml") == system
    assert "focus" not in pp.system("arc-eager").to_values()


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"focus": "loose"}, "easy-first: focus must be fixed or free; got 'loose'"),
        ({"focus": "fixed"}, "crossing-arcs are counted where the focus is free"),
        ({"potential": "blocked-chain-1"}, "costs are losses and crossing-arcs; got blocked-chain-1"),
        ({"potential": None, "static_oracle": "rows"}, "costs are losses and crossing-arcs; got rows"),
        (
            {"transitions": (pp.Transition("SHIFT", then=("shift",)),), "ties": ()},
            "a free focus is moved by no effect; got shift or back in SHIFT",
        ),
    ],
)
def test_what_does_not_fit_is_refused(changes, problem):
    with pytest.raises(DeclarationError, match=problem):
        replace(pp.system("easy-first"), **changes)


def test_losses_are_not_derived():
    with pytest.raises(DeclarationError, match="the focus of easy-first is free; losses are found where it is fixed"):
        pp.proofs.derive_losses("easy-first")


def test_the_front_of_the_buffer_can_leave_where_the_focus_is_fixed():
    """ArcHybrid that may skip words of the buffer."""
    skip = pp.Transition("SKIP", when=("is_word(B0)",), then=("pop(B0)",))
    system = pp.system("arc-hybrid-partial", root="first").adding(skip)
    state = system.apply(system.apply(system.initial(3), "SKIP"), "SHIFT")
    assert (state.stack, state.buffer) == ((0, 2), (3,))
    assert check_system(system, max_words=3, exact_cost=False)
