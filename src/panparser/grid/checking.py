"""Figures of documents, compared one by one with the runs that they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from pathlib import Path

from panparser.grid.markers import marked, read_document
from panparser.grid.table import Cell, ResultTable

_OTHER = re.compile(r"<!-- table ([\w-]+) -->")


@dataclass(frozen=True)
class Mismatch:
    """A figure of a document that is not that of the results."""

    path: str
    line: int
    what: str
    found: str
    expected: str
    keys: tuple[str, ...]

    def __str__(self) -> str:
        shown = ", ".join(key[:12] for key in self.keys[:3]) + (", ..." if len(self.keys) > 3 else "")
        runs = f" (runs {shown})" if self.keys else ""
        expected, found = (text or "nothing" for text in (self.expected, self.found))
        return f"{self.path}:{self.line}: {self.what}: expected {expected}{runs}, found {found}"


@dataclass(frozen=True)
class DocumentCheck:
    """What came of a check: figures and tables that were compared, what differs, and tables that are not of results."""

    figures: int
    tables: int
    mismatches: tuple[Mismatch, ...]
    others: tuple[str, ...]


def check_document(path: Path) -> DocumentCheck:
    """Compares the figures of a document with the runs that they stand for."""
    text = read_document(path)
    found = marked(text, path)
    mismatches: list[Mismatch] = []
    figures = len(found.figures)
    for each in found.tables:
        figures += sum(bool(cell.keys) for row in each.table.rows for cell in row)
        differences = list(_compared(each.body, each.line + 1, each.table, str(path)))
        if not differences and each.body != each.expected:
            differences.append(Mismatch(str(path), each.line, "table", "another form", "the form of --update", ()))
        mismatches += differences
    mismatches += [
        Mismatch(str(path), each.line, each.what, each.body, each.expected, each.keys)
        for each in found.figures
        if each.body != each.expected
    ]
    mismatches.sort(key=lambda each: each.line)
    return DocumentCheck(figures, len(found.tables), tuple(mismatches), tuple(_OTHER.findall(text)))


def _compared(body: str, first: int, table: ResultTable, path: str) -> Iterator[Mismatch]:
    """Line by line; a row that is missing, or one too many, is one difference and leaves the others alone."""
    lines = [_cells(line) for line in body.splitlines()]
    head, found = lines[0] if lines else [], lines[2:]  # between them, the rule
    yield from _differences(path, first, "head", table.head, head, [Cell(name) for name in table.head])
    names = [tuple(cells[: table.names]) for cells in found]
    wanted = [tuple(cell.text for cell in row[: table.names]) for row in table.rows]
    for _, begin, end, own_begin, own_end in SequenceMatcher(None, names, wanted, autojunk=False).get_opcodes():
        for offset in range(max(end - begin, own_end - own_begin)):
            at, own = begin + offset, own_begin + offset
            line = first + 2 + min(at, end)
            if at >= end:
                row = table.rows[own]
                keys = tuple(key for cell in row for key in cell.keys)
                yield Mismatch(
                    path, line, ", ".join(wanted[own]), "", f"a row: {_joined(cell.text for cell in row)}", keys
                )
            elif own >= own_end:
                yield Mismatch(path, line, ", ".join(names[at]), f"a row: {_joined(found[at])}", "", ())
            else:
                name = ", ".join(wanted[own])
                yield from _differences(path, line, name, table.head, found[at], table.rows[own])


def _differences(
    path: str, line: int, name: str, head: Sequence[str], found: Sequence[str], expected: Sequence[Cell]
) -> Iterator[Mismatch]:
    """Of the cells of a line."""
    for column, (text, cell) in enumerate(zip_longest(found, expected)):
        wanted = cell or Cell("")
        if (text or "") != wanted.text:
            title = head[column] if column < len(head) else f"column {column + 1}"
            yield Mismatch(path, line, f"{name}, {title}", text or "", wanted.text, wanted.keys)


def _joined(cells: Iterable[str]) -> str:
    return " | ".join(cells)


def _cells(line: str) -> list[str]:
    parts = re.split(r"(?<!\\)\|", line.strip())
    return [part.strip().replace("\\|", "|") for part in parts[1:-1]]
