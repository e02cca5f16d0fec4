"""The contracts of import-linter, which `make lint` checks, leave no package out."""

from __future__ import annotations

import tomllib
from pathlib import Path

import panparser

PACKAGE = Path(panparser.__file__).parent
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
CONTRACTS = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
PACKAGES = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
FAMILIES = {"annotate", "serve", "transfer", "lab", "inspection", "proofs", "neural", "pages"}


def contract(kind: str) -> dict:
    """Return the only contract of a kind."""
    (found,) = (entry for entry in CONTRACTS if entry["type"] == kind)
    return found


def test_every_package_has_its_layer():
    layers = contract("layers")
    assert layers["exhaustive"]
    assert "ignore_imports" not in layers
    names = [name for layer in layers["layers"] for name in layer.split(" | ")]
    assert set(names) == PACKAGES
    assert set(names[: len(FAMILIES)]) == FAMILIES  # all of them above the core


def test_the_core_imports_no_family():
    core = contract("forbidden")
    assert set(core["forbidden_modules"]) == {f"panparser.{name}" for name in FAMILIES}
    assert set(core["source_modules"]) == {f"panparser.{name}" for name in PACKAGES - FAMILIES}
    assert "ignore_imports" not in core


def test_the_whole_package_is_acyclic():
    acyclic = contract("acyclic_siblings")
    assert acyclic["ancestors"] == ["panparser"]
    assert "skip_descendants" not in acyclic
    assert "depth" not in acyclic
