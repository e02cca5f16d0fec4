"""Losses found from conditions and effects: every local table again, and a true contradiction where there is none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import panparser as pp
from derivable import HEAD_FINAL, LOCAL, SECOND_CHANCE
from panparser.proofs import system_proof as check
from panparser.proofs.deriving import Counterexample, fit, without_costs
from panparser.proofs.evidence import Case, GoldObservation, conditions, weight
from panparser.proofs.system_proof import check_system, gold_trees
from panparser.systems.registry import has_single_root
from panparser.systems.terms import B0, BUFFER, S0, S1, STACK, arc, is_word, pop, size, wanting
from panparser.trees.enumeration import direction_golds
from panparser.trees.gold import HEAD_RIGHT, NO_HEAD
from variants import ROOTS, identify, variants, walk

WHOLE = [system for system in LOCAL if not system.partial and system.knows_directions]
BLOCKED = [system for system in variants() if system.potential and system.focus == "fixed"]


@cache
def derived(system):
    """What is found in a few seconds: the Partial and Span systems have many states."""
    return pp.proofs.derive_losses(system, 4, directions=False) if system.partial else pp.proofs.derive_losses(system)


# --- Tables found again ---


def test_the_systems_are_those_that_have_a_table_and_those_that_have_none():
    assert len(LOCAL) == 28
    assert len(BLOCKED) == 28
    assert {system.name for system in BLOCKED} == {
        *("arc-eager", "arc-standard", "arc-swift", "attardi", "covington", "covington-projective")
    }


def same_costs(one, other, words, golds):
    """Both tables give every transition the same cost in every state, for every gold."""
    golds = [pp.GoldTree(heads) for heads in golds]
    tables = [[table.reference(gold) for gold in golds] for table in (one, other)]
    pairs = zip(*(check._explore(table, words, lambda *_: None) for table in (one, other)), strict=True)
    for first, second in pairs:
        assert first.state.derivation == second.state.derivation
        if first.names:
            costs = [
                node.state.engine_states.costs(node.state.index, references)
                for node, references in zip((first, second), tables, strict=True)
            ]
            assert np.array_equal(*costs)


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", LOCAL, ids=identify)
def test_every_local_table_is_found_again(system):
    found = derived(system)
    assert found.witness is None
    assert without_costs(found.system) == without_costs(system)
    assert found.learned <= (5 if system.final else 4)
    assert (found.proofs[0].golds, found.proofs[0].rows[-1].words) == ("partial", 4 if system.partial else 5)
    for words in (1, 2, 3):
        same_costs(system, found.system, words, gold_trees(system, words, "partial"))


@pytest.mark.parametrize("system", [system for system in WHOLE if system.root != "none"], ids=identify)
def test_losses_for_directions_are_found_again(system):
    found = derived(system)
    assert found.proofs[1].golds == "directions"
    for words in (1, 2, 3):
        same_costs(system, found.system, words, direction_golds(words))


@pytest.mark.slow
@pytest.mark.parametrize("system", WHOLE, ids=identify)
def test_what_was_found_is_exact_at_six_words(system):
    assert check_system(derived(system).system, 6).rows[-1].relaxed == 0


@pytest.mark.slow
@pytest.mark.parametrize("system", [system for system in LOCAL if system.partial], ids=identify)
def test_partial_systems_at_five_words_with_directions(system):
    """Their built-in tables have none. The Span systems can have none."""
    found = pp.proofs.derive_losses(system)
    assert (found.learned, found.proofs[0].rows[-1].words) == (4, 5)
    fits = not system.max_span
    assert found.system.knows_directions == fits
    assert (found.directions is None) == fits
    assert fits == (len(found.proofs) == 2)


@pytest.mark.parametrize("system", LOCAL, ids=identify)
def test_no_more_terms_than_the_tables_have(system):
    """The tables are as the papers print them; nothing larger is found."""
    found = derived(system).system
    for row in system.transitions:
        assert len(found[row.name].loses) <= len(row.loses)
        assert sum(map(weight, found[row.name].loses)) <= sum(map(weight, row.loses))


def test_arc_hybrid_reads_like_the_paper():
    found = pp.proofs.derive_losses("arc-hybrid", directions=False).system
    assert {row.name: [str(loss) for loss in row.loses] for row in found.transitions} == {
        "SHIFT": ["head(B0).among(STACK - S0)", "children(B0).among(STACK)"],
        "LEFT": ["head(S0).among(S1)", "head(S0).among(BUFFER - B0)", "children(S0).among(BUFFER)"],
        "RIGHT": ["head(S0).among(BUFFER)", "children(S0).among(BUFFER)"],
    }


def test_what_the_table_says_of_its_costs_does_not_matter():
    system = pp.system("arc-hybrid")
    wrong = replace(system["LEFT"], loses=system["RIGHT"].loses)
    mutated = replace(system, transitions=(system["SHIFT"], wrong, system["RIGHT"]), potential="blocked-chain-1")
    with pytest.raises(pp.errors.ProofError):
        check_system(mutated)
    assert pp.proofs.derive_losses(mutated).system == derived(system).system


def test_the_same_table_every_time():
    system = pp.system("non-monotonic-arc-eager", single_root=True)
    assert pp.proofs.derive_losses(system) == pp.proofs.derive_losses(system)


# --- Systems that are not built in ---


def test_conditions_of_the_table_may_be_guards():
    """ArcHybrid where LEFT makes arcs between neighbors alone: S0 can lose B0 only if B0 is the next word."""
    bare = without_costs(pp.system("arc-hybrid", root="first"))
    short = replace(bare["LEFT"], when=(*bare["LEFT"].when, "span(S0, B0) <= 1"))
    found = pp.proofs.derive_losses(replace(bare, transitions=(bare["SHIFT"], short, bare["RIGHT"])), directions=False)
    for name in ("SHIFT", "RIGHT"):
        assert "head(S0).among(B0).when(span(S0, B0) <= 1)" in map(str, found.system[name].loses)


def test_arcs_that_a_system_never_makes_cost_nothing():
    """Every head is on the right: directions cost nothing, and nothing is claimed of them."""
    found = pp.proofs.derive_losses(HEAD_FINAL)
    assert [list(map(str, row.loses)) for row in found.system.transitions] == [
        ["children(B0).among(STACK)"],
        ["head(S0).among(BUFFER - B0)"],
    ]
    assert len(found.proofs) == 1
    assert "directions" not in str(found)


RIGHT_TWO = pp.Transition("RIGHT2", then=("arc(head=S2, dependent=S0)", pop))


@pytest.mark.unmeasured
def test_longer_sentences_are_learned_from_where_shorter_ones_mislead():
    """Up to four words, S2 is all there is of STACK - S0 - S1 where B0 is a word."""
    found = pp.proofs.derive_losses(without_costs("arc-hybrid").adding(RIGHT_TWO), golds="partial", directions=False)
    assert found.learned == 5
    assert "head(B0).among(STACK - S0 - S1)" in map(str, found.system["SHIFT"].loses)
    assert str(found).splitlines()[-2].startswith("found on sentences of up to 5 words; proven up to 5")


@pytest.mark.slow
def test_what_only_the_longest_sentences_showed_holds_for_longer_ones():
    found = pp.proofs.derive_losses(without_costs("arc-hybrid").adding(RIGHT_TWO), golds="partial")
    assert check_system(found.system, 6, golds="partial").rows[-1].relaxed == 0
    check_system(found.system, 6, golds="directions")


@pytest.mark.parametrize("max_words", [1, 2, 3])
def test_few_words_give_a_table_for_few_words(max_words):
    found = pp.proofs.derive_losses("arc-hybrid", max_words)
    assert check_system(found.system, max_words).rows[-1].words == max_words
    assert found.learned <= max_words


# --- Where there is none ---


def best(system, state, gold):
    """How many annotations of the gold the best outcome has, by the plainest search there is."""
    if not system.legal(state):
        wanted = [-1 if head is NO_HEAD else head for head in gold.heads]
        return sum(found == head for found, head in zip(state.heads[1:].tolist(), wanted, strict=True))
    return max(best(system, system.apply(state, name), gold) for name in system.legal(state))


def true_cost(system, case):
    state = walk((system, case.state.words), *case.state.derivation)
    return best(system, state, case.gold) - best(system, system.apply(state, case.transition), case.gold)


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", BLOCKED, ids=identify)
def test_a_contradiction_is_shown_where_no_table_is_exact(system):
    found = pp.proofs.derive_losses(system)
    assert found.system is None
    assert found.witness.problem == "sum"
    whole, *parts = found.witness.cases
    assert len({(case.state.derivation, case.transition) for case in found.witness.cases}) == 1
    assert [true_cost(system, case) for case in found.witness.cases] == [case.cost for case in found.witness.cases]
    # The parts are the annotations one by one, and they do not add up.
    known = {(word, head) for word, head in enumerate(whole.gold.heads) if head is not None}
    alone = [[(word, head) for word, head in enumerate(part.gold.heads) if head is not None] for part in parts]
    assert all(len(each) == 1 for each in alone)
    assert {each[0] for each in alone} == known
    assert whole.cost != sum(part.cost for part in parts)
    # The table that is built in agrees: its potential is not a sum of losses.
    state = walk((system, whole.state.words), *whole.state.derivation)
    assert system.costs(state, whole.gold)[whole.transition] == whole.cost
    # The smallest: shorter sentences add up.
    if whole.state.words > 1:
        assert pp.proofs.derive_losses(system, whole.state.words - 1).witness is None


@pytest.mark.unmeasured
@pytest.mark.parametrize(
    "system", [system for system in BLOCKED if not system.potential.endswith("-loss")], ids=identify
)
def test_losses_are_found_beside_the_potential_of_a_system(system):
    found = pp.proofs.derive_losses(system, 4, potential=system.potential, directions=False)
    assert found.system.potential == system.potential
    assert any(row.loses for row in found.system.transitions)
    check_system(found.system, 4)  # derive has proven it; and it claims nothing else than that proof
    assert found.proofs[0].rows[-1].words == 4


def test_losses_for_directions_are_found_beside_a_potential():
    found = pp.proofs.derive_losses(pp.system("arc-eager", root="first"), 4, potential="blocked-chain-1")
    assert found.directions is None
    assert found.system.knows_directions


def test_a_potential_that_does_not_fit():
    witness = pp.proofs.derive_losses("arc-hybrid", 3, potential="blocked-chain-1").witness
    assert (witness.problem, witness.cases[0].cost) == ("potential", -1)
    assert str(witness).endswith(
        "That is what blocked-chain-1 leaves to losses, and none is like that: it does not fit."
    )


def test_a_potential_that_is_not_enough():
    assert (
        pp.proofs.derive_losses(pp.system("arc-eager", root="first"), 4, potential="blocked-chain-2").witness.problem
        == "sum"
    )


@pytest.mark.parametrize("name", ["arc-standard-loss", "crossing-arcs", "chain"])
def test_potentials_that_losses_cannot_stand_beside(name):
    with pytest.raises(pp.errors.DeclarationError, match=f"losses are derived beside .*; got the potential '{name}'"):
        pp.proofs.derive_losses("arc-hybrid", potential=name)


def test_the_witness_of_arc_eager_with_root_first():
    text = str(pp.proofs.derive_losses(pp.system("arc-eager", root="first")))
    assert text.startswith("arc-eager, Root first: no table of losses is exact\n\nSHIFT costs 1 here:\n\ngold tree\n")
    assert "\n2 <- 1   SHIFT costs 0\n3 <- 2   SHIFT costs 0\n" in text
    assert text.endswith("so any sum of losses gives 0.")


def test_a_witness_in_one_line():
    witness = pp.proofs.derive_losses(pp.system("arc-eager", root="first")).witness
    assert witness.summary == (
        "SHIFT costs 1 in [0 | 1 2 3] for the gold 2 <- 1, 3 <- 2, and 0 + 0 for each of the two alone"
    )


def test_cases_that_look_alike():
    """RIGHT depends on how many words are left: what SHIFT then costs depends on words that no loss can see."""
    eager = pp.system("arc-eager")
    right = replace(eager["RIGHT"], when=(*eager["RIGHT"].when, size(BUFFER) == 3))
    system = replace(eager, transitions=(eager["SHIFT"], eager["LEFT"], right, eager["REDUCE"]))
    witness = pp.proofs.derive_losses(system).witness
    assert witness.problem == "alike"
    assert [true_cost(system, case) for case in witness.cases] == [1, 0]
    assert "tells the two cases apart" in str(witness)


def test_directions_of_words_that_wait_on_the_stack_are_counted():
    """Beside words that have a head, which was on the left."""
    found = pp.proofs.derive_losses(pp.TransitionSystem("second-chance", SECOND_CHANCE, root="first"))
    assert found.directions is None
    assert wanting(STACK, HEAD_RIGHT).when(size(BUFFER) == 1) in found.system["SHIFT"].loses
    assert found.proofs[1].golds == "directions"


@pytest.mark.parametrize("system", [system for system in WHOLE if system.root == "none"], ids=identify)
def test_directions_are_left_out_where_no_losses_are_exact(system):
    """Without Root two words cannot have each other as heads, though each of them could: one is lost, and only one."""
    found = derived(system)
    assert not found.system.knows_directions
    assert found.directions.problem == "sum"
    both, *alone = found.directions.cases
    assert sorted(map(repr, both.gold.heads)) == ["LEFT", "RIGHT"]
    assert both.cost == sum(case.cost for case in alone) - 1
    assert "no losses are exact for head directions" in str(found)
    assert "A loss counts what is known of the gold one by one" in str(found.directions)


def case(cost):
    system = pp.system("arc-hybrid")
    return Case(system.initial(2), "SHIFT", pp.GoldTree([2, 0]), cost)


def test_an_arc_that_no_loss_sees():
    """Between the depth of the stack and the words behind B0."""
    misfit = fit({GoldObservation(6, 10, False, True, 0): {1: case(1)}}, None, ())
    assert misfit.problem == "unseen"
    assert "No loss sees what is lost" in str(Counterexample.from_mismatch(pp.system("arc-hybrid"), misfit))


def test_losses_that_cannot_be_added_up():
    """B0 loses its head where either of two conditions holds; a guard is a conjunction, and both may hold."""
    asked = (is_word(S0), is_word(S1))
    seen = {GoldObservation(8, 10, False, False, facts): {1: case(1)} for facts in (0b01, 0b10, 0b11)}
    assert list(map(str, fit(seen, None, asked))) == ["head(B0).among(BUFFER)"]
    seen[GoldObservation(8, 10, False, False, 0b00)] = {0: case(0)}
    misfit = fit(seen, None, asked)
    assert misfit.problem == "cover"
    assert "no choice of them counts every case once" in str(
        Counterexample.from_mismatch(pp.system("arc-hybrid"), misfit)
    )
    del seen[GoldObservation(8, 10, False, False, 0b11)]
    assert list(map(str, fit(seen, None, asked))) == [
        "head(B0).among(BUFFER).when(is_word(S0))",
        "head(B0).among(BUFFER).when(is_word(S1))",
    ]


@st.composite
def mutants(draw):
    """A built-in table with a condition more, and perhaps a row."""
    name = draw(st.sampled_from(BASES))
    base = without_costs(pp.system(name, root=draw(st.sampled_from(ROOTS if has_single_root(name) else ROOTS[:2]))))
    asked = st.sampled_from(conditions(base))
    number = draw(st.integers(0, len(base.transitions) - 1))
    rows = list(base.transitions)
    rows[number] = replace(rows[number], when=(*rows[number].when, draw(asked)))
    if draw(st.booleans()):
        effects = draw(st.sampled_from(EFFECTS))
        rows.append(pp.Transition("MORE", when=tuple(draw(st.lists(asked, max_size=2))), then=effects))
    return replace(base, transitions=tuple(rows), ties=())


BASES = ("arc-hybrid", "arc-eager", "arc-standard", "arc-eager-partial", "arc-hybrid-partial")
EFFECTS = (
    (pop,),
    (arc(head=S1, dependent=S0), pop),
    (arc(head=S0, dependent=S1), pop(S1)),
    ("arc(head=S2, dependent=S0)", pop),
    (arc(head=B0, dependent=S1), pop(S1)),
)


@pytest.mark.unmeasured
@given(mutants())
@settings(max_examples=40, suppress_health_check=[HealthCheck.filter_too_much])
def test_a_mutant_has_a_table_that_is_exact_or_a_true_contradiction(system):
    try:
        check_system(system, 3, exact_cost=False)
    except pp.errors.ProofError:
        reject()
    found = pp.proofs.derive_losses(system, 3, directions=False)
    if found.system:
        assert without_costs(found.system) == system
        assert check_system(found.system, 3).rows[-1].relaxed == 0
        return
    cases = found.witness.cases
    assert [true_cost(system, case) for case in cases] == [case.cost for case in cases]
    if found.witness.problem == "sum":
        assert cases[0].cost != sum(case.cost for case in cases[1:])
    elif found.witness.problem in ("alike", "wide"):
        assert [case.cost for case in cases] == [1, 0]
