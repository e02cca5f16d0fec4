"""Recipes that are trained and scored; runs of grids in tests/grid/test_work.py reach all kinds of models."""

from __future__ import annotations

import pytest

import panparser as pp
from grids import RECIPE, write_treebanks
from panparser.recipes import scored_run
from panparser.recipes.scored_run import crossing_percent, score_recipe, score_split


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("scored")
    write_treebanks(place, 1)
    return place / "t1"


@pytest.mark.filterwarnings("ignore::panparser.errors.TagWarning")
def test_scores_are_those_of_the_model(folder, tmp_path):
    train, dev, test = (str(folder / f"{part}.conllu") for part in ("train", "dev", "test"))
    recipe = pp.Recipe.from_values({**RECIPE, "data": {"train": [train], "dev": dev}})
    run = score_recipe(recipe, {"dev": dev, "test": test}, model_file=tmp_path / "model")
    assert list(run.splits) == ["dev", "test"]
    model, gold = pp.load(tmp_path / "model"), pp.read_conllu(test)
    expected = pp.evaluate(gold, model.parse(gold), bootstrap_samples=0)
    split = run.splits["test"]
    assert split.scores["LAS"] == pytest.approx(expected.las)
    assert split.correct["UAS"].tolist() == expected.counts["UAS"][:, 0].tolist()
    assert split.gold.tolist() == split.predicted.tolist() == [len(sentence) for sentence in gold]
    assert run.facts["model_bytes"] == model.weight_bytes
    assert run.facts["test_words"] == gold.words


def test_other_programs_are_scored_by_the_same_metrics(folder):
    gold = pp.read_conllu(str(folder / "test.conllu"))
    wrong = gold.copy()
    wrong.heads[:3] = -1
    split = score_split(gold, wrong)
    assert split.scores["UAS"] < 100 == score_split(gold, gold).scores["UAS"]
    assert int(split.gold.sum() - split.correct["UAS"].sum()) == 3


def test_crossing_arcs():
    treebank = pp.parse_conllu(
        "\n".join(f"{i}\tw\tw\tX\t_\t_\t{head}\tdep\t_\t_" for i, head in enumerate((3, 4, 0, 3), 1)) + "\n\n"
    )
    assert crossing_percent(treebank) == 100
    assert crossing_percent() == 0


def test_treebanks_are_read_once_and_the_latest_kept(folder, monkeypatch):
    read = []

    def reading(path, **options):
        read.append(path)
        return pp.read_conllu(path, **options)

    monkeypatch.setattr(scored_run, "read_conllu", reading)
    monkeypatch.setattr(scored_run, "MAX_CACHED_WORDS", 1)
    kept = scored_run.TreebankCache()
    train, dev = (str(folder / f"{part}.conllu") for part in ("train", "dev"))
    first = kept.read(train)
    first.heads[:] = -1
    assert kept.read(train).heads.tolist() == pp.read_conllu(train).heads.tolist()
    assert kept.read(train).path == train
    assert read == [train]
    kept.read(dev)
    kept.read(train)
    assert read == [train, dev, train]
