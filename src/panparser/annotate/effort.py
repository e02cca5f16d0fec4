"""Annotation effort: corrections per 100 words, finished words, hours left, and the time of every edit."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from panparser.annotate.journal import Journal, kind_of
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.errors import JournalError

_CORRECTIONS = ("head", "label", "arc", "cell", "forbid", "span")
MAX_WORK_PAUSE_SECONDS = 300.0  # seconds: a longer pause was not work
SPEED_WINDOW_SENTENCES = 20  # sentences that the speed is measured on
FIELDS = (
    "number",
    "time",
    "seconds",
    "user",
    "sentence",
    "sent_id",
    "edit",
    "word",
    "detail",
    "changed",
    "undone_by",
)


@dataclass
class Progress:
    """Counts what the journal says, record by record."""

    corrections: int = 0
    seconds: float = 0.0
    _last: float | None = None
    _since: tuple[int, float] = (0, 0.0)  # corrections and seconds when the last sentence was done
    _done: list[tuple[int, int, float]] = field(default_factory=list)  # words, corrections, seconds of sentences

    def take(self, record: dict[str, Any]) -> None:
        at = record.get("at")
        if at is None or kind_of(record) not in ("edit", "undo", "redo"):
            return
        if self._last is not None:
            self.seconds += min(max(0.0, at - self._last), MAX_WORK_PAUSE_SECONDS)  # a clock may jump
        self._last = at
        name = record["edit"]["edit"] if "edit" in record else ""
        self.corrections += name in _CORRECTIONS

    def done(self, words: int) -> None:
        """A sentence of so many words was done."""
        before = self._since
        self._since = (self.corrections, self.seconds)
        self._done.append((words, self.corrections - before[0], self.seconds - before[1]))

    def to_value(self, words_left: int) -> dict[str, Any]:
        """As JSON: {"corrections", "seconds", "per_100_words": of the latest sentences, "series": [of each ten],
        "words_per_hour", "hours_left"}; null where nothing is known."""
        latest = self._done[-SPEED_WINDOW_SENTENCES:]
        words, corrections, seconds = (sum(column) for column in zip(*latest, strict=True)) if latest else (0, 0, 0.0)
        speed = 3600 * words / seconds if seconds > 0 and words else None
        return {
            "corrections": self.corrections,
            "seconds": round(self.seconds, 1),
            "per_100_words": round(100 * corrections / words, 1) if words else None,
            "series": list(self._series()),
            "words_per_hour": round(speed) if speed else None,
            "hours_left": round(words_left / speed, 1) if speed else None,
        }

    def _series(self, size: int = 10) -> Iterator[float]:
        for start in range(0, len(self._done), size):
            part = self._done[start : start + size]
            yield round(100 * sum(each[1] for each in part) / max(1, sum(each[0] for each in part)), 1)


def list_edits(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every edit of a journal: when, how long after the one before, who, where, what, and what undid it.

    Sentences and words count from 1, as they stood at that moment. `detail` has what the edit says besides, under
    the names of its fields.
    """
    rows: dict[int, dict[str, Any]] = {}
    last: float | None = None
    for record in records:
        kind = kind_of(record)
        if kind not in ("edit", "undo", "redo"):
            continue
        value = dict(record["edit"]) if kind == "edit" else {"edit": kind, kind: record[kind]}
        if "places" in value:
            value["places"] = [[sentence + 1, word] for sentence, word in value["places"]]
        parts = record.get("parts", ())
        if kind == "undo":
            rows[record["undo"]]["undone_by"] = record["n"]
        elif kind == "redo":
            rows[record["redo"]]["undone_by"] = None
        of = rows.get(record.get(kind, 0), {}) if kind != "edit" else {}
        rows[record["n"]] = {
            "number": record["n"],
            "time": _moment(record["at"]),
            "seconds": None if last is None else round(record["at"] - last, 3),
            "user": record.get("user"),
            "sentence": parts[0]["index"] + 1 if parts else of.get("sentence"),
            "sent_id": _sent_id(parts[0]) if parts else of.get("sent_id"),
            "edit": value.pop("edit"),
            "word": value.pop("word", of.get("word")),
            "detail": value,
            "changed": sum(len(part.get("cells", ())) or 1 for part in parts) if kind == "edit" else of.get("changed"),
            "undone_by": None,
        }
        last = record["at"]
    return list(rows.values())


def _moment(at: float) -> str:
    """Seconds since 1970 as ISO 8601 has it, in UTC."""
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _sent_id(part: dict[str, Any]) -> str | None:
    """The name of the sentence that a part changes; None if it has none."""
    if "key" in part:
        return str(part["key"]).rpartition("#")[0] or None
    return SentenceDraft.from_value(part["old"][0]).comment("sent_id") if part["old"] else None


def read_edits(file: str | os.PathLike[str]) -> list[dict[str, Any]]:
    """Every edit of the file that was annotated, from the journal beside it: see `FIELDS`.

    Raises JournalError if there is no journal, or it is damaged. The file may be annotated meanwhile.
    """
    path = Path(file)
    journal = path.with_name(f"{path.name}.journal")
    if not journal.is_file():
        raise JournalError(f"{path}: has no journal: expected {journal}, found nothing")
    return list_edits(Journal(journal, "").records())


def to_csv(rows: Iterable[dict[str, Any]]) -> str:
    """Edits as CSV; `detail` is JSON, what is not known is empty."""
    target = io.StringIO()
    writer = csv.DictWriter(target, FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(row | {"detail": json.dumps(row["detail"], ensure_ascii=False)} for row in rows)
    return target.getvalue()


def to_json_lines(rows: Iterable[dict[str, Any]]) -> str:
    """Edits as lines of JSON; what is not known is null."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
