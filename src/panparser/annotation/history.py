"""History: what the journal says about a document; replayed, undone, done again, and merged into a changed file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from panparser.annotation.document import Document, Marks
from panparser.annotation.drafts import Draft
from panparser.annotation.journal import Journal, kind_of
from panparser.errors import AnnotationError, ConlluError, JournalError

Part = dict[str, Any]  # what a record changes: cells of a sentence, or sentences
_MARKED = ("done", "spans", "forbidden")


@dataclass
class History:
    """The gestures that can be undone, and those that can be done again, by their numbers in the journal."""

    done: list[int] = field(default_factory=list)
    undone: list[int] = field(default_factory=list)

    def take(self, record: dict[str, Any]) -> None:
        kind = kind_of(record)
        if kind == "op":
            self.done.append(record["n"])
            self.undone.clear()
        elif kind == "undo":
            _move(self.done, self.undone, record["undo"])
        elif kind == "redo":
            _move(self.undone, self.done, record["redo"])


def _move(source: list[int], target: list[int], number: int) -> None:
    if not source or source[-1] != number:
        raise JournalError(f"the journal says that record {number} was undone or done again, out of order")
    target.append(source.pop())


# --- Changes of a document ---


def part_of_cells(index: int, old: Draft, new: Draft) -> Part | None:
    """What changes one sentence into another; None if nothing does."""
    cells = old.changes_to(new)
    if cells is None:
        return {"index": index, "old": [old.to_value()], "new": [new.to_value()]}
    if not cells:
        return None
    part: Part = {"index": index, "key": old.key, "cells": [list(cell) for cell in cells]}
    if new.key != old.key:
        part["new_key"] = new.key
    return part


def apply(
    document: Document, parts: Sequence[Part], version: int, *, backwards: bool = False, find: bool = True
) -> list[int]:
    """Changes a document; returns where it did. Raises AnnotationError, and changes nothing, if it has other values.

    Sentences are found by their keys, or else they are known to be where they were.
    """
    planned: list[tuple[int, int, list[Draft]]] = []
    for part in reversed(parts) if backwards else parts:
        planned.append(_planned(document, part, backwards, find))
    for index, taken, drafts in planned:
        document.put(index, taken, drafts, version)
    return [index for index, _, _ in planned]


def check(document: Document, parts: Sequence[Part], *, backwards: bool) -> None:
    """Raises AnnotationError if a document could not be changed so."""
    for part in parts:
        _planned(document, part, backwards)


def _planned(document: Document, part: Part, backwards: bool, find: bool = True) -> tuple[int, int, list[Draft]]:
    """Where a part changes a document, how many sentences, and into what."""
    if "cells" in part:
        index = _located(document, part["index"], _key(part, backwards)) if find else part["index"]
        return index, 1, [document.draft(index).changed(part["cells"], backwards=backwards)]
    old, new = (part["new"], part["old"]) if backwards else (part["old"], part["new"])
    expected = [Draft.from_value(value) for value in old]
    index = _located(document, part["index"], expected[0].key)
    for number, draft in enumerate(expected):
        if index + number >= len(document) or document.draft(index + number).to_text() != draft.to_text():
            raise AnnotationError("the sentence has changed since then")
    return index, len(old), [Draft.from_value(value) for value in new]


def _key(part: Part, after: bool) -> str:
    """The key of the sentence that a part changes, before it does, or after it did."""
    return str(part.get("new_key", part["key"]) if after else part["key"])


def _located(document: Document, index: int, key: str) -> int:
    """Where the sentence with this key is now."""
    if index < len(document) and document.draft(index).key == key:
        return index
    found = document.keys().get(key)
    if found is None:
        raise AnnotationError("the sentence is no longer in the file")
    return found


# --- Replaying ---


@dataclass
class Replay:
    """What a journal means for a document that was just read."""

    history: History = field(default_factory=History)
    merged: list[Part] = field(default_factory=list)  # if the file was changed by others
    moved: list[tuple[int, int]] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)  # changes that the file no longer allows, in words
    is_merged: bool = False
    reapplied: int = 0  # gestures that had been saved, and were not in the file any more


def replay(journal: Journal, document: Document, records: Iterable[dict[str, Any]]) -> Replay:
    """Applies to a document what the file lacks. Raises JournalError if the journal is of another file."""
    known = list(records)
    through = _through(known, document.sha256)
    try:
        if through is None:
            return _merged(journal, document, known)
        history, marks, is_merged = History(), _Marking(lambda number: known[number]), False
        for record in known:
            history.take(record)
            if record["n"] <= through:
                marks.take(record)
                if record["n"] == through:
                    marks.put(document)
            else:
                take(document, record, lambda number: known[number], find=is_merged)
                is_merged |= "base" in record
    except (AnnotationError, ConlluError, LookupError) as error:
        raise JournalError(f"{journal.path}: does not fit {document.path}: {error}") from None
    saved = max((record["saved"] for record in known if kind_of(record) == "saved"), default=0)
    lost = sum(through < record["n"] < saved and kind_of(record) in ("op", "undo", "redo") for record in known)
    return Replay(history, reapplied=lost)


def take(
    document: Document, record: dict[str, Any], earlier: Callable[[int], dict[str, Any]], *, find: bool = True
) -> list[int]:
    """Applies one record to a document; the sentences that it changed."""
    kind = kind_of(record)
    if kind in ("op", "base"):
        return apply(document, record["parts"], record["n"], find=find)
    if kind in ("undo", "redo"):
        parts = earlier(record[kind])["parts"]
        return apply(document, parts, record["n"], backwards=kind == "undo", find=find)
    return []


def _through(records: list[dict[str, Any]], sha256: str) -> int | None:
    """The number of the last record that a file with this hash has; None if it never was so."""
    for record in reversed(records):
        kind = kind_of(record)
        if kind in ("format", "saving") and record["sha256" if kind == "format" else "saving"] == sha256:
            return int(record["n"])
        if kind == "base" and record["base"] == sha256:
            return int(record["n"]) - 1  # its parts are not in the file
    return None


class _Marking:
    """Follows what records say about sentences besides their lines, which the file has already."""

    def __init__(self, earlier: Callable[[int], dict[str, Any]]) -> None:
        self.marks: dict[int, Marks] = {}
        self._earlier = earlier

    def take(self, record: dict[str, Any]) -> None:
        kind = kind_of(record)
        if kind == "base":
            self.marks = {new: self.marks[old] for old, new in record["moved"] if old in self.marks}
        if kind in ("op", "base"):
            self._apply(record["parts"], record["n"], False)
        elif kind in ("undo", "redo"):
            self._apply(self._earlier(record[kind])["parts"], record["n"], kind == "undo")

    def _apply(self, parts: Sequence[Part], version: int, backwards: bool) -> None:
        for part in reversed(parts) if backwards else parts:
            index = part["index"]
            if "cells" in part:
                marks = self.marks.setdefault(index, Marks())
                marks.version, marks.key = version, _key(part, not backwards)
                for number, name, old, new in part["cells"]:
                    if name in _MARKED:
                        _mark(marks, number, name, old if backwards else new)
            else:
                self._replace(index, part, version, backwards)

    def _replace(self, index: int, part: Part, version: int, backwards: bool) -> None:
        old, new = (part["new"], part["old"]) if backwards else (part["old"], part["new"])
        by = len(new) - len(old)
        if by:
            self.marks = {(at if at < index else at + by): marks for at, marks in self.marks.items()}
        for number, value in enumerate(new):
            draft = Draft.from_value(value)
            forbidden = {at: word.forbidden for at, word in enumerate(draft.words, start=1) if word.forbidden}
            self.marks[index + number] = Marks(draft.key, draft.done, draft.spans, forbidden, version)

    def put(self, document: Document) -> None:
        for index, marks in self.marks.items():
            if index < len(document):
                document.places[index].marks, document.places[index].version = marks, marks.version


def _mark(marks: Marks, number: int, name: str, value: Any) -> None:
    if name == "done":
        marks.done = value
    elif name == "spans":
        marks.spans = tuple((first, last) for first, last in value)
    elif value:
        marks.forbidden[number] = tuple(value)
    else:
        marks.forbidden.pop(number, None)


# --- Merging ---


def _merged(journal: Journal, document: Document, records: list[dict[str, Any]]) -> Replay:
    """The file was changed by others: what it has stays; what it lacks is added where it fits."""
    saved = max((record["saved"] for record in records if kind_of(record) == "saved"), default=0)
    result = Replay(History(), is_merged=True)
    marks = _Marking(lambda number: records[number])
    keys = document.keys()
    _check_same_file(journal, document, records, keys)
    for record in records:
        result.history.take(record)
        if record["n"] <= saved:
            marks.take(record)
    for old, each in marks.marks.items():
        if each.key in keys:
            result.moved.append((old, keys[each.key]))
    for old, new in result.moved:
        document.places[new].marks, document.places[new].version = marks.marks[old], marks.marks[old].version
        document.places[new].draft = None
    for record in records[saved + 1 :]:
        kind = kind_of(record)
        if kind in ("op", "base"):
            _merge(document, record["parts"], False, journal.last + 1, result)
        elif kind in ("undo", "redo"):
            _merge(document, records[record[kind]]["parts"], kind == "undo", journal.last + 1, result)
    return result


def _check_same_file(journal: Journal, document: Document, records: list[dict[str, Any]], keys: dict[str, int]) -> None:
    wanted: set[str] = set()
    for record in records:
        for part in record.get("parts", ()):
            wanted |= {part["key"]} if "cells" in part else {Draft.from_value(value).key for value in part["new"]}
    if wanted and not wanted & keys.keys():
        raise JournalError(
            f"{journal.path}: is the journal of another file: {document.path} has none of the sentences that were "
            "annotated; move the journal away to begin a new one"
        )


def _merge(document: Document, parts: Sequence[Part], backwards: bool, version: int, result: Replay) -> None:
    for part in reversed(parts) if backwards else parts:
        try:
            kept = _still_open(document, part, backwards) if "cells" in part else part
            if kept is None:
                continue
            at, taken, drafts = _planned(document, kept, backwards and "cells" not in part)
            result.merged.append(_noted(document, at, taken, drafts))
            document.put(at, taken, drafts, version)
            result.conflicts += kept.get("lost", ())
        except AnnotationError as error:
            result.conflicts.append(f"sentence {part['index'] + 1} ({part.get('key', '')}): {error}")


def _noted(document: Document, at: int, taken: int, drafts: list[Draft]) -> Part:
    """The part of a record that says what happened."""
    old = [document.draft(at + number) for number in range(taken)]
    if taken == len(drafts) == 1:
        return part_of_cells(at, old[0], drafts[0]) or {"index": at, "key": old[0].key, "cells": []}
    return {"index": at, "old": [each.to_value() for each in old], "new": [each.to_value() for each in drafts]}


def _still_open(document: Document, part: Part, backwards: bool) -> Part | None:
    """The cells that still have their old value, to be changed forwards; None if there are none."""
    key = _key(part, backwards)
    index = _located(document, part["index"], key)
    draft, cells, lost = document.draft(index), [], []
    for number, name, old, new in part["cells"]:
        old, new = (new, old) if backwards else (old, new)
        found = draft.value(number, name) if number <= len(draft.words) else None
        if found == old:
            cells.append([number, name, old, new])
        elif found != new:
            where = f"{name} of word {number}" if number else name
            lost.append(f"sentence {index + 1} ({key}): {where}: the file has {found!r}, the journal {new!r}")
    if not cells:
        if lost:
            raise AnnotationError("; ".join(lost))
        return None
    return {"index": index, "key": key, "cells": cells, "lost": lost}
