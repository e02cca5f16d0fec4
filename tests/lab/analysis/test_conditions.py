"""Conditions: what they choose, what they refuse and where they point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from places import DATA

pytest.importorskip("pandas")
from panparser.lab import analysis
from panparser.lab.analysis.criteria import And, Comparison, Condition, InSet, Matches, Not, Or

GOLD = pp.read_conllu(DATA / "english.conllu")
FRAME = analysis.make_frame(GOLD, pp.read_conllu(DATA / "english-greedy.conllu"), ignore=())
TOKENS = [token for sentence in GOLD for token in sentence]
UPOS, DIRECTION, LENGTH, FORM = map(analysis.criterion, ("upos", "direction", "length", "form"))


def length(token):
    return abs(token.head - token.id) if token.head else 0


@pytest.mark.parametrize(
    ("text", "value", "holds"),
    [
        ("upos=NOUN", UPOS.eq("NOUN"), lambda t: t.upos == "NOUN"),
        ("upos == 'NOUN'", UPOS.eq("NOUN"), lambda t: t.upos == "NOUN"),
        ("upos!=NOUN", ~UPOS.eq("NOUN"), lambda t: t.upos != "NOUN"),
        ("upos in (NOUN, VERB,'X')", UPOS.isin(["NOUN", "VERB", "X"]), lambda t: t.upos in ("NOUN", "VERB", "X")),
        ("upos not in (NOUN)", ~UPOS.isin(["NOUN"]), lambda t: t.upos != "NOUN"),
        ("not upos=NOUN", ~UPOS.eq("NOUN"), lambda t: t.upos != "NOUN"),
        ("length>=3", LENGTH.at_least(3), lambda t: length(t) >= 3),
        ("length <= 2", LENGTH.at_most(2), lambda t: length(t) <= 2),
        ("length=7", LENGTH.eq(7), lambda t: length(t) == 7),
        ("length=6-10", LENGTH.eq("6-10"), lambda t: 6 <= length(t) <= 10),
        ("length=root", LENGTH.eq("root"), lambda t: t.head == 0),
        ("form ~ '^[Tt]he$'", FORM.matches("^[Tt]he$"), lambda t: t.form.lower() == "the"),
        ("form !~ e", ~FORM.matches("e"), lambda t: "e" not in t.form),
        ('form = ","', FORM.eq(","), lambda t: t.form == ","),
        (
            "upos=VERB or upos=NOUN and length<3",
            UPOS.eq("VERB") | (UPOS.eq("NOUN") & Comparison(LENGTH, "<", 3)),
            lambda t: t.upos == "VERB" or (t.upos == "NOUN" and length(t) < 3),
        ),
        (
            "(upos=VERB or upos=NOUN) and not (length<3)",
            (UPOS.eq("VERB") | UPOS.eq("NOUN")) & ~Comparison(LENGTH, "<", 3),
            lambda t: t.upos in ("VERB", "NOUN") and length(t) >= 3,
        ),
        (
            "form+upos = that-SCONJ",
            InSet(FORM + UPOS, ("that-SCONJ",)),
            lambda t: (t.form, t.upos) == ("that", "SCONJ"),
        ),
        (
            "feats.Number=Plur and head-upos=VERB",
            analysis.criterion("feats.Number").eq("Plur") & analysis.criterion("head-upos").eq("VERB"),
            lambda t: t.features.get("Number") == "Plur" and t.head and t.sentence[t.head - 1].upos == "VERB",
        ),
        ("label=aux:pass", analysis.criterion("label").eq("aux:pass"), lambda t: t.label == "aux:pass"),
    ],
)
def test_conditions_as_text_and_as_values(text, value, holds):
    found = analysis.condition(text)
    assert found == value
    assert analysis.condition(str(found)) == found
    chosen = [bool(holds(token)) for token in TOKENS]
    assert found.holds(FRAME).tolist() == chosen
    assert len(FRAME.where(text)) == sum(chosen)
    assert len(analysis.make_frame(GOLD, ignore=(), where=text)) == sum(chosen)


def test_sides_and_parts_of_parts():
    assert len(FRAME.where("predicted.error=head").where("upos=NOUN")) == len(FRAME.where("error=head and upos=NOUN"))
    right = FRAME.where("error=correct")
    assert analysis.scores(right)[["uas", "las"]].iloc[0].tolist() == [100, 100]
    assert FRAME.where(None) is FRAME


@pytest.mark.parametrize(
    ("text", "said", "caret"),
    [
        ("uposs=NOUN", "did you mean upos", "^^^^^"),
        ("upos NOUN", "expected = != < <= > >= ~ !~ or in, found NOUN", "     ^^^^"),
        ("upos=NOUN and", "expected a criterion, found the end", "             ^"),
        ("upos=", "expected a value", "     ^"),
        ("upos=and", "in quotes if it is a sign or a keyword", "     ^^^"),
        ("length > x", "expected a number after >, found x", "         ^"),
        ("upos > 3", "expected a criterion of numbers before >, found upos", "^^^^"),
        ("length > " + "9" * 5000, "expected a number after >", "         " + "^" * 5000),
        ("form ~ 'a{9999999999}'", "expected a regular expression", "       ^^^^^^^^^^^^^^^"),
        ("form ~ '('", "expected a regular expression", "       ^^^"),
        ("(upos=A", "expected ), found the end", "       ^"),
        ("upos=A)", "expected and, or, or the end, found )", "      ^"),
        ("upos=A B", "expected and, or, or the end, found B", "       ^"),
        ("upos in A", "expected ( after in, found A", "        ^"),
        ("upos in (A B)", "expected , or ), found B", "           ^"),
        ("upos not = A", "expected in after not, found =", "         ^"),
        ("'upos'=A", "expected a criterion, found 'upos'", "^^^^^^"),
        ("upos='A", "expected a word, a sign or a text in quotes", "     ^"),
        ("", "expected a criterion, found the end", "^"),
        ("depth:x=1", "expected a number (depth:4)", "^^^^^^^"),
        ("__import__('os').system('true')=1", "unknown criterion '__import__'", "^^^^^^^^^^"),
    ],
)
def test_errors_point_at_the_place(text, said, caret):
    with pytest.raises(pp.errors.AnalysisError) as caught:
        analysis.condition(text)
    message, line, pointer = str(caught.value).split("\n")
    assert said in message
    assert line == f"    {text or '(nothing)'}"
    assert pointer == f"    {caret}"


def test_long_conditions():
    for sign in (" or ", " and "):
        assert len(FRAME.where(sign.join(["upos=NOUN"] * 5000))) == len(FRAME.where("upos=NOUN"))


def test_what_is_no_condition():
    with pytest.raises(pp.errors.AnalysisError, match="got 3"):
        analysis.condition(3)
    with pytest.raises(pp.errors.AnalysisError, match="nested too deeply"):
        analysis.condition("not " * 100_000 + "upos=A")
    with pytest.raises(pp.errors.AnalysisError, match="nested too deeply"):
        analysis.condition("(" * 100_000)
    with pytest.raises(pp.errors.AnalysisError, match="expected one of gold, predicted, found predicted3"):
        FRAME.where("predicted3.upos=A")


@given(st.text(alphabet="upos length=<>!~()',\" and or not in NOUN 3", max_size=40))
def test_any_text_is_a_condition_or_an_error(text):
    try:
        found = analysis.condition(text)
    except pp.errors.AnalysisError:
        return
    assert isinstance(found, Condition)
    assert found.holds(FRAME).shape == (len(FRAME),)


values = st.lists(st.sampled_from(["NOUN", "3", "a b", "and", "("]), min_size=1).map(tuple)
leaves = st.one_of(
    st.builds(InSet, st.sampled_from([UPOS, LENGTH]), values),
    st.builds(Matches, st.just(FORM), st.sampled_from(["^T", "a|b", "it's"])),
    st.builds(Comparison, st.just(LENGTH), st.sampled_from(["<", "<=", ">", ">="]), st.integers(0, 9)),
)
conditions = st.recursive(
    leaves,
    lambda inner: st.one_of(st.builds(Not, inner), st.builds(And, inner, inner), st.builds(Or, inner, inner)),
    max_leaves=6,
)


@given(conditions)
def test_every_condition_reads_back(value):
    assert analysis.condition(str(value)) == value
