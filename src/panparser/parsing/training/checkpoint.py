"""The state of training after an epoch, in a file, so that a run that was killed goes on as if nothing had happened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import ModelError, SpecError
from panparser.learning.layers import Layer
from panparser.learning.listeners import EpochReport
from panparser.storage.arrays import Arrays, read_arrays, write_arrays

FORMAT = 2  # of checkpoints: raised with every change, since nobody keeps them
_PARTS = {"actions": 3, "labels": 5, "vectors": 4}  # arrays of a learner


@dataclass(frozen=True)
class LearnerState:
    """A perceptron between two epochs: its arrays by part, the clock of its average, its random numbers, its counts."""

    parts: Mapping[str, Sequence[npt.NDArray[Any]]]
    time: int
    random: int
    progress: Sequence[int]

    @classmethod
    def of(cls, learner: _engine.Learner, *, vectors: bool) -> LearnerState:
        parts: dict[str, Any] = {"actions": learner.actions(), "labels": learner.labels()}
        if vectors:
            parts["vectors"] = learner.vectors()
        return cls(parts, learner.time, learner.random, learner.progress)

    def restore(self, learner: _engine.Learner) -> None:
        actions: Any = tuple(self.parts["actions"])
        labels: Any = tuple(self.parts["labels"])
        learner.load(actions, labels, self.time, self.random, tuple(self.progress))
        if "vectors" in self.parts:
            learner.load_vectors(*self.parts["vectors"])


@dataclass(frozen=True)
class TrainingState:
    """A run of training between two epochs: all that is needed to go on."""

    epoch: int
    history: list[EpochReport]
    best: int  # its index in the history
    layer: Layer  # of the best epoch
    learners: list[LearnerState]


def save_state(state: TrainingState, identity: dict[str, Any], path: Path) -> None:
    """Writes the state of the run that the identity tells from others."""
    arrays: dict[str, Any] = state.layer.to_arrays()
    for member, learner in enumerate(state.learners):
        for part, own in learner.parts.items():
            arrays |= {f"{part}.{member}.{i}": array for i, array in enumerate(own)}
    manifest = {
        "kind": "checkpoint",
        "format": FORMAT,
        "identity": identity,
        "epoch": state.epoch,
        "history": [vars(report) for report in state.history],
        "best": state.best,
        "layer": state.layer.to_values(),
        "learners": [[learner.time, learner.random, list(learner.progress)] for learner in state.learners],
    }
    write_arrays(path, arrays, manifest)


def load_state(path: Path, identity: dict[str, Any]) -> TrainingState:
    """The state in a file; raises SpecError if it is that of another run, ModelError if it is not a checkpoint."""
    arrays, manifest = read_arrays(path, "checkpoint of panparser")
    if manifest.get("kind") != "checkpoint":
        raise ModelError(f"{path}: expected a checkpoint, found {manifest.get('kind')!r}")
    if manifest.get("format") != FORMAT:
        raise ModelError(f"{path}: expected a checkpoint of this version of panparser, found another's")
    with reading(path):
        if manifest["identity"] != json.loads(json.dumps(identity)):
            raise SpecError(f"{path}: belongs to another run: its data, parser or training differ")
        history = [EpochReport(**report) for report in manifest["history"]]
        copies = {name: np.array(array) for name, array in arrays.items() if "." not in name}
        layer = Layer.from_file(copies, "", manifest["layer"])
        learners = [_learner(arrays, member, *values) for member, values in enumerate(manifest["learners"])]
        return TrainingState(manifest["epoch"], history, manifest["best"], layer, learners)


def _learner(arrays: Arrays, member: int, time: int, random: int, progress: list[int]) -> LearnerState:
    parts = {
        part: [arrays[f"{part}.{member}.{i}"] for i in range(size)]
        for part, size in _PARTS.items()
        if f"{part}.{member}.0" in arrays
    }
    return LearnerState(parts, time, random, progress)


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Raises ModelError for whatever is wrong with the content of a checkpoint."""
    try:
        yield
    except (ModelError, SpecError):
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError(f"{path}: invalid checkpoint: {error}") from None
