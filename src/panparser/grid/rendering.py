"""Tables as Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import re

from panparser.grid.tables import Table

_SPECIAL = re.compile(r"[&%$#_{}]")


def to_markdown(table: Table) -> str:
    rule = ["---"] * table.names + ["---:"] * (len(table.head) - table.names)
    lines = [list(table.head), rule, *([cell.text for cell in row] for row in table.rows)]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


def to_latex(table: Table) -> str:
    """A tabular with the rules of booktabs."""
    columns = "l" * table.names + "r" * (len(table.head) - table.names)
    rows = [" & ".join(_latex(cell.text) for cell in row) + r" \\" for row in table.rows]
    head = " & ".join(map(_latex, table.head)) + r" \\"
    lines = [f"% {note}" for note in table.notes]
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", head, r"\midrule", *rows, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines) + "\n"


def _latex(text: str) -> str:
    escaped = _SPECIAL.sub(lambda found: "\\" + found[0], text.replace("\\", r"\textbackslash "))
    return escaped.replace("±", r"$\pm$").replace("~", r"\textasciitilde ").replace("^", r"\textasciicircum ")


def to_csv(table: Table) -> str:
    """Figures in full, and beside means their deviations."""
    spread = [
        number >= table.names and any(row[number].deviation is not None for row in table.rows)
        for number in range(len(table.head))
    ]
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    head = [[name, f"{name} deviation"] if wide else [name] for name, wide in zip(table.head, spread, strict=True)]
    writer.writerow([name for names in head for name in names])
    for row in table.rows:
        cells: list[object] = []
        for number, (cell, wide) in enumerate(zip(row, spread, strict=True)):
            is_figure = number >= table.names and cell.value is not None
            cells.append(f"{cell.value:.6g}" if is_figure else cell.text.removeprefix("-") if number >= table.names else cell.text)
            if wide:
                cells.append("" if cell.deviation is None else f"{cell.deviation:.6g}")
        writer.writerow(cells)
    return stream.getvalue()
