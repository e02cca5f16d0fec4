"""The contracts of import-linter, which `make lint` checks, leave no room and no command out."""

from __future__ import annotations

import tomllib
from pathlib import Path

import panparser

PACKAGE = Path(panparser.__file__).parent
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
CONTRACTS = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
ROOMS = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def contract(kind: str, key: str, value: object) -> dict:
    """The only contract of a kind with this value."""
    (found,) = (each for each in CONTRACTS if each["type"] == kind and each.get(key) == value)
    return found


def test_every_room_has_its_layer():
    layers = contract("layers", "containers", ["panparser"])
    assert layers["exhaustive"]
    assert {room for layer in layers["layers"] for room in layer.split(" | ")} == ROOMS


def test_the_whole_package_is_acyclic():
    found = contract("acyclic_siblings", "ancestors", ["panparser"])
    assert "skip_descendants" not in found
    assert "depth" not in found
