"""Groups of treebanks, and published results in the tables of a grid."""

from __future__ import annotations

import csv
import math
import os
import re
import statistics
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from panparser.errors import SpecError
from panparser.lab.grid_file import TREEBANK
from panparser.lab.results import GridResults
from panparser.lab.table_output import Cell, ResultTable

ALL_GROUPS = "all"


@dataclass(frozen=True)
class TreebankGroups:
    """Treebanks below, between and above some `borders` of a fact, such as `sentences`, that runs tell of them."""

    fact: str
    borders: tuple[float, ...]

    @classmethod
    def parse(cls, text: str) -> TreebankGroups:
        """Those of a text such as "sentences:500" or "crossing_percent:10,25,50"."""
        fact, _, numbers = text.partition(":")
        try:
            borders = tuple(float(number) for number in numbers.split(","))
        except ValueError:
            borders = ()
        is_ordered = all(map(math.isfinite, borders)) and all(low < high for low, high in pairwise(borders))
        if not fact.strip() or not borders or not is_ordered:
            raise SpecError(f"groups: expected a fact and rising borders, such as sentences:500, found {text!r}")
        return cls(fact.strip(), borders)

    @property
    def names(self) -> tuple[str, ...]:
        shown = [f"{border:g}" for border in self.borders]
        between = [f"{low} to {high}" for low, high in pairwise(shown)]
        return (f"under {shown[0]}", *between, f"{shown[-1]} or more")

    def group_treebanks(self, results: GridResults, treebanks: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """These treebanks by the name and number of their group: first all of them; groups without any are left out.

        `results` tell the fact; a treebank of which no run tells it is in no group.
        """
        known = {name: value for name in treebanks if (value := self._fact(results, name)) is not None}
        if not known:
            raise SpecError(f"{results.name}: groups: no run has {self.fact}")
        found = {ALL_GROUPS: tuple(treebanks)}
        for place, name in enumerate(self.names):
            found[name] = tuple(each for each, value in known.items() if bisect_right(self.borders, value) == place)
        return {f"{name} ({len(own)})": own for name, own in found.items() if own}

    def _fact(self, results: GridResults, treebank: str) -> float | None:
        """The mean over the runs that tell it, which is the same in all of them if it is about data."""
        own = [
            row.outcome
            for row in results.finished_runs
            if row.labels.get(TREEBANK) == treebank and row.outcome is not None
        ]
        values = [outcome.facts[self.fact] for outcome in own if self.fact in outcome.facts]
        return statistics.mean(values) if values else None


_FIGURE = re.compile(r"-?$|[<>+-]? ?\.?\d")  # nothing, a dash, or what begins with a number: +0.21 (-0.05 to +0.45)
_NUMBERED = re.compile(r" \(\d+\)$")
EMPTY_CELL = Cell("-")


@dataclass(frozen=True)
class PublishedResults:
    """Figures by the names of their rows; all are texts, and shown as they are."""

    path: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> PublishedResults:
        """Those of a CSV file, whose first line names its columns."""
        place = os.fspath(path)
        try:
            with open(path, encoding="utf-8", newline="") as stream:
                head, *rows = [tuple(row) for row in csv.reader(stream, strict=True) if row] or [()]
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            raise SpecError(f"{place}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
        for number, row in enumerate(rows, start=2):
            if len(row) != len(head):
                raise SpecError(f"{place}: row {number}: expected {len(head)} columns, found {len(row)}")
        return cls(place, head, tuple(rows))

    def select(self, **chosen: str | None) -> PublishedResults:
        """Only those with these values in columns of these names, such as the metric, where there are such columns."""
        found = self
        for name, value in chosen.items():
            if name in found.head:
                at = found.head.index(name)
                rows = [(*row[:at], *row[at + 1 :]) for row in found.rows if row[at] == (value or "")]
                found = replace(found, head=(*found.head[:at], *found.head[at + 1 :]), rows=tuple(rows))
        return found

    def append_to(self, table: ResultTable) -> ResultTable:
        """A table with these figures: after the columns that they are of, or at the end; rows that it lacks come last.

        Columns that name rows have the same names in both; numbers of treebanks in names of columns do not count.
        """
        names = table.head[: table.names]
        if missing := [name for name in names if name not in self.head]:
            raise SpecError(f"{self.path}: expected columns {', '.join(names)}, found no {', '.join(missing)}")
        held = {tuple(row[self.head.index(name)] for name in names): row for row in self.rows}
        for key, figures in held.items():
            for name, text in zip(self.head, figures, strict=True):
                if name not in names and not _FIGURE.match(text):
                    raise SpecError(f"{self.path}: {', '.join(key)}: {name}: expected a figure, found {text!r}")
        own = [_NUMBERED.sub("", name) for name in table.head]
        more = [name for name in self.head if name not in own]
        lines: list[tuple[Mapping[str, Cell], tuple[str, ...] | None]] = []
        for row in table.rows:
            key = tuple(cell.text for cell in row[: table.names])
            lines.append((dict(zip(table.head, row, strict=True)), held.pop(key, None)))
        for key, values in held.items():
            lines.append(
                ({**dict.fromkeys(table.head, EMPTY_CELL), **dict(zip(names, map(Cell, key), strict=True))}, values)
            )

        head: list[str] = []
        columns: list[list[Cell]] = []
        for at, (name, plain) in enumerate(zip(table.head, own, strict=True)):
            head.append(name)
            columns.append([cells[name] for cells, _ in lines])
            if at >= table.names and plain in self.head:
                head.append(f"{plain}, published")
                columns.append([self._cell(values, plain) for _, values in lines])
        for name in more:
            head.append(name)
            columns.append([self._cell(values, name) for _, values in lines])
        return replace(table, head=tuple(head), rows=tuple(zip(*columns, strict=True)))

    def _cell(self, values: tuple[str, ...] | None, name: str) -> Cell:
        return Cell("" if values is None else values[self.head.index(name)])
