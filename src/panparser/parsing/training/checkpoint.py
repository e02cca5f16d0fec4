"""The state of training after an epoch, in a file, so that a run that was killed goes on as if nothing had happened."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panparser.errors import ModelError, SpecError
from panparser.learning.layers import Layer
from panparser.learning.listeners import EpochReport
from panparser.storage.arrays import Arrays, read_arrays, write_arrays

if TYPE_CHECKING:
    from panparser.parsing.training.train import _Run

FORMAT = 2  # of checkpoints: raised with every change, since nobody keeps them


def save(run: _Run, path: Path) -> None:
    best, layer = run.finished()
    arrays: dict[str, Any] = layer.to_arrays()
    for member, learner in enumerate(run.learners):
        arrays |= {f"actions.{member}.{i}": array for i, array in enumerate(learner.actions())}
        arrays |= {f"labels.{member}.{i}": array for i, array in enumerate(learner.labels())}
        if run.vectors:
            arrays |= {f"vectors.{member}.{i}": array for i, array in enumerate(learner.vectors())}
    manifest = {
        "kind": "checkpoint",
        "format": FORMAT,
        "identity": _identity(run),
        "epoch": run.epoch,
        "history": [vars(report) for report in run.history],
        "best": run.history.index(best),
        "layer": layer.to_values(),
        "learners": [[learner.time, learner.random, learner.progress] for learner in run.learners],
    }
    write_arrays(path, arrays, manifest)


def load(run: _Run, path: Path) -> None:
    arrays, manifest = read_arrays(path, "checkpoint of panparser")
    if manifest.get("kind") != "checkpoint":
        raise ModelError(f"{path}: expected a checkpoint, found {manifest.get('kind')!r}")
    if manifest.get("format") != FORMAT:
        raise ModelError(f"{path}: expected a checkpoint of this version of panparser, found another's")
    if manifest["identity"] != json.loads(json.dumps(_identity(run))):
        raise SpecError(f"{path}: belongs to another run: its data, parser or training differ")
    try:
        _restore(run, arrays, manifest)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ModelError(f"{path}: not a checkpoint that can be used: {error}") from None


def _restore(run: _Run, arrays: Arrays, manifest: dict[str, Any]) -> None:
    for member, (time, random, progress) in enumerate(manifest["learners"]):
        actions: Any = tuple(arrays[f"actions.{member}.{i}"] for i in range(3))
        labels: Any = tuple(arrays[f"labels.{member}.{i}"] for i in range(5))
        run.learners[member].load(actions, labels, time, random, tuple(progress))
        if run.vectors:
            run.learners[member].load_vectors(*(arrays[f"vectors.{member}.{i}"] for i in range(4)))
    run.epoch = manifest["epoch"]
    run.history = [EpochReport(**report) for report in manifest["history"]]
    run.best = run.history[manifest["best"]]
    copies = {name: np.array(array) for name, array in arrays.items() if "." not in name}
    run.best_weights = Layer.from_file(copies, "", manifest["layer"])


def _identity(run: _Run) -> dict[str, Any]:
    """What a checkpoint must share with the run that goes on from it."""
    layers = run.init.layers if run.init else []
    init = [b"".join(array.tobytes() for array in layer.to_arrays().values()) for layer in layers]
    values: dict[str, Any] = {"spec": run.spec.to_values(), "training": run.training.to_values(), "data": run.digests}
    values["training"].pop("epochs")
    values["constraints"] = run.constraints.to_values() if run.constraints else None
    return values | {"init": [hashlib.sha256(layer).hexdigest() for layer in init]}
