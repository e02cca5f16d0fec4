"""Numbers of weights in a file: as they are, with half the bits, or as bytes with a scale for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.errors import ModelError
from panparser.networks.encoding import Arrays
from panparser.networks.network import Precision

_SCALE = ".scale"  # after the name of an array of bytes
_MOST = np.float32(127)
_SPARE = 7  # bits of a scale that are 0, so that its products with bytes are exact, and give the same bytes again


def stored(arrays: Arrays, precision: Precision) -> dict[str, npt.NDArray[Any]]:
    """The arrays in fewer bits; vectors are few, and keep theirs."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in sorted(arrays.items()):  # the order of a file is another one
        if precision == "float32" or array.ndim == 1:
            found[name] = array.astype(np.float32)
        elif precision == "float16":
            found[name] = array.astype(np.float16)
        else:
            rows = array.reshape(len(array), -1)
            scale = _short(np.maximum(np.abs(rows).max(axis=1, initial=0), 1e-12).astype(np.float32) / _MOST)
            found[name] = np.rint(rows / scale[:, None]).astype(np.int8).reshape(array.shape)
            found[name + _SCALE] = scale
    return found


def _short(scale: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """The nearest numbers that end in spare bits."""
    bits = scale.view(np.int32) + (1 << _SPARE - 1)
    return (bits >> _SPARE << _SPARE).view(np.float32)


def count_weights(arrays: Arrays) -> int:
    """How many numbers were learned, however they are stored."""
    return sum(array.size for name, array in arrays.items() if not name.endswith(_SCALE))


def restored(arrays: Arrays, precision: Precision) -> dict[str, npt.NDArray[Any]]:
    """The arrays as float32. Raises ModelError unless they are stored in this precision."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in arrays.items():
        expected = "float32" if array.ndim == 1 else precision
        if array.dtype != expected:
            raise ModelError(f"array {name}: expected one of {expected}, found one of {array.dtype}")
        if array.dtype != np.int8:
            found[name] = array.astype(np.float32)
            continue
        scale = arrays.get(name + _SCALE)
        if array.ndim == 0 or scale is None or scale.dtype != np.float32 or scale.shape != (len(array),):
            raise ModelError(f"array {name}: expected a scale of float32 for each row, found none")
        with np.errstate(over="ignore", invalid="ignore"):  # what is not a number is found where it is used
            found[name] = array.astype(np.float32) * scale.reshape(-1, *[1] * (array.ndim - 1))
    return {name: array for name, array in found.items() if not name.endswith(_SCALE)}
