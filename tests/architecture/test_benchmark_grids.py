"""Benchmarks: their grids are valid, and their scripts make tables of results."""

from __future__ import annotations

import importlib
import tomllib

import pytest

import panparser as pp
from grids import made_outcome, write_treebanks
from places import ROOT

GRIDS = sorted((ROOT / "benchmarks" / "grids").glob("*.toml"))
FACTS = {"sentences": 15, "crossing_percent": 20.0, "training_cpu_seconds": 2.0, "model_bytes": 5e6}
FACTS |= {"approximate_percent": 0.5, "test_words": 1000, "test_cpu_seconds": 0.5}


@pytest.fixture(scope="module")
def treebanks(tmp_path_factory):
    return write_treebanks(tmp_path_factory.mktemp("grid") / "treebanks")


@pytest.mark.unmeasured
@pytest.mark.parametrize("path", GRIDS, ids=lambda path: path.stem)
def test_grids_are_valid_and_make_tables(path, treebanks, monkeypatch):
    values = tomllib.loads(path.read_text(encoding="utf-8"))
    values["axes"]["treebank"] = [str(treebanks / "t1"), str(treebanks / "t2")]
    grid = pp.lab.Grid.from_values({"name": path.stem, **values}, folder=path.parent)
    assert grid.results.resolve().parent == ROOT / "benchmarks" / "results"
    if not (ROOT / "benchmarks" / f"{path.stem}.py").exists():  # `panparser results` is enough
        return
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    script = importlib.import_module(path.stem)
    report = getattr(script, "report_all", None) or script.report
    scores = {"UAS": 80.0, "LAS": 71.0, "FullLAS": 70.0, "Crossing": 10.0}
    outcomes = {run.key: made_outcome(run.key, correct=[8], facts=FACTS, scores={"test": scores}) for run in grid.runs}
    lines = report(pp.lab.GridResults.from_grid(grid, outcomes))
    assert any("80.00" in line for line in lines)
    assert any(f"{len(grid.runs)} of {len(grid.runs)} runs" in line for line in lines)
    del outcomes[next(run.key for run in grid.runs if run.labels["treebank"] == "t2")]
    lines = report(pp.lab.GridResults.from_grid(grid, outcomes))
    assert any("not finished, so not in the table: t2" in line for line in lines)
