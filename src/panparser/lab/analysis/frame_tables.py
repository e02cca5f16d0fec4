"""Tables of pandas on the command line: shaped, printed, written and drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panparser.cli.terminal import print_table
from panparser.errors import AnalysisError, PanParserError
from panparser.storage.atomic import write_whole

if TYPE_CHECKING:
    import pandas as pd


def import_analysis(plot: str | None = None, folder: str | None = None) -> Any:
    """The package, which needs pandas, and matplotlib for a plot or a folder of them."""
    try:
        from panparser.lab import analysis
        from panparser.lab.analysis import plots

        if plot is not None:
            plots.check_format(plot)
        if folder is not None:
            plots.check_format("plot.png")
    except ImportError as error:
        raise PanParserError(str(error)) from None
    return analysis


@dataclass(frozen=True)
class Table:
    """A table with its title, the name that its file has, and how it is drawn: scores, counts, matrix or not at all."""

    title: str
    name: str
    data: pd.DataFrame
    plot: str = ""
    max_rows: int | None = None  # rows that are printed
    printed: pd.DataFrame | None = None  # instead of the data, where a terminal could not show them
    aside: bool = False  # not written to a file if there is another table


def shaped(table: Table, sort: str | None, descending: bool, min_count: int, limit: int | None) -> Table:
    """The table sorted, without small classes; `limit` rows are printed. Matrices keep their order."""
    data = table.data
    if table.plot == "matrix":
        return table
    words = next((column for column in data.columns if _flat(column) in ("words", "gold")), None)
    if words is not None and min_count:
        data = data[data[words] >= min_count]
    if sort == "class":
        data = data.sort_index(ascending=not descending)
    elif sort is not None:
        columns = {_flat(column): column for column in data.columns}
        chosen = [column for name, column in columns.items() if name == sort or name.endswith(f" {sort}")]
        if chosen:
            data = data.sort_values(chosen[0], ascending=not descending, kind="stable")
        elif len(data) > 1:
            raise AnalysisError(f"--sort: expected one of class, {', '.join(columns)}, found {sort!r}")
    return replace(table, data=data, max_rows=limit or table.max_rows)


def _flat(name: object) -> str:
    return " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)


def print_tables(tables: list[Table]) -> None:
    for number, table in enumerate(tables):
        if number:
            print()
        print(f"{table.title}\n")
        data = table.data if table.printed is None else table.printed
        print_frame(data.iloc[: table.max_rows] if table.max_rows else data)
        if table.max_rows and len(data) > table.max_rows:
            print(f"... and {len(data) - table.max_rows} more")


def print_frame(data: pd.DataFrame) -> None:
    """A DataFrame, aligned: classes to the left, numbers to the right; nothing where there is no number."""
    levels = data.index.nlevels
    header = [*(str(name or "") for name in data.index.names), *(_flat(column) for column in data.columns)]
    signed = "difference" in data.columns
    shows = [_format(_flat(column), data.iloc[:, place], signed) for place, column in enumerate(data.columns)]
    rows = []
    for place, name in enumerate(data.index):
        names = [str(part) for part in name] if levels > 1 else [str(name)]
        rows.append([*names, *(show(data.iloc[place, number]) for number, show in enumerate(shows))])
    print_table(header, rows, "l" * levels + "r" * len(shows))


def _format(column: str, numbers: Any, signed: bool) -> Callable[[Any], str]:
    if numbers.dtype.kind in "iu":
        return lambda value: f"{value:,}"
    if numbers.dtype.kind != "f":
        return str
    sign = "+" if signed and column in ("difference", "ci_low", "ci_high") else ""
    places = 4 if column in ("p", "p_holm") else 2
    return lambda value: "" if math.isnan(value) else f"{value:{sign}.{places}f}"


def bounded(table: pd.DataFrame, sizes: Sequence[int], cost: float | None) -> pd.DataFrame:
    """Numbers of sentences as printed: the first size may be more than is needed, and what takes more than the last."""

    def shown(count: float, price: float = 1) -> str:
        if math.isnan(count):
            return f"> {sizes[-1] * price:,.10g}"
        return f"{'<= ' * (count == sizes[0])}{math.ceil(count) * price:,.10g}"

    printed = table.copy()
    for name in ("sentences", "ci_low", "ci_high"):
        if name in table:
            printed[name] = table[name].map(shown)
    if cost is not None:
        printed["cost"] = table["sentences"].map(lambda count: shown(count, cost))
    return printed


def values(table: Table) -> dict[str, Any]:
    """A table as plain values for JSON: its rows, with NaN as null."""
    data = table.data.set_axis([_flat(column) for column in table.data.columns], axis=1)
    index = [str(name or "") for name in data.index.names]
    rows = []
    for name, row in zip(data.index, data.to_dict("records"), strict=True):
        names = name if isinstance(name, tuple) else (name,)
        cells = {column: None if isinstance(cell, float) and math.isnan(cell) else cell for column, cell in row.items()}
        rows.append({"class": {key: value for key, value in zip(index, names, strict=True) if key}, **cells})
    return {"title": table.title, "name": table.name, "rows": rows}


def write_csv(tables: list[Table], path: str) -> None:
    def write(table: Table, path: Path) -> None:
        data = table.data.set_axis([_flat(column) for column in table.data.columns], axis=1)
        write_whole(path, data.to_csv(float_format="%.6g").encode(), AnalysisError)

    _write(tables, path, write)


def draw(tables: list[Table], path: str) -> None:
    """Writes figures of the tables that can be drawn."""
    from panparser.lab.analysis import plots

    drawable = [table for table in tables if table.plot]
    if not drawable:
        raise AnalysisError("--plot: no table to draw; expected --by, --matrix, --confusion or --correlation")

    def write(table: Table, path: Path) -> None:
        plot = getattr(plots, f"plot_{table.plot}")
        data = _first_measure(table.data) if table.plot == "scores" else table.data
        plots.save(plot(data, title=table.title), path)

    _write(drawable, path, write)


def _first_measure(data: pd.DataFrame) -> pd.DataFrame:
    """The words and the first score of each prediction: more bars would be hard to read."""
    if data.columns.nlevels == 1:
        return data
    measure = data.columns[1][1]
    return data[[column for column in data.columns if column[1] in ("words", measure)]]


def _write(tables: list[Table], path: str, write: Callable[[Table, Path], None]) -> None:
    """One table to a file of that name; several to files with their names in it."""
    whole = Path(path)
    tables = [table for table in tables if not table.aside] or tables
    for table in tables:
        name = "".join(c if c.isalnum() or c in "-+.," else "-" for c in table.name)
        target = whole if len(tables) == 1 else whole.with_name(f"{whole.stem}-{name}{whole.suffix}")
        write(table, target)
