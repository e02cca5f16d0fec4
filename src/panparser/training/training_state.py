"""The state of training after an epoch, in a file, so that a killed run can resume with identical results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.kinds import COUNT, TABLE, Kind, ListOf, Table, check, integer
from panparser.errors import ModelError, SpecError
from panparser.learning.listeners import EpochReport
from panparser.learning.training_record import REPORT
from panparser.storage.containers import Arrays, read_arrays, write_arrays
from panparser.storage.stored import restoring

KIND = "checkpoint"
FORMAT = 5  # incremented with every change, since nobody keeps checkpoints
LEARNER, BEST = "state.", "best."  # prefixes of arrays: of what goes on learning, and of the best weights so far


@dataclass(frozen=True)
class TrainingState:
    """A training run between two epochs: all that is needed to resume."""

    epoch: int
    history: list[EpochReport]
    best: int  # index of the best epoch in the history
    arrays: Arrays  # of the learner and of the best weights, with prefixes
    values: Mapping[str, Any]  # of the run, in plain values


def save_state(state: TrainingState, identity: Mapping[str, Any], path: Path) -> None:
    """Write the state of a run, with the identity that distinguishes it from others."""
    manifest = {
        "kind": KIND,
        "format": FORMAT,
        "identity": identity,
        "epoch": state.epoch,
        "history": [vars(report) for report in state.history],
        "best": state.best,
        **state.values,
    }
    write_arrays(path, state.arrays, manifest)


def load_state(path: Path, identity: Mapping[str, Any], declared: Mapping[str, Kind]) -> TrainingState:
    """Return the state in a file; `declared` are the kinds of the run's own values.

    Raise SpecError if the state belongs to another run, ModelError if the file is not a checkpoint.
    """
    arrays, manifest = read_arrays(path, "checkpoint of panparser")
    if manifest.get("kind") != KIND:
        raise ModelError(f"{path}: expected a checkpoint, found {manifest.get('kind')!r}")
    if manifest.get("format") != FORMAT:
        raise ModelError(f"{path}: expected a checkpoint of this version of panparser, found one of another version")
    if manifest.get("identity") != json.loads(json.dumps(identity)):
        raise SpecError(f"{path}: belongs to another run: its data, parser or training differ")
    with restoring(KIND, str(path)):
        check(
            manifest,
            Table(
                {
                    "identity": TABLE,
                    "epoch": integer(1),
                    "history": ListOf(REPORT, minimum=1),
                    "best": COUNT,
                    **declared,
                }
            ),
            "",
        )
        check(manifest["best"], integer(0, len(manifest["history"]) - 1), "best")
        return TrainingState(
            manifest["epoch"],
            [EpochReport(**report) for report in manifest["history"]],
            manifest["best"],
            {name: np.array(array) for name, array in arrays.items()},
            {name: manifest[name] for name in declared},
        )


# --- Perceptrons of the engine ---

_TABLES: dict[str, dict[str, type]] = {  # arrays of a learner, as the engine's ActionRows and others name them
    "actions": {"keys": np.uint64, "weights": np.int32, "dated": np.int64},
    "labels": {"keys": np.uint64, "counts": np.int32, "labels": np.int32, "weights": np.int32, "dated": np.int64},
    "vector_actions": {"weights": np.int32, "dated": np.int64},
    "vector_labels": {"weights": np.int32, "dated": np.int64},
}
_NARROW_TYPES = (np.int8, np.int16, np.int32)
_PROGRESS = ("sentences", "words", "updates", "transitions", "valued", "approximated")
LEARNER_STATE = Table(
    {
        "time": COUNT,
        "random": integer(0, (1 << 64) - 1),
        "progress": Table(dict.fromkeys(_PROGRESS, COUNT), closed=True),
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
    def from_learner(cls, learner: _engine.Learner, *, vectors: bool) -> LearnerState:
        rows: dict[str, Any] = {"actions": learner.actions(), "labels": learner.labels()}
        if vectors:
            rows |= {"vector_actions": learner.vector_actions, "vector_labels": learner.vector_labels}
        tables = {kind: {name: getattr(table, name) for name in _TABLES[kind]} for kind, table in rows.items()}
        progress = {name: getattr(learner.progress, name) for name in _PROGRESS}
        return cls(tables, learner.time, learner.random, progress)

    def restore(self, learner: _engine.Learner) -> None:
        """Set a perceptron to this state."""
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

    def to_arrays(self, member: int) -> Arrays:
        """Return the tables of a member, for a `TrainingState`."""
        return {
            f"{LEARNER}{kind}.{member}.{name}": _narrowed(array)
            for kind, table in self.tables.items()
            for name, array in table.items()
        }

    def to_values(self) -> dict[str, Any]:
        """Return the rest, in plain values."""
        return {"time": self.time, "random": self.random, "progress": self.progress}

    @classmethod
    def from_arrays(cls, arrays: Arrays, member: int, values: Mapping[str, Any]) -> LearnerState:
        """Return the results of `to_arrays` and `to_values`."""
        tables: dict[str, dict[str, npt.NDArray[Any]]] = {
            kind: {name: arrays[f"{LEARNER}{kind}.{member}.{name}"].astype(dtype) for name, dtype in types.items()}
            for kind, types in _TABLES.items()
            if f"{LEARNER}{kind}.{member}.weights" in arrays
        }
        return cls(tables, values["time"], values["random"], values["progress"])


def _narrowed(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the numbers in the smallest type that holds them: most weights are small, and their types large."""
    if array.dtype.kind != "i" or not array.size:
        return array
    low, high = array.min(), array.max()
    types = (kind for kind in _NARROW_TYPES if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max)
    return array.astype(next(types, array.dtype))
