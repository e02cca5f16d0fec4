"""A grid with its results, which tests read and change."""

from __future__ import annotations

import pytest

import panparser as pp
from grids import small_grid, write_treebanks


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """A grid with its results."""
    place = tmp_path_factory.mktemp("grid")
    write_treebanks(place / "treebanks")
    pp.lab.run_grid(small_grid(place), jobs=2)
    return place


@pytest.fixture
def results(folder, tmp_path):
    """A copy of its results."""
    for path in sorted((folder / "results").rglob("*.json")):
        target = tmp_path / "results" / path.relative_to(folder / "results")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return tmp_path / "results"
