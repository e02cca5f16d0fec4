"""The journal beside a file that is annotated: a line of JSON for each gesture, on the disk before the answer.

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

from panparser.errors import JournalError
from panparser.storage import files
from panparser.storage.values import COUNT, NUMBER, TEXT, Either, Kind, ListOf, Maybe, Row, Table, integer, one_of

FORMAT, VERSION = "panparser-journal", 1
_START, _BODY = b'{"crc":"', 18  # what a line begins with; where the bytes of its checksum begin
_VALUE = Either(TEXT, COUNT, Maybe(Kind("a list", lambda value: isinstance(value, list | bool))))
_CELLS = Table({"index": COUNT, "key": TEXT, "cells": ListOf(Row(COUNT, TEXT, _VALUE, _VALUE))}, {"new_key": TEXT})
_DRAFTS = ListOf(Table({"text": TEXT, "done": Kind("true or false", lambda value: isinstance(value, bool))}))
_PLACES = Table({"index": COUNT, "old": _DRAFTS, "new": _DRAFTS})
_PART = Either(_CELLS, _PLACES)
_OF_ALL = {"n": COUNT, "at": NUMBER}
KINDS = {
    "format": Table({"n": integer(0, 0), "format": one_of(FORMAT), "version": integer(1), "sha256": TEXT}),
    "op": Table(_OF_ALL | {"user": TEXT, "op": Table({"op": TEXT}), "parts": ListOf(_PART)}),
    "undo": Table(_OF_ALL | {"undo": integer(1)}),
    "redo": Table(_OF_ALL | {"redo": integer(1)}),
    "saving": Table(_OF_ALL | {"saving": TEXT}),
    "saved": Table(_OF_ALL | {"saved": integer(1)}),
    "base": Table(_OF_ALL | {"base": TEXT, "parts": ListOf(_PART), "moved": ListOf(Row(COUNT, COUNT))}),
}  # by the key that only this kind of record has


def kind_of(record: dict[str, Any]) -> str:
    """What a record is: the header (`format`), a gesture (`op`), its `undo` or `redo`, `saving`, `saved`, a new `base`."""
    return next(kind for kind in KINDS if kind in record)


def line_of(record: dict[str, Any]) -> bytes:
    """A record as a line."""
    body = json.dumps(record, separators=(",", ":")).encode()[1:]
    return b'%b%08x",%b\n' % (_START, zlib.crc32(body), body)


def record_of(line: bytes) -> dict[str, Any] | None:
    """The record of a line, without its line end; None if it is damaged."""
    try:
        if not line.startswith(_START) or int(line[8:16], 16) != zlib.crc32(line[_BODY:]):
            return None
        record = json.loads(b"{" + line[_BODY:])
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
        kind = next((name for name in KINDS if name in record), None)
        if kind is None or (kind == "format") != (number == 0):
            raise JournalError(f"{place}: expected {'the header' if not number else 'a record'} of a journal")
        if kind == "format" and record.get("version") != VERSION:
            raise JournalError(f"{place}: expected version {VERSION}, found {record.get('version')!r:.40}")
        if not KINDS[kind].test(record):
            raise JournalError(f"{place}: this record is not one that annotation writes")
        if record["n"] != number:
            raise JournalError(f"{place}: expected record {number}, found {record['n']}: lines are missing")
        if kind in ("undo", "redo", "saved") and record[kind] >= number:
            raise JournalError(f"{place}: expected an earlier record, found {record[kind]}")

    def _drop(self, data: bytes, at: int) -> None:
        """The rest is torn, if no line of it is whole; then it was never answered for."""
        number = len(self._offsets) + 1
        rest = data[at:].split(b"\n")
        if not self._offsets:
            raise JournalError(f"{self.path}: expected a journal of annotation, found something else")
        if any(record_of(line) is not None for line in rest[1:]):
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

    def begin(self, sha256: str, now: float) -> None:
        """Opens it for writing: a new one, if there is none; what was torn is cut off."""
        if not self._offsets:
            line = line_of({"n": 0, "at": now, "format": FORMAT, "version": VERSION, "sha256": sha256})
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
