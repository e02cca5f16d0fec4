"""Benchmarks: results tell which build of panparser they are of."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import pytest

import panparser as pp
from panparser import _engine
from places import ROOT


@pytest.fixture
def grid(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("grid")


@pytest.fixture
def copy(tmp_path):
    """The package and its engine."""
    package, engine = Path(pp.__file__).parent, Path(_engine.__file__)
    shutil.copytree(
        package, tmp_path / "panparser", ignore=shutil.ignore_patterns("__pycache__", "*.so", "*.panparser")
    )
    shutil.copy(engine, tmp_path / engine.name)
    return tmp_path / "panparser", tmp_path / engine.name


@pytest.mark.unmeasured
def test_any_change_of_any_module_makes_another_build(grid, copy):
    package, engine = copy
    assert grid.build(package, engine) == grid.build()
    seen = {grid.build()}
    modules = sorted(package.rglob("*.py"))
    assert len(modules) > 150
    for path in (*modules, package / "__init__.pyi", engine):
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        found = grid.build(package, engine)
        assert found not in seen, path
        seen.add(found)
        path.write_bytes(before)


def test_a_module_that_moves_makes_another_build(grid, copy):
    package, engine = copy
    before = grid.build(package, engine)
    (package / "errors.py").rename(package / "mistakes.py")
    assert grid.build(package, engine) != before


def test_what_is_not_imported_makes_no_other_build(grid, copy):
    package, engine = copy
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "errors.cpython-311.pyc").write_bytes(b"compiled")
    assert grid.build(package, engine) == grid.build()
