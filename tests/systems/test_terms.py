"""The words of the table language: as values, as text, and what is refused, with the wrong word pointed at."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from panparser import HEAD_LEFT
from panparser.errors import DeclarationError
from panparser.systems import terms
from panparser.systems.table_syntax import WORDS, parse_term
from panparser.systems.terms import B0, BUFFER, PLACES, ROOT, S0, S1, S2, STACK, TokenRegion
from places import ROOT as PROJECT
from variants import variants

TERMS = sorted(
    {
        str(term)
        for system in variants()
        for row in system.transitions
        for column in (row.when, row.then, row.loses)
        for term in column
    }
)


@pytest.mark.parametrize("text", TERMS)
def test_every_term_of_the_built_ins_reads_back(text):
    term = parse_term(text)
    assert str(term) == repr(term) == text
    assert parse_term(str(term)) == term
    assert hash(parse_term(text)) == hash(term)


@given(st.integers(0, 4 ** len(PLACES) - 1))
def test_every_region_prints_as_an_expression_of_itself(mask):
    region = TokenRegion(mask)
    if mask:
        assert parse_term(f"head(B0).among({region})").region == region


@pytest.mark.parametrize(
    ("region", "text"),
    [
        (STACK - S0, "STACK - S0"),
        (S1 | S2, "S1 | S2"),
        (BUFFER - B0 - ROOT, "BUFFER - B0 - ROOT"),
        ((STACK - S0) & ROOT, "(STACK - S0) & ROOT"),
        (STACK | B0, "STACK | B0"),
        (STACK - ROOT, "STACK - ROOT"),
        (S0 - ROOT, "S0 - ROOT"),
        (S0 & ROOT, "S0 & ROOT"),
        (ROOT | S0, "S0 - ROOT | ROOT"),
        (STACK & BUFFER, "NOWHERE"),
    ],
)
def test_regions_print_as_they_are_written(region, text):
    assert str(region) == text


@pytest.mark.parametrize(
    ("text", "problem", "pointed_at"),
    [
        ("head(B0).among(STAK - S0)", "unknown word STAK; did you mean STACK?", "STAK"),
        ("head(B7).among(STACK)", "unknown word B7", "B7"),
        ("xyzzy(B0)", "the words are S0", "xyzzy"),
        ("head(B0).amongst(STACK)", "unknown word amongst here; did you mean among?", "amongst"),
        ("head(STACK).among(STACK)", "head expects a position (S0, S1, S2, B0, L0); got STACK", "head(STACK)"),
        ("head(B0).among(3)", "expects a region", "head(B0).among(3)"),
        ("size(STACK) >= S0", "expects a number >= 0; got S0", "S0"),
        ("size(S0) >= 1", "size expects STACK, BUFFER", "size(S0)"),
        ("S0 >= 1", "only size(...) and span(...) can be compared", "S0"),
        ("span(S0, S1) <= 2", "span knows the pairs (S0, B0), (S1, S0), (S2, S0)", "span(S0, S1)"),
        ("span(S0, B0) >= 2", "can only be bounded from above", "2"),
        ("span(S0, B0) == 2", "can only be bounded from above", "2"),
        ("arc(head=S0, dependent=S0)", "two different positions", "arc(head=S0, dependent=S0)"),
        ("arc(S0, B0)", "positional", "arc(S0, B0)"),
        ("pop(ROOT)", "pop expects a position (S0, S1, S2, B0); got ROOT", "pop(ROOT)"),
        ("shift(S0)", "shift takes no position", "shift(S0)"),
        ("STACK(S0)", "STACK takes no arguments", "STACK"),
        ("any_of(is_word(S0))", "two or more conditions; got 1", "any_of(is_word(S0))"),
        ("any_of(is_word(S0), shift)", "any_of expects conditions; got shift", "any_of(is_word(S0), shift)"),
        ("wants(B0, STACK)", "wants expects LEFT or RIGHT; got STACK", "wants(B0, STACK)"),
        ("wanting(BUFFER, LEFT)", "wanting expects STACK; got BUFFER", "wanting(BUFFER, LEFT)"),
        (
            "children(S0).among(STACK, S1)",
            "knows the flag unattached; got S1",
            "children(S0).among(STACK, S1)",
        ),
        ("size(STACK, S0) == 1", "knows the flag unattached; got S0", "size(STACK, S0)"),
        (
            "headless(S0).when(shift)",
            "when of headless(S0) expects conditions; got shift",
            "headless(S0).when(shift)",
        ),
        ("__import__('os')", "unknown word __import__", "__import__"),
        ("is_word(S0) and is_word(S1)", "write several conditions, or any_of(...)", "is_word(S0) and is_word(S1)"),
        ("[S0 for S0 in STACK]", "not part of the table language", "[S0 for S0 in STACK]"),
        ("shift.__class__", "not part of the table language", "shift.__class__"),
        ("STACK - S0", "expected a condition, an effect or a loss", "STACK - S0"),
        (
            "head(S0).among(STACK - STACK)",
            "head(S0).among expects a region; this one is empty",
            "head(S0).among(STACK - STACK)",
        ),
        ("STACK - 3", "- expects a region", "STACK - 3"),
        ("is_word(", "cannot read this: '(' was never closed", None),
        ("head(s0).among(STACK)", "unknown word s0; did you mean S0?", "s0"),
        ("size(STACK) > 2", "counts compare with >=, <= and ==", "size(STACK) > 2"),
        ("", "cannot read this", None),
    ],
)
def test_bad_text_is_refused_with_a_caret(text, problem, pointed_at):
    with pytest.raises(DeclarationError) as caught:
        parse_term(text)
    first, *rest = str(caught.value).splitlines()
    assert problem in first
    if pointed_at:
        line, carets = rest
        start = carets.index("^")
        assert line[start : len(carets)] == pointed_at


@pytest.mark.parametrize("depth", [100, 900, 3000, 100_000])
def test_deep_nesting_is_refused_kindly(depth):
    with pytest.raises(DeclarationError):
        parse_term(" | ".join(["S0"] * depth))


@given(st.text(alphabet="S012BROTACKUFEhead().amngiswor_tc,=<>- &|", max_size=40) | st.sampled_from(TERMS))
def test_any_text_is_read_or_refused(text):
    try:
        term = parse_term(text)
    except DeclarationError:
        return
    assert parse_term(str(term)) == term


@pytest.mark.parametrize(
    "make",
    [
        lambda: bool(terms.is_word(S0)),
        lambda: terms.head("S0"),
        lambda: terms.children(STACK),
        lambda: terms.is_word(ROOT),
        lambda: STACK | 3,
        lambda: S0 & "x",
        lambda: terms.size(STACK) >= True,
        lambda: terms.size(STACK) >= -1,
        lambda: parse_term(3),
        lambda: terms.wants(S0, "LEFT"),
    ],
)
def test_bad_values_are_refused(make):
    with pytest.raises(DeclarationError):
        make()


def test_every_word_is_documented_in_the_language_guide():

    guide = (PROJECT / "docs" / "reference" / "table-language.md").read_text(encoding="utf-8")
    missing = [word for word in WORDS if f"{word}" not in guide]
    assert not missing


def test_direction_words_are_gold_marks():
    assert terms.wants(B0, HEAD_LEFT).direction is HEAD_LEFT
