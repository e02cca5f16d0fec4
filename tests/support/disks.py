"""Disks that fail, and the disk after a loss of power."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from panparser.storage.atomic import Disk


class PowerLoss(BaseException):
    """The machine stops: nothing is done any more, not even what would clear up."""


class FaultyDisk(Disk):
    """A disk that counts its steps, and at one of them fails with an error, or loses power.

    It notes what reached the disk for certain, and `outcomes` tells all that may be found there afterwards.
    """

    def __init__(self, fails_at: int = 0, error: int = 0) -> None:
        self.fails_at, self.error = fails_at, error  # error 0: a loss of power
        self.step = 0
        self.is_dead = False
        self.contents: dict[Path, list[bytes]] = {}  # of new files: what may be found in them, by the last name
        self.renamed: list[tuple[Path, Path]] = []  # not yet for certain

    def _next(self) -> None:
        if self.is_dead:
            raise PowerLoss
        self.step += 1
        if self.step == self.fails_at:
            if self.error:
                raise OSError(self.error, errno.errorcode[self.error])
            self.is_dead = True
            raise PowerLoss

    def create(self, path: Path) -> IO[bytes]:
        self._next()
        self.contents[path] = [b""]
        return _Stream(super().create(path), path, self)  # type: ignore[return-value]

    def wrote(self, path: Path, data: bytes) -> None:
        self._next()
        whole = self.contents[path][-1] + data
        self.contents[path] += [whole[: -len(data) // 2], whole]  # a part of it, or all

    def sync(self, stream: IO[bytes]) -> None:
        self._next()
        super().sync(stream)
        path = stream.path  # type: ignore[attr-defined]
        self.contents[path] = self.contents[path][-1:]

    def append(self, stream: IO[bytes], data: bytes) -> None:
        """Two steps: half of the data is written, or all of it, but nobody is told."""
        try:
            self._next()
        except (OSError, PowerLoss):
            stream.write(data[: len(data) // 2])
            raise
        super().append(stream, data)
        self._next()

    def replace(self, path: Path, by: Path, stream: IO[bytes]) -> None:
        self._next()
        super().replace(path, by, stream)
        self.renamed.append((by, path))

    def sync_folder(self, folder: Path) -> None:
        self._next()
        super().sync_folder(folder)
        for old, new in self.renamed:
            self.contents[new] = self.contents.pop(old)
        self.renamed.clear()

    def remove(self, path: Path) -> None:
        self._next()
        super().remove(path)

    def outcomes(self, path: Path, before: bytes | None) -> Iterator[bytes | None]:
        """What may be found under a name after a loss of power, if `before` was there at first (None: nothing)."""
        yield from self.contents.get(path, [before])
        for old, new in self.renamed:  # perhaps on the disk, perhaps not
            if new == path:
                yield from self.contents[old]


class _Stream:
    """A stream that tells its disk of every write."""

    def __init__(self, stream: IO[bytes], path: Path, disk: FaultyDisk) -> None:
        self._stream, self.path, self._disk = stream, path, disk

    def write(self, data: Any) -> int:
        self._disk.wrote(self.path, bytes(data))
        return self._stream.write(data)

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
