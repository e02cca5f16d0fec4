"""Files of named arrays with a JSON manifest: models and checkpoints. The format is safetensors.

They are read by mapping them into memory, and the first array begins at a multiple of 64 bytes, which the safetensors
package does not offer. A checksum over manifest and arrays finds every damaged file.
"""

from __future__ import annotations

import json
import mmap
import os
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.errors import ModelError
from panparser.storage.files import whole_file

Arrays = dict[str, npt.NDArray[Any]]
_TYPES = {
    **{"U8": np.uint8, "U16": np.uint16, "U32": np.uint32, "U64": np.uint64, "BOOL": np.bool_},
    **{"I8": np.int8, "I16": np.int16, "I32": np.int32, "I64": np.int64},
    **{"F16": np.float16, "F32": np.float32, "F64": np.float64},
}
_NAMES = {np.dtype(kind): name for name, kind in _TYPES.items()}
DTYPES = tuple(_NAMES)  # that arrays may have
_MAX_HEADER = 100 << 20  # bytes; the limit of safetensors


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
    """The arrays of a file (views of its mapped bytes, read-only) and its manifest; `kind` names what was expected."""
    name = os.fspath(path)
    try:
        with open(name, "rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            if size < 8:
                raise ModelError(f"{name}: expected a {kind}, found a file of {size} bytes")
            data = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
    except OSError as error:
        raise ModelError(f"{name}: cannot be read: {error.strerror}") from None
    length = int.from_bytes(data[:8], "little")
    if length > min(size - 8, _MAX_HEADER):
        raise ModelError(f"{name}: expected a {kind}, found another kind of file, or one that is cut off")
    try:
        header = json.loads(bytes(data[8 : 8 + length]))
        metadata = header.pop("__metadata__")
        text, checksum = metadata["panparser"], int(metadata["crc32"], 16)
        arrays = {name: _array(entry, data[8 + length :]) for name, entry in header.items()}
        manifest = json.loads(text)
        if not isinstance(manifest, dict):
            raise TypeError("the manifest is not an object")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise ModelError(f"{name}: expected a {kind}, found another kind of file, or a damaged one") from None
    if zlib.crc32(data[8 + length :], zlib.crc32(text.encode())) != checksum:
        raise ModelError(f"{name}: damaged: its checksum does not fit its content")
    return arrays, manifest


def _array(entry: Any, data: memoryview) -> npt.NDArray[Any]:
    start, end = entry["data_offsets"]
    shape = tuple(entry["shape"])
    kind = np.dtype(_TYPES[entry["dtype"]])
    if not all(type(number) is int and number >= 0 for number in (start, end, *shape)) or end > len(data):
        raise ValueError("out of range")
    if end - start != kind.itemsize * int(np.prod(shape, dtype=object)):
        raise ValueError("size and shape do not agree")
    array = np.frombuffer(data[start:end], dtype=kind).reshape(shape)
    return array if array.flags.aligned else array.copy()  # other writers may not align arrays


def check_kind(manifest: Mapping[str, Any], kind: str, path: str, newest: int) -> None:
    """Raises ModelError unless the manifest is that of a model of a kind that this panparser can read."""
    if manifest.get("kind") != kind or not isinstance(manifest.get("format"), int):
        raise ModelError(f"{path}: expected a panparser model of kind {kind!r}, found {manifest.get('kind')!r}")
    if manifest["format"] > newest:
        newer = f"written by a newer panparser (format {manifest['format']}; this one reads up to {newest})"
        raise ModelError(f"{path}: {newer}")
