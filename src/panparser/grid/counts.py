"""Counts of words by sentence, in few characters: errors are few, and small numbers are squeezed."""

from __future__ import annotations

import base64
import binascii
import zlib
from typing import Any

import numpy as np

from panparser._arrays import LongArray
from panparser.errors import ModelError

_TYPES: dict[str, np.dtype[Any]] = {"B": np.dtype("<u1"), "H": np.dtype("<u2"), "I": np.dtype("<u4")}
_MOST = 1 << 26  # bytes of the counts of a run


def packed(counts: Any) -> str:
    """A text for numbers that are not negative."""
    numbers = np.asarray(counts)
    most = int(numbers.max(initial=0))
    name = "B" if most < 1 << 8 else "H" if most < 1 << 16 else "I"
    return name + base64.b64encode(zlib.compress(numbers.astype(_TYPES[name]).tobytes(), 9)).decode()


def unpacked(text: str) -> LongArray:
    """The numbers of a text. Raises ModelError if it holds none."""
    try:
        squeezed = base64.b64decode(text[1:], validate=True)
        stream = zlib.decompressobj()
        data = stream.decompress(squeezed, _MOST)
        if not stream.eof:
            raise ValueError("cut off, or too long")
        numbers: LongArray = np.frombuffer(data, dtype=_TYPES[text[:1]]).astype(np.int64)
    except (ValueError, KeyError, zlib.error, binascii.Error):
        raise ModelError("expected counts of sentences, found something else") from None
    return numbers
