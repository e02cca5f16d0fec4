"""The step-by-step API: states, legal transitions, costs, errors."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from variants import walk


def test_the_contract_of_the_design():
    system = pp.system("arc-eager", root="last", single_root=False)
    state = system.initial(5)
    assert state.stack == ()
    assert state.buffer == (1, 2, 3, 4, 5, 0)
    assert list(state.heads) == [-1] * 6
    assert system.legal(state) == ("SHIFT",)
    assert system.costs(state, [2, 0, 2, 5, 3]) == {"SHIFT": 0}
    after = system.apply(state, "SHIFT")
    assert after.stack == (1,)
    assert state.stack == ()
    assert not system.is_final(after)
    assert pp.system("ArcEager") == pp.system("ARC_EAGER") == system


def test_root_first_stands_on_the_stack():
    system = pp.system("arc-eager", root="first")
    state = system.initial(2)
    assert (state.stack, state.buffer) == ((0,), (1, 2))


def test_a_whole_derivation_with_labels():
    system = pp.system("arc-hybrid")
    state = system.initial(2)
    for name, label in (("SHIFT", None), ("LEFT", "nsubj"), ("SHIFT", None), ("LEFT", "root")):
        state = system.apply(state, name, label)
    assert system.is_final(state)
    assert system.legal(state) == ()
    assert system.costs(state, [2, 0]) == {}
    assert list(state.heads) == [-1, 2, 0]
    assert state.heads.dtype == np.int32
    assert state.labels == (None, "nsubj", "root")
    assert state.derivation == ("SHIFT", "LEFT", "SHIFT", "LEFT")
    assert repr(state) == "[ | 0]"


def test_states_compare_by_what_they_hold():
    system = pp.system("arc-eager")
    one, two = (walk((system, 3), "SHIFT") for _ in range(2))
    assert one == two
    assert len({one, two}) == 1
    assert one != system.initial(3)
    assert one != walk((system, 4), "SHIFT")
    assert one != "a state"
    assert system.apply(one, "LEFT", "a") != system.apply(two, "LEFT", "b")


def test_provisional_heads_are_seen_but_not_part_of_the_tree():
    system = pp.system("non-monotonic-arc-eager")
    state = walk((system, 2), "SHIFT", "RIGHT")
    assert state.proposed_head() == 1
    assert state.proposed_head("S1") is None
    assert list(state.heads) == [-1, -1, -1]
    assert list(system.apply(state, "LEFT").heads) == [-1, -1, 0]
    assert list(system.apply(state, "REDUCE").heads) == [-1, -1, 1]
    assert system.arc(system.initial(2), "SHIFT", proposed=True) is None
    before = walk((system, 2), "SHIFT")
    assert system.arc(before, "RIGHT", proposed=True) == (1, 2)
    assert system.arc(before, "RIGHT") is None
    assert system.arc(before, "LEFT") == (2, 1)


def test_illegal_steps_are_refused_with_the_place():
    system = pp.system("arc-eager")
    state = system.initial(2)
    with pytest.raises(pp.errors.IllegalTransitionError, match=r"LEFT is illegal in \[ \| 1 2 0\]; legal: SHIFT"):
        system.apply(state, "LEFT")
    with pytest.raises(pp.errors.IllegalTransitionError, match="arc-eager has SHIFT, LEFT, RIGHT, REDUCE; got 'SWAP'"):
        system.apply(state, "SWAP")
    with pytest.raises(pp.errors.IllegalTransitionError, match="arc-eager has SHIFT"):
        system.arc(state, "JUMP")
    with pytest.raises(pp.errors.IllegalTransitionError, match="position must be one of S0, S1, S2, B0, L0; got 'S9'"):
        state.proposed_head("S9")
    with pytest.raises(pp.errors.IllegalTransitionError, match="ties must order SHIFT, LEFT, RIGHT, REDUCE; got SHIFT"):
        pp.static_derivation(system, [0], ties=["SHIFT"])
    with pytest.raises(pp.errors.IllegalTransitionError, match="SHIFT of arc-eager makes no arc; got the label 'x'"):
        system.apply(state, "SHIFT", "x")
    final = walk((system, 1), "SHIFT", "LEFT")
    with pytest.raises(pp.errors.IllegalTransitionError, match="legal: nothing, the state is final"):
        system.apply(final, "SHIFT")
    with pytest.raises(pp.errors.IllegalTransitionError, match="the state belongs to arc-eager, not to arc-hybrid"):
        pp.system("arc-hybrid").legal(state)


@pytest.mark.parametrize("words", [0, -1, 16001, 2.0, "3"])
def test_strange_lengths_are_refused(words):
    with pytest.raises(pp.errors.GoldError, match="words must be an integer between 1 and 16000; got"):
        pp.system("arc-eager").initial(words)


def test_strange_golds_are_refused():
    system = pp.system("arc-standard")
    state = system.initial(2)
    with pytest.raises(pp.errors.GoldError, match="expected 2 heads, one for each word of the state; got 3"):
        system.costs(state, [2, 0, 2])
    with pytest.raises(pp.errors.GoldError, match="arc-standard has no costs for head directions"):
        system.costs(state, [pp.HEAD_LEFT, 0])
    swap = pp.system("swap-standard")
    with pytest.raises(pp.errors.GoldError, match="a static oracle takes heads, known or unknown, and no marks"):
        swap.costs(swap.initial(2), [pp.NO_HEAD, 0])


def test_many_golds_do_not_pile_up():
    system = pp.system("arc-hybrid")
    state = system.initial(12)
    for number in range(2000):
        heads = [None if number >> i & 1 else 0 for i in range(12)]
        system.costs(state, heads)
    assert len(system._lowered._references) <= 512
