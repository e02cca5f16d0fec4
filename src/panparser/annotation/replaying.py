"""Replaying: what a journal means for a file that was just read; the file may have been changed by others."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from panparser.annotation.document import Document
from panparser.annotation.history import Following, History, Part, apply, take
from panparser.annotation.journal import Journal, kind_of
from panparser.annotation.merging import DocumentMerger, aligned
from panparser.errors import AnnotationError, ConlluError, JournalError

Records = list[dict[str, Any]]


@dataclass
class JournalReplay:
    """What a journal means for a document."""

    history: History = field(default_factory=History)
    merged: dict[str, Any] | None = None  # if others changed the file: a record of what is added to it
    undo_ends: bool = False  # are there edits that can no longer be undone or done again?
    conflicts: list[str] = field(default_factory=list)  # changes that the file no longer allows, in words
    reapplied: int = 0  # edits that had been saved, and were not in the file any more


def replay(journal: Journal, document: Document, records: Iterable[dict[str, Any]]) -> JournalReplay:
    """Applies to a document what the file lacks. Raises JournalError if the journal is of another file."""
    known = list(records)
    try:
        through = _through(known, document.sha256)
        return _merged(journal, document, known) if through is None else _continued(document, known, through)
    except (AnnotationError, ConlluError, LookupError) as error:
        raise JournalError(f"{journal.path}: does not fit {document.path}: {error}") from None


def _start(records: Records) -> int:
    """The number of the record before which nothing matters: the last time that others changed the file, or 0."""
    return max(int(record["n"]) for record in records if kind_of(record) in ("format", "base"))


def _through(records: Records, sha256: str) -> int | None:
    """The number of the last record that a file with this hash has; None if it never was so, as far as is known."""
    start = _start(records)
    for record in reversed(records[start + 1 :]):
        if record.get("save_started") == sha256:
            return int(record["n"])
    first = records[start]
    if kind_of(first) == "base":
        return start - 1 if first["base"] == sha256 else None  # its parts are not in the file
    return 0 if first["sha256"] == sha256 else None


def _saved(records: Records) -> int:
    """The number of the last record that is in the file as it was saved last."""
    return max((record["save_finished"] for record in records if kind_of(record) == "save_finished"), default=0)


def _continued(document: Document, records: Records, through: int) -> JournalReplay:
    """The file is as it once was: what came later is done again."""
    start = _start(records)
    history, following = History(), Following(records[start], records.__getitem__)
    for record in records[start:]:
        history.take(record)
        if record["n"] <= through:
            following.take(record)
            if record["n"] == through:
                following.put(document)
        else:
            take(document, record, records.__getitem__)
    later = records[through + 1 : _saved(records)]
    return JournalReplay(history, reapplied=sum(kind_of(record) in ("edit", "undo", "redo") for record in later))


def _merged(journal: Journal, document: Document, records: Records) -> JournalReplay:
    """The file was changed by others: what it has stays; what it lacks is added where it fits."""
    start, saved = _start(records), _saved(records)
    following = Following(records[start], records.__getitem__)
    history = History()
    for record in records[start:]:
        history.take(record)
        if record["n"] <= saved:
            following.take(record)
    keys = document.all_keys()
    if any("edit" in record for record in records) and not set(following.keys) & set(keys):
        raise JournalError(
            f"{journal.path}: is the journal of another file: {document.path} has none of the sentences that were "
            "annotated; move the journal away to begin a new one"
        )
    merging = DocumentMerger(Document(document.data, document.path), aligned(following.keys, keys))
    merging.mark(following.marks)
    for parts, backwards in _remaining(records, max(start, saved + 1)):
        merging.take(parts, backwards)
    parts = merging.difference(document)
    apply(document, parts, journal.last + 1)
    merged = {"base": document.sha256, "keys": keys, "parts": parts}
    return JournalReplay(merged=merged, undo_ends=bool(history.done or history.undone), conflicts=merging.conflicts)


def _remaining(records: Records, start: int) -> list[tuple[list[Part], bool]]:
    """What records change, from one on, without what was undone again: parts, and whether backwards."""
    found: list[tuple[int, bool]] = []
    for record in records[start:]:
        kind = kind_of(record)
        if kind not in ("edit", "base", "undo", "redo"):
            continue
        number, backwards = record["n"] if kind in ("edit", "base") else record[kind], kind == "undo"
        if found and found[-1] == (number, not backwards):
            found.pop()
        else:
            found.append((number, backwards))
    return [(records[number]["parts"], backwards) for number, backwards in found]
