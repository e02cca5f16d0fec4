"""Builds of panparser: whatever is kept for later says which one made it."""

from __future__ import annotations

from functools import cache
from hashlib import sha256
from pathlib import Path

import panparser
from panparser import _engine

SOURCES = (".py", ".pyi", ".txt", ".toml", ".tsv")  # modules, the list of public names, declarations
SHOWING = ("analysis", "annotation", "cli", "grid", "server", "testing")  # rooms that say what is made, or show it
COUNTING = ("grid/counts.py", "grid/work.py")  # what makes the records of runs


def build(package: Path | None = None, engine: Path | None = None) -> str:
    """Tells builds apart: a digest of the engine and of all that models, trees or scores depend on."""
    package, engine = package or Path(panparser.__file__).parent, engine or Path(_engine.__file__)
    digest = sha256(sha256(engine.read_bytes()).digest())
    for path in sorted(path for path in package.rglob("*") if path.suffix in SOURCES):
        place = path.relative_to(package)
        if place.parts[0] not in SHOWING or place.as_posix() in COUNTING:
            digest.update(place.as_posix().encode() + b"\0")
            digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


@cache
def own_build() -> str:
    """The build that this process runs: that of its first look."""
    return build()
