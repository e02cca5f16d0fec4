"""Templates: as values, as text, as numbers for the engine, and what is refused, with the wrong word pointed at."""

from __future__ import annotations

import copy
import inspect
import operator
from dataclasses import FrozenInstanceError, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser import Template, Templates, templates
from panparser.errors import TemplateError
from panparser.features.atoms import (
    ARC_ATTRIBUTES,
    ATTRIBUTES,
    BASES,
    BASES_WITH_ARCS,
    CALL,
    COLUMN_ATTRIBUTES,
    FUNCTIONS,
    KEYED,
    NUMBERED,
    PATHS,
    Address,
    Atom,
)
from panparser.features.template_lowering import lower, lower_window

ZN11 = templates("zn11")

S0, B0, B1 = Address("S0"), Address("B0"), Address("B1")
EVERYTHING = """
    S0.form S0.upos                       # two atoms, one feature
    S0.left[0].label S3.right[1].lower
    S0.head.head.lemma B0.left[1].xpos
    S1.feats S2.feats[Number[psor]] B3.misc[SpaceAfter] B2.misc B1.deps
    S0.prefix[3] S0.suffix[10]
    S0.left_valency S0.right_valency S0.left_labels S0.right_labels
    distance(S0,B0) S0.upos B0.upos
    between(S0,B0,upos=VERB) S0.upos B0.upos
    between( S1 , S0 , feats[Case]=Acc ) between(S0,B0,lemma="of course") between(S0,B0,xpos=",")
    history[0] history[3]
    S0.vector
    B0.left[0].vector
"""

# --- Text and values ---


def test_atoms_are_values():
    assert Templates.parse("S0.left[0].label distance(S0,B0)").atoms == (
        Atom("label", (Address("S0", "left[0]"),)),
        Atom("distance", (S0, B0)),
    )
    assert Template.parse("S0.suffix[3] history[1]").atoms == (Atom("suffix", (S0,), 3), Atom("history", key=1))
    [between] = Template.parse('between(S0,B1,feats[Case]="a b") # counts').atoms
    assert between == Atom("between", (S0, B1), "Case", column="feats", value="a b")
    assert between.names == ("between", "feats")


def test_templates_are_values():
    templates = Templates.parse(EVERYTHING)
    assert len(templates) == 12
    assert list(templates) == list(templates.templates)
    assert templates[0] == Template.parse("S0.form S0.upos")
    assert templates[0] in templates
    assert templates[:2] == Templates(templates.templates[:2])
    assert str(templates[:2]) == "S0.form S0.upos\nS0.left[0].label S3.right[1].lower"
    assert repr(templates) == "<Templates: 12 templates>"
    for copied in (Templates.parse(str(templates)), copy.deepcopy(templates)):
        assert copied == templates
        assert hash(copied) == hash(templates)
    assert templates != templates[1:]
    assert str(Template.parse("S0.form B0.upos")) == repr(Template.parse(" S0.form\tB0.upos#")) == "S0.form B0.upos"


def test_no_templates_is_a_value_too():
    assert Templates.parse("") == Templates.parse("\n # nothing\n\n") == Templates() == Templates.from_json("[]")
    assert not Templates()


def test_sets_add_and_subtract():
    one = Templates.parse("S0.form\nS0.upos B0.upos")
    other = Templates.parse("B0.upos S0.upos\nB0.form")
    assert str(one + other) == "S0.form\nS0.upos B0.upos\nB0.form"
    assert str(one - other) == "S0.form"
    assert ZN11 + ZN11 == ZN11
    for operate in (operator.add, operator.sub):
        with pytest.raises(TypeError):
            operate(one, ["S0.form"])


def test_filters():
    templates = Templates.parse(EVERYTHING)
    assert not any(t.uses("form", "lemma") for t in templates.without("form", "lemma"))
    assert len(templates) - len(templates.without("form", "lemma")) == 3  # one is between(..., lemma=...)
    assert str(templates.delexicalized().unlabeled()).splitlines() == [
        "distance(S0,B0) S0.upos B0.upos",
        "between(S0,B0,upos=VERB) S0.upos B0.upos",
        "history[0] history[3]",
    ]
    assert str(Templates.parse("S0.form B0.upos\nB0.upos B1.upos\nS0.vector").atomic()).split() == [
        *("S0.form", "B0.upos", "B1.upos", "S0.vector"),
    ]
    assert templates.without() == templates
    with pytest.raises(TemplateError, match=r"unknown attribute forms; did you mean form\?"):
        templates.without("forms")


def test_delexicalized_templates_read_nothing_of_one_language():
    lines = {
        "S0.upos B0.upos": "always",
        "S0.label history[0]": "always",
        "between(S0,B0,upos=VERB)": "always",
        "S0.feats[Case] B0.upos": "feats",
        "between(S0,B0,feats[VerbForm]=Fin)": "feats",
        "S0.feats": "never",
        "S0.feats[Case] S0.feats": "never",
        "S0.feats[Number[psor]]": "never",
        "S0.feats[Case] B0.xpos": "never",
        "between(S0,B0,xpos=VB)": "never",
        "between(S0,B0,feats=Case=Nom)": "never",
        "S0.misc[Gloss]": "never",
        "S0.deps": "never",
        "call[mine] S0.upos": "never",
    }
    templates = Templates.parse("\n".join(lines))
    assert str(templates.delexicalized()).splitlines() == [line for line, when in lines.items() if when == "always"]
    kept = [line for line, when in lines.items() if when != "never"]
    assert str(templates.delexicalized(feats=True)).splitlines() == kept
    of_the_parser = {"upos", "label", "left_valency", "right_valency", "left_labels", "right_labels", "distance"}
    of_the_parser |= {"between", "history"}
    for known in (
        pp.templates("rich"),
        pp.templates("rich-stack"),
        pp.templates("lean"),
        pp.templates("easy"),
        pp.templates("zn11"),
        pp.templates("fast"),
    ):
        assert {name for atom in known.delexicalized().atoms for name in atom.names} <= of_the_parser
        assert len(known.delexicalized()) > 10
        more = known.delexicalized(feats=True) - known.delexicalized()
        assert all(atom.key for atom in more.atoms if atom.name == "feats")
    assert len(pp.templates("rich").delexicalized(feats=True)) > len(pp.templates("rich").delexicalized())


def test_templates_in_files(tmp_path):
    path = tmp_path / "mine.txt"
    path.write_bytes(b"\xef\xbb\xbf# mine\r\nS0.form\r\nS0.upos\r\n")
    assert str(Templates.read(path)) == "S0.form\nS0.upos"
    path.write_text("S0.form\n\nS0.frm\n")
    with pytest.raises(TemplateError) as caught:
        Templates.read(str(path))
    assert str(caught.value) == f"{path}:3: unknown attribute frm; did you mean form?\n    S0.frm\n       ^^^"
    path.write_text("# nothing\n")
    with pytest.raises(TemplateError, match=r"mine.txt: expected templates, one per line; found none"):
        Templates.read(path)
    path.write_bytes(b"\xff")
    for unreadable in (path, tmp_path / "absent.txt", tmp_path, "\0"):
        with pytest.raises(TemplateError, match="cannot be read"):
            Templates.read(unreadable)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("{", "expected JSON; line 1, column 2"),
        ("[" * 100_000, "nested too deeply"),
        ('"S0.form"', "expected a JSON list of templates"),
        ("[1]", "expected a JSON list of templates"),
        ('["S0.form", "S0.frm"]', "template 2: unknown attribute frm"),
        ('["S0.form", "S0.form"]', "template 2: the same template as template 1"),
        (r'["S0.form # \n S0.upos"]', "template 1: expected one line"),
    ],
)
def test_bad_json_is_refused(text, problem):
    with pytest.raises(TemplateError, match=problem):
        Templates.from_json(text)


# --- What is refused ---


@pytest.mark.parametrize(
    ("text", "problem", "pointed_at"),
    [
        ("S0.frm S0.upos", "unknown attribute frm; did you mean form?", "frm"),
        ("S0.FORM", "unknown attribute FORM; did you mean form?", "FORM"),
        ("S0.deprel", "unknown attribute deprel; did you mean label?", "deprel"),
        ("S0.xyzzy", "unknown attribute xyzzy; known are form, lower,", "xyzzy"),
        ("S0.distance", "it is written distance(S0,B0)", "distance"),
        ("S0.head", "head is a token, not a value; add one of its attributes, as in S0.head.upos", "head"),
        ("S0.left[0]", "left[0] is a token, not a value", "left"),
        ("s0.form", "unknown address s0; did you mean S0?", "s0"),
        ("N1.form", "unknown address N1; did you mean B1?", "N1"),
        ("S4.form", "unknown address S4; known are S0, S1,", "S4"),
        ("upos", "upos needs an address, as in S0.upos", "upos"),
        ("Distance(S0,B0)", "did you mean distance?", "Distance"),
        ("history.form", "expected an address such as S0; got the function history", "history"),
        ("S0 .form", "expected an attribute after S0, as in S0.form; found a space", "S0"),
        ("S0.", "expected an attribute such as form; found the end of the line", None),
        ("S0.form,B0.form", "expected a space between atoms; found ,", ","),
        ("S0.form &", "expected an atom such as S0.form; found &", "&"),
        ("S0.form \0", r"found '\x00'", " "),
        ("S0.left[2].form", "expected one path of left[0], left[1],", "left[2]"),
        ("S0.left.form", "left needs a number in brackets: left[0] or left[1]", "left"),
        ("S0.head.left[0].form", "expected one path of left[0],", "head.left[0]"),
        ("S0.form.upos", "expected one path of left[0],", "form"),
        ("B1.left[0].form", "B1 has no children and no head; S0, S1, S2, S3, B0 and L0 may have some", "left[0]"),
        ("B1.label", "B1 has no label", "B1.label"),
        ("S0.upos B2.left_valency", "B2 has no left_valency", "B2.left_valency"),
        ("S0.left[0].right_labels", "right_labels of a child is not known", "S0.left[0].right_labels"),
        ("S0.prefix[11]", "prefix needs a number from 1 to 10 in brackets; got 11", "11"),
        ("S0.suffix[0]", "suffix needs a number from 1 to 10 in brackets; got 0", "0"),
        ("S0.suffix", "suffix needs a number from 1 to 10 in brackets; got none", "suffix"),
        ("S0.suffix[٣]", "got ٣", "٣"),
        ("history[4]", "history needs a number from 0 to 3 in brackets; got 4", "4"),
        (f"history[{'1' * 5000}]", "history needs a number from 0 to 3", "1" * 5000),
        ("history", "history needs a number from 0 to 3 in brackets; got none", "history"),
        ("S0.upos[x]", "upos takes nothing in brackets; got x", "x"),
        ("S0.feats[]", "as in feats[Case]; got ''", "]"),
        ("S0.feats[Case S0.upos", "expected ] after feats[Case; found a space", " "),
        ("S0.feats[Number[psor]", "expected ] after feats[Number[psor]; found the end of the line", None),
        ("S0.feats[A=B]", "expected ] after feats[A; found =", "="),
        ("distance", "expected ( here, as in distance(S0,B0); found the end of the line", None),
        ("distance(S0)", "expected , here, as in distance(S0,B0); found )", ")"),
        ("distance(S0,B0", "expected ) here, as in distance(S0,B0); found the end of the line", None),
        ("distance(S0,)", "expected an address such as S0; found )", ")"),
        ("distance(S0,S0)", "distance takes two different tokens; got S0 twice", "distance(S0,S0)"),
        ("distance(S0.head,B0)", "distance takes tokens of stack and buffer, without a path", "S0.head"),
        ("between(S0,B0)", "expected , here, as in between(S0,B0,upos=VERB); found )", ")"),
        ("between(S0,B0,upos)", "expected = here, as in between(S0,B0,upos=VERB); found )", ")"),
        ("between(S0,B0,upos=)", "expected a value such as VERB (in quotes if necessary); found )", ")"),
        ("between(S0,B0,upos=VERB NOUN)", "expected ) here", "N"),
        ('between(S0,B0,lemma="be)', 'expected " at the end of the value', '"be)'),
        ('between(S0,B0,lemma="")', "between needs a value", '""'),
        ('between(S0,B0,lemma="a\tb")', "no control characters", '"a b"'),
        ("between(S0,B0,pos=VERB)", "unknown attribute pos; did you mean upos?", "pos"),
        ("between(S0,B0,label=nsubj)", "between counts tokens by form, lower,", "label"),
        ("between(S0,B0,prefix=a)", "prefix needs a number", "prefix"),
        ("S0.form S0.upos S0.form # twice", "S0.form appears twice in one template", "S0.form S0.upos S0.form"),
        ("actions: # none", "expected a template after actions:", "actions:"),
        ("actions: S0.frm", "unknown attribute frm", "frm"),
        ("actions: S0.vector", "S0.vector cannot be for actions alone", "actions: S0.vector"),
        ("S0.vector S0.upos", "S0.vector must be the only atom of its template", "S0.vector S0.upos"),
        (
            "S0.form S1.form S2.form S3.form B0.form B1.form B2.form B3.form S0.upos",
            "expected 1 to 8 atoms; got 9",
            "S0.form S1.form S2.form S3.form B0.form B1.form B2.form B3.form S0.upos",
        ),
    ],
)
def test_bad_text_is_refused_with_a_caret(text, problem, pointed_at):
    with pytest.raises(TemplateError) as caught:
        Templates.parse(f"# a comment\n\n  {text}\nS1.form")
    first, line, carets = str(caught.value).splitlines()
    assert first.startswith("line 3: ")
    assert problem in first
    start = carets.index("^")
    if pointed_at is None:
        assert (start, len(carets)) == (len(line), len(line) + 1)
    else:
        assert line[start : len(carets)] == pointed_at


def test_templates_for_actions_alone():
    templates = Templates.parse("S0.form\nactions:S0.upos B0.upos\n  actions:  history[0] # the last one")
    assert [template.actions_only for template in templates] == [False, True, True]
    assert str(templates) == "S0.form\nactions: S0.upos B0.upos\nactions: history[0]"
    assert Template(templates[1].atoms) != templates[1]
    assert Templates.parse("B0.upos S0.upos") - templates == Templates()
    with pytest.raises(TemplateError, match="templates over a sequence score no actions"):
        lower_window(Templates.parse("actions: W0.form"), (), ())


def test_carets_stand_below_wide_characters():
    with pytest.raises(TemplateError) as caught:
        Templates.parse("between(S0,B0,lemma=日本) S0.frm")
    _, line, carets = str(caught.value).splitlines()
    assert carets.index("^") == line.index("frm") + 2


@pytest.mark.parametrize("second", ["S0.form S0.upos", "S0.upos  S0.form # again"])
def test_repeated_templates_are_refused_with_both_lines(second):
    with pytest.raises(TemplateError) as caught:
        Templates.parse(f"S0.form\n\nS0.form S0.upos\nS0.upos\n{second}")
    first, line, carets = str(caught.value).splitlines()
    assert first == "line 5: the same template as line 3, S0.form S0.upos"
    assert line.strip() == second.partition(" #")[0]
    assert carets.strip() == "^" * len(line.strip())


def test_too_many_templates_are_refused():
    lines = [f"S0.{name} S1.feats[{key}]" for name in ("upos", "xpos") for key in range(256)]
    assert len(Templates.parse("\n".join(lines))) == 512
    with pytest.raises(TemplateError, match="at most 512 templates; got 513"):
        Templates.parse("\n".join([*lines, "S0.form"]))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Address("S9"),
        lambda: Address(["S0"]),
        lambda: Address("S0", "left"),
        lambda: Address("B1", "head"),
        lambda: Atom("frm", (S0,)),
        lambda: Atom(["form"], (S0,)),
        lambda: Atom("form"),
        lambda: Atom("form", S0),
        lambda: Atom("form", "S0"),
        lambda: Atom("form", ("S0",)),
        lambda: Atom("form", (S0, B0)),
        lambda: Atom("form", (S0,), 1),
        lambda: Atom("form", (S0,), value="x"),
        lambda: Atom("prefix", (S0,), True),
        lambda: Atom("prefix", (S0,), "3"),
        lambda: Atom("feats", (S0,), 3),
        lambda: Atom("feats", (S0,), "a]b["),
        lambda: Atom("label", (B1,)),
        lambda: Atom("distance", (S0, Address("S0", "head"))),
        lambda: Atom("between", (S0, B0)),
        lambda: Atom("between", (S0, B0), column="upos"),
        lambda: Atom("between", (S0, B0), column="upos", value="a\u2028b"),
        lambda: Atom("history", (S0,), 1),
        lambda: Template(()),
        lambda: Template("S0.form"),
        lambda: Template(("S0.form",)),
        lambda: Template.parse(""),
        lambda: Template.parse("S0.form\nS0.upos"),
        lambda: Templates("S0.form"),
        lambda: Templates(("S0.form",)),
        lambda: Templates((Template.parse("S0.form B0.form"), Template.parse("B0.form S0.form"))),
        lambda: Templates.parse(None),
    ],
)
def test_bad_values_are_refused(make):
    with pytest.raises(TemplateError):
        make()


# --- Properties ---

addresses = st.one_of(
    st.builds(Address, st.sampled_from(BASES)),
    st.builds(Address, st.sampled_from(BASES_WITH_ARCS), st.sampled_from(PATHS)),
)
bare = st.lists(st.sampled_from(BASES), min_size=2, max_size=2, unique=True).map(
    lambda names: tuple(map(Address, names))
)
texts = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp")), min_size=1, max_size=6)
keys = st.text(st.characters(categories=("L", "N", "P", "S"), exclude_characters='[]=|"#'), min_size=1, max_size=6)


def keys_of(name: str) -> st.SearchStrategy[str | int | None]:
    if name in NUMBERED:
        return st.sampled_from(NUMBERED[name])
    return st.none() | keys | keys.map(lambda key: f"{key}[psor]") if name in KEYED else st.none()


@st.composite
def atoms(draw, of=(*ATTRIBUTES, *FUNCTIONS)):
    name = draw(st.sampled_from(of))
    if name == "between":
        column = draw(st.sampled_from(COLUMN_ATTRIBUTES))
        return Atom(name, draw(bare), draw(keys_of(column)), column, draw(texts))
    if name == CALL:
        return Atom(name, (), draw(st.sampled_from(["left_word", "f", "É"])))
    if name in ("distance", "given", "history"):
        return Atom(name, draw(bare) if name != "history" else (), draw(keys_of(name)))
    places = addresses.filter(lambda a: a.base in BASES_WITH_ARCS) if name in ARC_ATTRIBUTES else addresses
    if name in ARC_ATTRIBUTES[1:]:
        places = places.filter(lambda a: not a.path.startswith(("left", "right")))
    return Atom(name, (draw(places),), draw(keys_of(name)))


templates = st.one_of(
    st.builds(
        Template,
        st.lists(atoms([*(set(ATTRIBUTES) - {"vector"}), *FUNCTIONS]), min_size=1, max_size=8, unique=True).map(tuple),
        st.booleans(),
    ),
    st.lists(atoms(["vector"]), min_size=1, max_size=1).map(lambda found: Template(tuple(found))),
)
sets = st.lists(templates, max_size=6, unique_by=lambda template: frozenset(template.atoms)).map(
    lambda found: Templates(tuple(found))
)


@pytest.mark.unmeasured
@given(sets)
def test_every_value_reads_back_from_text_and_json(value):
    assert Templates.parse(str(value)) == value
    assert Templates.from_json(value.to_json()) == value
    assert [Template.parse(str(template)) for template in value] == list(value)


@pytest.mark.unmeasured
@given(sets, sets)
def test_sums_hold_each_template_once(one, other):
    assert one + other - other == one - other
    assert (one + other)[: len(one)] == one
    assert len(one + other) == len({frozenset(t.atoms) for t in (*one, *other)})


@pytest.mark.unmeasured
@given(sets)
def test_lowering_keeps_every_difference(value):
    value = value.without(CALL)  # the engine calls no functions
    lowered = lower(value)
    for field in (lowered.columns, lowered.counters, lowered.atoms):
        assert len(set(field)) == len(field)
    plain = [template for template in value if not template.is_vector]
    assert [len(numbers) for numbers in lowered.templates] == [len(template.atoms) for template in plain]
    assert len(lowered.atoms) == len({atom for template in plain for atom in template.atoms})
    assert {n for numbers in lowered.templates for n in numbers} == set(range(len(lowered.atoms)))
    assert len(lowered.vectors) == len(value) - len(plain)
    assert [plain[number] for number in lowered.actions_only] == [
        template for template in plain if template.actions_only
    ]


WORDS = ["actions:", *BASES, *PATHS[1:], *ATTRIBUTES, *FUNCTIONS, *'.,()[]="# \n\t\\', "0", "3", "VERB", "Case", "日"]


@given(st.lists(st.sampled_from(WORDS), max_size=20).map("".join) | st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    check_reading(text)


def check_reading(text: str) -> None:
    try:
        value = Templates.parse(text)
    except TemplateError as error:
        message = str(error)
    else:
        assert Templates.parse(str(value)) == value
        return
    assert len(message.splitlines()) == 3
    assert message.encode()  # can be printed


@given(st.data())
def test_damaged_text_is_read_or_refused(data):
    text = EVERYTHING
    at = data.draw(st.integers(0, len(text)))
    damaged = text[:at] + data.draw(st.sampled_from(["", *WORDS])) + text[at + data.draw(st.integers(0, 3)) :]
    check_reading(damaged)


def test_fields_of_templates_are_given_or_chosen():
    chosen = pp.ParserSpec(templates=None)
    assert chosen == pp.ParserSpec() == pp.ParserSpec(templates=pp.templates("lean"))
    assert hash(chosen) == hash(pp.ParserSpec(templates=pp.templates("lean")))
    assert replace(chosen, beam=2).templates == copy.copy(chosen).templates == pp.templates("lean")
    assert "templates: 'TemplatesField' = None" in str(inspect.signature(pp.ParserSpec))
    assert pp.TaggerSpec(templates=None) == pp.TaggerSpec(templates=pp.features.tagging_templates())
    with pytest.raises(FrozenInstanceError):
        chosen.templates = pp.templates("fast")
