"""History: what records of the journal change in a document, forwards and backwards, and what they say besides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from panparser.annotation.document import Document, JournalState
from panparser.annotation.drafts import SentenceDraft
from panparser.annotation.journal import kind_of
from panparser.errors import AnnotationError, JournalError

Part = dict[str, Any]  # what a record changes: cells of a sentence, or sentences
_MARKED = ("done", "spans", "forbidden")


@dataclass
class History:
    """The edits that can be undone, and those that can be done again, by their numbers in the journal."""

    done: list[int] = field(default_factory=list)
    undone: list[int] = field(default_factory=list)

    def take(self, record: dict[str, Any]) -> None:
        kind = kind_of(record)
        if kind == "edit":
            self.done.append(record["n"])
            self.undone.clear()
        elif kind == "undo":
            _move(self.done, self.undone, record["undo"])
        elif kind == "redo":
            _move(self.undone, self.done, record["redo"])
        elif kind == "base":  # what was changed before it may have other values now
            self.done.clear()
            self.undone.clear()


def _move(source: list[int], target: list[int], number: int) -> None:
    if not source or source[-1] != number:
        raise JournalError(f"the journal says that record {number} was undone or done again, out of order")
    target.append(source.pop())


# --- Changes of a document ---


def part_of_cells(index: int, old: SentenceDraft, new: SentenceDraft) -> Part | None:
    """What changes one sentence into another; None if nothing does."""
    cells = old.changes_to(new)
    if cells is None:
        return part_of_sentences(index, [old], [new])
    if not cells:
        return None
    if old.done == new.done != new.is_complete:
        cells.append((0, "done", old.done, new.done))  # the lines alone would say otherwise
    part: Part = {"index": index, "key": old.key, "cells": [list(cell) for cell in cells]}
    if new.key != old.key:
        part["new_key"] = new.key
    return part


def part_of_sentences(index: int, old: Iterable[SentenceDraft], new: Iterable[SentenceDraft]) -> Part:
    """What replaces some sentences by others."""
    return {"index": index, "old": [each.to_value() for each in old], "new": [each.to_value() for each in new]}


def apply(document: Document, parts: Sequence[Part], version: int, *, backwards: bool = False) -> list[int]:
    """Changes a document; returns where it did. Raises AnnotationError, and changes nothing, if it has other values."""
    planned = plan(document, parts, backwards=backwards)
    for index, taken, drafts in planned:
        document.put(index, taken, drafts, version)
    return [index for index, _, _ in planned]


def plan(document: Document, parts: Sequence[Part], *, backwards: bool) -> list[tuple[int, int, list[SentenceDraft]]]:
    """Where parts change a document, how many sentences, and into what.

    No part depends on another one. Raises AnnotationError if the document has other values.
    """
    return [_planned(document, part, backwards) for part in (reversed(parts) if backwards else parts)]


def _planned(document: Document, part: Part, backwards: bool) -> tuple[int, int, list[SentenceDraft]]:
    index = part["index"]
    if "cells" in part:
        return index, 1, [document.draft(index).changed(part["cells"], backwards=backwards)]
    old, new = sides(part, backwards)
    for at, value in enumerate(old, start=index):
        if at >= len(document) or not document.draft(at).has_lines_of(SentenceDraft.from_value(value)):
            raise AnnotationError("the sentence has changed since then")
    return index, len(old), [SentenceDraft.from_value(value) for value in new]


def sides(part: Part, backwards: bool) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The sentences that a part replaces, and those that it puts in their place."""
    return (part["new"], part["old"]) if backwards else (part["old"], part["new"])


def key_in(part: Part, after: bool) -> str:
    """The key of the sentence whose cells a part changes, before it does, or after it did."""
    return str(part.get("new_key", part["key"]) if after else part["key"])


def take(document: Document, record: dict[str, Any], earlier: Callable[[int], dict[str, Any]]) -> list[int]:
    """Applies one record to a document; the sentences that it changed."""
    kind = kind_of(record)
    if kind in ("edit", "base"):
        return apply(document, record["parts"], record["n"])
    if kind in ("undo", "redo"):
        return apply(document, earlier(record[kind])["parts"], record["n"], backwards=kind == "undo")
    return []


# --- What the file has no place for ---


class Following:
    """Follows what records say about sentences of a file that has their lines already: marks and keys.

    `first`: the record that has the keys of the file as it was read; a header, or a `base`.
    """

    def __init__(self, first: dict[str, Any], earlier: Callable[[int], dict[str, Any]]) -> None:
        self.marks: dict[int, JournalState] = {}
        self.keys: list[str] = list(first["keys"])
        self._earlier = earlier

    def take(self, record: dict[str, Any]) -> None:
        kind = kind_of(record)
        if kind in ("edit", "base"):
            self._apply(record["parts"], record["n"], False)
        elif kind in ("undo", "redo"):
            self._apply(self._earlier(record[kind])["parts"], record["n"], kind == "undo")

    def _apply(self, parts: Sequence[Part], version: int, backwards: bool) -> None:
        for part in reversed(parts) if backwards else parts:
            index = part["index"]
            if "cells" in part:
                marks = self.marks.setdefault(index, JournalState())
                marks.version = version
                if "new_key" in part:
                    self.keys[index] = key_in(part, not backwards)
                for number, name, old, new in part["cells"]:
                    if name in _MARKED:
                        _mark(marks, number, name, old if backwards else new)
            else:
                self._replace(index, part, version, backwards)

    def _replace(self, index: int, part: Part, version: int, backwards: bool) -> None:
        old, new = sides(part, backwards)
        stop, by = index + len(old), len(new) - len(old)
        kept = {at: marks for at, marks in self.marks.items() if not index <= at < stop}
        self.marks = {at if at < index else at + by: marks for at, marks in kept.items()}
        drafts = [SentenceDraft.from_value(value) for value in new]
        self.keys[index:stop] = [draft.key for draft in drafts]
        for at, draft in enumerate(drafts, start=index):
            forbidden = {number: word.forbidden for number, word in enumerate(draft.words, start=1) if word.forbidden}
            self.marks[at] = JournalState(draft.done, draft.spans, forbidden, version)

    def put(self, document: Document) -> None:
        for index, marks in self.marks.items():
            if index < len(document):
                document.mark(index, marks)


def _mark(marks: JournalState, number: int, name: str, value: Any) -> None:
    if name == "done":
        marks.done = value
    elif name == "spans":
        marks.spans = tuple((first, last) for first, last in value)
    elif value:
        marks.forbidden[number] = tuple(value)
    else:
        marks.forbidden.pop(number, None)
