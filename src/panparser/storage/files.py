"""Atomic writes: files appear under their name only when they are complete, and stay complete if the machine stops.

A file is written beside its place under a temporary name, brought to the disk, and renamed. A temporary file is locked
as long as somebody writes to it; those of processes that were killed are removed by whoever next writes to the folder.
"""

from __future__ import annotations

import os
import platform
import re
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from panparser.errors import ConlluError, PanParserError, SpecError
from panparser.storage.disk import Disk

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
                raise SpecError(f"{path}: is an input, and would be replaced; choose another file")
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
