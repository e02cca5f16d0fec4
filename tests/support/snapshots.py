"""Snapshots: digests of files and plain values, compared with golden files under tests/golden/snapshot."""

from __future__ import annotations

import json
import os
import tempfile
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

import panparser as pp
from places import GOLDEN

_DIGITS = 16
_CALIBRATION = "calibration"


def digest(data: bytes | str) -> str:
    return sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:_DIGITS]


def digest_of_values(values: Any) -> str:
    """The digest of plain values as a manifest writes them: the order of keys counts."""
    return digest(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


def saved(model: Any) -> bytes:
    """The bytes of a model file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        model.save(path)
        return path.read_bytes()


def digest_of_model(data: bytes) -> tuple[str, list[float]]:
    """The digest of a model file but for the numbers of its calibrations, and these numbers.

    They are the solution of equations in floating point, whose last digits depend on the machine. All else is made of
    integers. The format of the file is read here, by no function that is tested.
    """
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    manifest = json.loads(header.pop("__metadata__")["panparser"])
    numbers: list[float] = []
    _take_calibrations(manifest, numbers)
    rest = json.dumps([header, manifest], ensure_ascii=False)
    return digest(rest.encode() + data[8 + length :]), numbers


def _take_calibrations(values: Any, numbers: list[float]) -> None:
    """Replaces the weights of all calibrations in plain values by None, and appends them to the numbers."""
    if isinstance(values, dict):
        if isinstance(calibration := values.get(_CALIBRATION), dict):
            for name in ("heads", "labels"):
                numbers += [number for row in calibration.get(name) or () for number in row]
                calibration[name] = None
        for value in values.values():
            _take_calibrations(value, numbers)
    elif isinstance(values, list):
        for value in values:
            _take_calibrations(value, numbers)


def compare(name: str, values: dict[str, Any], *, tolerance: float = 0.0) -> None:
    """Compare values by name with tests/golden/snapshot/NAME.json; PANPARSER_GOLDEN=write writes it.

    Values are plain; with a tolerance they are lists of numbers.
    """
    path = GOLDEN / "snapshot" / f"{name}.json"
    lines = {key: json.dumps(value, ensure_ascii=False) for key, value in values.items()}
    if os.environ.get("PANPARSER_GOLDEN") == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = (f"{json.dumps(key, ensure_ascii=False)}: {line}" for key, line in lines.items())
        path.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    golden = json.loads(path.read_text(encoding="utf-8"))
    values = {key: json.loads(line) for key, line in lines.items()}
    changes = {
        **dict.fromkeys(golden.keys() - values.keys(), "missing"),
        **dict.fromkeys(values.keys() - golden.keys(), "new"),
    }
    for key in values.keys() & golden.keys():
        expected = pytest.approx(golden[key], rel=tolerance, abs=tolerance) if tolerance else golden[key]
        if values[key] != expected:
            changes[key] = "changed"
    assert not changes, f"{len(changes)} of {len(golden)} in {path.name}: {dict(sorted(changes.items()))}"


class EventDigest(pp.Listener):
    """The digest of all events of trainings and their values, in order; no name of Python is hashed.

    With a `replacement`, every fifth sentence is left out, and others are replaced by `replacement(sentence)`.
    """

    def __init__(self, replacement: Any = None) -> None:
        self.replacement = replacement
        self.count = 0
        self._hash = sha256()

    @property
    def text(self) -> str:
        return f"{self.count} {self._hash.hexdigest()[:_DIGITS]}"

    def _add(self, letter: str, *values: Any) -> None:
        self.count += 1
        self._hash.update(json.dumps([letter, *values], default=float).encode())

    def before_epoch(self, epoch):
        self._add("E(", epoch)

    def after_epoch(self, report):
        self._add("E)", *vars(report).values())

    def before_sentence(self, epoch, sentence):
        self._add("s(", epoch, sentence)
        if self.replacement is not None:
            return pp.SKIP if sentence % 5 == 0 else self.replacement(sentence) if sentence % 7 == 1 else None
        return None

    def after_sentence(self, epoch, sentence):
        self._add("s)", epoch, sentence)

    def _add_update(self, letter, update):
        scores = float(update.positive_score), float(update.negative_score)
        self._add(letter, update.epoch, update.sentence, update.positive, update.negative, scores, update.started)

    def before_update(self, update):
        self._add_update("u(", update)

    def after_update(self, update):
        self._add_update("u)", update)

    def after_training_pass(self, epoch, parser):
        self._add("L", epoch)

    def before_evaluation(self, epoch):
        self._add("V(", epoch)

    def after_evaluation(self, report):
        self._add("V)", *vars(report).values())

    def on_progress(self, epoch, words, updates):
        self._add("w", epoch, words, updates)

    def on_notice(self, message):
        self._add("!")
