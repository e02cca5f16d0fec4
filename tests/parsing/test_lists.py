"""Parsers of systems that put words aside."""

from __future__ import annotations

from dataclasses import replace

import pytest

import panparser as pp
from panparser import _engine
from panparser.parsing.spec import program
from panparser.proofs.constraint_proof import check_constraints
from panparser.systems.terms import (
    B0,
    BUFFER,
    L0,
    LIST,
    S0,
    arc,
    aside,
    clear,
    is_attached,
    is_unattached,
    pop,
    restore,
    shift,
    size,
)

POCKET = pp.TransitionSystem(
    "pocket",
    (
        pp.Transition("LEFT", (is_unattached(S0),), (arc(head=B0, dependent=S0), pop)),
        pp.Transition("RIGHT", (), (arc(head=S0, dependent=B0), shift)),
        pp.Transition("LEFT_HELD", (), (arc(head=B0, dependent=L0), clear)),
        pp.Transition("RIGHT_HELD", (), (arc(head=L0, dependent=B0), restore, shift)),
        pp.Transition("SHIFT", (), (shift,)),
        pp.Transition("REDUCE", (is_attached(S0),), (pop,)),
        pp.Transition("HOLD", (is_unattached(S0), size(LIST) == 0), (aside,)),
    ),
    root="first",
    final=(size(BUFFER) == 0,),
    static_oracle="rows",
)
"""ArcEager that may hold one word without a head, and join it to any later word."""


def test_labels_of_arcs_to_the_list_see_it():
    seen = program(pp.ParserSpec(system=POCKET, templates=pp.Templates.parse("S0.form B0.form\nL0.form B0.form")))
    assert _engine.label_templates(POCKET._lowered.engine, seen) == [0, 1]
    assert _engine.label_templates(pp.system("covington")._lowered.engine, seen) == [0]


def test_a_list_is_shown_where_there_is_one(english):
    parser = pp.train(pp.ParserSpec(system=pp.system("covington"), beam=1), english[0][:20], epochs=1, members=1)
    steps = pp.inspection.explain(parser, english[0][0])
    assert list(steps.columns[:4]) == ["step", "stack", "list", "buffer"]
    assert steps["list"].any()


def test_tables_that_lose_given_heads_are_found_out():
    """Trees of a table are what it builds, whether or not something knows its losses."""
    careless = replace(pp.system("covington", root="first"), potential=None)
    with pytest.raises(pp.errors.ProofError, match="ends without all given heads"):
        check_constraints(careless, 3)
    assert check_constraints(pp.system("covington", root="first"), 3).rows[-1].sets == 50
