"""Keys of runs: a hash of all that decides what comes out, and of nothing else."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib import metadata
from typing import Any

from panparser.errors import SpecError


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


def versions(recipe: Any) -> dict[str, str]:
    """Of the packages that compute: numpy and, if there is a network in a recipe of plain values, torch."""
    packages = ("numpy", "torch") if _has_network(recipe) else ("numpy",)
    return {package: version for package in packages if (version := version_of(package)) is not None}


def _has_network(values: Any) -> bool:
    if isinstance(values, Mapping):
        return values.get("network") is not None or any(map(_has_network, values.values()))
    return isinstance(values, list | tuple) and any(map(_has_network, values))


@cache
def version_of(package: str) -> str | None:
    """None if it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def hash_of_file(path: str) -> str:
    """The hash of a file's bytes; a file that has not changed is read once."""
    if path == "-":
        raise SpecError("a grid cannot read standard input; expected files")
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode):  # a device may have no end
            raise SpecError(f"{path}: expected a file, found something else")
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
