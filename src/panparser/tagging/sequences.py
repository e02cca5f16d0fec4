"""Sequence models: items, feature windows, label sets, and models that label each item."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_beam, check_best, check_count, check_range, check_threads
from panparser.base.kinds import TEXT, Kind, ListOf, Table, TableOf, check, integer
from panparser.base.types import IntArray
from panparser.errors import SpecError, TemplateError
from panparser.features.atoms import CLASS, CLASSES, Atom
from panparser.features.template_lowering import LoweredWindow, lower_window
from panparser.features.templates import Template, Templates
from panparser.learning.layers import LAYER, Layer
from panparser.learning.training_record import TrainingRecord
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, prefixed, restoring, without_prefix
from panparser.treebank.treebank import Treebank

_MAX_CLASSES = 1 << 15
_WINDOW = Table({"templates": ListOf(TEXT), "columns": ListOf(TEXT), "parts": ListOf(TEXT)})
_MODEL: dict[str, Kind] = {
    "window": _WINDOW,
    "classes": integer(1, _MAX_CLASSES),
    "parts": TableOf(ListOf(integer(0, _MAX_CLASSES), maximum=_MAX_CLASSES)),
    "beam": integer(1),
}  # of a manifest, without what scores
UNKNOWN, OTHER_CLASS = -1, -2  # correct classes that are unknown, or known but not among those learned


def whole_numbers(what: str, values: npt.ArrayLike, kind: type[np.signedinteger[Any]] = np.int32) -> npt.NDArray[Any]:
    """An array of the type that the engine takes. Raises SpecError if a value is not an integer of that size."""
    array = np.asarray(values)
    if array.dtype == kind:
        return array
    if array.dtype.kind not in "biu" and array.size:
        raise SpecError(f"{what} must be integers of at most 64 bits; got {array.dtype}")
    limits = np.iinfo(kind)
    if array.size and (int(array.min()) < limits.min or int(array.max()) > limits.max):
        raise SpecError(f"{what} must be integers of {limits.bits} bits; got {int(array.min())} to {int(array.max())}")
    return np.ascontiguousarray(array, dtype=kind)


@dataclass(frozen=True, kw_only=True)
class SequenceFeatures:
    """What features see: templates over items and classes, the columns of numbers that items have beside those of a
    treebank, and the parts that classes have."""

    templates: Templates
    columns: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("columns", "parts"):
            names = getattr(self, name)
            if isinstance(names, str) or not all(isinstance(one, str) and one.isidentifier() for one in names):
                raise SpecError(f"SequenceFeatures: {name} must be a tuple of names; got {names!r}")
            object.__setattr__(self, name, tuple(names))
        if not isinstance(self.templates, Templates) or not self.templates:
            raise SpecError(f"SequenceFeatures: templates must be one or more FeatureTemplates; got {self.templates!r}")
        try:
            self._lowered  # noqa: B018 - refuses templates that do not fit
        except TemplateError as error:
            raise SpecError(f"SequenceFeatures: templates: {error}") from None

    @cached_property
    def _lowered(self) -> LoweredWindow:
        return lower_window(self.templates, self.columns, self.parts)

    @property
    def reads_treebank(self) -> bool:
        return bool(self._lowered.attributes)

    @cached_property
    def _program(self) -> _engine.SequenceProgram:
        return self._lowered.program()

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        return {
            "templates": [str(template) for template in self.templates],
            "columns": list(self.columns),
            "parts": list(self.parts),
        }

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> SequenceFeatures:
        templates = Templates.parse("\n".join(values["templates"]))
        return cls(templates=templates, columns=tuple(values["columns"]), parts=tuple(values["parts"]))


@dataclass(frozen=True)
class LabelSet:
    """Number of classes; for each part by name, its number in each class (two classes may share one)."""

    size: int
    parts: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_count("LabelSet: size", self.size)
        if self.size > _MAX_CLASSES:
            raise SpecError(f"LabelSet: size must be <= {_MAX_CLASSES}; got {self.size}")
        for name, numbers in self.parts.items():
            if len(numbers) != self.size:
                raise SpecError(f"LabelSet: part {name} must have {self.size} numbers; got {len(numbers)}")
            whole_numbers(f"part {name} of Classes", numbers)

    def to_engine(self, names: Sequence[str]) -> IntArray:
        """The whole class, then its parts by these names: a number for each class."""
        if missing := [name for name in names if name not in self.parts]:
            raise SpecError(f"LabelSet: parts must have {', '.join(names)}; {missing[0]} is missing")
        return np.array([range(self.size), *(self.parts[name] for name in names)], dtype=np.int32).reshape(-1)


@dataclass(frozen=True)
class AllowedLabels:
    """The classes that items may have: the number of a set for each item (-1: all classes), and the sets."""

    sets_of_items: IntArray
    sets: Sequence[Iterable[int]]


class SequenceItems:
    """Sequences of items. Sequence i is the items from `offsets[i]` to `offsets[i + 1]`.

    `columns`: arrays of numbers by name, one for each item. `treebank`: its words are the items.
    """

    def __init__(
        self,
        offsets: npt.NDArray[np.int64],
        columns: Mapping[str, IntArray] | None = None,
        *,
        treebank: Treebank | None = None,
        allowed: AllowedLabels | None = None,
    ) -> None:
        self.offsets = np.ascontiguousarray(whole_numbers("SequenceItems: offsets", offsets, np.int64))
        self.columns = {
            name: whole_numbers(f"column {name} of Items", column) for name, column in (columns or {}).items()
        }
        self.treebank = treebank
        self.allowed = allowed
        if self.offsets.ndim != 1 or not len(self.offsets):
            raise SpecError("SequenceItems: offsets must be an array of numbers that begins with 0")
        for name, column in self.columns.items():
            if column.shape != (self.size,):
                raise SpecError(f"SequenceItems: column {name} must have {self.size} numbers; got {column.shape}")

    @classmethod
    def from_treebank(
        cls, treebank: Treebank, columns: Mapping[str, IntArray] | None = None, allowed: AllowedLabels | None = None
    ) -> SequenceItems:
        """The words of a treebank, sentence by sentence."""
        return cls(treebank.offsets, columns, treebank=treebank, allowed=allowed)

    def __len__(self) -> int:
        """Number of sequences."""
        return len(self.offsets) - 1

    @property
    def size(self) -> int:
        """Number of items in all sequences."""
        return int(self.offsets[-1])

    def check_fit(self, window: SequenceFeatures) -> None:
        """Raise SpecError if the items have not all that a window reads."""
        if missing := [name for name in window.columns if name not in self.columns]:
            raise SpecError(f"SequenceItems: the templates read {missing[0]}, which is not a column of the items")
        if window.reads_treebank and self.treebank is None:
            raise SpecError("SequenceItems: the templates require a treebank")

    def to_engine(self, window: SequenceFeatures, classes: int) -> _engine.Sequences:
        """Return the items as the engine has them, for one window."""
        self.check_fit(window)
        if self.treebank is not None:
            self.treebank.check()
        store = self.treebank._store if self.treebank is not None else None
        columns = [self.columns[name] for name in window.columns]
        try:
            sequences = _engine.Sequences(window._program, self.offsets, store, columns)
            if self.allowed is not None:
                members = [sorted(set(chosen)) for chosen in self.allowed.sets]
                starts = np.cumsum([0, *map(len, members)], dtype=np.int32)
                flat = whole_numbers("AllowedLabels: sets", [c for chosen in members for c in chosen])
                numbers = whole_numbers("AllowedLabels: sets_of_items", self.allowed.sets_of_items)
                sequences.allow(np.ascontiguousarray(numbers), starts, flat, classes)
        except ValueError as error:
            raise SpecError(f"items: {error}") from None
        return sequences


def checked_classes(items: SequenceItems, gold: IntArray, classes: LabelSet, least: int) -> IntArray:
    """Return the gold classes of all items. Raise SpecError if they are invalid."""
    gold = np.ascontiguousarray(whole_numbers("the right classes", gold))
    if gold.shape != (items.size,) or not ((gold >= least) & (gold < classes.size)).all():
        raise SpecError(
            f"the right classes must be {items.size} numbers, one for each item, from {least} to {classes.size - 1}"
        )
    return gold


Labeling: TypeAlias = tuple[tuple[int, ...], float]  # classes of a sequence, and their score in updates


@dataclass(frozen=True)
class SequenceScorer(ABC):
    """What a `SequenceModel` classifies with: the engine's perceptron, or a classifier over states in Python."""

    window: SequenceFeatures
    classes: LabelSet
    declared: ClassVar[Mapping[str, Kind]]  # its entries in a manifest

    @abstractmethod
    def predict(self, items: SequenceItems, beam: int, threads: int) -> IntArray:
        """Return the class of each item."""

    @abstractmethod
    def best(self, items: SequenceItems, sequence: int, width: int, count: int) -> list[Labeling]:
        """Return at most `count` labelings of a sequence, best first; a width of 0 is exhaustive search."""

    @abstractmethod
    def to_arrays(self) -> Arrays:
        """Return what was learned."""

    @abstractmethod
    def to_values(self) -> dict[str, Any]:
        """Return the `declared` entries of a manifest."""

    @classmethod
    @abstractmethod
    def restore(
        cls, window: SequenceFeatures, classes: LabelSet, arrays: Arrays, values: Mapping[str, Any], source: ModelSource
    ) -> Self:
        """Return the scorer of `to_arrays` and `to_values`."""


@dataclass(frozen=True)
class EngineSequences(SequenceScorer):
    """The averaged weights of the engine's perceptron."""

    layer: Layer
    declared: ClassVar = {"layer": LAYER}

    @cached_property
    def engine(self) -> _engine.SequenceModel:
        return _engine.SequenceModel(
            program=self.window._program,
            classes=self.classes.size,
            parts=self.classes.to_engine(self.window.parts),
            lines=self.layer.lines,
            label_lines=self.layer.label_lines,
            tables=self.layer.tables,
            label_rows=self.layer.label_rows,
            labels=self.layer.labels,
            action_scale=self.layer.action_scale,
            label_scale=self.layer.label_scale,
        )

    def predict(self, items: SequenceItems, beam: int, threads: int) -> IntArray:
        return self.engine.predict(items.to_engine(self.window, self.classes.size), beam, threads)

    def best(self, items: SequenceItems, sequence: int, width: int, count: int) -> list[Labeling]:
        labelings = self.engine.best(items.to_engine(self.window, self.classes.size), sequence, width, count)
        return [(tuple(classes), score) for classes, score in labelings]

    def to_arrays(self) -> Arrays:
        return self.layer.to_arrays()

    def to_values(self) -> dict[str, Any]:
        return {"layer": self.layer.to_values()}

    @classmethod
    def restore(
        cls, window: SequenceFeatures, classes: LabelSet, arrays: Arrays, values: Mapping[str, Any], source: ModelSource
    ) -> Self:
        scorer = cls(window, classes, Layer.from_file(dict(arrays), "", values["layer"]))
        scorer.engine  # noqa: B018 - checks every number in the arrays
        return scorer


class SequenceModel:
    """A trained model that classifies items. Made by `train_sequences`."""

    def __init__(self, scorer: SequenceScorer, beam: int = 1) -> None:
        check_beam(beam, "SequenceModel")
        self.scorer = scorer
        self.beam = beam
        self.training = TrainingRecord()

    @property
    def window(self) -> SequenceFeatures:
        """What its features read."""
        return self.scorer.window

    @property
    def classes(self) -> LabelSet:
        """The classes that it predicts."""
        return self.scorer.classes

    def predict(self, items: SequenceItems, *, beam: int | None = None, threads: int = 1) -> IntArray:
        """Return the class of each item, the same for any number of threads."""
        beam = self.beam if beam is None else beam
        check_beam(beam, "predict")
        check_threads("predict: threads", threads)
        return self.scorer.predict(items, beam, threads)

    def best(self, items: SequenceItems, sequence: int, count: int, *, beam: int | None = None) -> list[Labeling]:
        """Return at most `count` different lists of classes for one sequence, with their scores (in updates), best
        first.

        The beam is at least as wide; `beam=0`: exhaustive search.
        """
        check_best(count, beam, "best: count")
        if beam != 0:
            check_beam(self.beam if beam is None else beam, "best")
        width = 0 if beam == 0 else max(self.beam if beam is None else beam, count)
        check_range("best: sequence", sequence, 0, len(items) - 1)
        return self.scorer.best(items, sequence, width, count)

    @property
    def size(self) -> int:
        """Size of what was learned, in bytes."""
        return sum(array.nbytes for array in self.to_arrays().values())

    # --- Files ---

    def to_arrays(self, prefix: str = "") -> Arrays:
        """Return arrays by name, each with the prefix before it."""
        return prefixed(prefix, self.scorer.to_arrays())

    def to_values(self) -> dict[str, Any]:
        """Return the rest, as a manifest holds it."""
        return {
            "window": self.window.to_values(),
            "classes": self.classes.size,
            "parts": {name: list(map(int, numbers)) for name, numbers in self.classes.parts.items()},
            **self.scorer.to_values(),
            "beam": self.beam,
        }

    @classmethod
    def from_file(
        cls,
        arrays: Arrays,
        values: Mapping[str, Any],
        prefix: str = "",
        *,
        scorer: type[SequenceScorer] = EngineSequences,
        source: ModelSource | None = None,
    ) -> SequenceModel:
        """Restore the results of `to_arrays` and `to_values`. Raise ModelError if any value is invalid."""
        with restoring("model of sequences"):
            check(values, Table({**_MODEL, **scorer.declared}), "model")
            window, classes = (
                SequenceFeatures.from_values(values["window"]),
                LabelSet(values["classes"], values["parts"]),
            )
            own = without_prefix(prefix, arrays)
            return cls(scorer.restore(window, classes, own, values, source or ModelSource()), values["beam"])


BOUNDARY = "<boundary>"


@dataclass(frozen=True)
class ItemReader:
    """Reads features of items; `given` are the classes of the items before, as texts of their numbers."""

    window: SequenceFeatures
    items: SequenceItems
    parts: Mapping[str, Sequence[int]]

    def feature(self, template: Template, sequence: int, given: Sequence[str]) -> str:
        return f"{template}: {[self.value(atom, sequence, given) for atom in template.atoms]}"

    def value(self, atom: Atom, sequence: int, given: Sequence[str]) -> str:
        base = atom.addresses[0].base
        if base in CLASSES:
            ago = int(base[2:])
            if ago > len(given):
                return BOUNDARY
            return given[-ago] if atom.name == CLASS else str(self.parts[atom.name][int(given[-ago])])
        first, end = self.items.offsets[sequence], self.items.offsets[sequence + 1]
        at = int(first) + len(given) + int(base[1:])
        if not first <= at < end:
            return BOUNDARY
        if atom.name in self.items.columns:
            return str(self.items.columns[atom.name][at])
        return self.text(at, atom)

    def text(self, word: int, atom: Atom) -> str:
        """An attribute that comes from the treebank."""
        treebank = self.items.treebank
        assert treebank is not None
        of_form = atom.name in ("lower", "prefix", "suffix", "shape", "lower_prefix", "lower_suffix")
        column = "form" if of_form else atom.name
        text: str = treebank.vocabulary(column)[treebank.column(column)[word]]
        if atom.name == "shape":
            return shape(text)
        if atom.name.startswith("lower"):
            text = text.lower()
        number = int(atom.key) if isinstance(atom.key, int) else 0
        if atom.name.endswith("prefix"):
            return text[:number]
        return text[-number:] if atom.name.endswith("suffix") else text


def shape(text: str) -> str:
    """Kinds of characters, with repeats collapsed: X capitals, x other letters, d digits, others unchanged."""
    kinds = ["X" if c != c.lower() else "d" if c in "0123456789" else "x" if c.isalpha() else c for c in text]
    return "".join(kind for kind, _ in groupby(kinds))
