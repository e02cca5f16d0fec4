"""Results in the file formats of other tools: MLflow's folder of runs, and the logs of Weights & Biases."""

from __future__ import annotations

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from panparser.errors import SpecError
from panparser.grid.records import Outcome
from panparser.grid.results import Result, Results

_READER = b"0.70.0"  # the oldest version of W&B that its own files of today are for
_UNNAMED = re.compile(r"[^\w. /-]|^/+|(?<![^/])\.+(?![^/])")  # in names of files below a folder


def _figures(outcome: Outcome) -> dict[str, float]:
    scores = {
        f"{split}/{metric}": value for split, all_ in outcome.values["scores"].items() for metric, value in all_.items()
    }
    return {**scores, **outcome.facts, "seconds": outcome.seconds}


def _parameters(row: Result) -> dict[str, Any]:
    assert row.outcome is not None
    recipe = row.outcome.values["run"]["recipe"]
    found: dict[str, Any] = {f"axis.{axis}": label for axis, label in row.labels.items()}
    for table, values in recipe.items():
        pairs = values.items() if isinstance(values, Mapping) else [("", values)]
        found |= {f"{table}.{key}".rstrip("."): value for key, value in pairs}
    return found | {"panparser": row.outcome.version, "build": row.outcome.build}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _times(outcome: Outcome) -> tuple[int, int]:
    """Begin and end, in milliseconds."""
    start = int(datetime.fromisoformat(outcome.values["started"]).timestamp() * 1000)
    return start, start + round(outcome.seconds * 1000)


def _write(path: Path, data: bytes) -> None:
    """Thousands of files, which can be made again: none is waited for until it is on the disk."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise SpecError(f"{path}: cannot be written: {error.strerror}") from None


def _run_rows(results: Results) -> Iterator[tuple[Result, Outcome]]:
    for row in results.rows:
        if row.outcome is not None:
            yield row, row.outcome


# --- MLflow ---


def to_mlflow(results: Results, folder: Path) -> int:
    """Writes an experiment into a file store of MLflow, a folder such as mlruns; how many runs it has."""
    known = str(int(zlib.crc32(results.name.encode())) + 1)
    place = folder / known
    times = [_times(outcome) for _, outcome in _run_rows(results)]
    first, last = min((start for start, _ in times), default=0), max((end for _, end in times), default=0)
    experiment = {
        "artifact_location": place.resolve().as_uri(),
        "creation_time": first,
        "experiment_id": known,
        "last_update_time": last,
        "lifecycle_stage": "active",
        "name": results.name,
    }
    _write(place / "meta.yaml", _yaml(experiment))
    for row, outcome in _run_rows(results):
        _mlflow_run(place, known, row, outcome)
    return len(times)


def _mlflow_run(place: Path, experiment: str, row: Result, outcome: Outcome) -> None:
    key = row.key[:32]
    start, end = _times(outcome)
    name = ", ".join(row.labels.values()) or key
    meta = {
        "artifact_uri": (place / key / "artifacts").resolve().as_uri(),
        "end_time": end,
        "entry_point_name": "",
        "experiment_id": experiment,
        "lifecycle_stage": "active",
        "run_id": key,
        "run_name": name,
        "source_name": "panparser",
        "source_type": 4,
        "source_version": "",
        "start_time": start,
        "status": 3 if outcome.is_done else 4,
        "tags": [],
        "user_id": "",
    }
    own = place / key
    _write(own / "meta.yaml", _yaml(meta))
    for parameter, value in _parameters(row).items():
        _write(own / "params" / _UNNAMED.sub("-", parameter), _text(value).encode())
    for metric, figure in _figures(outcome).items():
        _write(own / "metrics" / _UNNAMED.sub("-", metric), f"{end} {figure} 0\n".encode())
    tags = {"mlflow.runName": name, "panparser.key": row.key} | (
        {"panparser.error": outcome.error} if outcome.error else {}
    )
    for tag, text in tags.items():
        _write(own / "tags" / tag, text.encode())
    (own / "artifacts").mkdir(exist_ok=True)


def _yaml(values: Mapping[str, Any]) -> bytes:
    """JSON values are YAML."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in values.items()).encode()


# --- Weights & Biases ---


def to_wandb(results: Results, folder: Path) -> int:
    """Writes a folder for each run, as W&B does offline; `wandb sync FOLDER/offline-run-*` sends them. How many."""
    rows = list(_run_rows(results))
    for row, outcome in rows:
        key = row.key[:8]
        stamp = datetime.fromisoformat(outcome.values["started"]).strftime("%Y%m%d_%H%M%S")
        _write(
            folder / f"offline-run-{stamp}-{key}" / f"run-{key}.wandb", _log(_records(results.name, key, row, outcome))
        )
    return len(rows)


def _records(project: str, key: str, row: Result, outcome: Outcome) -> Iterator[bytes]:
    """The records of a run, in the wire format of protocol buffers: header, run, history, summary, exit."""
    config = b"".join(_field(1, _item(name, value)) for name, value in _parameters(row).items())
    summary = b"".join(_field(1, _item(name, value)) for name, value in _figures(outcome).items())
    name = ", ".join(row.labels.values()) or key
    start, end = _times(outcome)
    started = _number(1, start // 1000) + _number(2, start % 1000 * 10**6)
    run = _field(1, key.encode()) + _field(3, project.encode()) + _field(4, config)
    run += _field(8, name.encode()) + _field(17, started)
    yield _field(21, _field(1, _field(1, b"panparser") + _field(2, _READER)))
    yield _field(17, run)
    yield _field(2, summary + _field(2, _number(1, 0)))
    yield _field(3, summary)
    yield _field(18, _number(1, 0 if outcome.is_done else 1) + _number(2, (end - start) // 1000))


def _item(key: str, value: Any) -> bytes:
    return _field(1, key.encode()) + _field(16, json.dumps(value).encode())


def _field(number: int, data: bytes) -> bytes:
    return _varint(number << 3 | 2) + _varint(len(data)) + data


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _varint(value: int) -> bytes:
    found = bytearray()
    while value > 0x7F:
        found.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes((*found, value))


_BLOCK, _HEADER = 32768, 7  # bytes
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4  # parts of records


def _log(records: Iterator[bytes]) -> bytes:
    """Records in blocks, as logs of LevelDB have them; each has its number."""
    log = bytearray(struct.pack("<4sHB", b":W&B", 0xBEE1, 0))
    for number, record in enumerate(records, start=1):
        data, begun = _number(1, number) + record, False
        while data or not begun:
            room = _BLOCK - len(log) % _BLOCK
            if room < _HEADER:
                log += b"\0" * room
                continue
            piece, data = data[: room - _HEADER], data[room - _HEADER :]
            kind = (_MIDDLE if data else _LAST) if begun else (_FIRST if data else _WHOLE)
            begun = True
            check = zlib.crc32(piece, zlib.crc32(bytes([kind])))
            log += struct.pack("<IHB", check, len(piece), kind) + piece
    return bytes(log)
