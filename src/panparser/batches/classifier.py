"""Classifier: what scores actions and labels, through batches of states; how it is checked, stored and found."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.kinds import TABLE, TEXT, Table, check
from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.batches.item_states import States
from panparser.errors import BatchError, ModelError, SpecError
from panparser.learning.layers import Labels
from panparser.storage.containers import DTYPES
from panparser.storage.stored import CLASSIFIER_CLASSES, import_name

FloatArray = npt.NDArray[Any]  # numbers of any type: what a classifier works with
Arrays = Mapping[str, npt.NDArray[Any]]
STORED = Table({"name": TEXT, "values": TABLE})  # the entry of a classifier in a manifest
CLASSIFIER_PREFIX = "classifier."  # of arrays in a model file
ENTRY_POINTS = "panparser.classifiers"  # the group under which packages register their classes, by name


@dataclass(frozen=True)
class ActionNames:
    """Names of actions, for sequences and tasks, which have no transition system."""

    names: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class ClassifierSetup:
    """What a classifier learns for: `system.names` are its actions, `labels.names` its labels (perhaps none).

    `system` is a transition system or, for sequences and tasks, `Actions`; `templates` and `sentences` (to learn from,
    heads and all) are None if they do not apply, `vectors` if none were given.
    """

    system: Any
    templates: Any
    labels: Labels
    sentences: Any
    seed: int
    vectors: Any = None
    epochs: int | None = None  # passes over the sentences, at most
    threads: int | None = None  # that it may use; None: as many as it likes


@dataclass(frozen=True)
class FinalBeams:
    """Derivations that several searches ended with. The score of one is the sum of those of its steps.

    A step is one of `actions` in one of `rows`, and belongs to one of `paths`, the numbers of derivations, in order;
    each of these is of one of `searches`, in order, and perhaps `correct`.
    """

    rows: LongArray
    actions: LongArray
    paths: LongArray
    searches: LongArray
    correct: BoolArray


class Classifier:
    """The protocol of classifiers: score actions, and labels given an action. Subclass it, or have all of its methods.

    A subclass needs `prepare`, `score`, `to_arrays` and `from_arrays`; for labels `score_labels` and `update_labels`;
    to learn `update` (static, dynamic, ...: step by step), `update_pair` (most strategies), `update_beam` (against all
    of the beam), or several of them. What it keeps from call to call is up to it: scores for the update that follows, a
    hidden state for each number in `states.ids`, a loss that `end_batch` goes back through. A search has its classifier
    to itself: searches of other threads have copies.
    """

    name: str = ""  # in model files; `load` looks up the class registered under it, unless it is given one
    batch: int = 32  # sentences that are learned from, and parsed, together
    evaluations: int | None = None  # times that the development set is parsed while learning, about; None: each epoch
    unit: float = 1.0  # what one update adds to a score, for strategies that draw states by their scores
    updates_in_batches: bool = False  # scores change in `end_batch` only: the sentences of a batch are independent
    uses_previous_labels: bool = True  # scores depend on the labels of earlier arcs, or `update_labels` learns them

    def prepare(self, setup: ClassifierSetup) -> None:
        """Training begins: make the weights, using `setup.seed` for anything random. `train` works on a copy."""
        raise NotImplementedError

    def batches(self, numbers: LongArray, lengths: LongArray, *, learning: bool) -> Iterator[LongArray]:
        """Optional: the sentences that are parsed or learned from together, `numbers` in groups, instead of `batch` at
        a time; `lengths` are those of all sentences."""
        raise NotImplementedError

    def copy_shared(self) -> Classifier:
        """Optional: return a copy for another search, which shares the weights and whatever else scoring does not
        change; `copy.copy(self)` does if `start_batch` and `score` only assign attributes. Otherwise copies are made
        from its arrays."""
        raise NotImplementedError

    def start_batch(self, states: States) -> None:
        """Start a batch of sentences to parse or to learn from: the place to encode them."""

    def score(self, states: States) -> FloatArray:
        """(rows, actions) Scores; those of illegal actions are ignored. A beam adds them up along a derivation."""
        raise NotImplementedError

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> FloatArray:
        """(given rows, labels) Scores for the arcs that the actions make in these rows. They do not rank the beam."""
        raise NotImplementedError

    @property
    def tag_columns(self) -> tuple[str, ...]:
        """Columns of words that it predicts beside the trees, which it must not read; most predict none."""
        return ()

    def current_tags(self) -> IntArray:
        """(words, columns) Return the tags of the words of the current batch, in order, as the classifier's indices."""
        raise NotImplementedError

    def tag(self, treebank: Any, vectors: Any = None, threads: int = 1) -> IntArray:
        """(words, columns) The same of all words of a treebank, without states."""
        raise NotImplementedError

    def write_tags(self, treebank: Any, tags: IntArray) -> None:
        """Writes the tags of all words of a treebank into its columns."""
        raise NotImplementedError

    def update(self, states: States, gold: BoolArray) -> None:
        """Learn which of the legal actions are correct (rows, actions): at least one in a row. `score` came before."""
        raise NotImplementedError

    def update_pair(self, states: States, actions: IntArray, signs: IntArray) -> None:
        """Learn to score the action of each row higher (+1) or lower (-1): it is part of a correct derivation that was
        lost, or of the wrong one that was preferred. The rows are those of all sentences of the batch. Strategies with
        a `focus` scale the signs."""
        raise NotImplementedError

    def update_beam(self, states: States, beams: FinalBeams) -> None:
        """Learn to give the derivations that are correct more of the probability of all derivations of a search."""
        raise NotImplementedError

    def update_labels(self, states: States, rows: IntArray, actions: IntArray, labels: IntArray) -> None:
        """Learn the labels of the correct arcs that the actions make in these rows."""
        raise NotImplementedError

    def end_batch(self, states: States) -> None:
        """Finish a batch of sentences to learn from: the place for an optimizer step."""

    def warm_start(self, setup: ClassifierSetup) -> None:
        """Training continues from what this classifier, loaded from a file, has learned: `prepare` is not called.

        There may be more labels than before, and inside of Joint more actions; old ones keep their numbers.
        """
        raise NotImplementedError

    def training_state(self) -> Arrays:
        """All that `restore_training` needs to resume exactly: weights, averages, clocks, moments."""
        raise NotImplementedError

    def restore_training(self, arrays: Arrays) -> None:
        """Restores a training state, after `prepare` or `warm_start`."""
        raise NotImplementedError

    def to_arrays(self) -> Arrays:
        """All that was learned, for a model file; an average, for example, instead of the last weights."""
        raise NotImplementedError

    def to_values(self) -> dict[str, Any]:
        """What else `from_arrays` needs, as JSON values."""
        return {}

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: dict[str, Any]) -> Classifier:
        """A classifier ready to parse, from the results of `to_arrays` and `to_values`. Arrays may be read-only."""
        raise NotImplementedError

    def check_compatible(self, actions: int, labels: int, vectors: Any) -> None:
        """Optional: raise ModelError, after it was loaded, if it does not score so many actions and labels, or needs
        other vectors; the message goes on after the classifier's name."""


Classes = Mapping[str, type[Classifier]]  # by name


class CompositeClassifier(Classifier):
    """A classifier made of others, `parts`, whose classes are among those known, or registered."""

    @property
    def parts(self) -> Sequence[Classifier]:
        raise NotImplementedError

    @classmethod
    def from_parts(cls, arrays: Arrays, values: dict[str, Any], classes: Classes) -> Classifier:
        """As `from_arrays`, with the classes of parts that need not be registered."""
        raise NotImplementedError

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: dict[str, Any]) -> Classifier:
        return cls.from_parts(arrays, values, {})

    def check_compatible(self, actions: int, labels: int, vectors: Any) -> None:
        for part in self.parts:
            if has_method(part, "check_compatible"):
                part.check_compatible(actions, labels, vectors)


_WHY = {
    "score_labels": "labels (or train an unlabeled parser)",
    "update_labels": "labels (or train an unlabeled parser)",
    "update_pair": "this strategy (with a beam of 1, static, dynamic and the like can do with update)",
    "update_beam": "learning against all of the beam",
    "warm_start": "going on from a trained one",
    "training_state": "checkpoints",
    "restore_training": "checkpoints",
}
_OPTIONAL = ("start_batch", "end_batch", "to_values", "check_compatible")  # do nothing unless they are overridden
_ALWAYS = ("prepare", "start_batch", "score", "end_batch", "to_arrays", "to_values", "from_arrays")


def has_method(classifier: object, method: str) -> bool:
    """Does a classifier, or its class, implement a method, or is the method optional?"""
    kind = classifier if isinstance(classifier, type) else type(classifier)
    own, inherited = getattr(kind, method, None), getattr(Classifier, method)
    if own is None:
        return False
    is_own = getattr(own, "__func__", own) is not getattr(inherited, "__func__", inherited)
    return is_own or method in _OPTIONAL


def tag_columns(classifier: object) -> tuple[str, ...]:
    """The columns of words that a classifier predicts beside trees."""
    return tuple(getattr(classifier, "tag_columns", ()))


def check_classifier(classifier: object, *methods: str) -> None:
    """Raises SpecError unless it is a named classifier that implements these methods."""
    kind = type(classifier)
    if isinstance(classifier, type):
        raise SpecError(f"classifier must be a Classifier, not its class; got {classifier.__name__}")
    check_methods(classifier, *_ALWAYS, *methods)
    name, batch = getattr(classifier, "name", None), getattr(classifier, "batch", None)
    if not isinstance(name, str) or not name:
        raise SpecError(f"{kind.__name__}: name must be a text; got {name!r}")
    if not isinstance(batch, int) or batch < 1:
        raise SpecError(f"{kind.__name__}: batch must be an integer >= 1; got {batch!r}")


def check_methods(classifier: object, *methods: str) -> None:
    """Raise SpecError unless the classifier implements these methods."""
    for method in methods:
        if not has_method(classifier, method):
            why = f", for {_WHY[method]}" if method in _WHY else ""
            raise SpecError(f"classifier must have a method {method}{why}; {type(classifier).__name__} has none")


def check_class(kind: object) -> None:
    """Raises SpecError unless it is a class that can restore classifiers."""
    named = isinstance(kind, type) and isinstance(getattr(kind, "name", None), str)
    if kind is not StoredClassifier and (not named or not has_method(kind, "from_arrays")):
        raise SpecError(f"load: classifier must be a class with a name and from_arrays; got {kind!r}")


def find_classifier(name: str, path: str) -> type[Classifier]:
    """The class registered under a name, built in or from an installed package."""
    if name in CLASSIFIER_CLASSES:
        built_in: type[Classifier] = import_name(CLASSIFIER_CLASSES[name])
        return built_in
    from importlib.metadata import entry_points  # only here: it takes longer to import than most of panparser

    found = [point for point in entry_points(group=ENTRY_POINTS) if point.name == name]
    if found:
        try:
            kind: type[Classifier] = found[0].load()
        except (ImportError, AttributeError) as error:
            raise ModelError(
                f"{path}: the classifier {name!r}, {found[0].value}, cannot be imported: {error}"
            ) from None
    else:
        raise ModelError(
            f"{path}: needs the classifier {name!r}, which no installed package registers (entry points "
            f"{ENTRY_POINTS!r}); in Python, pp.load(MODEL, classifier=ITS_CLASS)"
        )
    check_class(kind)
    return kind


def checked_arrays(classifier: Classifier) -> dict[str, npt.NDArray[Any]]:
    """Copies of what was learned."""
    found = {}
    for name, array in classifier.to_arrays().items():
        if not isinstance(name, str) or not isinstance(array, np.ndarray) or array.dtype not in DTYPES:
            known = ", ".join(str(kind) for kind in DTYPES)
            what = f"{array.dtype} array" if isinstance(array, np.ndarray) else repr(array)
            raise SpecError(f"to_arrays of {classifier.name}: expected arrays of {known} by name; got {name!r}: {what}")
        found[name] = np.array(array, order="C")
    return found


def classifier_values(classifier: Classifier) -> dict[str, Any]:
    """The manifest entry of a classifier."""
    values = classifier.to_values()
    try:
        text = json.dumps(values, allow_nan=False)
    except (TypeError, ValueError):
        raise SpecError(f"{classifier.name}: to_values must give values that JSON can hold; got {values!r}") from None
    return {"name": classifier.name, "values": json.loads(text)}


def classes_inside(classifier: Classifier) -> dict[str, type[Classifier]]:
    """The classes of a classifier and of those it is made of, by name."""
    found = {classifier.name: type(classifier)}
    if isinstance(classifier, CompositeClassifier):
        for part in classifier.parts:
            found |= classes_inside(part)
    return found


def checked_scores(
    classifier: Classifier, method: str, scores: object, legal: npt.NDArray[np.bool_]
) -> npt.NDArray[np.float64]:
    """What a classifier gives; raises BatchError unless it is a finite number for everything that is legal."""
    found = np.asarray(scores)
    owner = f"{method} of {classifier.name}"
    if found.shape != legal.shape or found.dtype.kind not in "fiu":
        got = f"{found.dtype} and shape {found.shape}"
        raise BatchError(f"{owner} must give an array of numbers of shape {legal.shape}; got one of {got}")
    numbers: npt.NDArray[np.float64] = found.astype(np.float64)
    if not np.isfinite(numbers[legal]).all():
        raise BatchError(f"{owner} must give finite numbers; got {numbers[legal & ~np.isfinite(numbers)][0]}")
    return numbers


def external_class(classifier: Classifier) -> type[Classifier] | None:
    """The class to be given to `load`: of the classifier, or of one that it is made of; None if all are built in."""
    return next((kind for name, kind in classes_inside(classifier).items() if name not in CLASSIFIER_CLASSES), None)


def revived(classifier: Classifier, arrays: Arrays, values: dict[str, Any]) -> Classifier:
    """A classifier of the same class, and made of the same classes, from arrays and values."""
    if isinstance(classifier, CompositeClassifier):
        return type(classifier).from_parts(arrays, values, classes_inside(classifier))
    return type(classifier).from_arrays(arrays, values)


def copied(classifier: Classifier) -> Classifier:
    """The classifier that a file would hold."""
    return revived(classifier, checked_arrays(classifier), copy.deepcopy(classifier.to_values()))


class StoredClassifier(Classifier):
    """A classifier as stored in a file, without its code: it can be shown and saved again, but cannot parse."""

    def __init__(self, name: str, arrays: Arrays, values: dict[str, Any]) -> None:
        self.name = name
        self._arrays = arrays
        self._values = values

    def to_arrays(self) -> Arrays:
        return self._arrays

    def to_values(self) -> dict[str, Any]:
        return self._values


def restored_classifier(
    arrays: Arrays, values: dict[str, Any] | None, kind: type[Classifier] | None, path: str
) -> Classifier | None:
    """The classifier of a model file, by the class given to `load`; None if the model is the engine's perceptron."""
    if values is None:
        if kind is not None and kind is not StoredClassifier:
            raise ModelError(f"{path}: expected a model with the classifier {kind.name!r}, found the perceptron's")
        return None
    check(values, STORED, "classifier")
    name = values["name"]
    if kind is None:
        kind = find_classifier(name, path)
    start = len(CLASSIFIER_PREFIX)
    own = {key[start:]: array for key, array in arrays.items() if key.startswith(CLASSIFIER_PREFIX)}
    if kind is StoredClassifier:
        return StoredClassifier(name, own, values["values"])
    if kind.name == name:
        return kind.from_arrays(own, values["values"])
    whole = find_classifier(name, path) if name in CLASSIFIER_CLASSES else None
    if whole is not None and issubclass(whole, CompositeClassifier):
        restored = whole.from_parts(own, values["values"], {kind.name: kind})
        if kind.name in classes_inside(restored):
            return restored
    raise ModelError(f"{path}: expected a model with the classifier {kind.name!r}, found one with {name!r}")


@lru_cache(maxsize=1 << 16)
def text_key(text: str) -> int:
    """A 64-bit key that is almost surely unique, and never 0."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") or 1
