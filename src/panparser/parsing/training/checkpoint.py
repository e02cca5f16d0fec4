"""The state of training after an epoch, in a file, so that a killed run can resume with identical results."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import ModelError, SpecError
from panparser.learning.layers import LAYER, Layer
from panparser.learning.listeners import EpochReport
from panparser.learning.record import REPORT
from panparser.storage.arrays import Arrays, read_arrays, write_arrays
from panparser.storage.values import COUNT, TABLE, ListOf, Table, check, integer

FORMAT = 4  # of checkpoints: incremented with every change, since nobody keeps them
_TABLES: dict[str, dict[str, type]] = {  # arrays of a learner, as the engine's ActionRows and others name them
    "actions": {"keys": np.uint64, "weights": np.int32, "dated": np.int64},
    "labels": {"keys": np.uint64, "counts": np.int32, "labels": np.int32, "weights": np.int32, "dated": np.int64},
    "vector_actions": {"weights": np.int32, "dated": np.int64},
    "vector_labels": {"weights": np.int32, "dated": np.int64},
}
_NARROW = (np.int8, np.int16, np.int32)
_PROGRESS = ("sentences", "words", "updates", "transitions", "valued", "approximated")
_STATE = Table(
    {
        "identity": TABLE,
        "epoch": integer(1),
        "history": ListOf(REPORT, least=1),
        "best": COUNT,
        "layer": LAYER,
        "learners": ListOf(
            Table(
                {
                    "time": COUNT,
                    "random": integer(0, (1 << 64) - 1),
                    "progress": Table(dict.fromkeys(_PROGRESS, COUNT), closed=True),
                }
            )
        ),
    }
)  # of a manifest


@dataclass(frozen=True)
class LearnerState:
    """A perceptron between two epochs: tables of arrays, the clock of its average, its random numbers, its counts."""

    tables: Mapping[str, Mapping[str, npt.NDArray[Any]]]
    time: int
    random: int
    progress: Mapping[str, int]

    @classmethod
    def of(cls, learner: _engine.Learner, *, vectors: bool) -> LearnerState:
        found: dict[str, Any] = {"actions": learner.actions(), "labels": learner.labels()}
        if vectors:
            found |= {"vector_actions": learner.vector_actions, "vector_labels": learner.vector_labels}
        tables = {kind: {name: getattr(table, name) for name in _TABLES[kind]} for kind, table in found.items()}
        progress = {name: getattr(learner.progress, name) for name in _PROGRESS}
        return cls(tables, learner.time, learner.random, progress)

    def restore(self, learner: _engine.Learner) -> None:
        tables: Mapping[str, Any] = self.tables
        learner.load(
            actions=_engine.ActionRows(**tables["actions"]),
            labels=_engine.LabelRows(**tables["labels"]),
            time=self.time,
            random=self.random,
            progress=_engine.Progress(**self.progress),
        )
        if "vector_actions" in tables:
            learner.vector_actions.load(**tables["vector_actions"])
            learner.vector_labels.load(**tables["vector_labels"])


@dataclass(frozen=True)
class TrainingState:
    """A training run between two epochs: all that is needed to resume."""

    epoch: int
    history: list[EpochReport]
    best: int  # its index in the history
    layer: Layer  # of the best epoch
    learners: list[LearnerState]


def save_state(state: TrainingState, identity: dict[str, Any], path: Path) -> None:
    """Writes the state of a run, with the identity that distinguishes it from others."""
    arrays: dict[str, Any] = state.layer.to_arrays()
    for member, learner in enumerate(state.learners):
        for kind, table in learner.tables.items():
            arrays |= {f"{kind}.{member}.{name}": _narrowed(array) for name, array in table.items()}
    manifest = {
        "kind": "checkpoint",
        "format": FORMAT,
        "identity": identity,
        "epoch": state.epoch,
        "history": [vars(report) for report in state.history],
        "best": state.best,
        "layer": state.layer.to_values(),
        "learners": [
            {"time": learner.time, "random": learner.random, "progress": learner.progress} for learner in state.learners
        ],
    }
    write_arrays(path, arrays, manifest)


def load_state(path: Path, identity: dict[str, Any]) -> TrainingState:
    """The state in a file. Raises SpecError if it belongs to another run, ModelError if it is not a checkpoint."""
    arrays, manifest = read_arrays(path, "checkpoint of panparser")
    if manifest.get("kind") != "checkpoint":
        raise ModelError(f"{path}: expected a checkpoint, found {manifest.get('kind')!r}")
    if manifest.get("format") != FORMAT:
        raise ModelError(f"{path}: expected a checkpoint of this version of panparser, found another's")
    check(manifest, _STATE, str(path))
    with reading(path):
        if manifest["identity"] != json.loads(json.dumps(identity)):
            raise SpecError(f"{path}: belongs to another run: its data, parser or training differ")
        history = [EpochReport(**report) for report in manifest["history"]]
        copies = {name: np.array(array) for name, array in arrays.items() if "." not in name}
        layer = Layer.from_file(copies, "", manifest["layer"])
        learners = [_learner(arrays, member, values) for member, values in enumerate(manifest["learners"])]
        if manifest["best"] >= len(history):
            raise ValueError(f"best: expected the number of one of {len(history)} epochs, found {manifest['best']}")
        return TrainingState(manifest["epoch"], history, manifest["best"], layer, learners)


def _learner(arrays: Arrays, member: int, values: dict[str, Any]) -> LearnerState:
    tables: dict[str, dict[str, npt.NDArray[Any]]] = {
        kind: {name: arrays[f"{kind}.{member}.{name}"].astype(dtype) for name, dtype in types.items()}
        for kind, types in _TABLES.items()
        if f"{kind}.{member}.weights" in arrays
    }
    return LearnerState(tables, values["time"], values["random"], values["progress"])


def _narrowed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The numbers in the smallest type that holds them: most of a checkpoint are small weights in large types."""
    if array.dtype.kind != "i" or not array.size:
        return array
    low, high = array.min(), array.max()
    types = (kind for kind in _NARROW if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return array.astype(next(types, array.dtype))


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Turns errors about the content of a checkpoint into ModelError."""
    try:
        yield
    except (ModelError, SpecError):
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError(f"{path}: invalid checkpoint: {error}") from None
