"""Typology: from WALS, a relative, a genus, a file, sentences."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import SpecError, TreebankError
from panparser.transfer.dependents import CLASSES, NAMES

DOG = """\
1\tthe\t_\tDET\t_\tDefinite=Def|PronType=Art\t3\tdet\t_\t_
2\told\t_\tADJ\t_\t_\t3\tamod\t_\t_
3\tdog\t_\tNOUN\t_\t_\t4\tnsubj\t_\t_
4\tsaw\t_\tVERB\t_\t_\t0\troot\t_\t_
5\tcats\t_\tNOUN\t_\t_\t4\tobj\t_\t_
6\tred\t_\tADJ\t_\t_\t5\tamod\t_\t_

"""


def sources(typology):
    return {trait.name: trait.source for trait in typology}


def test_of_a_language():
    french = pp.transfer.Typology.from_language("fr")
    assert len(french) == 12
    assert (french.get("adjective"), french.get("object"), french.get("definite_article")) == (0.0, 0.0, "present")
    assert sources(french)["adjective"] == "WALS 87A of French (fre)"
    assert "adjective: after (WALS 87A of French (fre))" in str(french)


def test_what_wals_does_not_say_is_asked_of_a_relative_and_then_of_the_genus():
    alone, related = (
        pp.transfer.Typology.from_language("kmr"),
        pp.transfer.Typology.from_language("kmr", related_language="krd"),
    )
    assert alone.get("adposition") is None
    assert sources(alone)["object"] == "WALS 83A of 11 of 11 Iranian languages"
    assert sources(related)["adposition"] == "WALS 85A of Kurdish (Central) (krd), a relative"
    irish = pp.transfer.Typology.from_language("ga", related_language="krd")
    assert sources(irish)["subject"] == "WALS 82A of Irish (iri)"  # its own value goes first
    assert pp.transfer.Typology.combine_sources(None, "krd") == pp.transfer.Typology.from_language("krd")
    assert pp.transfer.Typology.combine_sources() == pp.transfer.Typology()


def test_of_sentences():
    measured = pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG * 20, path="dogs.conllu"))
    assert {trait.name: trait.value for trait in measured} == {"adjective": 0.5, "subject": 1.0, "object": 0.0}
    assert sources(measured) == {"adjective": "40 in dogs.conllu", "subject": "20 in dogs.conllu"} | {
        "object": "20 in dogs.conllu"
    }
    assert [trait.name for trait in pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG * 19))] == ["adjective"]
    assert len(pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG), min_count=2)) == 1
    assert pp.transfer.Typology.from_treebank(pp.parse_conllu("")) == pp.transfer.Typology()


def test_articles_of_sentences():
    measured = pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG * 50))
    assert (measured.get("definite_article"), measured.get("indefinite_article")) == ("present", "absent")
    bare = pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG.replace("Definite=Def|PronType=Art", "_") * 50))
    assert bare.get("definite_article") is None  # nobody annotated them
    other = pp.transfer.Typology.from_treebank(
        pp.parse_conllu(DOG.replace("Definite=Def|PronType=Art", "PronType=Tot") * 50)
    )
    assert other.get("definite_article") == "absent"
    assert (
        pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG * 49)).get("definite_article") is None
    )  # too few nouns


def test_later_ones_overrule_earlier_ones():
    french, mine = pp.transfer.Typology.from_language("fr"), pp.transfer.Typology.from_values({"adjective": "before"})
    both = french | mine
    assert (both.get("adjective"), both.get("object"), len(both)) == (1.0, 0.0, 12)
    assert sources(both)["adjective"] == "by hand"
    assert mine | french == french
    assert french | pp.transfer.Typology() == pp.transfer.Typology() | french == french
    with pytest.raises(TypeError):
        french | {"adjective": 1}


def test_a_file(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'like = "krd"\nlanguage = "kmr"\nadjective = "after"\nsubject = 0.7\nobject = "both"\n'
        "definite_article = false\ndemonstrative = false\n"
    )
    found = pp.transfer.Typology.read(path)
    assert found == pp.transfer.Typology.from_language(
        "kmr", related_language="krd"
    ) | pp.transfer.Typology.from_values(
        {"adjective": 0, "subject": 0.7, "object": 0.5, "definite_article": "absent", "demonstrative": "absent"},
        "mine.toml",
    )
    assert sources(pp.transfer.Typology.read(path, language="fr"))["numeral"] == "WALS 89A of French (fre)"
    path.write_text("")
    assert pp.transfer.Typology.read(path) == pp.transfer.Typology()
    assert pp.transfer.Typology.read(path, related_language="fr") == pp.transfer.Typology.from_language("fr")


values = {
    each.name: st.booleans() if each.is_article else st.sampled_from(["before", "after", "both", 0.25, 0.1234])
    for each in CLASSES
}


@settings(max_examples=20)
@given(st.fixed_dictionaries({}, optional=values))
def test_what_is_written_is_read(tmp_path_factory, chosen):
    path = tmp_path_factory.mktemp("typology") / "by hand"
    typology = pp.transfer.Typology.from_values(chosen)
    path.write_text(typology.to_toml())
    assert pp.transfer.Typology.read(path) == typology
    assert {trait.name for trait in typology} == set(chosen)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('adjective = "after"\nadjectiv = "before"', ":2: adjectiv: is unknown; did you mean adjective?"),
        ("\nadjective = 'behind'", ':2: adjective: expected "before", "after", "both" or a share in [0, 1], found'),
        ("subject = 1.5", ":1: subject: expected"),
        ("subject = nan", ":1: subject: expected"),
        ("adjective = false", ":1: adjective: expected"),
        ("demonstrative = true", "a share in [0, 1], or false, found"),
        ('definite_article = "before"', ":1: definite_article: expected true or false, found 'before'"),
        ("[adjective]\nx = 1", ":1: adjective: expected"),
        ("adjective.x = 1", ":1: adjective: expected"),
        ("like = 3", ":1: like: expected a language, found 3"),
        ('# note\nlike = "Frensh"', ":2: language Frensh: expected"),
        ('xyz = "before"', ":1: xyz: is unknown; there are adposition,"),
        ("adjective = ", "expected TOML; Invalid value"),
        ("adjective = 1\nadjective = 0", "expected TOML; "),
    ],
)
def test_errors_of_files_name_the_place(tmp_path, text, said):
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(SpecError) as error:
        pp.transfer.Typology.read(path)
    assert str(error.value).startswith(str(path))
    assert said in str(error.value)


def test_errors_of_arguments(tmp_path):
    with pytest.raises(SpecError, match="cannot be read"):
        pp.transfer.Typology.read(tmp_path / "none.toml")
    with pytest.raises(TreebankError, match="must be a Treebank; got 'x'"):
        pp.transfer.Typology.from_treebank("x")
    with pytest.raises(SpecError, match=r"Typology\.from_treebank: min_count must be an integer >= 1"):
        pp.transfer.Typology.from_treebank(pp.parse_conllu(DOG), min_count=0)
    with pytest.raises(SpecError, match="got adjective twice"):
        pp.transfer.Typology(
            (pp.transfer.TypologicalFeature("adjective", 0, "a"), pp.transfer.TypologicalFeature("adjective", 1, "b"))
        )


@pytest.mark.parametrize(("value", "words"), [(1, "before"), (0, "after"), (0.5, "both"), (0.7, "70 % before")])
def test_values_in_words(value, words):
    assert pp.transfer.TypologicalFeature("adjective", value, "").in_words == words


def test_traits_are_in_one_order():
    given = {"object": 0, "adposition": 1, "definite_article": True}
    assert [trait.name for trait in pp.transfer.Typology.from_values(given)] == [
        name for name in NAMES if name in given
    ]
    assert hash(pp.transfer.Typology.from_values(given)) == hash(
        pp.transfer.Typology.from_values(dict(reversed(given.items())))
    )
