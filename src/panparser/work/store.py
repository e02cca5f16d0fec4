"""CheckpointFolder: finished parts of a training run in files, for resuming after an interruption."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from panparser.errors import ModelError, SpecError
from panparser.storage.atomic import clear_abandoned, remove
from panparser.storage.containers import read_arrays, write_arrays
from panparser.storage.stored import ModelSource, StoredModel, class_of_kind, prefixed

KIND = "finished part"
FORMAT = 1  # incremented with every change of what is learned: nobody keeps them
_SUFFIX = ".checkpoint"
_NAME = re.compile(r"(tokenizer|tagger[a-z-]*|lemmatizer|parser|fold-\d+|stage-\d+(-fold-\d+)?)\.checkpoint")
Part = TypeVar("Part", bound=StoredModel)


def remove_checkpoint(path: Path) -> None:
    """Remove a checkpoint: a file, or a folder of finished parts, but no other files in it."""
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
class CheckpointFolder:
    """Store of the finished parts of a training run, one file each; does nothing if `folder` is None.

    `identity` must match for a later run to reuse the parts. If a part cannot be stored, `on_error` is called with a
    message, and training continues.
    """

    folder: Path | None
    identity: Mapping[str, Any]
    resume: bool
    on_error: Callable[[str], None]

    @classmethod
    def open(
        cls,
        folder: str | os.PathLike[str] | None,
        identity: Mapping[str, Any],
        *,
        resume: bool,
        on_error: Callable[[str], None],
    ) -> CheckpointFolder:
        """Return the folder of a run; unless it resumes, remove the parts of other runs."""
        path = None if folder is None else Path(folder)
        if path is not None and path.is_dir() and not resume:
            remove_checkpoint(path)
        return cls(path, json.loads(json.dumps(identity)), resume, on_error)

    def path(self, name: str) -> Path | None:
        """Return the file of a part, for a training that stores its own state."""
        if self.folder is None:
            return None
        with suppress(OSError):  # the error is raised when the file is written
            self.folder.mkdir(exist_ok=True)
        return self.folder / f"{name}{_SUFFIX}"

    def get(self, name: str, train: Callable[[], Part], code: Mapping[str, Any] | None = None) -> Part:
        """Load a finished part, or train and store it. `code`: what files do not hold (see `Source`)."""
        path = self.path(name)
        if path is None:
            return train()
        if self.resume and path.exists():
            return cast(Part, self._load(path, code or {}))
        part = train()
        try:
            manifest = {"kind": KIND, "format": FORMAT, "identity": self.identity, "part": part.manifest()}
            write_arrays(path, prefixed(part.prefix, part.to_arrays()), manifest)
        except ModelError as error:
            self.on_error(f"{error}; training goes on without")
        return part

    def _load(self, path: Path, code: Mapping[str, Any]) -> StoredModel:
        arrays, manifest = read_arrays(path, "finished part of a training")
        if manifest.get("kind") != KIND or manifest.get("format") != FORMAT:
            raise ModelError(f"{path}: expected a finished part of a training by this version of panparser")
        if manifest.get("identity") != self.identity:
            raise SpecError(f"{path}: belongs to another run, with other data, parts or training")
        values = manifest.get("part") or {}
        kind = class_of_kind(str(values.get("kind"))) if isinstance(values, dict) else None
        if kind is None:
            raise ModelError(f"{path}: expected a finished part of a training, found no model in it")
        return kind.from_manifest(arrays, values, ModelSource(str(path), code))
