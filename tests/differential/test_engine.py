"""The engine equals the slow reference, and its two kinds of state equal each other."""

from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.proofs.interpreter import ReferenceSystem
from panparser.trees.enumeration import random_gold, random_projective_tree, random_tree, with_empties
from variants import each_variant, variants

TABLES = [system for system in variants() if not system.potential and not system.static_oracle]


def engine_of(system):
    return system._lowered.engine


def random_reference(system, words, rng):
    """A gold of the richest kind that the system takes."""
    if system.static_oracle:
        return pp.GoldTree(random_tree(words, rng))
    gold = random_gold(words, rng, known=0.8)
    if system.partial:
        gold = pp.GoldTree(rng.choice(list(with_empties(gold.heads, mixed=False))))
    elif system.knows_directions and rng.random() < 0.5:
        gold = pp.GoldTree(rng.choice((pp.HEAD_LEFT, pp.HEAD_RIGHT)) if head is None else head for head in gold.heads)
    return gold


@given(index=st.integers(0, len(TABLES) - 1), words=st.integers(1, 12), seed=st.integers(0, 2**32))
def test_engine_equals_the_reference(index, words, seed):
    """Legality, effects and costs along random derivations: every table without a native potential."""
    system, rng = TABLES[index], random.Random(seed)
    slow = ReferenceSystem(system)
    gold = random_reference(system, words, rng)
    state, expected = system.initial(words), slow.initial(words)
    while True:
        outside = {expected.root: 0}
        assert state.stack == tuple(outside.get(token, token) for token in expected.stack)
        assert state.buffer == tuple(outside.get(token, token) for token in expected.buffer)
        heads = {word: int(head) for word, head in enumerate(state.heads) if head >= 0}
        assert system.is_final(state) == slow.is_final(expected)
        if not (system.is_final(state) and system.attaches_rest):
            assert heads == {word: outside.get(head, head) for word, head in expected.heads.items()}
        assert system.legal(state) == slow.legal(expected)
        if system.is_final(state):
            break
        assert system.costs(state, gold) == slow.costs(expected, gold)
        name = rng.choice(system.legal(state))
        state, expected = system.apply(state, name), slow.apply(expected, name)


@each_variant()
@given(words=st.integers(1, 90), seed=st.integers(0, 2**32))
def test_both_kinds_of_state_are_the_same(system, words, seed):
    """Legal actions, costs, stack, buffer, arcs, and all that features read, step by step."""
    rng = random.Random(seed)
    reference = system.reference(random_reference(system, words, rng))
    linked = _engine.LinkedStates(engine_of(system), words)
    mutable = _engine.MutableStates(engine_of(system), words)
    index = 0
    for _ in range(200):
        assert linked.tokens(index) == mutable.tokens(0)
        assert linked.arcs(index) == mutable.arcs(0)
        assert [linked.record(index, p) for p in range(4)] == [mutable.record(0, p) for p in range(4)]
        assert (linked.costs(index, [reference]) == mutable.costs(0, [reference])).all()
        legal = linked.legal(index)
        assert legal == mutable.legal(0)
        assert linked.is_final(index) == mutable.is_final(0)
        if not legal:
            break
        step = rng.choice(legal)
        label = rng.randrange(-1, 70)
        index = linked.apply(index, step, label)
        mutable.apply(0, step, label)


@each_variant()
def test_native_walks_are_the_same_on_both_kinds(system):
    rng = random.Random(3)
    references = [system.reference(random_reference(system, rng.randint(1, 40), rng)) for _ in range(10)]
    runs = [_engine.walk(engine_of(system), references, 7, 500, linked, True) for linked in (False, True)]
    assert runs[0] == runs[1]
    assert runs[0][0] >= 500
    plain = _engine.walk(engine_of(system), references, 7, 500, True, False)
    assert plain[3] == runs[0][3]
    assert _engine.walk(engine_of(system), references, 8, 500, False, True) != runs[0]


def test_states_share_structure_and_stay_as_they_were():
    system = pp.system("arc-standard")
    state = system.initial(4)
    trunk = system.apply(system.apply(state, "SHIFT"), "SHIFT")
    left, right = system.apply(trunk, "LEFT"), system.apply(trunk, "RIGHT")
    for _ in range(3):
        system.apply(left, "SHIFT")
    assert trunk.stack == (1, 2)
    assert (left.stack, list(left.heads)) == ((2,), [-1, 2, -1, -1, -1])
    assert (right.stack, list(right.heads)) == ((1,), [-1, -1, 1, -1, -1])


def test_records_hold_what_rich_features_need():
    """1 <- 3, 2 <- 3, 4 <- 3, 5 <- 3, with labels 5, 70, 6, 7."""
    system = pp.system("arc-hybrid", root="last")
    states = _engine.LinkedStates(engine_of(system), 5)
    index = 0
    shift, left, right = range(3)
    path = [
        (shift, -1),
        (shift, -1),
        (left, 70),
        (left, 5),
        (shift, -1),
        (shift, -1),
        (right, 6),
        (shift, -1),
        (right, 7),
    ]
    for action, label in path:
        index = states.apply(index, action, label)
    record = states.record(index, 0)
    assert record["token"] == 3
    assert (list(record["left"]), list(record["left_label"])) == ([1, 2], [5, 70])
    assert (list(record["right"]), list(record["right_label"])) == ([5, 4], [7, 6])
    assert (record["left_valency"], record["right_valency"]) == (2, 2)
    assert record["left_labels"] == 1 << 5 | 1 << (70 % 64)
    assert record["right_labels"] == 1 << 6 | 1 << 7


# --- What the engine refuses ---


def test_indices_out_of_range_are_refused():
    system = pp.system("arc-eager")
    states = _engine.LinkedStates(engine_of(system), 3)
    for bad in (-1, 1, 10**6):
        with pytest.raises(IndexError):
            states.legal(bad)
        with pytest.raises(IndexError):
            states.derivation(bad)
    for action in (-1, 4, 99):
        with pytest.raises(IndexError):
            states.apply(0, action, -1)
    with pytest.raises(ValueError, match="illegal"):
        states.apply(0, 1, -1)
    with pytest.raises(IndexError):
        states.record(0, 5)
    assert states.record(0, 4)["token"] == -1  # there is no list
    for words in (0, -3, _engine.MAX_WORDS + 1):
        with pytest.raises(ValueError, match="words"):
            _engine.LinkedStates(engine_of(system), words)
    with pytest.raises(ValueError, match="the state has 3 words, the reference 2"):
        states.costs(0, [system.reference(pp.GoldTree([2, 0]))])
    for call in (lambda: states.costs(0, [None]), lambda: _engine.walk(engine_of(system), [None], 1, 1, False, True)):
        with pytest.raises((ValueError, TypeError)):
            call()
    with pytest.raises(ValueError, match="at most 16000 words"):
        _engine.Reference(engine_of(system), [20001] * 20000)
    foreign = pp.system("arc-standard").reference(pp.GoldTree([2, 0, 2]))
    with pytest.raises(ValueError, match="another system"):
        states.costs(0, [foreign])
    with pytest.raises(ValueError, match="another system"):
        _engine.walk(engine_of(system), [foreign], 1, 1, False, True)


def test_a_stuck_walk_is_an_error():
    system = pp.TransitionSystem("stuck", (pp.Transition("SHIFT", when=("size(STACK) <= 1",), then=("shift",)),))
    with pytest.raises(_engine.Stuck, match="2 tokens on the stack and 2 in the buffer"):
        _engine.walk(engine_of(system), [system.reference(pp.GoldTree([0, 1, 2]))], 1, 100, True, True)


def test_a_walk_that_never_ends_is_an_error():
    rows = (
        {"name": "SHIFT", "then": ["shift"], "when": ["size(STACK) <= 1"]},
        {"name": "BACK", "then": ["back"]},
    )
    values = {
        "name": "endless",
        "transitions": [
            *rows,
            {"name": "LEFT", "then": ["arc(head=S0, dependent=S1)", "pop(S1)"], "when": ["size(STACK) >= 3"]},
            {"name": "RIGHT", "then": ["arc(head=S1, dependent=S0)", "pop"], "when": ["size(STACK) >= 3"]},
        ],
        "static_oracle": "swap-eager",
    }
    system = pp.TransitionSystem.from_values(values)
    with pytest.raises(_engine.Stuck, match="does not end"):
        _engine.walk(engine_of(system), [system.reference(pp.GoldTree([0, 1, 2]))], 1, 10**9, False, False)
    with pytest.raises(pp.errors.NoLegalTransitionError, match="does not end"):
        pp.static_derivation(system, [0, 1, 2])


@given(
    literals=st.lists(
        st.builds(_engine.Literal, fact=st.integers(-3, 40), low=st.integers(-3, 40), high=st.integers(-3, 40)),
        max_size=5,
    ),
    probes=st.lists(
        st.builds(
            _engine.Probe,
            kind=st.sampled_from(list(_engine.ProbeKind)),
            position=st.integers(-5, 6),
            region=st.integers(-5, 6),
            flag=st.booleans(),
            direction=st.integers(-5, 0),
        ),
        max_size=4,
    ),
    effects=st.lists(
        st.builds(
            _engine.Effect,
            kind=st.sampled_from(list(_engine.EffectKind)),
            first=st.integers(-1, 6),
            second=st.integers(-1, 6),
        ),
        max_size=4,
    ),
    terms=st.lists(st.builds(_engine.Term, probe=st.integers(-1, 4), guard=st.integers(0, 63)), max_size=4),
    mask=st.integers(0, 63),
    codes=st.tuples(
        st.sampled_from(list(_engine.Potential)), st.integers(0, 3), st.sampled_from(list(_engine.StaticOracle))
    ),
    words=st.integers(1, 70),
    seed=st.integers(0, 99),
)
def test_no_table_corrupts_memory(literals, probes, effects, terms, mask, codes, words, seed):
    """Any numbers at all: the table is refused, or it runs until it is stuck, ends, or has run for long enough."""
    potential, limit, static = codes
    clauses = [mask] if seed % 2 else []
    free = seed % 7 < 3
    other = _engine.Effect(kind=_engine.EffectKind.DROP if free else _engine.EffectKind.SHIFT)
    rows = [
        _engine.Row(all=mask, clauses=clauses, effects=effects, terms=terms, directed_terms=terms),
        _engine.Row(all=0, clauses=[], effects=[other], terms=[], directed_terms=[]),
    ]
    try:
        system = _engine.System(
            has_root=seed % 11 != 0,
            root_first=seed % 3 == 0,
            starts_on_stack=seed % 5 == 0,
            ends_on_stack=True,
            free_focus=free,
            single_root=False,
            potential=potential,
            limit=limit,
            static_oracle=static,
            literals=literals,
            probes=probes,
            rows=rows,
            final=_engine.Final(all=0 if seed % 11 else 1),
        )
        tree = random_tree if seed % 4 else random_projective_tree
        heads = [h or words + 1 for h in tree(words, random.Random(seed))]
        if seed % 3 == 0:
            heads = [0 if h == words + 1 else h for h in heads]
        reference = _engine.Reference(system, heads)
    except ValueError:
        return
    for states in (_engine.LinkedStates(system, words), _engine.MutableStates(system, words)):
        index = 0
        for step in range(300):
            states.costs(index, [reference])
            legal = states.legal(index)
            if not legal:
                break
            index = states.apply(index, legal[step % len(legal)], step)
            states.tokens(index), states.arcs(index), states.record(index, 0)
    for linked in (False, True):
        with contextlib.suppress(_engine.Stuck):
            _engine.walk(system, [reference], seed, 100, linked, True)
