"""Outcomes: the scores of a run, and its counts by sentence."""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from panparser.base.kinds import (
    COUNT,
    NUMBER,
    TEXT,
    ListOf,
    Nullable,
    Table,
    TableOf,
    check,
    one_of,
    parse_json,
    read_values,
)
from panparser.base.types import FloatArray, LongArray
from panparser.errors import ModelError, SpecError
from panparser.storage.atomic import write_whole
from panparser.work.keys import digest

_TYPES: dict[str, np.dtype[Any]] = {"B": np.dtype("<u1"), "H": np.dtype("<u2"), "I": np.dtype("<u4")}
MAX_PACKED_VALUES = 1 << 26  # bytes of the counts of a run


def pack_counts(counts: Any) -> str:
    """A text for numbers that are not negative."""
    numbers = np.asarray(counts)
    most = int(numbers.max(initial=0))
    name = "B" if most < 1 << 8 else "H" if most < 1 << 16 else "I"
    return name + base64.b64encode(zlib.compress(numbers.astype(_TYPES[name]).tobytes(), 9)).decode()


def unpack_counts(text: str) -> LongArray:
    """The numbers of a text. Raises ModelError if it holds none."""
    try:
        squeezed = base64.b64decode(text[1:], validate=True)
        stream = zlib.decompressobj()
        data = stream.decompress(squeezed, MAX_PACKED_VALUES)
        if not stream.eof:
            raise ValueError("cut off, or too long")
        numbers: LongArray = np.frombuffer(data, dtype=_TYPES[text[:1]]).astype(np.int64)
    except (ValueError, KeyError, zlib.error, binascii.Error):
        raise ModelError("expected counts of sentences, found something else") from None
    return numbers


FORMAT = 1
_RECIPE = Table({}, {"data": Table({}, {"train": ListOf(TEXT)})})
_SENTENCES = Table({"gold": TEXT, "wrong": TableOf(TEXT)}, {"predicted": TEXT})
DECLARED = Table(
    {
        "format": COUNT,
        "key": TEXT,
        "content": TEXT,
        "status": one_of("done", "failed"),
        "error": Nullable(TEXT),
        "run": Table({"recipe": _RECIPE, "splits": TableOf(TEXT), "panparser": TEXT, "build": TEXT}),
        "data": TableOf(TEXT),
        "started": TEXT,
        "seconds": NUMBER,
        "cpu_seconds": NUMBER,
        "machine": TableOf(TEXT),
        "facts": TableOf(NUMBER),
        "scores": TableOf(TableOf(NUMBER)),
        "sentences": TableOf(_SENTENCES),
    }
)


@dataclass(frozen=True)
class RunOutcome:
    """What came of a run: plain values, as its file holds them."""

    values: Mapping[str, Any] = field(repr=False)

    @property
    def key(self) -> str:
        return str(self.values["key"])

    @property
    def is_finished(self) -> bool:
        return bool(self.values["status"] == "done")

    @property
    def error(self) -> str | None:
        found: str | None = self.values["error"]
        return found

    @property
    def build(self) -> str:
        return str(self.values["run"]["build"])

    @property
    def version(self) -> str:
        return str(self.values["run"]["panparser"])

    @property
    def seconds(self) -> float:
        return float(self.values["seconds"])

    @property
    def facts(self) -> Mapping[str, float]:
        """Numbers about training: CPU seconds, best epoch, sentences and words, bytes of the model, ..."""
        found: Mapping[str, float] = self.values["facts"]
        return found

    def score(self, split: str, metric: str) -> float | None:
        """In percent; None if it was not scored."""
        found: float | None = self.values["scores"].get(split, {}).get(metric)
        return found

    def counts(self, split: str, metric: str) -> FloatArray | None:
        """(sentences, 3): correct, gold and predicted words of each; None if they were not counted."""
        held = self.values["sentences"].get(split)
        if held is None or metric not in held["wrong"]:
            return None
        gold = unpack_counts(held["gold"])
        predicted = unpack_counts(held["predicted"]) if "predicted" in held else gold
        wrong = unpack_counts(held["wrong"][metric])
        if not len(gold) == len(predicted) == len(wrong) or (wrong > gold).any():
            raise ModelError(f"{self.key}: damaged: its counts of sentences do not fit each other")
        correct = gold - wrong
        return np.stack([correct, gold, predicted], axis=1).astype(np.float64)

    # --- Files ---

    def write(self, folder: Path, *, lasting: bool = True) -> None:
        """Writes KEY.json, as one line. Not `lasting`: whoever takes it brings it to the disk."""
        write_whole(folder / f"{self.key}.json", (self.to_json_line() + "\n").encode(), SpecError, lasting=lasting)

    def to_json_line(self) -> str:
        return json.dumps(self.values, ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    @classmethod
    def read(cls, path: Path) -> RunOutcome:
        """The outcome of a file. Raises ModelError if it is damaged, or its key does not fit its run."""
        return cls.from_values(read_values(path, "JSON", ModelError), str(path))

    @classmethod
    def parse(cls, line: str, place: str) -> RunOutcome:
        return cls.from_values(parse_json(line, place, ModelError), place)

    @classmethod
    def from_values(cls, values: Any, place: str) -> RunOutcome:
        check(values, DECLARED, place)
        if values["format"] > FORMAT:
            raise ModelError(f"{place}: written by a newer panparser (format {values['format']})")
        try:
            known = digest(values["run"])
        except (ValueError, RecursionError):  # not a number, or tables within tables without end
            known = ""
        if known != values["key"] or not known:
            raise ModelError(f"{place}: damaged: its key is not that of its run")
        return cls(values)


def sentence_counts(correct: Mapping[str, Any], gold: Any, predicted: Any) -> dict[str, Any]:
    """What a file holds of the sentences of a split: words, and by metric those that are wrong."""
    found: dict[str, Any] = {"gold": pack_counts(gold)}
    if not np.array_equal(gold, predicted):
        found["predicted"] = pack_counts(predicted)
    found["wrong"] = {metric: pack_counts(np.asarray(gold) - np.asarray(right)) for metric, right in correct.items()}
    return found
