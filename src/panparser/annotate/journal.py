"""The journal: edits on disk before they are acknowledged; undo and redo."""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from panparser.annotate.document import Document, JournalState
from panparser.annotate.sentence_draft import SENTENCE_FIELDS, SentenceDraft
from panparser.errors import AnnotationError, JournalError
from panparser.storage import atomic as files

FORMAT, VERSION = "panparser-journal", 2
_START, _BODY = b'{"crc":"', 18  # what a line begins with; where the bytes of its checksum begin
_Types = frozenset[type]
_TEXT, _NUMBER, _LIST, _NOTHING = _Types({str}), _Types({int}), _Types({list}), type(None)
_TYPES: dict[str, _Types] = {
    **dict.fromkeys(("form", "lemma", "upos", "xpos", "feats", "deps", "misc"), _TEXT),
    **{"head": _Types({int, _NOTHING}), "label": _Types({str, _NOTHING}), "done": _Types({bool})},
    **dict.fromkeys(("forbidden", "comments", "spans"), _LIST),
}  # of the values of a field
_KINDS: dict[str, dict[str, _Types]] = {
    "edit": {"user": _TEXT, "edit": _Types({dict}), "parts": _LIST},
    "undo": {"undo": _NUMBER},
    "redo": {"redo": _NUMBER},
    "save_started": {"save_started": _TEXT},
    "save_finished": {"save_finished": _NUMBER},
    "base": {"base": _TEXT, "keys": _LIST, "parts": _LIST},
    "format": {"format": _TEXT, "version": _NUMBER, "sha256": _TEXT, "keys": _LIST},
}  # of the values of a record, by the key that only this kind of record has


def kind_of(record: dict[str, Any]) -> str:
    """What a record is, by the key that only such records have; empty if it is none of ours."""
    for kind in _KINDS:
        if kind in record:
            return kind
    return ""


def _is_record(record: dict[str, Any]) -> bool:
    """Could it have been written by annotation? Types and numbers are as they must be, not yet the sentences."""
    kind = kind_of(record)
    if not kind or type(record.get("n")) is not int or type(record.get("at")) not in (int, float):
        return False
    if not all(type(record.get(name)) in types for name, types in _KINDS[kind].items()):
        return False
    if not all(type(key) is str for key in record.get("keys", ())):
        return False
    if kind == "edit" and type(record["edit"].get("edit")) is not str:
        return False
    return all(map(_is_part, record.get("parts", ())))


def _is_part(part: Any) -> bool:
    if type(part) is not dict or type(part.get("index")) is not int or part["index"] < 0:
        return False
    if "cells" not in part:
        return all(type(part.get(name)) is list and all(map(_is_draft, part[name])) for name in ("old", "new"))
    cells = part["cells"]
    if type(cells) is not list or type(part.get("key")) is not str or type(part.get("new_key", "")) is not str:
        return False
    return all(map(_is_cell, cells))


def _is_cell(cell: Any) -> bool:
    if type(cell) is not list or len(cell) != 4:
        return False
    word, name, old, new = cell
    types = _TYPES.get(name) if type(name) is str else None
    if types is None or type(word) is not int or (word > 0) == (name in SENTENCE_FIELDS) or word < 0:
        return False
    if type(old) not in types or type(new) not in types:
        return False
    if name in ("head", "label") or types is _TEXT or name == "done":
        return name != "head" or all(value is None or value >= 0 for value in (old, new))
    return all(_is_list(name, value) for value in (old, new))


def _is_list(name: str, values: list[Any]) -> bool:
    if name == "forbidden":
        return _are_numbers(values, len(values))
    return all(type(each) is str if name == "comments" else _are_numbers(each, 2) for each in values)


def _are_numbers(values: Any, count: int) -> bool:
    return type(values) is list and len(values) == count and all(type(each) is int and each >= 0 for each in values)


def _is_draft(value: Any) -> bool:
    if type(value) is not dict or type(value.get("text")) is not str or type(value.get("done")) is not bool:
        return False
    forbidden, spans = value.get("forbidden", {}), value.get("spans", [])
    if type(forbidden) is not dict or type(spans) is not list:
        return False
    return _is_list("spans", spans) and all(
        word.isascii() and word.isdigit() and len(word) < 10 and type(heads) is list and _is_list("forbidden", heads)
        for word, heads in forbidden.items()
    )


def line_of(record: dict[str, Any]) -> bytes:
    """A record as a line."""
    body = json.dumps(record, separators=(",", ":")).encode()[1:]
    return b'%b%08x",%b\n' % (_START, zlib.crc32(body), body)


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of a line, without its line end; None if it is damaged."""
    try:
        if not line.startswith(_START) or line[16:_BODY] != b'",' or int(line[8:16], 16) != zlib.crc32(line[_BODY:]):
            return None
        record = json.loads("{" + line[_BODY:].decode())
    except (ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


class Journal:
    """A journal that is open: its records so far, and more of them."""

    def __init__(self, path: Path, user: str) -> None:
        self.path, self.user = path, user
        self.dropped = ""  # what was dropped at its end: for a message
        self._offsets = array("q")  # of lines, by number
        self._size = 0
        self._stream: IO[bytes] | None = None
        self._failed: str | None = None

    @property
    def last(self) -> int:
        """The number of the last record."""
        return len(self._offsets) - 1

    # --- Reading ---

    def records(self) -> Iterator[dict[str, Any]]:
        """All records of the file, the header first; none if there is no file. A torn end is dropped.

        Raises JournalError if it cannot be read, or a line before the end is damaged.
        """
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        at = 0
        while at < len(data):
            end = data.find(b"\n", at)
            record = record_of(data[at:end]) if end >= 0 else None
            if record is None:
                self._drop(data, at)
                return
            self._check(record)
            self._offsets.append(at)
            at = self._size = end + 1
            yield record

    def _check(self, record: dict[str, Any]) -> None:
        """Raises JournalError unless the record is one of ours, and the next."""
        number = len(self._offsets)
        place = f"{self.path}:{number + 1}"
        kind = kind_of(record)
        if not kind or (kind == "format") != (number == 0):
            raise JournalError(f"{place}: expected {'the header' if not number else 'a record'} of a journal")
        if kind == "format" and record.get("version") != VERSION:
            raise JournalError(
                f"{place}: expected version {VERSION}, found {record.get('version')!r:.40}; "
                "move the journal away to begin a new one: the file itself has all that was saved"
            )
        if not _is_record(record):
            raise JournalError(f"{place}: this record is not one that annotation writes")
        if record["n"] != number:
            raise JournalError(f"{place}: expected record {number}, found {record['n']}: lines are missing")
        if kind in ("undo", "redo", "save_finished") and not 0 < record[kind] < number:
            raise JournalError(f"{place}: expected an earlier record, found {record[kind]}")

    def _drop(self, data: bytes, at: int) -> None:
        """The rest is torn, if no other line begins in it; then it was never answered for."""
        number = len(self._offsets) + 1
        if not self._offsets:
            raise JournalError(f"{self.path}: expected a journal of annotation, found something else")
        if _START in data[at + 1 :]:
            raise JournalError(
                f"{self.path}:{number}: this line is damaged, and others follow; nothing was changed. "
                "Move the journal away to go on without it: the file itself has all that was saved"
            )
        self.dropped = f"{self.path}:{number}: dropped an incomplete last line of {len(data) - at} bytes"

    def record(self, number: int) -> dict[str, Any]:
        """One record, by its number."""
        start = self._offsets[number]
        stop = self._offsets[number + 1] if number < self.last else self._size
        try:
            with open(self.path, "rb") as stream:
                stream.seek(start)
                found = record_of(stream.read(stop - start - 1))
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be read: {error.strerror or error}") from None
        if found is None:
            raise JournalError(f"{self.path}:{number + 1}: this line was damaged after it was written")
        return found

    # --- Writing ---

    def begin(self, sha256: str, keys: list[str], now: float) -> None:
        """Opens it for writing: a new one (of a file with this hash and these sentences) if there is none.

        What was torn is cut off.
        """
        if not self._offsets:
            header = {"format": FORMAT, "version": VERSION, "sha256": sha256, "keys": keys}
            line = line_of({"n": 0, "at": now, **header})
            files.write_whole(self.path, line, JournalError)
            self._offsets.append(0)
            self._size = len(line)
        try:
            self._stream = open(self.path, "r+b", buffering=0)  # noqa: SIM115 - until `close`
            self._stream.truncate(self._size)
            self._stream.seek(self._size)
        except OSError as error:
            raise JournalError(f"{self.path}: cannot be written: {error.strerror or error}") from None

    def append(self, record: dict[str, Any], now: float) -> int:
        """Writes a record; returns its number when it would survive a loss of power.

        Raises JournalError if that cannot be promised; then nothing more is written.
        """
        if self._failed is not None or self._stream is None:
            raise JournalError(f"{self.path}: cannot be written: {self._failed or 'it is closed'}")
        number = len(self._offsets)
        line = line_of({"n": number, "at": round(now, 3), **record})
        try:
            files.disk.append(self._stream, line)
        except OSError as error:
            self._failed = error.strerror or str(error)
            with suppress(OSError):
                os.ftruncate(self._stream.fileno(), self._size)  # as if it had never been tried
            raise JournalError(f"{self.path}: cannot be written: {self._failed}") from None
        self._offsets.append(self._size)
        self._size += len(line)
        return number

    def close(self) -> None:
        if self._stream is not None:
            with suppress(OSError):
                self._stream.close()
            self._stream = None


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
                        _set_mark(marks, number, name, old if backwards else new)
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


def _set_mark(marks: JournalState, number: int, name: str, value: Any) -> None:
    if name == "done":
        marks.done = value
    elif name == "spans":
        marks.spans = tuple((first, last) for first, last in value)
    elif value:
        marks.forbidden[number] = tuple(value)
    else:
        marks.forbidden.pop(number, None)
