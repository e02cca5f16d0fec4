"""Numbers of weights in a file: as they are, with half the bits, or as bytes with a scale for each row."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.errors import ModelError
from panparser.networks.encoding import Arrays
from panparser.networks.network import Precision

_SCALE = ".scale"  # after the name of an array of bytes
_MOST = 127


def stored(arrays: Arrays, precision: Precision) -> dict[str, npt.NDArray[Any]]:
    """The arrays in fewer bits; vectors are few, and keep theirs."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in arrays.items():
        if precision == "float32" or array.ndim == 1:
            found[name] = array.astype(np.float32)
        elif precision == "float16":
            found[name] = array.astype(np.float16)
        else:
            rows = array.reshape(len(array), -1)
            scale = np.maximum(np.abs(rows).max(axis=1, initial=0), 1e-12).astype(np.float32) / np.float32(_MOST)
            found[name] = np.rint(rows / scale[:, None]).astype(np.int8).reshape(array.shape)
            found[name + _SCALE] = scale
    return found


def count_weights(arrays: Arrays) -> int:
    """How many numbers were learned, however they are stored."""
    return sum(array.size for name, array in arrays.items() if not name.endswith(_SCALE))


def restored(arrays: Arrays) -> dict[str, npt.NDArray[Any]]:
    """The arrays as float32."""
    found: dict[str, npt.NDArray[Any]] = {}
    for name, array in arrays.items():
        if name.endswith(_SCALE):
            continue
        if array.dtype == np.int8:
            scale = arrays.get(name + _SCALE)
            if scale is None or scale.dtype != np.float32 or array.ndim < 2 or scale.shape != (len(array),):
                raise ModelError(f"array {name}: expected a scale of float32 for each row, found none")
            found[name] = array.astype(np.float32) * scale.reshape(-1, *[1] * (array.ndim - 1))
        elif array.dtype in (np.float16, np.float32):
            found[name] = array.astype(np.float32)
        else:
            raise ModelError(f"array {name}: expected float32, float16 or int8, found {array.dtype}")
    return found
