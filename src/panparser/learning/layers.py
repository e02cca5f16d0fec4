"""Layer: the weights of a perceptron as the engine parses with them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import SpecError
from panparser.storage.values import COUNT, Row, check, integer, number
from panparser.systems.table import TransitionSystem

_SHIFT = integer(0, 62)
LAYER = Row(number(0, above=True), number(0, above=True), COUNT, _SHIFT, _SHIFT, least=3)  # of a manifest
_ARRAYS = ("lines", "label_lines", "tables", "label_rows")  # of a layer


class VectorWeights(NamedTuple):
    """Weights for vectors: of actions and of labels, and the bits that the engine shifts each by."""

    actions: npt.NDArray[np.int16]
    labels: npt.NDArray[np.int16]
    action_shift: int
    label_shift: int

    @classmethod
    def of(cls, weights: _engine.CompactVectors) -> VectorWeights:
        """What a learner made."""
        return cls(
            actions=weights.actions,
            labels=weights.labels,
            action_shift=weights.action_shift,
            label_shift=weights.label_shift,
        )


@dataclass(frozen=True)
class Layer:
    """Weights as the engine parses with them, and their scale: the size of one update."""

    lines: npt.NDArray[np.uint8]
    label_lines: npt.NDArray[np.uint8]
    tables: npt.NDArray[np.uint32]
    label_rows: npt.NDArray[np.uint8]
    action_scale: float
    label_scale: float
    labels: int
    vectors: VectorWeights | None = None

    def __post_init__(self) -> None:
        for scale in (self.action_scale, self.label_scale):
            if not isinstance(scale, int | float) or not 0 < scale < 1e30:
                raise SpecError(f"scales of Layer must be numbers above 0; got {scale!r}")

    @classmethod
    def of(cls, arrays: _engine.LayerArrays, vectors: VectorWeights | None = None) -> Layer:
        """The layer that a learner made."""
        return cls(
            lines=arrays.lines,
            label_lines=arrays.label_lines,
            tables=arrays.tables,
            label_rows=arrays.label_rows,
            action_scale=arrays.action_scale,
            label_scale=arrays.label_scale,
            labels=arrays.labels,
            vectors=vectors,
        )

    @property
    def size(self) -> int:
        return sum(array.nbytes for array in self.to_arrays().values())

    def engine(self, system: TransitionSystem) -> _engine.Layer:
        return _engine.Layer(
            classes=len(system.names),
            labels=self.labels,
            lines=self.lines,
            label_lines=self.label_lines,
            tables=self.tables,
            label_rows=self.label_rows,
            vectors=_engine.VectorLayer(**self.vectors._asdict()) if self.vectors else None,
        )

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        arrays: dict[str, npt.NDArray[Any]] = {name: getattr(self, name) for name in _ARRAYS}
        if self.vectors:
            arrays |= {"vector_actions": self.vectors.actions, "vector_labels": self.vectors.labels}
        return arrays

    def to_values(self) -> list[float]:
        """The rest, as a manifest holds it."""
        return [self.action_scale, self.label_scale, self.labels, *(self.vectors[2:] if self.vectors else ())]

    @classmethod
    def from_file(cls, arrays: dict[str, npt.NDArray[Any]], suffix: str, values: list[Any]) -> Layer:
        """What `to_arrays` (with the suffix after each name) and `to_values` took apart."""
        action_scale, label_scale, labels, *shifts = check(values, LAYER, "layer")
        lines, label_lines, tables, label_rows = (arrays[name + suffix] for name in _ARRAYS)
        vectors = None
        if shifts:
            vectors = VectorWeights(arrays["vector_actions" + suffix], arrays["vector_labels" + suffix], *shifts)
        return cls(lines, label_lines, tables, label_rows, action_scale, label_scale, labels, vectors)


def multiplied(layers: list[Layer], system: TransitionSystem, unit: int) -> list[_engine.ScaledLayer]:
    """Layers with factors that bring them to one scale, in which an update is `unit`."""
    return [
        _engine.ScaledLayer(
            layer=layer.engine(system),
            actions=max(1, round(unit / layer.action_scale)),
            labels=max(1, round(unit / layer.label_scale)),
        )
        for layer in layers
    ]


def as_multiplied(layers: list[Layer], unit: int) -> list[Layer]:
    """The layers with the scales that `multiplied`, which rounds, gives them."""
    if len(layers) == 1:
        return layers
    factors = [(max(1, round(unit / layer.action_scale)), max(1, round(unit / layer.label_scale))) for layer in layers]
    return [
        replace(layer, action_scale=unit / actions, label_scale=unit / labels)
        for layer, (actions, labels) in zip(layers, factors, strict=True)
    ]
