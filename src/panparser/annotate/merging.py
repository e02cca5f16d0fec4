"""Merging of edits into a file that another program changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import Any

from panparser.annotate.document import Document, JournalState
from panparser.annotate.journal import (
    Following,
    History,
    Journal,
    Part,
    apply,
    key_in,
    kind_of,
    part_of_cells,
    part_of_sentences,
    sides,
    take,
)
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.errors import AnnotationError, ConlluError, JournalError


def aligned(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Where sentences went, by their keys: those that stayed in order, then others with the same key, in order."""
    found: list[int | None] = [None] * len(old)
    for at, to, size in SequenceMatcher(None, old, new).get_matching_blocks():
        found[at : at + size] = range(to, to + size)
    taken, free = set(found), dict[str, list[int]]()
    for to in reversed(range(len(new))):
        if to not in taken:
            free.setdefault(new[to], []).append(to)
    for at, key in enumerate(old):
        if found[at] is None and free.get(key):
            found[at] = free[key].pop()
    return found


class DocumentMerger:
    """A document as others left it, to which changes of another version of it are added.

    `places`: for each sentence of that version, in its order, where it is in the document, if it is there.
    """

    def __init__(self, document: Document, places: list[int | None]) -> None:
        self.document, self._places = document, places
        self.conflicts: list[str] = []  # changes that the file does not allow, in words

    def mark(self, marks: Mapping[int, JournalState]) -> None:
        for index, each in marks.items():
            place = self._places[index]
            if place is not None:
                self.document.mark(place, each)

    def take(self, parts: Sequence[Part], backwards: bool) -> None:
        """Adds what fits; tells of the rest."""
        for part in reversed(parts) if backwards else parts:
            try:
                if "cells" in part:
                    self._change(part, backwards)
                else:
                    self._replace(part, backwards)
            except AnnotationError as error:
                key = (
                    key_in(part, backwards)
                    if "cells" in part
                    else SentenceDraft.from_value(sides(part, backwards)[0][0]).key
                )
                self.conflicts.append(f"sentence {part['index'] + 1} ({key}): {error}")

    def _change(self, part: Part, backwards: bool) -> None:
        place = self._places[part["index"]]
        if place is None:
            raise AnnotationError("is no longer in the file, or has changed; the journal has what was annotated in it")
        draft, cells, lost = self.document.draft(place), [], []
        for number, name, *values in part["cells"]:
            old, new = reversed(values) if backwards else values
            found = draft.value(number, name) if number <= len(draft.words) else None
            if found == old:
                cells.append([number, name, old, new])
            elif found != new:
                where = f"{name} of word {number}" if number else name
                lost.append(f"{where}: the file has {found!r}, the journal {new!r}")
        if cells:
            self.document.put(place, 1, [draft.changed(cells)], 0)
        if lost:
            raise AnnotationError("; ".join(lost))

    def _replace(self, part: Part, backwards: bool) -> None:
        index, (old, new) = part["index"], sides(part, backwards)
        places, count = self._places[index : index + len(old)], len(new)
        self._places[index : index + len(old)] = [None] * count
        first = places[0]
        if first is None or places != [*range(first, first + len(old))]:
            raise AnnotationError("is no longer in the file, or not where it was; it is not split or joined")
        for place, value in enumerate(old, start=first):
            if not self.document.draft(place).has_lines_of(SentenceDraft.from_value(value)):
                raise AnnotationError("has changed in the file; it is not split or joined")
        self.document.put(first, len(old), [SentenceDraft.from_value(value) for value in new], 0)
        by = count - len(old)
        self._places = [at if at is None or at < first else at + by for at in self._places]
        self._places[index : index + count] = range(first, first + count)

    def difference(self, file: Document) -> list[Part]:
        """What makes the document of the file as it was read; each part is of other sentences, the last come first."""
        numbers = {place.start: number for number, place in enumerate(file.entries)}
        parts: list[Part] = []
        start, new = 0, list[SentenceDraft]()  # of sentences that were replaced
        for index, place in enumerate(self.document.entries):
            if place.start == place.stop:
                new.append(self.document.draft(index))
                continue
            number = numbers[place.start]
            parts += _replaced(file, start, number, new)
            start, new = number + 1, []
            if place.draft is not None or place.marks is not None:
                part = part_of_cells(number, file.draft(number), self.document.draft(index))
                parts += [part] if part else []
        return [*parts, *_replaced(file, start, len(file), new)][::-1]


def _replaced(file: Document, start: int, stop: int, new: list[SentenceDraft]) -> list[Part]:
    return [part_of_sentences(start, map(file.draft, range(start, stop)), new)] if new else []


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
