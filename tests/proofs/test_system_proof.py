"""The checker finds what is wrong, and draws the smallest case."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import panparser as pp
from panparser.proofs.system_proof import check_system
from panparser.systems.terms import S0, S1, arc, pop, shift, size
from panparser.trees.enumeration import is_projective, random_projective_tree, random_tree

HYBRID = pp.system("arc-hybrid")


def changed(system, name, **fields):
    rows = tuple(replace(row, **fields) if row.name == name else row for row in system.transitions)
    return replace(system, transitions=rows)


def test_a_missing_loss_is_found_with_the_smallest_case():
    broken = changed(HYBRID, "LEFT", loses=HYBRID["LEFT"].loses[:1])
    with pytest.raises(pp.errors.ProofError) as caught:
        check_system(broken)
    text = str(caught.value)
    assert text.startswith("arc-hybrid, Root last: LEFT costs 1, but the table says 0\n\ngold tree\n")
    assert "after   SHIFT" in text
    assert " 1    2   ROOT" in text  # two words suffice


def test_a_loss_too_many_is_found():
    broken = HYBRID.also_losing("SHIFT", HYBRID["LEFT"].loses[0])
    with pytest.raises(pp.errors.ProofError, match="SHIFT costs 0, but the table says 1"):
        check_system(broken)


def test_costs_that_are_too_low_are_found():
    class Low(pp.PythonSystem):
        transitions = ("SHIFT", "LEFT")

        def legal(self, state, transition):
            return state.buffer[0] != 0 if transition == "SHIFT" else bool(state.stack)

        def apply(self, state, transition):
            if transition == "SHIFT":
                state.stack.append(state.buffer.pop(0))
            else:
                state.attach(state.buffer[0], state.stack.pop())

        def cost(self, state, transition, gold):
            return -5

    with pytest.raises(pp.errors.ProofError, match="SHIFT costs 0, but the table says -5"):
        check_system(Low(), max_words=1)


def test_every_single_loss_of_every_table_is_needed():
    """No loss can be left out of a built-in table: the checker notices each one."""
    for system in (pp.system(name) for name in ("arc-eager", "arc-hybrid", "arc-eager-partial", "arc-hybrid-partial")):
        for row in system.transitions:
            for number, loss in enumerate(row.loses):
                broken = changed(system, row.name, loses=row.loses[:number] + row.loses[number + 1 :])
                golds = "directions" if loss.kind in loss.IS_DIRECTED else "partial"
                with pytest.raises(pp.errors.ProofError):
                    check_system(broken, max_words=3, golds=golds)


def test_a_missing_potential_is_found():
    """ArcEager with Root first: [0 | 1 2] with {1 <- 0, 2 <- 1}, where SHIFT costs 2."""
    with pytest.raises(pp.errors.ProofError, match="SHIFT costs 2, but the table says 1"):
        check_system(replace(pp.system("arc-eager", root="first"), potential=None), golds="projective")


def test_a_stuck_state_is_found():
    broken = changed(
        HYBRID,
        "LEFT",
        when=(*HYBRID["LEFT"].when, size(pp.system("arc-eager")["SHIFT"].loses[0].region) >= 2),
    )
    with pytest.raises(pp.errors.ProofError, match="stuck: no transition is legal"):
        check_system(broken)


def test_a_derivation_without_end_is_found():
    swap = pp.system("swap-standard")
    with pytest.raises(pp.errors.ProofError, match="SWAP leads back to an earlier state: it need never end"):
        check_system(changed(swap, "SWAP", when=swap["SWAP"].when[:2]), max_words=3)


def test_a_headless_word_is_found():
    dropping = HYBRID.adding(pp.Transition("DROP", when=("is_word(S0)",), then=(pop,)))
    with pytest.raises(pp.errors.ProofError, match="final, and word 1 has no head"):
        check_system(dropping)


def test_several_roots_are_found_where_one_is_claimed():
    with pytest.raises(pp.errors.ProofError, match="final, with 2 words under Root instead of one"):
        check_system(replace(HYBRID, single_root=True))


def test_a_second_head_is_found():
    rows = (
        pp.Transition("SHIFT", when=("is_word(B0)",), then=(shift,)),
        pp.Transition("RIGHT", then=(arc(head=S1, dependent=S0), pop(S1))),
        pp.Transition("LEFT", when=("is_word(S0)",), then=("arc(head=B0, dependent=S0)", pop)),
    )
    with pytest.raises(pp.errors.ProofError, match="gets a second head"):
        check_system(pp.TransitionSystem("twice", rows), max_words=3)


def test_a_cycle_is_found():
    class Ring(pp.PythonSystem):
        transitions = ("ARC",)

        def legal(self, state, transition):
            return True

        def apply(self, state, transition):
            state.attach(2, 1)
            state.attach(1, 2)
            state.stack, state.buffer = [], [0]

        def cost(self, state, transition, gold):
            return 0

    with pytest.raises(pp.errors.ProofError, match="final, with a cycle"):
        check_system(_from_two_words(Ring))


def _from_two_words(ring):
    """The ring needs two words: with one it attaches it to Root."""

    class Patched(ring):
        def apply(self, state, transition):
            if state.words == 1:
                state.attach(0, 1)
                state.stack, state.buffer = [], [0]
            else:
                super().apply(state, transition)

    return Patched()


def test_a_static_oracle_that_fails_is_found():
    swap = pp.system("swap-standard", oracle="eager")
    never = changed(swap, "SWAP", when=(*swap["SWAP"].when, "size(STACK) >= 4"))
    with pytest.raises(pp.errors.ProofError, match="the static oracle does not reproduce this tree"):
        check_system(never, max_words=4)


def test_a_static_oracle_is_for_whole_trees():
    with pytest.raises(
        pp.errors.DeclarationError,
        match="swap-standard has a static oracle: golds must be projective or all or derivable",
    ):
        check_system("swap-standard", golds="partial")


def test_progress_is_reported_and_counts_are_right():
    seen = []
    report = check_system(HYBRID, max_words=4, progress=lambda *call: seen.append(call))
    assert any(text.startswith("4 words: costs") for text, _, _ in seen)
    assert [row.words for row in report.rows] == [1, 2, 3, 4]
    assert "costs compared" in str(report)
    assert "48132" in str(report)


def test_golds_must_be_known():
    with pytest.raises(
        ValueError, match="golds must be one of partial, projective, all, any, derivable, directions; got 'projectve'"
    ):
        check_system(HYBRID, golds="projectve")


def test_arcs_beyond_max_span_are_found():
    with pytest.raises(pp.errors.ProofError, match="final, with an arc longer than max_span, 1"):
        check_system(replace(pp.system("arc-hybrid-partial"), max_span=1), max_words=3)


def test_states_that_grow_for_ever_are_found():
    class Growing(pp.PythonSystem):
        transitions = ("GROW",)

        def legal(self, state, transition):
            return True

        def apply(self, state, transition):
            state.stack.append(1)

    with pytest.raises(pp.errors.ProofError, match="more than 18 transitions for 1 words: it need never end"):
        check_system(Growing())


def test_structure_can_be_proven_alone():
    bare = replace(HYBRID, transitions=tuple(replace(row, loses=()) for row in HYBRID.transitions))
    assert check_system(bare, exact_cost=False).rows[-1].outputs == 55
    with pytest.raises(ValueError, match="golds are for costs"):
        check_system(bare, golds="all", exact_cost=False)
    with pytest.raises(pp.errors.ProofError):
        check_system(bare)


def test_a_gold_out_of_reach_is_explained():
    with pytest.raises(pp.errors.ProofError, match="No projective tree has all these arcs"):
        check_system(pp.system("arc-eager"), max_words=4, golds="all")


@pytest.mark.parametrize("max_words", [0, -1, 2.5])
def test_lengths_must_be_positive(max_words):
    with pytest.raises(ValueError, match="max_words must be an integer between 1 and 12"):
        check_system(HYBRID, max_words=max_words)


def test_random_trees_are_trees():
    rng = random.Random(1)
    for words in (1, 2, 10, 40):
        for single_root in (False, True):
            for tree in (
                random_projective_tree(words, rng, single_root),
                random_tree(words, rng, single_root),
            ):
                pp.GoldTree(tree)
                assert not single_root or tree.count(0) == 1
            assert is_projective(random_projective_tree(words, rng, single_root), "last")
    assert any(random_projective_tree(10, rng, False).count(0) > 1 for _ in range(20))
    assert not all(is_projective(random_tree(10, rng)) for _ in range(20))


def test_golds_that_the_system_can_derive_are_picked_out():
    """For a projective system, the subsets of projective trees; for Attardi's, all but 8 of the 125 trees."""
    found = check_system("arc-hybrid", max_words=4, golds="derivable")
    assert [row.golds for row in found.rows] == [row.golds for row in check_system("arc-hybrid", max_words=4).rows]
    whole = replace(pp.system("attardi", root="first"), potential=None, static_oracle="rows")
    with pytest.raises(pp.errors.ProofError, match="does not reproduce this tree"):
        check_system(whole, max_words=4, golds="derivable")
    some = check_system(pp.system("attardi", root="first"), max_words=4, golds="derivable").rows[-1]
    assert some.outputs == 117
    assert some.golds < check_system(pp.system("attardi", root="first"), max_words=4).rows[-1].golds
