"""Sequences labeled by any classifier: states, the model, and how it is trained."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray
from panparser._caching import cached_property
from panparser._checks import check_beam, check_best, check_threads
from panparser.errors import SpecError
from panparser.features.atoms import CLASSES
from panparser.learning.batch_run import BatchMember
from panparser.learning.classifiers import (
    CLASSIFIER_PREFIX,
    Actions,
    Classifier,
    Setup,
    StoredClassifier,
    check_classifier,
    checked_arrays,
    classifier_values,
    copied,
    restored_classifier,
)
from panparser.learning.epochs import EpochLoop
from panparser.learning.labels import Labels
from panparser.learning.learner import BatchLearner, needed_method
from panparser.learning.listeners import Instead, SequenceReport
from panparser.learning.options import Training
from panparser.learning.record import SEQUENCES, TrainingRecord
from panparser.learning.search import BatchSearch, batches
from panparser.learning.states import Node, ObjectStates
from panparser.learning.strategies import Strategy
from panparser.learning.task_states import text_key
from panparser.sequences.model import UNKNOWN, Classes, Items, Window, checked_classes
from panparser.sequences.reading import ItemReader
from panparser.storage.models import Source

Given = tuple[str, ...]  # the classes given so far, as texts of their numbers


class SequenceStates(ObjectStates):
    """States of sequences: the classes given so far. `right` are the correct classes of all items, for costs."""

    def __init__(self, window: Window, items: Items, classes: Classes, right: IntArray | None = None) -> None:
        self.items = items
        self.right = right
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

    def find_costs(self, node: Node, example: int) -> Sequence[int]:
        if self.right is None:
            raise SpecError("costs of sequences need the right classes")
        right = int(self.right[self._place(node.state)])
        return [int(right >= 0 and action != right) for action in node.legal]

    def make_keys(self, rows: Sequence[Node]) -> Any:
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


class ClassifiedSequences:
    """A `SequenceModel` with a classifier in place of the engine's perceptron."""

    def __init__(self, window: Window, classes: Classes, classifier: Classifier, beam: int = 1) -> None:
        check_beam(beam, "train_sequences")
        self.window = window
        self.classes = classes
        self.classifier = classifier
        self.beam = beam
        self.training = TrainingRecord()

    def predict(self, items: Items, *, beam: int | None = None, threads: int = 1) -> IntArray:
        """The class of each item."""
        beam = self.beam if beam is None else beam
        check_beam(beam, "predict")
        check_threads("threads of predict", threads)
        states = SequenceStates(self.window, items, self.classes)
        search = BatchSearch(states, self.classifier)
        found: list[int] = []
        for some in batches(range(len(items)), self.classifier.batch):
            for state in search.best(some, beam).tolist():
                found += states.classes_of(state)
        return np.array(found, dtype=np.int32)

    def best(
        self, items: Items, sequence: int, count: int, *, beam: int | None = None
    ) -> list[tuple[tuple[int, ...], float]]:
        """At most `count` different lists of classes for one sequence, with their scores, best first."""
        check_best(count, beam)
        if not 0 <= sequence < len(items):
            raise SpecError(f"sequence of best must be from 0 to {len(items) - 1}; got {sequence}")
        width = None if beam == 0 else max(self.beam if beam is None else beam, count)
        states = SequenceStates(self.window, items, self.classes)
        found = BatchSearch(states, self.classifier).beam(np.array([sequence]), width)
        pairs = list(zip(found.state.tolist(), found.score.tolist(), strict=True))[:count]
        return [(tuple(states.classes_of(state)), score / self.classifier.unit) for state, score in pairs]

    @property
    def size(self) -> int:
        """Size of what was learned, in bytes."""
        return sum(array.nbytes for array in self.to_arrays().values())

    def to_arrays(self, prefix: str = "") -> dict[str, npt.NDArray[Any]]:
        arrays = checked_arrays(self.classifier)
        return {f"{prefix}{CLASSIFIER_PREFIX}{name}": array for name, array in arrays.items()}

    def to_values(self) -> dict[str, Any]:
        return {
            "window": self.window.to_values(),
            "classes": self.classes.size,
            "parts": {name: list(map(int, numbers)) for name, numbers in self.classes.parts.items()},
            "classifier": classifier_values(self.classifier),
            "beam": self.beam,
        }

    @classmethod
    def from_file(
        cls, arrays: Mapping[str, npt.NDArray[Any]], values: dict[str, Any], source: Source, prefix: str = ""
    ) -> ClassifiedSequences:
        """Restores the results of `to_arrays` and `to_values`; the classifier's class is given, or found by name."""
        kind = source.code.get("classifier")
        if kind not in (None, StoredClassifier) and kind.name != values["classifier"]["name"]:
            kind = None  # it is for another part of a pipeline
        own = {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
        restored = restored_classifier(own, values["classifier"], kind, source.path)
        assert restored is not None
        classes = Classes(values["classes"], values["parts"])
        return cls(Window.from_values(values["window"]), classes, restored, values["beam"])


@dataclass(kw_only=True)
class ClassifiedRun(EpochLoop[Classifier, ClassifiedSequences]):
    """Training of a classifier over sequences."""

    window: Window
    items: Items
    right: IntArray
    classes: Classes
    beam: int
    dev: tuple[Items, IntArray] | None
    names: Sequence[str] | None
    training: Training
    classifier: Classifier

    def __post_init__(self) -> None:
        strategy = self.training.strategy
        for name, known in (("members", (None, 1)), ("prune", (None, 0)), ("batch", (1,))):
            if getattr(self.training, name) not in known:
                raise SpecError(f"{name} is about the weights of the engine's perceptron; got a classifier")
        methods = [needed_method(strategy, self.beam, self.classifier)] if isinstance(strategy, Strategy) else []
        check_classifier(self.classifier, *methods)
        self.states = SequenceStates(self.window, self.items, self.classes, self.right)
        self.classifier = copy.deepcopy(self.classifier)
        actions = Actions(self.states.names)
        self.classifier.prepare(
            Setup(
                system=actions,
                templates=self.window.templates,
                labels=Labels(),
                sentences=self.items.treebank,
                seed=self.training.seed,
            )
        )
        self.learner = BatchLearner(BatchSearch(self.states, self.classifier), self.beam, self.training.seed)
        self.member = BatchMember(self, self.learner, self._replacement_states, self.names)

    @cached_property
    def _used(self) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.diff(self.items.offsets) > 0)

    def train_epoch(self, epoch: int) -> None:
        order = np.random.default_rng([self.training.seed, epoch, 0]).permutation(self._used)
        self.member.train_epoch(epoch, batches(order, self.classifier.batch))

    def _replacement_states(self, number: int, replacement: Instead) -> tuple[SequenceStates, int]:
        if replacement.sentence is not None:
            raise SpecError("a listener of sequences may change the gold of one, not its items")
        gold = self.right.copy()
        gold[int(self.items.offsets[number]) : int(self.items.offsets[number + 1])] = replacement.gold
        gold = checked_classes(self.items, gold, self.classes, UNKNOWN)
        return SequenceStates(self.window, self.items, self.classes, gold), number

    def make_report(self, epoch: int) -> SequenceReport:
        return SequenceReport(epoch, self.learner.words, self.learner.updates)

    def weights(self) -> Classifier:
        return copied(self.classifier)

    def accuracy(self, weights: Classifier) -> float | None:
        if self.dev is None:
            return None
        items, right = self.dev
        found = ClassifiedSequences(self.window, self.classes, weights, self.beam).predict(items)
        known = right != UNKNOWN
        return 100 * int((found == right)[known].sum()) / max(1, int(known.sum()))

    def finish(self, *, interrupted: bool) -> ClassifiedSequences:
        model = ClassifiedSequences(self.window, self.classes, self.best_epoch()[1], self.beam)
        sizes: dict[str, Any] = {"sequences": len(self.items), "item_count": self.items.size}
        options = self.training.to_values()
        model.training = TrainingRecord(
            written=SEQUENCES, **options, **sizes, **self.epoch_record(), interrupted=interrupted
        )
        return model
