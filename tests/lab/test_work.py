"""What a worker does with a task, in this process."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from grids import RECIPE, write_treebanks
from panparser.lab import grid_work as work
from panparser.lab.grid_runs import GridRun
from panparser.recipes.scored_run import crossing_percent


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("work")
    write_treebanks(place, 1)
    return place / "t1"


def outcome_of(folder, results, *, input="tokens", **more):
    data = {"data": {"train": [str(folder / "train.conllu")], "dev": str(folder / "dev.conllu")}}
    run = GridRun.create({**RECIPE, **data, **more}, test=str(folder / "test.conllu"), input=input)
    results.mkdir(exist_ok=True)
    return work.perform(json.loads(json.dumps(run.task(results)))), run


def test_a_parser(folder, tmp_path):
    outcome, run = outcome_of(folder, tmp_path / "r")
    assert outcome.is_finished
    assert set(outcome.values["scores"]) == {"dev", "test"}
    assert set(outcome.values["scores"]["test"]) - {"Crossing"} == {
        "UAS", "LAS", "CLAS", "FullLAS", "UAS-punct", "LAS-punct", "Exact-UAS", "Exact-LAS",
    }  # fmt: skip
    facts = outcome.facts
    assert (facts["sentences"], facts["best_epoch"]) == (15, 1)
    assert facts["crossing_percent"] == crossing_percent(pp.read_conllu(folder / "train.conllu"))
    assert pp.lab.RunOutcome.read(tmp_path / "r" / f"{run.key}.json") == outcome
    again, _ = outcome_of(folder, tmp_path / "r")
    assert again == outcome  # it was not run again, or times would differ


def test_an_unlabeled_parser_has_no_scores_of_labels(folder, tmp_path):
    outcome, _ = outcome_of(folder, tmp_path / "r", parser={**RECIPE["parser"], "labeled": False})
    assert set(outcome.values["scores"]["test"]) - {"Crossing"} == {"UAS", "UAS-punct", "Exact-UAS"}
    assert list(outcome.values["sentences"]["test"]["wrong"]) == ["UAS"]


def test_a_pipeline_from_tokens_and_from_text(folder, tmp_path):
    parts = {"parts": ["tokenizer", "tagger", "parser"], "folds": 0, "tagger_epochs": 1, "tokenizer_epochs": 1}
    pipeline = {"pipeline": {**parts, "columns": ["upos"]}}
    outcome, run = outcome_of(folder, tmp_path / "r", **pipeline)
    assert outcome.score("test", "Words") == 100
    assert outcome.score("test", "UPOS") < 100
    text, other = outcome_of(folder, tmp_path / "r", input="text", **pipeline)
    assert other.key != run.key
    assert text.score("test", "Words") < 100
    counts = text.counts("test", "UAS")
    assert counts[:, 1].sum() == 128
    f1 = 200 * counts[:, 0].sum() / counts[:, 1:].sum()
    assert text.score("test", "UAS") == pytest.approx(f1, abs=1e-5)


def test_text_is_for_pipelines(folder, tmp_path):
    outcome, _ = outcome_of(folder, tmp_path / "r", input="text")
    assert outcome.error == '[evaluation] input = "text": expected a pipeline with a tokenizer'
    assert not outcome.is_finished
    assert outcome.values["scores"] == {}


def test_a_cascade(folder, tmp_path):
    stages = [{"regions": {"upos": ["DET"]}, "parser": {"templates": "t.txt"}}, {"name": "rest"}]
    values = {
        "data": {"train": [str(folder / "train.conllu")]},
        "parser": {"beam": 1, "templates": "zn11"},
        "training": {"epochs": 1, "members": 1},
        "cascade": {"stage_constraints": "gold"},
        "stages": stages,
    }
    (tmp_path / "t.txt").write_text("S0.upos B0.upos\n")
    run = GridRun.create(values, folder=str(tmp_path), test=str(folder / "test.conllu"))
    outcome = work.perform(run.task(tmp_path))
    assert outcome.error is None
    assert outcome.score("test", "LAS") > 0


def test_what_cannot_be_written_is_answered(folder, tmp_path, monkeypatch):
    """A disk that is full must not cost the run."""

    def full(*_, **__):
        raise pp.SpecError("cannot be written: No space left on device")

    monkeypatch.setattr("panparser.lab.outcomes.write_whole", full)
    outcome, _ = outcome_of(folder, tmp_path / "r")
    assert outcome.is_finished
    assert not list((tmp_path / "r").iterdir())


def test_a_worker_of_another_build_runs_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(work, "own_build", lambda: "another")
    with pytest.raises(OSError, match="a worker has another build of panparser: another, not "):
        outcome_of(folder, tmp_path / "r")
    assert not list((tmp_path / "r").iterdir())


def test_a_worker_with_other_packages_runs_nothing(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(work, "package_versions", lambda recipe: {"numpy": "0"})
    with pytest.raises(OSError, match="a worker has another numpy: 0, not "):
        outcome_of(folder, tmp_path / "r")
    assert not list((tmp_path / "r").iterdir())


def test_what_a_result_says_of_the_machine():
    found = work.machine()
    assert {"python", "system", "processor", "numpy"} <= set(found)
    assert all(isinstance(value, str) and value for value in found.values())


def test_what_others_made_stands_beside_runs(folder, tmp_path):
    path = str(folder / "test.conllu")
    gold = pp.read_conllu(path)
    wrong = gold.copy()
    wrong.heads[:3] = -1
    outcomes = [
        pp.lab.external_outcome({"peer": {"name": name}}, {"test": (path, found)}, facts={"x": 1}, seconds=2)
        for name, found in (("all", gold), ("less", wrong))
    ]
    assert outcomes[0].score("test", "LAS") == 100 > outcomes[1].score("test", "LAS")
    assert outcomes[0].key != outcomes[1].key
    labels = [{"treebank": "t1", "setting": name} for name in ("all", "less")]
    made = pp.lab.GridResults.from_outcomes("peers", list(zip(labels, outcomes, strict=True)))
    made.write(tmp_path)
    read = pp.lab.GridResults.read(tmp_path)
    assert [row.outcome for row in read.rows] == outcomes
    assert read.axes == made.axes
    grid = pp.lab.Grid.from_values({"recipe": RECIPE, "axes": {"treebank": [str(folder)], "training": {"seed": [1]}}})
    own, _ = outcome_of(folder, tmp_path / "r")
    joined = pp.lab.GridResults.from_grid(grid, {grid.runs[0].key: own}).merge(made)
    assert joined.axes == {"treebank": ("t1",), "seed": ("1", "-"), "setting": ("-", "all", "less")}
    table = pp.lab.ResultTableLayout(rows=("setting",)).table(joined)
    assert [row[0].text for row in table.rows] == ["-", "all", "less"]
    assert table.rows[1][1].text == "100.00"
