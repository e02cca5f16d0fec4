"""Fixtures of several commands."""

from __future__ import annotations

import pytest

import panparser as pp
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)


@pytest.fixture
def data(english, tmp_path, monkeypatch):
    """train.conllu and dev.conllu in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, treebank in zip(("train", "dev"), english, strict=True):
        pp.write_conllu(f"{name}.conllu", treebank)
    return tmp_path


@pytest.fixture(scope="session")
def model(parser, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "en"
    parser.save(path)
    return path


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """Two small models of one system with different templates, and one of another system."""
    folder = tmp_path_factory.mktemp("models")
    for name, system, templates in (
        ("a", "arc-eager", pp.templates("fast")),
        ("b", "arc-eager", pp.templates("zn11")),
        ("c", "arc-hybrid", pp.templates("fast")),
    ):
        spec = pp.ParserSpec(system=pp.system(system, root="last", single_root=True), templates=templates, beam=2)
        pp.train(spec, TREEBANK[:40], epochs=1, members=1).save(folder / f"{name}.panparser")
    return folder


@pytest.fixture(scope="session")
def parsed(models):
    """A text, its gold, and what the three models make of it."""
    gold = TREEBANK[40:70]
    pp.write_conllu(models / "gold.conllu", gold)
    for name in "abc":
        pp.write_conllu(models / f"{name}.conllu", pp.load(models / f"{name}.panparser").parse(gold))
    return models
