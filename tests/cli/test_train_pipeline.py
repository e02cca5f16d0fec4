"""`panparser train --pipeline`."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from places import ENGLISH

QUICK = """
[parser]
templates = "zn11"
beam = 1

[training]
epochs = 2
members = 1

[pipeline]
folds = 2
tokenizer_epochs = 2
tagger_epochs = 2
lemmatizer_epochs = 2
"""


def test_train_tells_of_its_parts_and_can_be_repeated(run, english, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, treebank in zip(("train", "dev"), english, strict=True):
        pp.write_conllu(f"{name}.conllu", treebank[:60])
    (tmp_path / "quick.toml").write_text(QUICK)
    code, out, err = run("train", "--recipe", "quick.toml", "-t", "train.conllu", "-d", "dev.conllu", "-o", "nlp")
    assert code == 0, err
    for part in ("tokenizer", "tagger upos+xpos+feats", "lemmatizer", "parser", "gold tokens", "raw text", "CPU"):
        assert part in out
    assert "tagger upos+xpos+feats, epoch 1  " in err
    code, out, _ = run("train", "--recipe", "nlp.toml", "-o", "again")
    assert code == 0
    assert (tmp_path / "nlp").read_bytes() == (tmp_path / "again").read_bytes()
    code, out, _ = run("info", "nlp")
    assert code == 0
    assert "lemmatizer" in out
    code, out, _ = run("info", "nlp", "--json")
    assert json.loads(out)["kind"] == "pipeline"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--init", "x"], "init is for single parsers"),
        (["-t", "missing.conllu"], "missing.conllu: cannot be read"),
    ],
)
def test_train_refuses(run, tmp_path, arguments, said):
    code, _, err = run("train", "--pipeline", "-t", ENGLISH, "-o", tmp_path / "x", *arguments)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("line", ["folds = 1", "parts = ['cook']", "tags = 'both'", "colour = 3"])
def test_recipes_are_checked(run, tmp_path, line):
    (tmp_path / "bad.toml").write_text(f"[pipeline]\n{line}\n")
    code, _, err = run("train", "--recipe", tmp_path / "bad.toml", "-t", ENGLISH, "-o", tmp_path / "x")
    assert code == 2
    assert "[pipeline]" in err


def test_a_development_set_has_sentences(run, tmp_path):
    (tmp_path / "empty.conllu").write_text("")
    for more in [], ["--pipeline"]:
        code, _, err = run("train", "-t", ENGLISH, "-d", tmp_path / "empty.conllu", "-o", tmp_path / "x", *more)
        assert (code, "empty.conllu: expected sentences for selecting the best epoch, found none" in err) == (2, True)


def test_word_lists_are_for_taggers(run, english, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pp.write_conllu("train.conllu", english[0][:20])
    (tmp_path / "words.tsv").write_text("blorp\tINTJ\n")
    (tmp_path / "quick.toml").write_text('[pipeline]\nparts = ["tagger"]\ncolumns = ["upos"]\ntagger_epochs = 2\n')
    flags = ("-t", "train.conllu", "--lexicon", "words.tsv")
    code, _, err = run("train", "--recipe", "quick.toml", *flags, "-o", "tags")
    assert code == 0, err
    assert pp.load("tags").taggers[0].lexicon.get("blorp") == ("INTJ",)
    assert run("train", "--recipe", "tags.toml", "-o", "again")[0] == 0
    assert (tmp_path / "tags").read_bytes() == (tmp_path / "again").read_bytes()
    code, _, err = run("train", *flags, "-o", "other")
    assert code == 2
    assert "--lexicon requires a pipeline" in err
    (tmp_path / "words.tsv").write_text("blorp\tHUH\n")
    code, _, err = run("train", "--recipe", "quick.toml", *flags, "-o", "other")
    assert code == 2
    assert "words.tsv:1: expected a word, a tab and its universal tags" in err
