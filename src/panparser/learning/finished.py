"""Finished parts of a long training, kept in files: a run that was stopped need not train them again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

from panparser.errors import ModelError, SpecError
from panparser.storage.arrays import read_arrays, write_arrays
from panparser.storage.files import remove
from panparser.storage.models import Source, StoredModel, class_of_kind, prefixed

KIND = "finished part"
FORMAT = 1  # incremented with every change of what is learned: nobody keeps them
_SUFFIX = ".checkpoint"
Part = TypeVar("Part", bound=StoredModel)


def clear(folder: Path) -> None:
    """Removes the finished parts of a run, and the folder if nothing else is in it."""
    for path in folder.glob(f"*{_SUFFIX}"):
        remove(path)
    with suppress(OSError):
        folder.rmdir()


@dataclass(frozen=True)
class FinishedParts:
    """A folder with a file for each part that is finished; without a folder, nothing is kept.

    `identity` is what a run has in common with the one that goes on from its parts. Unless it resumes, what another run
    left is removed. `notice` is told if a part cannot be kept: training goes on without.
    """

    folder: Path | None
    resume: bool
    identity: Mapping[str, Any]
    notice: Callable[[str], None] = field(default=lambda message: None)

    @classmethod
    def of(
        cls,
        folder: str | os.PathLike[str] | None,
        resume: bool,
        identity: Mapping[str, Any],
        notice: Callable[[str], None] = lambda message: None,
    ) -> FinishedParts:
        """The parts of a run that begins now."""
        place = None if folder is None else Path(folder)
        if place is not None and place.is_dir() and not resume:
            clear(place)
        return cls(place, resume, json.loads(json.dumps(identity)), notice)

    def file(self, name: str) -> Path | None:
        """The file of a part, for one that keeps its state itself."""
        if self.folder is None:
            return None
        with suppress(OSError):  # an error, if it is one, is that of the file
            self.folder.mkdir(exist_ok=True)
        return self.folder / f"{name}{_SUFFIX}"

    def get(self, name: str, learn: Callable[[], Part]) -> Part:
        """The part as it was kept, or as it is learned now, and kept."""
        path = self.file(name)
        if path is None:
            return learn()
        if self.resume and path.exists():
            return cast(Part, self._read(path))
        part = learn()
        try:
            manifest = {"kind": KIND, "format": FORMAT, "identity": self.identity, "part": part.manifest()}
            write_arrays(path, prefixed(part.prefix, part.to_arrays()), manifest)
        except ModelError as error:
            self.notice(f"{error}; training goes on without")
        return part

    def _read(self, path: Path) -> StoredModel:
        arrays, manifest = read_arrays(path, "finished part of a training")
        if manifest.get("kind") != KIND or manifest.get("format") != FORMAT:
            raise ModelError(f"{path}: expected a finished part of a training by this version of panparser")
        if manifest.get("identity") != self.identity:
            raise SpecError(f"{path}: belongs to another run: its data, parts or training differ")
        values = manifest.get("part") or {}
        known = class_of_kind(str(values.get("kind"))) if isinstance(values, dict) else None
        if known is None:
            raise ModelError(f"{path}: expected a finished part of a training, found no model in it")
        return known.from_manifest(arrays, values, Source(str(path)))
