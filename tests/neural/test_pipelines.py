"""Pipelines of networks: from raw text to tags, lemmas and trees."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import panparser as pp
from nets import TINY
from places import ENGLISH

pytest.importorskip("torch")
TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:60], TREEBANK[60:80]
PARSER = pp.ParserSpec(system=pp.system("arc-hybrid", root="last", single_root=True), beam=1)
SPEC = pp.PipelineSpec(parser=PARSER, tokenizer_epochs=2)
JOINT = replace(SPEC, parser_predicts_tags=True)
COLUMNS = ("upos", "xpos", "feats", "lemma")
TEXT = "They ate the pizza. He saw it, didn't he?"


def learn(spec=JOINT, network=TINY, epochs=2, **options):
    return pp.train_pipeline(spec, TRAIN, network=network, epochs=epochs, threads=1, **options)


@pytest.fixture(scope="module")
def joint():
    return learn(dev=DEV)


def columns_of(treebank, names=COLUMNS):
    return [np.array(treebank.vocabulary(name))[treebank.column(name)].tolist() for name in names]


# --- One network for all of it ---


def test_a_joint_network_predicts_tags_lemmas_and_trees(joint):
    assert list(joint.parts) == ["tokenizer", "parser"]
    assert joint.columns == COLUMNS
    assert joint.parser.classifier.network.columns == ("form", "characters")
    assert joint.training.folds == 0
    assert list(joint.training.dev["raw text"])[3:] == ["UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"]
    found = joint(TEXT)
    assert (found.heads >= 0).all()
    assert all(found.column(name).all() for name in ("upos", "xpos", "lemma"))
    tagged = joint(TEXT, stop_after="tags")
    assert columns_of(tagged) == columns_of(found)
    assert (tagged.heads < 0).all()


def test_no_part_sees_what_the_treebank_has(joint):
    blank = DEV.copy()
    for name in COLUMNS:
        blank.column(name)[:] = 0
    gold = DEV.copy()
    joint.annotate(blank)
    joint.annotate(gold)
    assert blank.to_bytes() == gold.to_bytes()


def test_known_tags_and_lemmas_are_kept(joint):
    known = DEV.copy()
    half = np.arange(DEV.words) % 2 == 0
    for name in COLUMNS:
        known.column(name)[~half] = 0
    for until in ("tags", "trees"):
        found = known.copy()
        joint.annotate(found, keep=("tags", "lemmas"), stop_after=until)
        for own, before in zip(columns_of(found), columns_of(known), strict=True):
            assert own[::2] == before[::2]
        assert found.column("upos").all()
        joint.annotate(found, keep=("tags",), stop_after=until)
        assert columns_of(found, ["upos"])[0][::2] == columns_of(known, ["upos"])[0][::2]
        assert columns_of(found, ["lemma"])[0][::2] != columns_of(known, ["lemma"])[0][::2]


def test_a_file_holds_all_of_it_and_torch_is_not_imported(joint, tmp_path):
    joint.save(tmp_path / "model")
    assert pp.load(tmp_path / "model")(TEXT).to_bytes() == joint(TEXT).to_bytes()
    code = (
        "import sys, panparser as pp; nlp = pp.load(sys.argv[1]); sys.stdout.write(nlp(sys.argv[2]).to_bytes()"
        ".decode()); assert 'torch' not in sys.modules"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "model"), TEXT]
    assert subprocess.run(command, check=True, capture_output=True).stdout == joint(TEXT).to_bytes()


def test_a_network_may_name_what_it_predicts():
    found = learn(SPEC, TINY.joint("upos"), epochs=1)  # which is by the parser, then
    assert found.columns == ("upos",)
    assert found.parser.classifier.network.columns == ("form", "characters")
    only = learn(replace(JOINT, parts=("lemmatizer", "parser")), epochs=1)
    assert (list(only.parts), only.columns) == (["parser"], ("lemma",))


def test_what_does_not_go_together():
    for spec, network, message in (
        (replace(JOINT, folds=3), TINY, "PipelineSpec: folds is about taggers and lemmatizer"),
        (
            replace(SPEC, tagger_beam=2),
            TINY,
            "PipelineSpec: tagger_beam is not for taggers that are",
        ),
        (JOINT, None, "PipelineSpec: parser_predicts_tags must not be True without a parser that has"),
        (
            replace(SPEC, parser_predicts_tags=False),
            TINY.joint("upos"),
            "must not be False with a network that predicts tags",
        ),
    ):
        with pytest.raises(pp.SpecError, match=message):
            learn(spec, network)
    with pytest.raises(pp.SpecError, match="PipelineSpec: parser_predicts_tags must be true or false; got 'no'"):
        replace(SPEC, parser_predicts_tags="no")


# --- Taggers before the parser ---


def test_a_parser_learns_from_the_tags_of_networks(tmp_path):
    spec = replace(SPEC, folds=2, tagger_epochs=2)
    assert spec.with_defaults(TINY).parser_predicts_tags is False
    found = learn(spec, epochs=1, dev=DEV, checkpoint=tmp_path / "checkpoint")
    assert list(found.parts) == ["tokenizer", "tagger upos+xpos+feats+lemma", "parser"]
    assert found.taggers[0].classifier.network == TINY.as_tagger(*COLUMNS)
    assert found.parser.classifier.network == TINY
    assert (found.training.folds, found.columns) == (2, COLUMNS)
    assert list(found.training.dev["gold tokens"]) == ["UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS"]
    found.save(tmp_path / "model")
    assert pp.load(tmp_path / "model")(TEXT).to_bytes() == found(TEXT).to_bytes()
    again = learn(spec, epochs=1, dev=DEV, checkpoint=tmp_path / "checkpoint", resume=True)
    again.save(tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()


def test_a_tagger_for_each_column_and_no_trees():
    spec = replace(SPEC, folds=0, joint_tagger=False, tagger_epochs=1, parts=("lemmatizer", "tagger", "parser"))
    blank = TRAIN.copy()
    blank.column("xpos")[:] = 0
    found = pp.train_pipeline(spec, blank, network=TINY, epochs=1, threads=1)
    assert list(found.parts) == ["tagger upos", "tagger feats", "tagger lemma", "parser"]
    blank.heads[:] = -1
    found = pp.train_pipeline(
        replace(spec, parser_predicts_tags=True, folds=5, joint_tagger=True, tagger_epochs=None),
        blank,
        network=replace(TINY, training=replace(TINY.training, epochs=1)),
        threads=1,
    )
    assert list(found.parts) == ["tagger upos+feats+lemma"]


# --- Recipes and commands ---

RECIPE = """
[data]
train = ["train.conllu"]
dev = "dev.conllu"
[network]
base = "bilstm"
layers = 1
size = 12
hidden = 16
arcs = 12
labels = 8
[training]
epochs = 1
[pipeline]
tokenizer_epochs = 1
{options}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, treebank in (("train", TRAIN), ("dev", DEV)):
        pp.write_conllu(tmp_path / f"{name}.conllu", treebank)

    def write(options=""):
        (tmp_path / "recipe.toml").write_text(RECIPE.format(options=options))

    write()
    return write


def test_a_recipe_of_a_joint_pipeline_makes_the_same_again(folder, tmp_path, run):
    folder('tags = "by-parser"')
    code, out, err = run("train", "--recipe", "recipe.toml", "-o", "model")
    assert code == 0, err
    assert "UFeats" in out
    complete = (tmp_path / "model.toml").read_text()
    assert 'tags = "by-parser"' in complete
    assert run("train", "--recipe", "model.toml", "-o", "again")[0] == 0
    assert (tmp_path / "again").read_bytes() == (tmp_path / "model").read_bytes()
    code, out, err = run("parse", "-m", "model", "--text", TEXT)
    assert (code, err) == (0, "")
    assert out == pp.load(tmp_path / "model")(TEXT).to_bytes().decode()
    code, out, err = run("parse", "-m", "model", "--stop-after", "tags", "--text", TEXT)
    assert (code, err) == (0, "")
    code, out, _ = run("info", "model")
    assert code == 0
    assert "upos xpos feats lemma" in out


def test_flags_of_tags(folder, run):
    folder("folds = 2\ntagger_epochs = 1")
    code, _, err = run("train", "--recipe", "recipe.toml", "-o", "model")
    assert code == 0, err
    assert 'tags = "jointly"' in Path("model.toml").read_text()
    assert list(pp.load("model").parts) == ["tokenizer", "tagger upos+xpos+feats+lemma", "parser"]
    for arguments, message in (
        (("-t", "train.conllu", "--tagging", "jointly"), "--tagging requires a pipeline: --pipeline, or a recipe with"),
        (
            ("-t", "train.conllu", "--pipeline", "--tagging", "by-parser"),
            "[pipeline]: PipelineSpec: parser_predicts_tags must not",
        ),
    ):
        code, _, err = run("train", *arguments, "-o", "other")
        assert code == 2
        assert message in err
    folder('folds = 3\ntags = "by-parser"')
    code, _, err = run("train", "--recipe", "recipe.toml", "-o", "other")
    assert code == 2
    assert "[pipeline]: PipelineSpec: folds is about taggers" in err
