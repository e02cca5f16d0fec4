"""Weights as the engine has them, and the labels that they score."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import POSITIVE, Interval, check_number
from panparser.base.kinds import BOOLEAN, COUNT, TEXT, ListOf, Row, check, integer, number
from panparser.errors import SpecError
from panparser.systems.transition_system import TransitionSystem

_SHIFT = integer(0, 62)
LAYER = Row(number(POSITIVE), number(POSITIVE), COUNT, _SHIFT, _SHIFT, minimum=3)  # of a manifest
_ARRAYS = ("lines", "label_lines", "tables", "label_rows")  # of a layer
# Lines of labels as the engine has them: tags of two bytes, 0 if there is none, then where each row begins.
_LINE, _SLOTS = 64, 10
_TAGS, _PLACES = slice(0, 2 * _SLOTS), slice(2 * _SLOTS, 6 * _SLOTS)
_NARROW = 256  # labels, up to which the numbers in a row are bytes
_Lines = npt.NDArray[np.uint8]  # (lines, bytes)
_EMPTY: _Lines = np.zeros((1, _LINE), dtype=np.uint8)  # of a template without weights


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
            check_number("Layer: scale", scale, Interval(0, 1e30, "()"))

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

    # --- Templates ---

    def extended(self, templates: int) -> Layer:
        """The layer for so many templates: it has no weights for those that are new, which come after its own."""
        more = templates - (len(self.tables) // 2 - 1)
        return self if not more else self._with_lines(lambda own: [*own, *(_EMPTY for _ in range(more))])

    def emptied(self, templates: Collection[int]) -> Layer:
        """The layer without weights for the templates of these numbers."""
        emptied = self._with_lines(lambda own: [_EMPTY if n in templates else lines for n, lines in enumerate(own)])
        return emptied._without_unused_rows()

    def _with_lines(self, change: Callable[[list[_Lines]], list[_Lines]]) -> Layer:
        """The layer with other lines, which are given and made by template."""
        pairs = zip(np.split(self.tables, 2), (self.lines, self.label_lines), strict=True)
        made = [change(np.split(lines.reshape(-1, _LINE), firsts[1:-1])) for firsts, lines in pairs]
        firsts = [np.cumsum([0, *map(len, lines)], dtype=np.uint32) for lines in made]
        lines, label_lines = (np.concatenate(each).ravel() for each in made)
        return replace(self, lines=lines, label_lines=label_lines, tables=np.concatenate(firsts))

    def _without_unused_rows(self) -> Layer:
        """The layer without rows of labels that no line tells of."""
        lines = self.label_lines.reshape(-1, _LINE).copy()
        is_taken = lines[:, _TAGS].copy().view(np.uint16) != 0
        places = lines[:, _PLACES].copy().view(np.uint32)
        starts, of = np.unique(places[is_taken], return_inverse=True)
        sizes = self._row_sizes(starts)
        firsts = np.cumsum(sizes) - sizes
        places[is_taken] = firsts[of]
        lines[:, _PLACES] = places.view(np.uint8)
        kept = np.repeat(starts - firsts, sizes) + np.arange(sizes.sum())
        return replace(self, label_lines=lines.ravel(), label_rows=self.label_rows[kept])

    def _row_sizes(self, starts: npt.NDArray[np.uint32]) -> npt.NDArray[np.int64]:
        """Bytes of rows of labels: a number of cells, each a label and its weight; or 0 and a weight for each label."""
        bytes_of_number = 1 if self.labels <= _NARROW else 2
        cells = self.label_rows[starts].astype(np.int64)
        if bytes_of_number > 1:
            cells += self.label_rows[starts + 1].astype(np.int64) << 8
        return bytes_of_number + np.where(cells > 0, cells * (bytes_of_number + 1), self.labels)

    # --- Files ---

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


LABELS = ListOf(Row(TEXT, BOOLEAN, BOOLEAN))  # of a manifest: name, of Root's children, of other words


@dataclass(frozen=True)
class Labels:
    """The labels of a parser, and which of them Root's children have, and the other words."""

    names: tuple[str, ...] = ()
    of_root: tuple[bool, ...] = ()
    of_words: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        if not all(isinstance(name, str) and name for name in self.names) or len(set(self.names)) < len(self.names):
            raise SpecError(f"Labels: names must be different texts; got {self.names!r}")
        if not len(self.names) == len(self.of_root) == len(self.of_words):
            raise SpecError(
                f"Labels: of_root and of_words must have a value for each of {len(self.names)} labels; got {self!r}"
            )

    @classmethod
    def anywhere(cls, names: tuple[str, ...]) -> Labels:
        """Labels that every arc may have."""
        return cls(names, (True,) * len(names), (True,) * len(names))
