"""The tables of `panparser analyze`: made, shaped, printed and written."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from panparser.cli.app import print_table
from panparser.errors import AnalysisError
from panparser.parsing.confidence import HEAD_KEY, LABEL_KEY, read_confidence

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 20  # rows of each table of the summary
_WHOLE = 2000  # classes of a confusion matrix that a file can hold
_MATRIX = 12  # classes of a confusion matrix that a terminal can show
_KEYS = {"heads": HEAD_KEY, "labels": LABEL_KEY}
_SUMMARY = ("upos", "base-label", "length", "direction")


@dataclass(frozen=True)
class Wanted:
    """What the options ask for."""

    by: list[str]
    two_way: list[str]
    precision: list[str]
    confusion: list[str]
    correlation: list[str]
    reliability: bool
    of: list[str]
    compare: bool
    samples: int
    seed: int

    @property
    def summary(self) -> bool:
        lists = (self.by, self.two_way, self.precision, self.confusion, self.correlation)
        return not (any(lists) or self.reliability or self.compare)


@dataclass(frozen=True)
class Table:
    """A table with its title, the name that its file has, and how it is drawn: scores, counts, matrix or not at all."""

    title: str
    name: str
    data: pd.DataFrame
    drawn: str = ""
    most: int | None = None  # rows that are printed
    printed: pd.DataFrame | None = None  # instead of the data, where a terminal could not show them
    aside: bool = False  # not written to a file if there is another table


def make_tables(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """The tables that the options ask for; without any, a summary."""
    if not frame.names:
        yield from _statistics(analysis, frame, wanted)
        return
    if not wanted.compare and (wanted.by or wanted.summary):
        yield Table("all words that count", "all", analysis.scores(frame, None, wanted.of), aside=True)
    if wanted.compare:
        yield from _comparisons(analysis, frame, wanted)
    else:
        for by in wanted.by or (_SUMMARY if wanted.summary else ()):
            yield Table(
                f"by {by}", by, analysis.scores(frame, by, wanted.of), "scores", _SHOWN if wanted.summary else None
            )
    for name in frame.names:
        yield from _of_one(analysis, frame, wanted, name)


def _of_one(analysis: Any, frame: Any, wanted: Wanted, name: str) -> Iterator[Table]:
    """Tables that there is one of for each prediction."""
    whose, file = (f" ({name})", f"-{name}") if len(frame.names) > 1 else ("", "")
    for each in wanted.two_way:
        table = analysis.two_way(frame, *_two(each), of=wanted.of[0], prediction=name)
        yield Table(f"{wanted.of[0]} by {each}{whose}", f"{each}{file}", table, "matrix")
    for each in wanted.precision:
        measure = "las" if "las" in wanted.of else wanted.of[0]
        table = analysis.precision_recall(frame, each, measure, prediction=name)
        yield Table(f"precision and recall of {measure} by {each}{whose}", f"precision-{each}{file}", table)
    for each in wanted.confusion:
        whole, part = (analysis.confusion(frame, each, prediction=name, most=most) for most in (_WHOLE, _MATRIX))
        title = f"{each}: gold in rows, predicted in columns{whose}"
        yield Table(title, f"confusion-{each}{file}", whole, "matrix", printed=part)
        yield _confusions(analysis, frame, each, name, whose, file)
    for each in wanted.correlation:
        table = analysis.correlation(frame, each, wanted.of[0], prediction=name, most=_MATRIX)
        title = f"correlation of {wanted.of[0]} between classes of {each}, over sentences{whose}"
        yield Table(title, f"correlation-{each}{file}", table, "matrix")
    if wanted.reliability or wanted.summary:
        told = [each for each in _KEYS if _tells(frame, each, name)]
        for each in told or (["heads"] if wanted.reliability else []):  # which then says what is missing
            yield _reliability(frame, each, name, whose, file)
    if wanted.summary:
        worst = analysis.worst(frame, "base-label,upos", "las", prediction=name)
        yield Table(f"where the errors are{whose}", f"worst{file}", worst, "", _SHOWN)
        yield _confusions(analysis, frame, "base-label", name, whose, file)


def _tells(frame: Any, of: str, name: str) -> bool:
    """Does a prediction say how sure it is?"""
    treebank = frame.sides[frame.side_of(name)].treebank
    return not np.isnan(read_confidence(treebank, _KEYS[of])).all()


def _reliability(frame: Any, of: Any, name: str, whose: str, file: str) -> Table:
    """How sure and how often right, of all words: bins of a part would be too small."""
    from panparser.analysis.tables.calibration import calibration_error, reliability

    table = reliability(frame.gold.treebank, frame.sides[frame.side_of(name)].treebank, bins=10, of=of)
    title = f"how sure of {of} and how often right, all words; calibration error {calibration_error(table):.4f}{whose}"
    return Table(title, f"reliability-{of}{file}", table[table["count"] > 0].set_index("bin"))


def _confusions(analysis: Any, frame: Any, of: str, name: str, whose: str, file: str) -> Table:
    pairs = analysis.confusions(frame, of, prediction=name)
    return Table(f"most frequent confusions of {of}{whose}", f"confusions-{of}{file}", pairs, "", _SHOWN, aside=True)


def _comparisons(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """The first prediction and each other."""
    first, *others = frame.names
    if not others:
        raise AnalysisError("--compare: expected two predictions or more, found one")
    for other in others:
        for by in (None, *(wanted.by or ["base-label"])):
            for measure in wanted.of[: 1 if by else None]:
                table = analysis.compare(
                    frame, by, measure, first=first, second=other, samples=wanted.samples, seed=wanted.seed
                )
                title = f"{measure} of {other} and {first}{f' by {by}' if by else ''}"
                yield Table(title, f"compare-{measure}-{by or 'all'}-{other}", table, aside=by is None)
    if len(others) > 1:
        for by in (None, *(wanted.by or ["base-label"])):
            title = f"who is right ({wanted.of[0]}){f' by {by}' if by else ''}"
            yield Table(title, f"right-{by or 'all'}", analysis.who_is_right(frame, by, wanted.of[0]))


def _statistics(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """Of a gold alone."""
    for option in ("precision", "confusion", "correlation", "reliability", "compare"):
        if getattr(wanted, option):
            raise AnalysisError(f"--{option}: expected a prediction beside the gold, found none")
    for each in wanted.two_way:
        yield Table(f"words by {each}", each, analysis.two_way(frame, *_two(each), of="words"), "matrix")
    for by in wanted.by or (_SUMMARY if wanted.summary else ()):
        yield Table(f"words by {by}", by, analysis.counts(frame, by), "counts", _SHOWN if wanted.summary else None)


def _two(text: str) -> list[str]:
    criteria = text.split(",")
    if len(criteria) != 2:
        raise AnalysisError(f"--two-way: expected two criteria with a comma between, found {text!r}")
    return criteria


# --- Shape ---


def shaped(table: Table, sort: str | None, descending: bool, least: int, top: int | None) -> Table:
    """The table sorted, without small classes; `top` rows are printed. Matrices keep their order."""
    data = table.data
    if table.drawn == "matrix":
        return table
    words = next((column for column in data.columns if _flat(column) in ("words", "gold")), None)
    if words is not None and least:
        data = data[data[words] >= least]
    if sort == "class":
        data = data.sort_index(ascending=not descending)
    elif sort is not None:
        columns = {_flat(column): column for column in data.columns}
        chosen = [column for name, column in columns.items() if name == sort or name.endswith(f" {sort}")]
        if chosen:
            data = data.sort_values(chosen[0], ascending=not descending, kind="stable")
        elif len(data) > 1:
            raise AnalysisError(f"--sort: expected one of class, {', '.join(columns)}, found {sort!r}")
    return replace(table, data=data, most=top or table.most)


def _flat(name: object) -> str:
    return " ".join(str(part) for part in name if part != "") if isinstance(name, tuple) else str(name)


# --- Printed, and as values ---


def print_tables(tables: list[Table]) -> None:
    for number, table in enumerate(tables):
        if number:
            print()
        print(f"{table.title}\n")
        data = table.data if table.printed is None else table.printed
        print_frame(data.iloc[: table.most] if table.most else data)
        if table.most and len(data) > table.most:
            print(f"... and {len(data) - table.most} more")


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
    sign = "+" if signed and column in ("difference", "low", "high") else ""
    places = 4 if column in ("p", "holm") else 2
    return lambda value: "" if math.isnan(value) else f"{value:{sign}.{places}f}"


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


# --- Files ---


def write_csv(tables: list[Table], path: str) -> None:
    def write(table: Table, path: Path) -> None:
        data = table.data.set_axis([_flat(column) for column in table.data.columns], axis=1)
        data.to_csv(path, float_format="%.6g")

    _write(tables, path, write)


def draw(analysis: Any, tables: list[Table], path: str) -> None:
    """Figures of the tables that can be drawn."""
    drawable = [table for table in tables if table.drawn]
    if not drawable:
        raise AnalysisError("--plot: expected --by, --two-way, --confusion or --correlation, found no table to draw")

    def write(table: Table, path: Path) -> None:
        plot = getattr(analysis.plots, f"plot_{table.drawn}")
        data = _first_measure(table.data) if table.drawn == "scores" else table.data
        analysis.plots.save(plot(data, title=table.title), path)

    _write(drawable, path, write)


def _first_measure(data: pd.DataFrame) -> pd.DataFrame:
    """Of several predictions the words and one score each: more bars than that tell less."""
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
        try:
            write(table, target)
        except OSError as error:
            raise AnalysisError(f"cannot write {target}: {error.strerror or error}") from None
