"""Keys of runs: a hash of all that decides what comes out, and of nothing else."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import panparser
from panparser import _engine
from panparser.errors import SpecError

SOURCES = (".py", ".pyi", ".txt", ".toml", ".tsv")  # modules, the list of public names, declarations


def build(package: Path | None = None, engine: Path | None = None) -> str:
    """Tells builds of panparser apart: a digest of the engine and of all that is imported, by place and content."""
    return _build(package or Path(panparser.__file__).parent, engine or Path(_engine.__file__))


@cache
def own_build() -> str:
    """The build that this process runs: that of its first look."""
    return build()


def _build(package: Path, engine: Path) -> str:
    digest = sha256(sha256(engine.read_bytes()).digest())
    for path in sorted(path for path in package.rglob("*") if path.suffix in SOURCES):
        digest.update(path.relative_to(package).as_posix().encode() + b"\0")
        digest.update(sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]


def digest_of(values: Any) -> str:
    """The hash of plain values, in which the order of keys does not matter, nor whether 1 is written as 1.0."""
    text = json.dumps(_plain(values), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode()).hexdigest()


def _plain(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _plain(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [_plain(value) for value in values]
    return int(values) if isinstance(values, float) and values.is_integer() else values


def hash_of_file(path: str) -> str:
    """The hash of a file's bytes; a file that has not changed is read once."""
    if path == "-":
        raise SpecError("a grid cannot read standard input; expected files")
    try:
        status = os.stat(path)
        return _hash(os.path.realpath(path), status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise SpecError(f"{path}: cannot be read: {error.strerror}") from None


@cache
def _hash(path: str, size: int, changed: int) -> str:
    digest = sha256()
    with open(path, "rb") as stream:
        while piece := stream.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
