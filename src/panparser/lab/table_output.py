"""ResultTable: a table as Markdown, LaTeX, CSV and plain values; every number has its runs."""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from typing import Any

_SPECIAL = re.compile(r"[&%$#_{}]")
EMPTY_CELL = "-"


@dataclass(frozen=True)
class Cell:
    """A figure of a table: its text, its value if it has one, and the keys of the runs behind it.

    `digits`: those after the point, where values are rounded.
    """

    text: str
    value: float | None = None
    keys: tuple[str, ...] = ()
    deviation: float | None = None
    digits: int = 2


@dataclass(frozen=True)
class ResultTable:
    """The names of columns, and rows of cells, of which the first `names` are names; notes stand below."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: int
    notes: tuple[str, ...] = ()

    @property
    def align(self) -> str:
        """l or r for each column."""
        return "l" * self.names + "r" * (len(self.head) - self.names)

    def texts(self) -> list[list[str]]:
        return [[cell.text for cell in row] for row in self.rows]

    def to_markdown(self) -> str:
        rule = ["---" if side == "l" else "---:" for side in self.align]
        lines = [list(self.head), rule, *self.texts()]
        return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)

    def to_latex(self) -> str:
        """A tabular with the rules of booktabs; notes are comments."""
        head, *rows = (" & ".join(map(_latex, line)) + r" \\" for line in (self.head, *self.texts()))
        begin, end = rf"\begin{{tabular}}{{{self.align}}}", r"\end{tabular}"
        lines = [
            *(f"% {note}" for note in self.notes),
            begin,
            r"\toprule",
            head,
            r"\midrule",
            *rows,
            r"\bottomrule",
            end,
        ]
        return "\n".join(lines) + "\n"

    def to_csv(self, *, rounded: bool = False) -> str:
        """Figures in full, or rounded as the table shows them, and beside means their deviations."""
        wide = [any(row[number].deviation is not None for row in self.rows) for number in range(len(self.head))]
        stream = io.StringIO()
        writer = csv.writer(stream, lineterminator="\n")
        head = [[name, f"{name} deviation"] if own else [name] for name, own in zip(self.head, wide, strict=True)]
        writer.writerow([name for names in head for name in names])
        for row in self.rows:
            cells = []
            for cell, own in zip(row, wide, strict=True):
                digits = cell.digits if rounded else None
                cells.append(_figure(cell.value, digits) or ("" if cell.text == EMPTY_CELL else cell.text))
                cells += [_figure(cell.deviation, digits)] if own else []
            writer.writerow(cells)
        return stream.getvalue()

    def to_values(self, *, rounded: bool = False) -> dict[str, Any]:
        """Plain values for JSON, in full or rounded as the table shows them, with the keys of runs."""
        rows = [[_value(cell, cell.digits if rounded else None) for cell in row] for row in self.rows]
        keys = [[list(cell.keys) for cell in row] for row in self.rows]
        return {"title": self.title, "head": list(self.head), "rows": rows, "keys": keys, "notes": list(self.notes)}


def _figure(value: float | None, digits: int | None) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if digits is None else f"{value:.{digits}f}"


def _value(cell: Cell, digits: int | None) -> str | float:
    if cell.value is None:
        return cell.text
    return cell.value if digits is None else round(cell.value, digits)


def _latex(text: str) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], text.replace("\\", r"\textbackslash "))
    return escaped.replace("±", r"$\pm$").replace("~", r"\textasciitilde ").replace("^", r"\textasciicircum ")
