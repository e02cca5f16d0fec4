"""Final states declared by conditions: ArcEager that ends with an empty buffer (Goldberg & Nivre 2012, section 2.1)."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from learners import ENGLISH, SMALL, treebank_of
from linear import Linear
from panparser.proofs.constraint_proof import check_constraints
from panparser.proofs.interpreter import ReferenceSystem
from panparser.proofs.system_proof import check_system
from panparser.terms import (
    B0,
    BUFFER,
    ROOT,
    S0,
    STACK,
    arc,
    children,
    head,
    headless,
    is_attached,
    is_unattached,
    is_word,
    pop,
    shift,
    size,
    unattached,
)

OPEN_CHILDREN = children(B0).among(STACK, unattached)


def arc_eager(partial):
    """Words that are left on the stack without a head are headless, or children of Root: then Root is never lost."""
    shifted = (head(B0).among(STACK if partial else STACK - ROOT), OPEN_CHILDREN)
    left = (head(S0).among(BUFFER - B0), children(S0).among(BUFFER), headless(S0) if partial else head(S0).among(ROOT))
    right = (head(B0).among(BUFFER - B0), head(B0).among(STACK - S0), OPEN_CHILDREN)
    return pp.TransitionSystem(
        "arc-eager-2012",
        (
            pp.Transition("SHIFT", then=(shift,), loses=shifted),
            pp.Transition("LEFT", (is_word(S0), is_unattached(S0)), (arc(head=B0, dependent=S0), pop), left),
            pp.Transition(
                "RIGHT",
                then=(arc(head=S0, dependent=B0), shift),
                loses=(*right, headless(B0)) if partial else right,
            ),
            pp.Transition("REDUCE", (is_attached(S0),), (pop,), (children(S0).among(BUFFER),)),
        ),
        root="first",
        partial=partial,
        ties=("LEFT", "RIGHT", "SHIFT", "REDUCE"),
        final=(size(BUFFER) == 0,),
    )


TREES, FORESTS = arc_eager(partial=False), arc_eager(partial=True)


def test_words_that_are_left_over_become_children_of_root():
    report = check_system(TREES, max_words=4)
    assert [row.outputs for row in report.rows] == [1, 3, 12, 55]  # every projective tree
    state = TREES.initial(3)
    for name in ("SHIFT", "SHIFT", "RIGHT"):
        assert state.heads[1:].tolist().count(0) == 0
        state = TREES.apply(state, name)
    assert TREES.is_final(state)
    assert state.heads.tolist() == [-1, 0, 0, 2]


def test_words_that_are_left_over_are_headless():
    report = check_system(FORESTS, max_words=4)
    assert report.rows[1].golds == 14  # of 20; the others cannot be built
    state = FORESTS.initial(1)
    assert FORESTS.apply(state, "SHIFT").heads.tolist() == [-1, -1]


def test_wrong_losses_are_found():
    rows = [replace(row, loses=()) if row.name == "REDUCE" else row for row in TREES.transitions]
    with pytest.raises(pp.errors.ProofError, match="REDUCE costs 1, but the table says 0"):
        check_system(replace(TREES, transitions=tuple(rows)), max_words=4)


@pytest.mark.parametrize("system", [TREES, FORESTS], ids=["trees", "forests"])
def test_the_engine_ends_where_the_reference_does(system):
    reference = ReferenceSystem(system)
    pending = [(system.initial(3), reference.initial(3))]
    while pending:
        state, expected = pending.pop()
        assert system.is_final(state) == reference.is_final(expected)
        assert system.legal(state) == reference.legal(expected)
        pending += [(system.apply(state, name), reference.apply(expected, name)) for name in system.legal(state)]


def test_conditions_of_final_states_are_written_and_read(tmp_path):
    for name in ("x.toml", "x.json"):
        TREES.save(tmp_path / name)
        assert pp.TransitionSystem.load(tmp_path / name) == TREES
    assert "final" not in pp.system("arc-eager").to_values()
    assert "to size(BUFFER) == 0; words left without a head are children of Root" in str(TREES)
    assert "are headless" in str(FORESTS)
    with pytest.raises(
        pp.errors.DeclarationError, match="final of arc-eager-2012, term 1: expected conditions; got 'shift'"
    ):
        replace(TREES, final=("shift",))
    with pytest.raises(pp.errors.DeclarationError, match="arc-eager-2012: final must be a tuple or list of conditions"):
        replace(TREES, final="size(BUFFER) == 0")


@pytest.mark.parametrize("beam", [1, 4])
def test_it_trains_and_parses_to_trees(beam, tmp_path):
    spec = pp.ParserSpec(system=TREES, templates=SMALL, beam=beam)
    parser = pp.train(spec, ENGLISH[:40], dev=ENGLISH[40:60], epochs=3)
    parser.save(tmp_path / "en")
    parsed = pp.load(tmp_path / "en").parse(ENGLISH[60:100])
    for sentence in parsed:
        assert min(sentence.heads) >= 0
        assert [label == "root" for label in sentence.labels] == [head == 0 for head in sentence.heads.tolist()]
        (best,) = parser.k_best(sentence, 1)
        assert (list(best.heads), list(best.labels)) == (sentence.heads.tolist(), sentence.labels)
    assert pp.evaluate(ENGLISH[60:100], parsed).uas > 50


def test_a_classifier_parses_to_trees():
    spec = pp.ParserSpec(system=TREES, templates=SMALL, beam=1)
    parser = pp.train(spec, ENGLISH[:40], classifier=Linear(), strategy=pp.STRATEGIES["dynamic"], epochs=2)
    for sentence in parser.parse(ENGLISH[60:80]):
        assert min(sentence.heads) >= 0
        assert [label == "root" for label in sentence.labels] == [head == 0 for head in sentence.heads.tolist()]


def test_forests_train_and_parse():
    parser = pp.train(pp.ParserSpec(system=FORESTS, templates=SMALL, beam=2), ENGLISH[:40], epochs=1)
    parsed = parser.parse(ENGLISH[60:100])
    labels = [(head, label) for s in parsed for head, label in zip(s.heads.tolist(), s.labels, strict=True)]
    assert {label for head, label in labels if head < 0} == {"_"}


def test_given_heads_are_kept():
    assert check_constraints(TREES, 3).rows
    parser = pp.train(pp.ParserSpec(system=TREES, templates=SMALL, beam=1), ENGLISH[:10], epochs=1)
    given = pp.Constraints.from_treebank(ENGLISH[:10], keep=("heads",))
    assert parser.parse(ENGLISH[:10], constraints=given).heads.tolist() == ENGLISH[:10].heads.tolist()
    directed = treebank_of("a/DET/_/_ b/NOUN/_/_")
    directed[0][0].misc = "Constraint=right"
    parsed = parser.parse(directed, constraints=pp.Constraints.from_treebank(directed, keep=("constraints",)))
    assert parsed.heads.tolist() == [2, 0]
