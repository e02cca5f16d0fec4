"""`panparser transfer`: the model, its recipe, the report."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from languages import language

TARGET = {"adjective_first": False, "verb_last": True}
TEST = language("own", 20, **TARGET, seed=2)


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "sources").mkdir()
    for name, verb_last in (("near", True), ("far", False)):
        pp.write_conllu(f"sources/{name}.conllu", language(name, 30, adjective_first=True, verb_last=verb_last))
    pp.write_conllu("own.conllu", language("own", 6, **TARGET))
    pp.tagging.Lexicon.from_treebank(language("own", 30, **TARGET, seed=11)).write("words.tsv")
    (tmp_path / "mine.toml").write_text('adjective = "after"\n')
    return tmp_path


COMMON = (
    "transfer",
    "--sample",
    "own.conllu",
    "--sources",
    "sources",
    "--typology",
    "mine.toml",
    "--max-source-sentences",
    "20",
)


def test_the_recipe_beside_the_model_makes_it_again(run, place):
    code, out, err = run(*COMMON, "--method", "joint", "-o", "xx.panparser")
    assert code == 0, err
    assert "its recipe is xx.panparser.toml" in out
    code, _, err = run("train", "--recipe", "xx.panparser.toml", "-o", "again.panparser")
    assert code == 0, err
    first, second = (pp.load(name).parse(TEST).to_bytes() for name in ("xx.panparser", "again.panparser"))
    assert first == second


def test_without_a_sample(run, place):
    pp.write_conllu("raw.conllu", TEST)
    given = ("--tagged-text", "raw.conllu", "--sources", "sources", "--method", "all", "-o", "xx.panparser")
    code, _, err = run("transfer", *given)
    assert code == 0, err
    assert run("train", "--recipe", "xx.panparser.toml", "-o", "again.panparser")[0] == 0
    assert pp.load("again.panparser").parse(TEST).to_bytes() == pp.load("xx.panparser").parse(TEST).to_bytes()


def test_without_a_sample_parsers_of_sources_are_combined(run, place):
    pp.write_conllu("raw.conllu", TEST)
    code, out, err = run("transfer", "--tagged-text", "raw.conllu", "--sources", "sources", "-o", "xx.panparser")
    assert code == 0, err
    assert "it is not made by one recipe" in out
    assert not (place / "xx.panparser.toml").exists()
    assert isinstance(pp.load("xx.panparser"), pp.CombinedParser)


def test_word_lists_make_a_pipeline(run, place):
    code, out, err = run(*COMMON, "--lexicon", "words.tsv", "-o", "xx.panparser", "--report", "report.json")
    assert code == 0, err
    assert "A tagger learned from the sample, and a lexicon of" in out
    assert "with the tagger's tags" in out
    report = json.loads((place / "report.json").read_text())
    assert report["tags"]["words"] == pp.read_conllu("own.conllu").words
    assert {"heads", "uas", "las"} <= set(report["scores"][0]["tagged"])
    model = pp.load("xx.panparser")
    assert isinstance(model, pp.Pipeline)
    assert model.columns == ("upos",)
    assert run("info", "xx.panparser")[0] == 0
    untagged = TEST.copy()
    untagged.column("upos")[:] = untagged.id_of("upos", "_")
    pp.write_conllu("new.conllu", untagged)
    code, _, err = run("parse", "-m", "xx.panparser", "new.conllu", "-o", "out.conllu")
    assert code == 0, err
    found = pp.read_conllu("out.conllu")
    assert pp.evaluate(TEST, found).uas > 70
    if (place / "xx.panparser.toml").exists():  # unless a vote is best
        assert run("train", "--recipe", "xx.panparser.toml", "-o", "again.panparser")[0] == 0


def test_votes_have_no_recipe(run, place):
    code, out, err = run(*COMMON, "--method", "vote", "-o", "xx.panparser")
    assert code == 0, err
    assert "it is not made by one recipe" in out
    assert not (place / "xx.panparser.toml").exists()


def test_what_is_refused(run, place):
    (place / "xx.panparser.toml").write_text("mine = true\n")
    code, _, err = run(*COMMON, "-o", "xx.panparser")
    assert code == 2
    assert "would replace this file" in err
    code, _, err = run("transfer", "--tagger", "--sources", "sources", "-o", "yy.panparser")
    assert code == 2
    assert "--tagger requires a sample" in err
    code, _, err = run(*COMMON, "--lexicon", "mine.toml", "-o", "yy.panparser")
    assert code == 2
    assert "mine.toml:1: expected a word, a tab and its universal tags" in err
    code, _, err = run(*COMMON, "--lexicon", "words.tsv", "-o", "words.tsv")
    assert code == 2
