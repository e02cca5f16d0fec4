"""Annotation effort and agreement: corrections, time, and the agreement of two annotators."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from panparser.annotate.document import Document
from panparser.annotate.journal import Journal, kind_of
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.errors import AnnotationError, JournalError

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


_FIELDS = ("head", "label", "upos", "feats", "lemma")


@dataclass
class AnnotatorAgreement:
    """What two annotators' files have in common, of the sentences with the same key; as far as both decided.

    `kappa`: Cohen's, of labels of words to which both gave the same head. `disagreements`: sentence (in the first
    file), key, word, form, field, and what each of the two has.
    """

    sentences: int = 0
    only_first: int = 0  # sentences
    only_second: int = 0
    words: int = 0  # with heads in both
    heads: int = 0  # the same
    labeled: int = 0  # heads and labels the same
    tags: int = 0  # UPOS the same, of those that both have
    tagged: int = 0
    labels: Counter[tuple[str, str]] = field(default_factory=Counter)  # of words with the same head
    disagreements: list[dict[str, Any]] = field(default_factory=list)

    @property
    def uas(self) -> float | None:
        return 100 * self.heads / self.words if self.words else None

    @property
    def las(self) -> float | None:
        return 100 * self.labeled / self.words if self.words else None

    @property
    def kappa(self) -> float | None:
        total = sum(self.labels.values())
        if not total:
            return None
        first, second = Counter[str](), Counter[str]()
        for (one, other), count in self.labels.items():
            first[one] += count
            second[other] += count
        agreed = sum(count for (one, other), count in self.labels.items() if one == other) / total
        chance = sum(first[label] * second[label] for label in first) / total**2
        return 1.0 if chance == 1 else (agreed - chance) / (1 - chance)

    def to_value(self) -> dict[str, Any]:
        counts = ("sentences", "only_first", "only_second", "words", "heads", "labeled", "tagged", "tags")
        scores = {name: getattr(self, name) for name in ("uas", "las", "kappa")}
        rounded = {name: None if value is None else round(value, 4) for name, value in scores.items()}
        return {name: getattr(self, name) for name in counts} | rounded | {"disagreements": self.disagreements}


def measure_agreement(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> AnnotatorAgreement:
    """Compares two files, sentence by sentence, by sent_id and forms. Raises AnnotationError if none is in both."""
    one, other = Document.open(Path(first)), Document.open(Path(second))
    places, found = other.keys(), AnnotatorAgreement()
    matched = 0
    for key, index in one.keys().items():
        if key not in places:
            found.only_first += 1
            continue
        matched += 1
        _compare(index, key, one.draft(index), other.draft(places[key]), found)
    found.sentences, found.only_second = matched, len(places) - matched
    if not matched:
        raise AnnotationError(f"{first} and {second}: have no sentence in common, by sent_id and forms")
    return found


def _compare(index: int, key: str, one: SentenceDraft, other: SentenceDraft, found: AnnotatorAgreement) -> None:
    for number, (own, theirs) in enumerate(zip(one.words, other.words, strict=True), start=1):
        if own.head is not None and theirs.head is not None:
            found.words += 1
            if own.head == theirs.head:
                found.heads += 1
                if own.label is not None and theirs.label is not None:
                    found.labels[own.label, theirs.label] += 1
                    found.labeled += own.label == theirs.label
        if own.upos != "_" and theirs.upos != "_":
            found.tagged += 1
            found.tags += own.upos == theirs.upos
        for name in _FIELDS:
            values = getattr(own, name), getattr(theirs, name)
            if values[0] != values[1] and None not in values and "_" not in values:
                place = {"sentence": index, "key": key, "word": number, "form": own.form, "field": name}
                found.disagreements.append(place | {"first": values[0], "second": values[1]})
