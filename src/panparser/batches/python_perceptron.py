"""Perceptron: the averaged perceptron as a classifier, for states that live in Python; its weights are the engine's.

With one sentence at a time it learns, by every strategy, just what the engine's own perceptron learns.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.kinds import Table, check, integer
from panparser.base.types import IntArray
from panparser.batches.classifier import Arrays, Classifier, ClassifierSetup
from panparser.batches.item_states import States
from panparser.errors import ModelError, SpecError
from panparser.learning.engine_run import UPDATE_UNITS

_SIZES = Table({"actions": integer(1, 1 << 15), "labels": integer(0, 1 << 15)})  # of a manifest
PARSING_BATCH = 32  # sentences that a finished model parses together
AVERAGE_UNITS = 1 << 12  # units of one update in the averaged weights of a model


class Perceptron(Classifier):
    """Weights by feature and action, and by feature, action and label; a model holds their averages.

    The clock of the average is the number of sentences seen.
    """

    name = "perceptron"
    batch = 1
    unit = float(UPDATE_UNITS)

    def __init__(self, batch: int = 1) -> None:
        """`batch`: sentences that are learned from together, with the same weights; larger batches are faster, but give
        different weights."""
        self.batch = self.learned_together = batch

    def __deepcopy__(self, memo: Any) -> Perceptron:
        """One that learns like this one, and has learned nothing yet."""
        return Perceptron(self.learned_together)

    def copy_shared(self) -> Perceptron:
        return copy.copy(self)

    def prepare(self, setup: ClassifierSetup) -> None:
        _refuse_vectors(setup)
        self.sizes = len(setup.system.names), len(setup.labels.names)
        self._weights = _engine.KeyedPerceptron(*self.sizes)
        self.time = 0

    def warm_start(self, setup: ClassifierSetup) -> None:
        """Starts from the averaged weights of the trained perceptron."""
        _refuse_vectors(setup)
        actions, labels = self._weights.actions(), self._weights.labels()
        old, self.sizes = self.sizes[0], (len(setup.system.names), len(setup.labels.names))
        self._weights = _engine.KeyedPerceptron(*self.sizes)
        weights, dated = _rescaled(np.pad(actions.weights.reshape(-1, old), ((0, 0), (0, self.sizes[0] - old))).ravel())
        of_labels, of_dates = _rescaled(labels.weights)
        self._weights.load(
            _engine.ActionRows(keys=actions.keys, weights=weights, dated=dated),
            _engine.LabelRows(
                keys=labels.keys, counts=labels.counts, labels=labels.labels, weights=of_labels, dated=of_dates
            ),
        )
        self.time, self.unit, self.batch = 0, float(UPDATE_UNITS), self.learned_together

    def score(self, states: States) -> IntArray:
        keys = np.ascontiguousarray(states.keys())
        scores = np.empty((len(keys), self.sizes[0]), dtype=np.int32)
        self._weights.score(keys, scores)
        return scores

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> IntArray:
        scores = np.empty((len(rows), self.sizes[1]), dtype=np.int32)
        self._weights.score_labels(self._label_keys(states, rows), np.ascontiguousarray(actions), scores)
        return scores

    def _label_keys(self, states: States, rows: IntArray) -> npt.NDArray[np.uint64]:
        return np.ascontiguousarray(states.keys()[rows][:, list(states.label_templates)])

    def update_pair(self, states: States, actions: IntArray, signs: npt.NDArray[Any]) -> None:
        by = np.sign(signs) * np.floor(UPDATE_UNITS * np.abs(signs) + 0.5)
        self._weights.reward(
            np.ascontiguousarray(states.keys()), np.ascontiguousarray(actions), by.astype(np.int32), self.time
        )

    def update_labels(self, states: States, rows: IntArray, actions: IntArray, labels: IntArray) -> None:
        legal = states.legal_labels(rows, actions)
        scores = np.where(legal, self.score_labels(states, rows, actions), np.iinfo(np.int32).min)
        guesses = scores.argmax(axis=1).astype(np.int32)
        wrong = np.flatnonzero(guesses != labels)
        if len(wrong):
            keys, of = self._label_keys(states, rows[wrong]), np.ascontiguousarray(actions[wrong])
            for numbers, by in ((labels[wrong], UPDATE_UNITS), (guesses[wrong], -UPDATE_UNITS)):
                change = np.full(len(wrong), by, dtype=np.int32)
                self._weights.reward_labels(keys, of, np.ascontiguousarray(numbers), change, self.time)

    def end_batch(self, states: States) -> None:
        self.time += len(states.started)

    # --- Files ---

    def training_state(self) -> Arrays:
        return self._arrays(self._weights) | {"time": np.array([self.time], dtype=np.int64)}

    def restore_training(self, arrays: Arrays) -> None:
        self.time = int(arrays["time"][0])
        self._load(arrays)

    def to_arrays(self) -> Arrays:
        """Averages, without rows that are all 0."""
        found = self._arrays(self._weights)
        if self.unit == AVERAGE_UNITS:  # averages already
            return {name: array for name, array in found.items() if "dated" not in name}
        scale = AVERAGE_UNITS / UPDATE_UNITS
        weights = self._averaged(found["weights"], found["dated"], scale).reshape(-1, self.sizes[0])
        kept = weights.any(axis=1)
        labels = self._averaged(found["label_weights"], found["label_dated"], scale)
        owners = np.repeat(np.arange(len(found["label_keys"])), found["label_counts"])
        cells = labels != 0
        counts = np.bincount(owners[cells], minlength=len(found["label_keys"])).astype(np.int32)
        return {
            "keys": found["keys"][kept],
            "weights": weights[kept].ravel(),
            "label_keys": found["label_keys"][counts > 0],
            "label_counts": counts[counts > 0],
            "label_numbers": found["label_numbers"][cells],
            "label_weights": labels[cells],
        }

    def _averaged(self, weights: npt.NDArray[Any], dated: npt.NDArray[Any], scale: float) -> npt.NDArray[np.int32]:
        time = max(1, self.time)  # training may end before the first sentence does
        means = (time * weights.astype(np.int64) - dated) * (scale / time)
        return np.asarray(np.rint(means), dtype=np.int32)

    def check_compatible(self, actions: int, labels: int, vectors: Any) -> None:
        if self.sizes[0] != actions:
            raise ModelError(f"scores {self.sizes[0]} actions; the parser has {actions}")

    def to_values(self) -> dict[str, Any]:
        return {"actions": self.sizes[0], "labels": self.sizes[1]}

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: dict[str, Any]) -> Perceptron:
        check(values, _SIZES, "classifier.values")
        restored = cls()
        restored.batch = PARSING_BATCH
        restored.sizes = values["actions"], values["labels"]
        restored._weights = _engine.KeyedPerceptron(*restored.sizes)
        restored.time, restored.unit = 0, float(AVERAGE_UNITS)
        try:
            restored._load(arrays)
        except (KeyError, ValueError, TypeError) as error:
            raise ModelError(f"the weights of the perceptron are damaged: {error}") from None
        return restored

    @staticmethod
    def _arrays(weights: _engine.KeyedPerceptron) -> dict[str, npt.NDArray[Any]]:
        actions, labels = weights.actions(), weights.labels()
        return {
            **{"keys": actions.keys, "weights": actions.weights, "dated": actions.dated},
            **{"label_keys": labels.keys, "label_counts": labels.counts, "label_numbers": labels.labels},
            **{"label_weights": labels.weights, "label_dated": labels.dated},
        }

    def _load(self, arrays: Arrays) -> None:
        own = {name: np.array(array) for name, array in arrays.items()}
        for name, like in (("dated", "weights"), ("label_dated", "label_weights")):
            own.setdefault(name, np.zeros(len(own[like]), dtype=np.int64))
        self._weights.load(
            _engine.ActionRows(keys=own["keys"], weights=own["weights"], dated=own["dated"]),
            _engine.LabelRows(
                keys=own["label_keys"],
                counts=own["label_counts"],
                labels=own["label_numbers"],
                weights=own["label_weights"],
                dated=own["label_dated"],
            ),
        )


def _refuse_vectors(setup: ClassifierSetup) -> None:
    if setup.vectors is not None:
        raise SpecError("Perceptron: vectors are not supported; use the engine's perceptron or another classifier")


def _rescaled(weights: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """Averages as initial weights, and their dated sums: they count from the start of training."""
    whole = np.rint(weights * (UPDATE_UNITS / AVERAGE_UNITS)).astype(np.int32)
    return whole, np.zeros(len(whole), dtype=np.int64)
