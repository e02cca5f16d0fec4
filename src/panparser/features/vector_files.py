"""Files of embeddings: word2vec text, with or without a first line of counts, and binary; optionally gzipped."""

from __future__ import annotations

import codecs
import gzip
import io
import math
import os
import zlib
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

import numpy as np
import numpy.typing as npt

from panparser.errors import VectorError

MOST_DIMENSIONS = 2048
_SNIFF_BYTES = 1 << 16  # examined to detect the format
_LONGEST_WORD = 1 << 12
_DIGITS = 18  # of the numbers in the first line
_LARGEST = float(np.finfo(np.float32).max)
_CONTROLS = frozenset(range(32)) - frozenset(b"\t\n\r")

Floats = npt.NDArray[np.float32]


@dataclass(frozen=True)
class _Format:
    """The format detected at the beginning of a file. `count` is None if the file does not give it."""

    count: int | None
    dimensions: int
    binary: bool


def read_file(path: str | os.PathLike[str], limit: int | None) -> tuple[list[str], Floats]:
    """Words in order, without duplicates (the first is kept), and their vectors."""
    name = os.fspath(path)
    with _open(name) as stream:
        form = _recognize(stream.read(_SNIFF_BYTES), name)
    words: dict[str, int] = {}
    values = array("f")
    with _open(name) as stream:
        if form.count is not None:
            stream.readline()
        entries = _binary(stream, form, name, limit) if form.binary else _text(stream, form, name, limit)
        for word, numbers in entries:
            if words.setdefault(word, len(words)) * form.dimensions == len(values):
                values.extend(numbers)
    return list(words), np.frombuffer(values, dtype=np.float32).reshape(len(words), form.dimensions)


@contextmanager
def _open(name: str) -> Iterator[IO[bytes]]:
    try:
        with open(name, "rb") as raw:
            packed = raw.peek(2)[:2] == b"\x1f\x8b"
            yield io.BufferedReader(gzip.GzipFile(fileobj=raw), 1 << 20) if packed else raw
    except (OSError, EOFError, zlib.error) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise VectorError(f"{name}: cannot be read: {reason}") from None


def _recognize(head: bytes, name: str) -> _Format:
    first, _, rest = head.partition(b"\n")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        form = _Format(None, len(fields) - 1, False)
    elif max(map(len, fields)) > _DIGITS:
        form = _Format(None, 0, False)
    else:
        count, dimensions = int(fields[0]), int(fields[1])
        form = _Format(count, dimensions, _is_binary(rest, dimensions))
    if not 1 <= form.dimensions <= MOST_DIMENSIONS:
        raise VectorError(
            f"{name}:1: expected the numbers of vectors and dimensions, or a word and its 1 to {MOST_DIMENSIONS} "
            f"numbers, found {_shown(first)}"
        )
    return form


def _is_binary(rest: bytes, dimensions: int) -> bool:
    """Are the bytes after the first word not text?"""
    _, _, numbers = rest.partition(b" ")
    if _floats(numbers.partition(b"\n")[0].split()) is not None:
        return False
    numbers = numbers[: 4 * dimensions]
    try:
        codecs.getincrementaldecoder("utf-8")().decode(numbers)
    except UnicodeDecodeError:
        return True
    return not _CONTROLS.isdisjoint(numbers)


def _text(stream: IO[bytes], form: _Format, name: str, limit: int | None) -> Iterator[tuple[str, Sequence[float]]]:
    found, first = 0, 1 if form.count is None else 2
    for number, line in enumerate(stream, start=first):
        if not line.strip():
            continue
        if found == limit:
            return
        found += 1
        if form.count is not None and found > form.count:
            raise VectorError(f"{name}:{number}: expected {form.count} vectors, as line 1 says, found more")
        word, *fields = line.rsplit(None, form.dimensions)
        numbers = _floats(fields)
        # Words may contain spaces; if a number is missing, the word is taken for one.
        if numbers is None or len(numbers) != form.dimensions or not word.strip():
            raise VectorError(f"{name}:{number}: expected a word and {form.dimensions} numbers, found {_shown(line)}")
        yield word.decode("utf-8", "replace"), numbers
    if form.count is not None and found < form.count:
        raise VectorError(f"{name}: expected {form.count} vectors, as line 1 says, found {found}")


def _binary(stream: IO[bytes], form: _Format, name: str, limit: int | None) -> Iterator[tuple[str, Floats]]:
    count = form.count or 0
    for number in range(1, (count if limit is None else min(count, limit)) + 1):
        word = _binary_word(stream)
        data = stream.read(4 * form.dimensions)
        if word is None or len(data) < 4 * form.dimensions:
            found = "no word" if word is None else f"{len(data)} bytes"
            raise VectorError(
                f"{name}: vector {number} of {count}: expected a word and {4 * form.dimensions} bytes, found {found}"
            )
        numbers = np.frombuffer(data, dtype="<f4")
        if not np.isfinite(numbers).all():
            raise VectorError(f"{name}: vector {number} of {count}: expected finite numbers, found {numbers.tolist()}")
        yield word.decode("utf-8", "replace"), numbers
    if (limit is None or limit > count) and stream.read(2) not in (b"", b"\n"):
        raise VectorError(f"{name}: expected {count} vectors, as line 1 says, found more")


def _binary_word(stream: IO[bytes]) -> bytes | None:
    word = bytearray()
    while (letter := stream.read(1)) != b" ":
        if not letter or len(word) > _LONGEST_WORD:
            return None
        word += letter
    return bytes(word).lstrip(b"\n") or None  # the original program ends each vector with a line feed


def _floats(fields: Sequence[bytes]) -> list[float] | None:
    """The numbers, if all are valid and finite."""
    try:
        numbers = list(map(float, fields))
    except ValueError:
        return None
    return numbers if numbers and math.isfinite(sum(numbers)) and max(map(abs, numbers)) <= _LARGEST else None


def _shown(line: bytes) -> str:
    text = line.rstrip(b"\r\n").decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= 60 else text[:57] + "...")
