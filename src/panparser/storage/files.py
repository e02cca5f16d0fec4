"""Atomic writes: files appear under their name only when they are complete."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from panparser.errors import ConlluError, PanParserError


@contextmanager
def whole_file(path: Path, error: type[PanParserError] = ConlluError) -> Iterator[IO[bytes]]:
    """A stream to a temporary file beside `path`, renamed on success, so that no reader sees an incomplete file.

    Pipes and devices are written to directly. Raises `error`, with name and reason, if the file cannot be written.
    """
    try:
        if path.exists() and not path.is_file():
            with open(path, "wb") as stream:
                yield stream
            return
        place = _resolved(path)  # a link stays a link
        beside = _beside(place)
        try:
            with open(beside, "wb") as stream:
                yield stream
            if place.exists():
                beside.chmod(place.stat().st_mode & 0o777)
            os.replace(beside, place)
        finally:
            beside.unlink(missing_ok=True)
    except OSError as reason:
        raise error(f"{path}: cannot be written: {reason.strerror or reason}") from None


def write_whole(path: Path, data: bytes, error: type[PanParserError] = ConlluError) -> None:
    """Writes a file atomically: to a temporary name first."""
    with whole_file(path, error) as stream:
        stream.write(data)


def check_writable(path: Path, error: type[PanParserError]) -> None:
    """Raises `error` if `write_whole` could not write there; to be called before a long computation."""
    try:
        if path.is_dir():
            raise error(f"{path}: cannot be written: it is a folder")
        if path.exists() and not path.is_file():
            return
        beside = _beside(_resolved(path))
        with open(beside, "wb"):
            pass
        beside.unlink()
    except OSError as reason:
        raise error(f"{path}: cannot be written: {reason.strerror or reason}") from None


def remove(path: Path) -> None:
    """Removes a file, if it exists and can be removed."""
    with suppress(OSError):
        path.unlink()


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except RuntimeError as error:  # a loop of links, in Python 3.12 and older
        raise OSError(str(error)) from None


def _beside(place: Path) -> Path:
    return place.with_name(f".{place.name}.{os.getpid()}")
