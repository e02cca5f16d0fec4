"""What atomic writes ask of a disk: few operations, so that tests can make each of them fail."""

from __future__ import annotations

import errno
import os
import time
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DAY = 24 * 60 * 60  # seconds
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.ENOLCK, errno.ENOSYS)  # by some network file systems


class Disk:
    """The disk of this machine."""

    def create(self, path: Path) -> IO[bytes]:
        """A new file, open for writing, and `is_abandoned` when the process that writes it ends."""
        stream = open(path, "xb")  # noqa: SIM115 - closed by the caller
        _lock(stream)
        return stream

    def sync(self, stream: IO[bytes]) -> None:
        """Returns when what was written would survive a loss of power."""
        stream.flush()
        _sync(stream.fileno())

    def replace(self, path: Path, by: Path, stream: IO[bytes]) -> None:
        """Gives a file, which is still open, and so nobody else's, the name of another, which it replaces."""
        if fcntl is None:
            stream.close()  # an open file cannot be renamed there
        os.replace(by, path)

    def sync_folder(self, folder: Path) -> None:
        """Returns when the names of a folder would survive a loss of power."""
        if os.name == "nt":
            return  # folders cannot be opened there
        handle = os.open(folder, os.O_RDONLY)
        try:
            _sync(handle)
        finally:
            os.close(handle)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def is_abandoned(self, path: Path) -> bool:
        """Was the file created by a process that no longer lives? Where this cannot be known: no."""
        try:
            if fcntl is None:  # without locks, by age
                return time.time() - path.stat().st_mtime > _DAY
            with open(path, "rb") as stream:
                return _lock(stream)
        except OSError:
            return False


def _lock(stream: IO[bytes]) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
