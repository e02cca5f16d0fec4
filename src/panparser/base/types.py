"""Types of arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

IntArray = npt.NDArray[np.int32]  # what the engine reads and writes: heads, labels, positions, actions
LongArray = npt.NDArray[np.int64]
KeyArray = npt.NDArray[np.uint64]  # keys of features, hashes of strings
ByteArray = npt.NDArray[np.uint8]
BoolArray = npt.NDArray[np.bool_]
FloatArray = npt.NDArray[np.float64]
