"""Parts of a pipeline in files of their own: arrays and values with a kind and the version of their format."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeVar

from panparser.errors import ModelError
from panparser.storage.arrays import Arrays, check_kind, read_arrays, write_arrays

Part = TypeVar("Part")


class Storable(Protocol):
    """What has arrays and plain values."""

    def to_arrays(self) -> Arrays: ...

    def to_values(self) -> dict[str, Any]: ...


def save_part(path: str | os.PathLike[str], part: Storable, kind: str, version: int) -> None:
    """Writes one part to a file; the same part gives the same bytes."""
    write_arrays(Path(path), part.to_arrays(), {"format": version, "kind": kind, **part.to_values()})


def load_part(
    path: str | os.PathLike[str], from_file: Callable[[Arrays, dict[str, Any]], Part], kind: str, version: int
) -> Part:
    """The part of a file, mapped into memory; `ModelError` says what is wrong with a file that holds none."""
    name = os.fspath(path)
    arrays, manifest = read_arrays(path, f"panparser {kind}")
    check_kind(manifest, kind, name, version)
    try:
        return from_file(arrays, manifest)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None
