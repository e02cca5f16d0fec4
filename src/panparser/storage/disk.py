"""What atomic writes ask of a disk: few operations, so that tests can make each of them fail."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DAY = 24 * 60 * 60  # seconds
_UNSUPPORTED = (errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK, errno.ENOSYS)  # by some file systems


class Disk:
    """The disk of this machine."""

    def create(self, path: Path) -> IO[bytes]:
        """A new file, open for writing, that nobody removes as abandoned while this process has it open."""
        while True:
            stream = open(path, "xb")  # noqa: SIM115 - closed by the caller
            if _lock(stream, wait=True) is not True or os.fstat(stream.fileno()).st_nlink:
                return stream
            stream.close()  # somebody was faster, and took it for an abandoned one

    def sync(self, stream: IO[bytes]) -> None:
        """Returns when what was written would survive a loss of power."""
        stream.flush()
        _sync(stream.fileno())

    def append(self, stream: IO[bytes], data: bytes) -> None:
        """Writes to an unbuffered file; returns when that would survive a loss of power."""
        rest = memoryview(data)
        while rest:
            rest = rest[stream.write(rest) :]
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
        try:
            handle = os.open(folder, os.O_RDONLY)
        except PermissionError:  # it may be written to, but not read
            return
        try:
            _sync(handle)
        finally:
            os.close(handle)

    @contextmanager
    def locked(self, folder: Path) -> Iterator[None]:
        """Waits until nobody else has locked a folder, and locks it; where that cannot be done, nobody does."""
        handle = None
        if fcntl is not None:
            with suppress(OSError):  # it may be written to, but not read; or its file system has no locks
                handle = os.open(folder, os.O_RDONLY)
                fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            if handle is not None:
                os.close(handle)

    def remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)

    def remove_abandoned(self, path: Path, *, is_ours: bool) -> None:
        """Removes a file that was made by `create`, if the process that wrote it no longer lives.

        Locks tell, if it was a process of this machine; else, and where there are no locks, the file is a day old.
        """
        with suppress(OSError):
            if fcntl is None or not is_ours:
                if time.time() - path.stat().st_mtime > _DAY:
                    path.unlink()
                return
            with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW), "rb") as stream:
                if _lock(stream, wait=False):
                    path.unlink()


def _lock(stream: IO[bytes], *, wait: bool) -> bool | None:
    """Is the file locked now? None: that cannot be done here."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


def _sync(handle: int) -> None:
    try:
        if hasattr(fcntl, "F_FULLFSYNC"):  # on macOS `fsync` does not wait for the disk itself
            fcntl.fcntl(handle, fcntl.F_FULLFSYNC)
        else:
            os.fsync(handle)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
