"""States and search for labeling sequences by any classifier."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.types import IntArray
from panparser.batches.batch_search import BatchSearch, ClassifierPool, batches
from panparser.batches.classifier import (
    CLASSIFIER_PREFIX,
    STORED,
    Classifier,
    StoredClassifier,
    checked_arrays,
    classifier_values,
    restored_classifier,
    text_key,
)
from panparser.batches.item_states import PythonObjectStates, StateNode
from panparser.errors import SpecError
from panparser.features.atoms import CLASSES
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, prefixed
from panparser.tagging.sequences import ItemReader, Labeling, LabelSet, SequenceFeatures, SequenceItems, SequenceScorer

Given = tuple[str, ...]  # the classes given so far, as texts of their numbers


class SequenceStates(PythonObjectStates):
    """States of sequences: the classes given so far. `gold` are the classes of all items, for costs."""

    def __init__(
        self, window: SequenceFeatures, items: SequenceItems, classes: LabelSet, gold: IntArray | None = None
    ) -> None:
        self.items = items
        self.gold = gold
        self.reader = ItemReader(window, items, classes.parts)
        self._fixed: dict[int, npt.NDArray[np.uint64]] = {}  # keys that depend on the item alone
        reads_classes = [any(atom.addresses[0].base in CLASSES for atom in t.atoms) for t in window.templates]
        pairs = list(zip(window.templates, reads_classes, strict=True))
        self._of_items = [template for template, reads in pairs if not reads]
        self._of_classes = [template for template, reads in pairs if reads]
        super().__init__([str(number) for number in range(classes.size)], len(items))

    def make_initial(self, example: int) -> tuple[int, Given]:
        return example, ()

    def length_of(self, example: int) -> int:
        return int(self.items.offsets[example + 1] - self.items.offsets[example])

    def find_legal(self, state: tuple[int, Given], example: int) -> tuple[Sequence[int], int]:
        if len(state[1]) == self.length_of(example):
            return (), 0
        allowed = self.items.allowed
        number = -1 if allowed is None else int(allowed.sets_of_items[self._place(state)])
        if allowed is None or number < 0:
            return range(len(self.names)), 0
        return sorted(allowed.sets[number]), 0

    def _place(self, state: tuple[int, Given]) -> int:
        return int(self.items.offsets[state[0]]) + len(state[1])

    def make_next(self, state: tuple[int, Given], action: int, label: int, example: int) -> tuple[int, Given]:
        return state[0], (*state[1], self.names[action])

    def find_costs(self, node: StateNode, example: int) -> Sequence[int]:
        if self.gold is None:
            raise SpecError("costs: the items need gold classes")
        gold = int(self.gold[self._place(node.state)])
        return [int(gold >= 0 and action != gold) for action in node.legal]

    def make_keys(self, rows: Sequence[StateNode]) -> Any:
        found = []
        for node in rows:
            sequence, given = node.state
            place = self._place(node.state)
            if place not in self._fixed:
                self._fixed[place] = self._keys(self._of_items, sequence, given)
            found.append(np.concatenate([self._fixed[place], self._keys(self._of_classes, sequence, given)]))
        return found

    def _keys(self, templates: Sequence[Any], sequence: int, given: Given) -> npt.NDArray[np.uint64]:
        texts = [self.reader.feature(template, sequence, given) for template in templates]
        return np.array([text_key(text) for text in texts], dtype=np.uint64)

    def classes_of(self, state: int) -> list[int]:
        return [int(name) for name in self.nodes[state].state[1]]


@dataclass(frozen=True)
class ClassifierSequences(SequenceScorer):
    """A trained classifier over states in Python."""

    classifier: Classifier
    declared: ClassVar = {"classifier": STORED}

    @cached_property
    def _pool(self) -> ClassifierPool:
        return ClassifierPool(self.classifier)

    def predict(self, items: SequenceItems, beam: int, threads: int) -> IntArray:
        states = SequenceStates(self.window, items, self.classes)
        classes: list[int] = []
        with self._pool.take() as classifier:
            search = BatchSearch(states, classifier)
            for sequences in batches(range(len(items)), classifier.batch):
                for state in search.best(sequences, beam).tolist():
                    classes += states.classes_of(state)
        return np.array(classes, dtype=np.int32)

    def best(self, items: SequenceItems, sequence: int, width: int, count: int) -> list[Labeling]:
        states = SequenceStates(self.window, items, self.classes)
        with self._pool.take() as classifier:
            final = BatchSearch(states, classifier).beam(np.array([sequence]), width or None)
        pairs = list(zip(final.state.tolist(), final.score.tolist(), strict=True))[:count]
        return [(tuple(states.classes_of(state)), score / self.classifier.unit) for state, score in pairs]

    def to_arrays(self) -> Arrays:
        return prefixed(CLASSIFIER_PREFIX, checked_arrays(self.classifier))

    def to_values(self) -> dict[str, Any]:
        return {"classifier": classifier_values(self.classifier)}

    @classmethod
    def restore(
        cls, window: SequenceFeatures, classes: LabelSet, arrays: Arrays, values: Mapping[str, Any], source: ModelSource
    ) -> Self:
        kind = source.code.get("classifier")
        if kind not in (None, StoredClassifier) and kind.name != values["classifier"]["name"]:
            kind = None  # it is for another part of a pipeline
        classifier = restored_classifier(arrays, values["classifier"], kind, source.path)
        assert classifier is not None
        return cls(window, classes, classifier)
