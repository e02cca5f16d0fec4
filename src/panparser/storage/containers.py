"""Files of named arrays with a JSON manifest: models and checkpoints. The format is safetensors.

The first array begins at a multiple of 64 bytes, in the file and in memory, which the safetensors package does not
offer. A checksum over manifest and arrays finds every damaged file.
"""

from __future__ import annotations

import io
import json
import math
import os
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt

from panparser.base.kinds import parse_json
from panparser.errors import ModelError
from panparser.storage.atomic import whole_file

Arrays = dict[str, npt.NDArray[Any]]
_TYPES = {
    **{"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "BOOL": np.bool_},
    **{"I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64},
    **{"F16": np.float16, "F32": np.float32, "F64": np.float64},
}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
DTYPES = tuple(_NAMES)  # that arrays may have
_MAX_HEADER = 100 << 20  # bytes; the limit of safetensors
_LINE = 64  # bytes: of memory that is fetched at once
_PIECE = 1 << 24  # bytes of a pipe that are read at a time
_GZIP = b"\x1f\x8b"  # how a compressed file begins
_INVALID = (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError)


def write_arrays(path: Path, arrays: Mapping[str, npt.NDArray[Any]], manifest: Mapping[str, Any]) -> None:
    """Writes a file atomically: to a temporary name first. The same content gives the same bytes."""
    with whole_file(path, ModelError) as stream:
        for piece in _pieces(arrays, manifest):
            stream.write(piece)


def encode(arrays: Mapping[str, npt.NDArray[Any]], manifest: Mapping[str, Any]) -> bytes:
    """The bytes of such a file."""
    return b"".join(_pieces(arrays, manifest))


def _pieces(arrays: Mapping[str, npt.NDArray[Any]], manifest: Mapping[str, Any]) -> Iterator[bytes | memoryview]:
    """The file in pieces, without copying arrays: those of a checkpoint may take most of the memory."""
    text = json.dumps(manifest, ensure_ascii=False, separators=(",", ":"))
    # Lines come first: they are aligned to cache lines. Then wide numbers before narrow ones, so that all are aligned.
    names = sorted(arrays, key=lambda name: ("lines" not in name, -arrays[name].itemsize))
    parts = [np.ascontiguousarray(arrays[name]) for name in names]
    checksum = zlib.crc32(text.encode())
    entries: dict[str, Any] = {}
    end = 0
    for name, array in zip(names, parts, strict=True):
        start, end = end, end + array.nbytes
        entries[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [start, end]}
        checksum = zlib.crc32(_bytes(array), checksum)
    entries["__metadata__"] = {"panparser": text, "crc32": f"{checksum:08x}"}
    header = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    header += b" " * (-(len(header) + 8) % 64)
    yield len(header).to_bytes(8, "little") + header
    yield from map(_bytes, parts)


def _bytes(array: npt.NDArray[Any]) -> memoryview:
    return array.reshape(-1).view(np.uint8).data


def read_arrays(path: str | os.PathLike[str], kind: str) -> tuple[Arrays, dict[str, Any]]:
    """The arrays of a file (read-only) and its manifest; `kind` names what was expected.

    The file may be compressed by gzip. Arrays are read into memory, not mapped: if somebody overwrote a mapped file or
    cut it off, a model that is in use would change, or the process would end.
    """
    name = os.fspath(path)
    try:
        with _opened(name) as stream:
            return _decoded(stream, name, kind)
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror or error}") from None
    except (EOFError, zlib.error):  # of gzip
        raise ModelError(f"{name}: damaged: it cannot be decompressed") from None


def decode(data: bytes, kind: str) -> tuple[Arrays, dict[str, Any]]:
    """The arrays and the manifest of what `encode` made."""
    return _decoded(io.BytesIO(data), "<bytes>", kind)


def _decoded(stream: IO[bytes], name: str, kind: str) -> tuple[Arrays, dict[str, Any]]:
    header = _header(stream, name, kind)
    try:
        places, text, checksum = _table_of_contents(header)
    except _INVALID:
        raise ModelError(f"{name}: expected a {kind}, found another kind of file, or a damaged one") from None
    data = _read(stream, max((place.end for place in places.values()), default=0))
    if data is None:
        raise ModelError(f"{name}: damaged: its size does not match its content")
    if zlib.crc32(data.data, zlib.crc32(text.encode())) != checksum:
        raise ModelError(f"{name}: damaged: its checksum does not match its content")
    try:
        arrays = {name: place.array(data) for name, place in places.items()}
    except _INVALID:
        raise ModelError(f"{name}: expected a {kind}, found a damaged one") from None
    manifest = parse_json(text, name, ModelError)
    if not isinstance(manifest, dict):
        raise ModelError(f"{name}: expected a {kind}, found another kind of file")
    return arrays, manifest


def _stdin() -> AbstractContextManager[Any]:
    """Return standard input; its buffer may contain bytes that a command has looked at."""
    return open(0, "rb", closefd=False) if sys.stdin is None else nullcontext(sys.stdin.buffer)


@contextmanager
def _opened(name: str) -> Iterator[IO[bytes]]:
    """The file, or standard input for -; what is compressed is decompressed as it is read."""
    stream: Any
    with _stdin() if name == "-" else open(name, "rb") as stream:
        if stream.peek(2)[:2] != _GZIP:
            yield stream
            return
        import gzip  # few files need it

        yield cast(IO[bytes], gzip.GzipFile(fileobj=stream))


def _header(stream: IO[bytes], name: str, kind: str) -> bytes:
    start = stream.read(8)
    if len(start) < 8:
        raise ModelError(f"{name}: expected a {kind}, found a file of {len(start)} bytes")
    length = int.from_bytes(start, "little")
    header = stream.read(length) if length <= _MAX_HEADER else b""
    if len(header) < length:
        raise ModelError(f"{name}: expected a {kind}, found another kind of file, or a truncated one")
    return header


@dataclass(frozen=True)
class _Place:
    """Where an array is in a file, and what it is."""

    start: int
    end: int
    kind: np.dtype[Any]
    shape: tuple[int, ...]

    def __post_init__(self) -> None:
        if not all(type(number) is int and number >= 0 for number in (self.start, self.end, *self.shape)):
            raise ValueError("not a size")
        if self.end - self.start != self.kind.itemsize * math.prod(self.shape):
            raise ValueError("size and shape do not agree")

    def array(self, data: npt.NDArray[np.uint8]) -> npt.NDArray[Any]:
        own = data[self.start : self.end]
        if self.kind == np.bool_ and own.size and own.max() > 1:
            raise ValueError("neither true nor false")
        array = np.frombuffer(own, dtype=self.kind).reshape(self.shape)
        return array if array.flags.aligned else array.copy()  # other writers may not align arrays


def _table_of_contents(header: bytes) -> tuple[dict[str, _Place], str, int]:
    """Places of arrays by name, the text of the manifest, the checksum. Raises one of _INVALID."""
    entries = json.loads(header.decode())
    metadata = entries.pop("__metadata__")
    text, checksum = metadata["panparser"], int(metadata["crc32"], 16)
    for each in (text, *entries):
        each.encode()  # no lone surrogates
    return {name: _place(entry) for name, entry in entries.items()}, text, checksum


def _place(entry: Mapping[str, Any]) -> _Place:
    start, end = entry["data_offsets"]
    return _Place(start, end, np.dtype(_TYPES[entry["dtype"]]), tuple(entry["shape"]))


def _read(stream: IO[bytes], size: int) -> npt.NDArray[np.uint8] | None:
    """The rest of a file, aligned to cache lines; None if that is not `size` bytes."""
    if stream.seekable() and isinstance(stream, io.BufferedReader | io.BytesIO):
        start = stream.tell()
        if stream.seek(0, os.SEEK_END) - start != size:
            return None
        stream.seek(start)
    else:  # a pipe, or compressed: no more memory than it gives bytes
        pieces, left = [], size + 1
        while left and (piece := stream.read(min(left, _PIECE))):
            pieces.append(piece)
            left -= len(piece)
        stream = io.BytesIO(b"".join(pieces))
        if left != 1:
            return None
    room = np.empty(size + _LINE, dtype=np.uint8)
    data = room[-room.ctypes.data % _LINE :][:size]
    if cast(Any, stream).readinto(data) != size:
        return None
    data.flags.writeable = False
    return data


def check_kind(manifest: Mapping[str, Any], kind: str, path: str, newest: int) -> None:
    """Raises ModelError unless the manifest is that of a model of a kind that this panparser can read."""
    if manifest.get("kind") != kind or not isinstance(manifest.get("format"), int):
        raise ModelError(f"{path}: expected a panparser model of kind {kind!r}, found {manifest.get('kind')!r}")
    if manifest["format"] > newest:
        newer = f"written by a newer panparser (format {manifest['format']}; this one reads up to {newest})"
        raise ModelError(f"{path}: {newer}")
