"""Pruning: which weights a model can do without."""

from __future__ import annotations

from collections.abc import Callable

from panparser.errors import SpecError
from panparser.learning.layers import Layer
from panparser.parsing.parser import Parser
from panparser.storage.arrays import encode

_SEARCH_STEPS = 12  # for the smallest weight kept
_CALIBRATION_BYTES = 2048  # that a manifest may need for the calibration
_MAX_WEIGHT = 1e6  # updates


def room_for_layer(max_size: int, parser: Parser, epochs: int) -> int:
    """Bytes for the last layer of a parser in a file of that size; `epochs` more will be recorded in it."""
    vectors = parser.vectors.to_arrays() if parser.vectors else {}
    taken = (
        len(encode({}, parser.manifest())) + 512 * (epochs + 1) + 1024 + 1024 * len(parser.layers) + _CALIBRATION_BYTES
    )
    return max_size - taken - sum(layer.size for layer in parser.layers[:-1]) - sum(a.nbytes for a in vectors.values())


def prune(layer: Callable[[float], Layer], least: float, room: int | None) -> tuple[float, Layer]:
    """The smallest weight kept, and the layer: `least`, or larger if needed to fit into `room` (bytes)."""
    found = layer(least)
    if room is None or found.size <= room:
        return least, found
    low, high = least, max(1.0, 2 * least)
    while (found := layer(high)).size > room:
        if high > _MAX_WEIGHT:
            raise SpecError(f"train: max_size is too small: {found.size - room} more bytes are needed at least")
        low, high = high, 4 * high
    for _ in range(_SEARCH_STEPS):
        middle = (low + high) / 2
        if (tried := layer(middle)).size > room:
            low = middle
        else:
            high, found = middle, tried
    return high, found
