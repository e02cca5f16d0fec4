"""Finished parts of a long training, kept in files: a run that was stopped need not train them again."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from panparser.errors import ModelError, SpecError
from panparser.learning.listeners import Listener, notice
from panparser.storage.arrays import read_arrays, write_arrays
from panparser.storage.files import clear_abandoned, remove
from panparser.storage.models import Source, StoredModel, class_of_kind, prefixed

KIND = "finished part"
FORMAT = 1  # incremented with every change of what is learned: nobody keeps them
_SUFFIX = ".checkpoint"
_NAME = re.compile(r"(tokenizer|tagger[a-z-]*|lemmatizer|parser|fold-\d+|stage-\d+(-fold-\d+)?)\.checkpoint")
Part = TypeVar("Part", bound=StoredModel)


def remove_checkpoint(path: Path) -> None:
    """Removes a checkpoint: a file, or a folder of finished parts, but for what else is in it."""
    if not path.is_dir():
        remove(path)
        return
    for part in path.iterdir():
        if _NAME.fullmatch(part.name):
            remove(part)
    clear_abandoned(path)
    with suppress(OSError):
        path.rmdir()


@dataclass(frozen=True)
class FinishedParts:
    """A folder with a file for each part that is finished; without a folder, nothing is kept.

    `identity` is what a run has in common with the one that goes on from its parts. Unless it resumes, what another run
    left is removed. Listeners are told if a part cannot be kept: training goes on without.
    """

    folder: Path | None
    resume: bool
    identity: Mapping[str, Any]
    listeners: Sequence[Listener] = ()

    @classmethod
    def of(
        cls,
        folder: str | os.PathLike[str] | None,
        resume: bool,
        identity: Mapping[str, Any],
        listeners: Sequence[Listener] = (),
    ) -> FinishedParts:
        """The parts of a run that begins now."""
        place = None if folder is None else Path(folder)
        if place is not None and place.is_dir() and not resume:
            remove_checkpoint(place)
        return cls(place, resume, json.loads(json.dumps(identity)), listeners)

    def file(self, name: str) -> Path | None:
        """The file of a part, for one that keeps its state itself."""
        if self.folder is None:
            return None
        with suppress(OSError):  # an error, if it is one, is that of the file
            self.folder.mkdir(exist_ok=True)
        return self.folder / f"{name}{_SUFFIX}"

    def get(self, name: str, learn: Callable[[], Part], code: Mapping[str, Any] | None = None) -> Part:
        """The part as it was kept, or as it is learned now, and kept. `code`: what files do not hold (see `Source`)."""
        path = self.file(name)
        if path is None:
            return learn()
        if self.resume and path.exists():
            return cast(Part, self._read(path, code or {}))
        part = learn()
        try:
            manifest = {"kind": KIND, "format": FORMAT, "identity": self.identity, "part": part.manifest()}
            write_arrays(path, prefixed(part.prefix, part.to_arrays()), manifest)
        except ModelError as error:
            notice(self.listeners, f"{error}; training goes on without")
        return part

    def _read(self, path: Path, code: Mapping[str, Any]) -> StoredModel:
        arrays, manifest = read_arrays(path, "finished part of a training")
        if manifest.get("kind") != KIND or manifest.get("format") != FORMAT:
            raise ModelError(f"{path}: expected a finished part of a training by this version of panparser")
        if manifest.get("identity") != self.identity:
            raise SpecError(f"{path}: belongs to another run: its data, parts or training differ")
        values = manifest.get("part") or {}
        known = class_of_kind(str(values.get("kind"))) if isinstance(values, dict) else None
        if known is None:
            raise ModelError(f"{path}: expected a finished part of a training, found no model in it")
        return known.from_manifest(arrays, values, Source(str(path), code))
