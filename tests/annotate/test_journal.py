"""Journals: what is torn is dropped, what is damaged is refused, nothing is misread."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.annotate.journal import Journal, line_of, record_of

CELLS = {"index": 0, "key": "k", "cells": [[1, "head", None, 2]]}
RECORDS = [
    {"edit": {"edit": "head", "word": 1, "head": 2}, "user": "é", "parts": [CELLS]},
    {"undo": 1},
    {"redo": 1},
    {"save_started": "abc"},
    {"save_finished": 4},
    {"base": "x", "keys": ["k"], "parts": []},
]


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "file.journal"
    journal = Journal(path, "me")
    assert list(journal.records()) == []
    journal.begin("hash", ["k"], 1.0)
    for number, record in enumerate(RECORDS, start=1):
        assert journal.append(record, number + 0.5) == number
    journal.close()
    return path


def read(path):
    journal = Journal(path, "me")
    return list(journal.records()), journal


def test_records_come_back(path):
    records, journal = read(path)
    assert [{k: v for k, v in record.items() if k not in ("n", "at")} for record in records[1:]] == RECORDS
    assert journal.dropped == ""
    assert journal.last == len(RECORDS)
    assert [journal.record(number) for number in range(len(RECORDS) + 1)] == records
    for line in path.read_text().splitlines():
        json.loads(line)  # lines of JSON, for other programs


def test_a_journal_cut_at_any_byte_is_a_journal_of_fewer_records(path):
    data, (records, _) = path.read_bytes(), read(path)
    ends = [at + 1 for at, byte in enumerate(data) if byte == ord("\n")]
    for size in range(ends[0], len(data)):
        path.write_bytes(data[:size])
        found, journal = read(path)
        whole = sum(end <= size for end in ends)
        assert found == records[:whole]
        assert bool(journal.dropped) == (size not in ends)
        journal.begin("hash", ["k"], 1.0)
        journal.append({"save_started": "x"}, 9.0)
        journal.close()
        assert len(read(path)[0]) == whole + 1  # it goes on after the last whole record


def test_a_journal_cut_within_its_header_is_refused(path):
    data = path.read_bytes()
    for size in (1, 20, data.index(b"\n")):
        path.write_bytes(data[:size])
        with pytest.raises(pp.errors.JournalError, match="expected a journal of annotation, found something else"):
            read(path)


def test_a_changed_byte_is_never_read_as_something_else(path):
    data, (records, _) = path.read_bytes(), read(path)
    last = data.rindex(b"\n", 0, -1) + 1
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        path.write_bytes(damaged)
        if at >= last:
            found, journal = read(path)
            assert found == records[:-1]
            assert "dropped an incomplete last line" in journal.dropped
        else:
            with pytest.raises(pp.errors.JournalError):
                read(path)
        assert path.read_bytes() == damaged  # reading changes nothing


def test_lines_that_are_missing_or_doubled_are_found(path):
    lines = path.read_bytes().splitlines(keepends=True)
    doubled, missing, blank = lines[:3] + lines[2:], lines[:2] + lines[3:], [*lines[:3], b"\n", *lines[3:]]
    for changed in (doubled, missing, blank, lines[:1] * 2, lines[1:]):
        path.write_bytes(b"".join(changed))
        with pytest.raises(pp.errors.JournalError):
            read(path)


@pytest.mark.parametrize(
    "record",
    [
        {"edit": {"edit": "head"}, "user": 3, "parts": []},
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": -1, "key": "", "cells": []}]},
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": 0, "key": "", "cells": [[1, "head", None, "2"]]}]},
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": 0, "key": "", "cells": [[1, "head", None, -2]]}]},
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": 0, "key": "", "cells": [[0, "head", None, 2]]}]},
        {
            "edit": {"edit": "head"},
            "user": "u",
            "parts": [{"index": 0, "key": "", "cells": [[1, "__class__", None, 2]]}],
        },
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": 0, "key": "", "cells": [[0, "spans", [], [[1]]]]}]},
        {"edit": {"edit": "head"}, "user": "u", "parts": [{"index": 0, "old": [], "new": [{"text": "", "done": 1}]}]},
        {"undo": 7},
        {"redo": 0},
        {"what": 1},
        {"base": "x", "keys": [1], "parts": []},
        {"n": 3, "undo": 1},
    ],
)
def test_records_that_nobody_writes_are_refused(path, record):
    data = path.read_bytes()
    path.write_bytes(data + line_of({"n": len(RECORDS) + 1, "at": 1.0} | record))
    with pytest.raises(pp.errors.JournalError, match=f":{len(RECORDS) + 2}: "):
        read(path)


@pytest.mark.parametrize("version", [1, 3])
def test_a_journal_of_another_version_is_refused(path, version):
    header = {"n": 0, "at": 1.0, "format": "panparser-journal", "version": version, "sha256": "x", "keys": []}
    first = {"n": 1, "at": 1.0, "user": "me", "op": {"op": "head", "word": 1, "head": 2}, "parts": [CELLS]}
    data = line_of(header) + line_of(first)
    path.write_bytes(data)
    with pytest.raises(pp.errors.JournalError, match=f"expected version 2, found {version}; move the journal away"):
        read(path)
    assert path.read_bytes() == data


@given(st.binary(max_size=60))
def test_any_bytes_are_a_record_or_none(data):
    assert record_of(data) is None
    assert record_of(b'{"crc":"00000000",' + data) is None
