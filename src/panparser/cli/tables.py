"""Aligned tables on standard output."""

from __future__ import annotations

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
