"""Which weights a model can do without."""

from __future__ import annotations

from collections.abc import Callable

from panparser.errors import SpecError
from panparser.learning.layers import Layer
from panparser.parsing.parser import Parser
from panparser.storage.arrays import encode

_STEPS = 12  # of the search for the least weight that is kept
_CONFIDENCE = 2048  # bytes that a manifest may need to tell of it
_MOST = 1e6  # updates: no weight is above


def room_for_layer(max_size: int | None, parser: Parser, epochs: int) -> int | None:
    """Bytes for the last layer of a parser in a file of that size; `epochs` more are still to be told of."""
    if max_size is None:
        return None
    vectors = parser.vectors.to_arrays() if parser.vectors else {}
    told = len(encode({}, parser.manifest())) + 512 * (epochs + 1) + 1024 + 1024 * len(parser.layers) + _CONFIDENCE
    return max_size - told - sum(layer.size for layer in parser.layers[:-1]) - sum(a.nbytes for a in vectors.values())


def prune(layer: Callable[[float], Layer], least: float, room: int | None) -> tuple[float, Layer]:
    """The least weight that is kept, and the layer of those: as asked for, or above if `room` (bytes) asks for it."""
    found = layer(least)
    if room is None or found.size <= room:
        return least, found
    low, high = least, max(1.0, 2 * least)
    while (found := layer(high)).size > room:
        if high > _MOST:
            raise SpecError(f"max_size of train is too small: {found.size - room} bytes more are needed at least")
        low, high = high, 4 * high
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if (tried := layer(middle)).size > room:
            low = middle
        else:
            high, found = middle, tried
    return high, found
