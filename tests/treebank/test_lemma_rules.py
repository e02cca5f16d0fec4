"""Edit scripts: lemmas from forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.treebank.lemma_rules import apply, script
from places import ENGLISH


@given(st.text(min_size=1), st.text(min_size=1))
def test_a_script_makes_its_lemma(form, lemma):
    assert apply(script(form, lemma), form) == lemma


@given(st.text("abAB", min_size=1), st.text("abAB", min_size=1), st.text("abAB", min_size=1))
def test_a_script_makes_something_of_any_form_or_does_not_apply(form, lemma, other):
    made = apply(script(form, lemma), other)
    assert made is None or made


@pytest.mark.parametrize(
    ("form", "lemma", "expected"),
    [
        ("dogs", "dog", "l0,1,0:"),
        ("Dogs", "dog", "l0,1,0:"),
        ("the", "the", "l0,0,0:"),
        ("The", "the", "l0,0,0:"),
        ("London", "London", "k0,0,0:"),
        ("studies", "study", "l0,3,0:y"),
        ("McDonalds", "McDonald", "k0,1,0:"),
        ("was", "be", "=be"),
        ("LONDON", "London", "t0,0,0:"),
        ("usa", "USA", "u0,0,0:"),
        ("unhappier", "happy", "l2,3,0:y"),
    ],
)
def test_scripts_are_the_shortest_rules(form, lemma, expected):
    assert script(form, lemma) == expected


def test_scripts_count_so_that_few_serve_many_words():
    assert script("walked", "walk") == script("houses", "hous") == script("Boxes", "box")
    assert apply("l0,2,0:", "to") is None
    assert apply("l0,2,0:", "toe") == "t"
    with pytest.raises(ValueError, match="an edit script looks like"):
        apply("x", "form")


def test_long_forms_are_quick():
    form = "ab" * 200_000
    assert apply(script(form, form + "c"), form) == form + "c"


def test_a_treebank_needs_few_scripts():
    treebank = pp.read_conllu(ENGLISH)
    pairs = {(token.form, token.lemma) for sentence in treebank for token in sentence}
    scripts = {script(form, lemma) for form, lemma in pairs}
    assert len(scripts) < len(pairs) / 10
