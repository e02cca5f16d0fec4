"""Locations of files: local paths and, with the extra `remote`, URLs such as `s3://...` that fsspec opens.

Names without `://` are paths, for which fsspec is not even imported. What is written appears whole or not at all on
this machine, and elsewhere as far as the store can do that: object stores can.
"""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from panparser.errors import ConlluError, PanParserError
from panparser.storage.atomic import check_writable, whole_file

Name = str | os.PathLike[str]


def is_remote(name: Name) -> bool:
    """Is it an address such as `s3://bucket/file`, and no path of this machine?"""
    return "://" in os.fspath(name)


def opened(name: Name) -> IO[bytes]:
    """A file, open for reading. Raises OSError."""
    if not is_remote(name):
        return open(name, "rb")
    store, path = _store(name)
    with _as_os_errors():
        stream: IO[bytes] = store.open(path, "rb")
    return stream


@contextmanager
def whole(name: Name, error: type[PanParserError] = ConlluError) -> Iterator[IO[bytes]]:
    """A stream to a file that appears under its name on success only. Raises `error` if it cannot be written."""
    if not is_remote(name):
        with whole_file(Path(name), error) as stream:
            yield stream
        return
    store, path = _store(name)
    try:
        with store.transaction:  # which ends without the file if there is an error
            with _as_os_errors():
                stream = store.open(path, "wb")
            with stream:
                yield stream
    except OSError as reason:
        raise error(f"{os.fspath(name)}: cannot be written: {reason.strerror or reason}") from None


def check_place(name: Name, error: type[PanParserError], *inputs: str | os.PathLike[str] | None) -> None:
    """Raises an error if a file of this machine could not be written there; see `check_writable`."""
    if not is_remote(name):
        check_writable(Path(name), error, *(each for each in inputs if each is None or not is_remote(each)))


def stamp(name: Name) -> str | None:
    """Tells, without reading a file, whether it has changed since; None if there is none."""
    if not is_remote(name):
        try:
            found = os.stat(name)
        except OSError:
            return None
        return f"{found.st_size}-{found.st_mtime_ns}"
    store, path = _store(name)
    with _as_os_errors():
        return f"{store.size(path)}-{store.ukey(path)}" if store.isfile(path) else None


def size_of(name: Name) -> int:
    """In bytes. Raises OSError if there is no such file."""
    if not is_remote(name):
        return os.stat(name).st_size
    store, path = _store(name)
    with _as_os_errors():
        return int(store.size(path) or 0)


def is_folder(name: Name) -> bool:
    if not is_remote(name):
        return os.path.isdir(name)
    store, path = _store(name)
    with _as_os_errors():
        return bool(store.isdir(path))


def is_empty(folder: Name) -> bool:
    """Is there nothing in a folder, hidden files included?"""
    if not is_remote(folder):
        with os.scandir(folder) as found:
            return next(found, None) is None
    store, path = _store(folder)
    with _as_os_errors():
        return not store.ls(path, detail=False)


def files_in(folder: Name) -> list[str]:
    """The files below a folder, relative to it, with /, in order; names that begin with a dot are left out."""
    found = _remote_files(folder) if is_remote(folder) else _local_files(os.fspath(folder))
    return sorted(name for name in found if not any(part.startswith(".") for part in name.split("/")))


def inside(folder: Name, name: str) -> str:
    """The place of a file below a folder."""
    folder = os.fspath(folder)
    return f"{folder.rstrip('/')}/{name}" if is_remote(folder) else os.path.join(folder, *name.split("/"))


def make_folder(folder: Name) -> None:
    """Raises OSError if it cannot be made."""
    if not is_remote(folder):
        os.makedirs(folder, exist_ok=True)
        return
    store, path = _store(folder)
    with _as_os_errors():
        store.makedirs(path, exist_ok=True)


def remove_folder(folder: Name) -> None:
    """Removes a folder with all that is in it, if it is there."""
    if not is_remote(folder):
        shutil.rmtree(folder, ignore_errors=True)
        return
    store, path = _store(folder)
    with _as_os_errors():
        if store.exists(path):
            store.rm(path, recursive=True)


class FileRange(io.RawIOBase):
    """The bytes of a file from a place on."""

    def __init__(self, name: Name, start: int) -> None:
        self.name = os.fspath(name)
        self._stream = opened(name)
        self._stream.seek(start)

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """As many bytes as are asked for, or all there are."""
        return self._stream.read(size)

    def close(self) -> None:
        self._stream.close()
        super().close()


def _local_files(folder: str) -> Iterator[str]:
    seen: set[tuple[int, int]] = set()  # links may lead in circles
    for place, folders, names in os.walk(folder, followlinks=True):
        found = os.stat(place)
        if (found.st_dev, found.st_ino) in seen:
            folders.clear()
            continue
        seen.add((found.st_dev, found.st_ino))
        above = os.path.relpath(place, folder).replace(os.sep, "/")
        for name in names:
            file = f"{place}/{name}"
            if os.path.isfile(file) or not os.path.exists(file):  # a link that leads nowhere is told, not passed over
                yield name if above == "." else f"{above}/{name}"


def _remote_files(folder: Name) -> list[str]:
    store, path = _store(folder)
    with _as_os_errors():
        names: list[str] = store.find(path)
    above = path.rstrip("/") + "/"
    return [name.removeprefix(above) for name in names]


def _store(name: Name) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ImportError(f"{os.fspath(name)}: needs a package: pip install 'panparser[remote]'") from None
    try:
        store, path = url_to_fs(os.fspath(name))
    except ImportError as error:  # of the package that reaches this kind of store
        raise ImportError(f"{os.fspath(name)}: {error}") from None
    except ValueError as error:
        raise ConlluError(f"{os.fspath(name)}: {error}") from None
    return store, path


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Packages that reach stores raise errors of their own, if they are not allowed in, say."""
    try:
        yield
    except (OSError, PanParserError):
        raise
    except Exception as error:
        raise OSError(None, f"{type(error).__name__}: {error}") from error
