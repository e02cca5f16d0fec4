"""Keys of results: hashes of everything that decides a result, and only of that."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from functools import cache, lru_cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import IO, Any

import panparser
from panparser import _engine
from panparser.storage.locations import is_remote, opened

SOURCES = (".py", ".pyi", ".txt", ".toml", ".tsv")  # modules, the list of public names, declarations
MAX_CACHED_FILES = 1 << 14


def digest(values: Any) -> str:
    """Return the hash of plain values; neither the order of keys matters, nor whether 1 is written as 1.0."""
    text = json.dumps(_normalize(values), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return sha256(text.encode()).hexdigest()


def _normalize(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: _normalize(value) for key, value in values.items()}
    if isinstance(values, list | tuple):
        return [_normalize(value) for value in values]
    return int(values) if isinstance(values, float) and values.is_integer() else values


# --- Files ---


def file_digest(path: str) -> str:
    """Return the hash of a file's bytes; a local file that has not changed is read once. Raise OSError."""
    if is_remote(path):
        with opened(path) as stream:
            return _stream_digest(stream)
    status = os.stat(path)
    return _local_digest(os.path.realpath(path), status.st_size, status.st_mtime_ns)


@lru_cache(MAX_CACHED_FILES)
def _local_digest(path: str, size: int, changed: int) -> str:
    with open(path, "rb") as stream:
        return _stream_digest(stream)


def _stream_digest(stream: IO[bytes]) -> str:
    state = sha256()
    while data := stream.read(1 << 20):
        state.update(data)
    return state.hexdigest()


# --- Packages ---


def package_versions(recipe: Any) -> dict[str, str]:
    """Return the versions of packages that compute: numpy and, for a recipe with a network, torch."""
    packages = ("numpy", "torch") if _has_network(recipe) else ("numpy",)
    return {package: version for package in packages if (version := package_version(package)) is not None}


def _has_network(values: Any) -> bool:
    if isinstance(values, Mapping):
        return values.get("network") is not None or any(map(_has_network, values.values()))
    return isinstance(values, list | tuple) and any(map(_has_network, values))


@cache
def package_version(package: str) -> str | None:
    """Return the version of a package; None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


# --- Builds of panparser ---

UNHASHED_PACKAGES = ("annotate", "cli", "inspection", "lab", "pages", "proofs", "serve")  # only show results


def build(package: Path | None = None, engine: Path | None = None) -> str:
    """Return the digest of the engine and of all modules that models, trees or scores depend on."""
    package, engine = package or Path(panparser.__file__).parent, engine or Path(_engine.__file__)
    state = sha256(sha256(engine.read_bytes()).digest())
    for path in sorted(path for path in package.rglob("*") if path.suffix in SOURCES):
        place = path.relative_to(package)
        if place.parts[0] not in UNHASHED_PACKAGES:
            state.update(place.as_posix().encode() + b"\0")
            state.update(sha256(path.read_bytes()).digest())
    return state.hexdigest()[:12]


@cache
def own_build() -> str:
    """Return the build that this process runs, as its files were at the first call."""
    return build()
