"""The journal beside a file that is annotated: a line of JSON for each edit, on the disk before the answer.

`{"crc":"5c0f3a91","n":7,...}`: the checksum is that of all bytes after its comma; lines are numbered, the first is 0.
"""

from __future__ import annotations

import json
import os
import zlib
from array import array
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from panparser.annotation.drafts import SENTENCE_FIELDS
from panparser.errors import JournalError
from panparser.storage import files

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
