"""Aligned tables on standard output."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Sequence

from rich.cells import cell_len


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> None:
    """An aligned table on standard output; `align` is l or r for each column (default: the first l, the rest r).

    Without a header, `align` gives the number of columns.
    """
    align = align or "l" + "r" * (len(header) - 1)
    lines = [header, *rows] if header else rows
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(align))]
    for number, line in enumerate(lines):
        cells = []
        for text, width, side in zip(line, widths, align, strict=True):
            space = " " * (width - cell_len(text))
            cells.append(text + space if side == "l" else space + text)
        shown = "  ".join(cells).rstrip()
        print(f"\033[1m{shown}\033[0m" if header and number == 0 and sys.stdout.isatty() else shown)


def print_values(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of values: numbers with two digits after the point, columns of texts to the left."""
    align = "".join("l" if all(isinstance(row[place], str) for row in rows) else "r" for place in range(len(columns)))
    print_table(
        [name.replace("_", " ") for name in columns], [[shown_value(value) for value in row] for row in rows], align
    )


def shown_value(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.2f}"
    return {True: "yes", False: ""}[bool(value)] if type(value).__name__ in ("bool", "bool_") else str(value)


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of values as CSV, with nothing where there is no number."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if isinstance(v, float) and math.isnan(v) else v for v in row] for row in rows)
