"""Atomic files: a file appears complete or not at all, also on a full disk."""

from __future__ import annotations

import errno
import os
import platform
import re
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from panparser.errors import ConlluError, PanParserError, SpecError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_DAY_SECONDS = 24 * 60 * 60  # seconds
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
                if time.time() - path.stat().st_mtime > _DAY_SECONDS:
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


disk = Disk()
_MACHINE = f"{zlib.crc32(platform.node().encode()):08x}"
_TEMPORARY = re.compile(r"\.panparser-([0-9a-f]{8})-[0-9a-f]{16}\.part")  # by machine
_STREAM = re.compile(r"/dev/(?:std(out|err)|fd/(\d+))|/proc/self/fd/(\d+)")
_cleared: set[Path] = set()  # folders: one look at each is enough, and large ones take time


@contextmanager
def whole_file(
    path: Path,
    error: type[PanParserError] = ConlluError,
    *,
    ready: Callable[[IO[bytes]], None] | None = None,
    lasting: bool = True,
) -> Iterator[IO[bytes]]:
    """A stream to a temporary file beside `path`, renamed on success, so that no reader sees an incomplete file.

    `ready` is called with the stream just before that, when all is on the disk; if it raises, nothing is renamed. Pipes
    and devices are written to directly. Not `lasting`: it is brought to the disk by `settle` later, and a loss of power
    before that may damage it. Raises `error`, with name and reason, if the file cannot be written.
    """
    try:
        if _is_written_directly(path):
            number = _stream_number(path)
            with open(path if number is None else os.dup(number), "wb") as device:
                yield device
            return
        place = _replaceable(path)
        beside, stream = _created(place.parent)
        try:
            with stream:
                if place.exists():
                    beside.chmod(place.stat().st_mode & 0o777)
                yield stream
                if lasting:
                    disk.sync(stream)
                else:
                    stream.flush()
                if ready is not None:
                    ready(stream)
                disk.replace(place, by=beside, stream=stream)
            if lasting:
                disk.sync_folder(place.parent)
        finally:
            with suppress(OSError):
                disk.remove(beside)
    except OSError as reason:
        raise error(f"{path}: cannot be written: {reason.strerror or reason}") from None


def write_whole(path: Path, data: bytes, error: type[PanParserError] = ConlluError, *, lasting: bool = True) -> None:
    """Writes a file atomically: to a temporary name first. Not `lasting`: see `whole_file`."""
    with whole_file(path, error, lasting=lasting) as stream:
        stream.write(data)


def settle(paths: Sequence[Path], error: type[PanParserError] = ConlluError) -> None:
    """Returns when files that are not lasting would survive a loss of power; those that are gone are left out."""
    for path in paths:
        try:
            with suppress(FileNotFoundError), open(path, "rb+") as stream:
                disk.sync(stream)
        except OSError as reason:
            raise error(f"{path}: cannot be written: {reason.strerror or reason}") from None
    for folder in {path.parent for path in paths}:
        disk.sync_folder(folder)


@contextmanager
def only_one(folder: Path) -> Iterator[None]:
    """Waits until no other process is here with the same folder; where there are no locks, nobody waits."""
    with disk.locked(folder):
        yield


def check_writable(path: Path, error: type[PanParserError], *inputs: str | os.PathLike[str] | None) -> None:
    """Raises `error` if `write_whole` could not write there, SpecError if it would replace an input of the same work.

    To be called before a long computation.
    """
    try:
        if path.is_dir():
            raise error(f"{path}: cannot be written: it is a folder")
        if _is_written_directly(path):
            return
        for each in inputs:
            if each is not None and os.path.isfile(each) and path.is_file() and path.samefile(each):
                raise SpecError(f"{path}: is an input file; choose another output file")
        beside, stream = _created(_replaceable(path).parent)
        try:
            stream.close()
        finally:
            disk.remove(beside)
    except OSError as reason:
        raise error(f"{path}: cannot be written: {reason.strerror or reason}") from None


def remove(path: Path) -> None:
    """Removes a file, if it exists and can be removed."""
    with suppress(OSError):
        path.unlink()


def _is_written_directly(path: Path) -> bool:
    """Is it a pipe, a device, or a stream that is open already?"""
    return _stream_number(path) is not None or (path.exists() and not path.is_file())


def _stream_number(path: Path) -> int | None:
    found = _STREAM.fullmatch(os.path.abspath(path))
    if found is None:
        return None
    return {"out": 1, "err": 2}.get(found[1]) or int(found[2] or found[3])


def _replaceable(path: Path) -> Path:
    """Where the file really is: a link stays a link. Raises OSError if it is write-protected."""
    try:
        place = path.resolve()
    except RuntimeError as error:  # a loop of links, in Python 3.12 and older
        raise OSError(str(error)) from None
    if place.exists() and not (place.stat().st_mode & 0o222 and os.access(place, os.W_OK)):
        raise PermissionError(None, "it is write-protected")
    return place


def _created(folder: Path) -> tuple[Path, IO[bytes]]:
    """A new temporary file."""
    clear_abandoned(folder)
    beside = folder / f".panparser-{_MACHINE}-{os.urandom(8).hex()}.part"
    return beside, disk.create(beside)


def clear_abandoned(folder: Path) -> None:
    """Removes what killed processes left in a folder; once in the life of this process."""
    if folder in _cleared:
        return
    _cleared.add(folder)
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            found = _TEMPORARY.fullmatch(entry.name)
            if found and entry.is_file(follow_symlinks=False):
                disk.remove_abandoned(Path(entry.path), is_ours=found[1] == _MACHINE)
