"""`panparser results`."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from panparser.cli.terminal import PROGRESS_DELAY_SECONDS, is_quiet, print_csv, print_table, print_values, progress
from panparser.errors import SpecError
from panparser.lab.figures import Source, check_document, read_document, read_layout, with_results
from panparser.lab.result_tables import DIFFERENCE
from panparser.lab.results import pack, packed_file
from panparser.lab.table_output import ResultTable
from panparser.storage.atomic import write_whole

if TYPE_CHECKING:
    from panparser.lab.result_tables import ResultTableLayout
    from panparser.lab.results import GridResults


class TableFormat(StrEnum):
    """Forms of a table."""

    text = "text"
    markdown = "markdown"
    latex = "latex"
    csv = "csv"
    json = "json"


def results(
    folder: Annotated[
        str | None, typer.Argument(metavar="[FOLDER]", help="Results folder of `panparser grid`.")
    ] = None,
    grid: Annotated[str | None, typer.Option(metavar="NAME", help="Grid, if the folder contains several.")] = None,
    merge: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Results folder to merge, such as other parsers'.")
    ] = None,
    split: Annotated[str, typer.Option(help="Data split: dev or test.")] = "test",
    metric: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES", help="Scores or facts, comma-separated: UAS, LAS, seconds, model_bytes.  [default: LAS]"
        ),
    ] = None,
    rows: Annotated[
        str | None, typer.Option(metavar="AXES", help="Axes of rows, comma-separated.  [default: all but seeds]")
    ] = None,
    columns: Annotated[str | None, typer.Option(metavar="AXIS", help="Axis of columns.  [default: treebank]")] = None,
    where: Annotated[
        str | None, typer.Option(metavar="AXIS=NAME,...", help="Runs to include; an axis may be repeated.")
    ] = None,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="FACT:BORDERS", help="Treebank groups to average over: sentences:500, crossing_percent:10,25."
        ),
    ] = None,
    baseline: Annotated[
        str | None, typer.Option(metavar="ROW", help="Row that all others are compared with, with significance tests.")
    ] = None,
    summary: Annotated[
        bool, typer.Option("--summary", help="Print one line per comparison, over all treebanks (with --baseline).")
    ] = False,
    published: Annotated[
        str | None, typer.Option(metavar="FILE.csv", help="Published figures to print next to the results.")
    ] = None,
    digits: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help="Decimal places, or one number per metric: 2,0.  [default: 2; csv, json: all]"
        ),
    ] = None,
    std: Annotated[bool, typer.Option("--std/--no-std", help="Print standard deviations over seeds.")] = True,
    permutations: Annotated[int, typer.Option(min=1, max=10_000_000, help="Number of permutations per test.")] = 10_000,
    format: Annotated[TableFormat, typer.Option("--format", "-f", help="Table format.")] = TableFormat.text,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Output plot: .png, .svg or .pdf.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="List failed runs and their errors.")] = False,
    sql: Annotated[
        str | None, typer.Option(metavar="QUERY", help="SQL query over runs, scores, sentences, means, best, ...")
    ] = None,
    pack_files: Annotated[bool, typer.Option("--pack", help="Pack the files of all runs into runs.jsonl.")] = False,
    check: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE.md", help="Document whose figures are checked; repeatable."),
    ] = None,
    update: Annotated[
        list[str] | None, typer.Option(metavar="FILE.md", help="Document whose tables are rewritten; repeatable.")
    ] = None,
) -> None:
    """Make tables of the results of a grid.

    By default, rows are settings, columns are treebanks, and cells are mean and standard deviation over seeds. With
    --baseline, each row is compared with one of them, treebank by treebank: approximate randomization over sentences
    (with all their seeds), Holm's correction over treebanks, and the number of treebanks on which the difference holds;
    nothing is run again. --groups averages over treebanks by a fact, such as their number of training sentences.

    The CSV file of --published contains columns named like the rows' axes, and columns of figures: those named like a
    column of the table are printed next to it, others last. If it has the columns `metric` and `against`, only
    matching rows are used.

    A document marks a table with `<!-- results FOLDER OPTIONS -->` and `<!-- end -->`, with options of this command,
    and a figure in the text with `<!-- figure ROW COLUMN -->1.0<!-- end -->`, taken from the table above it. --update
    rewrites both; --check compares every figure with its runs (exit code 1 if one differs).

    --sql requires `pip install 'panparser[grid]'`, --plot requires `pip install 'panparser[analysis]'`.
    """
    given = {"split": split, "metric": metric, "rows": rows, "columns": columns, "where": where, "groups": groups,
             "baseline": baseline}  # fmt: skip
    modes = {"--check": check, "--update": update, "--sql": sql, "--pack": pack_files, "--failed": failed}
    asked = [name for name, value in modes.items() if value not in (None, False, [])]
    if len(asked) > 1 and set(asked) != {"--check", "--update"}:
        raise SpecError(f"expected only one of {', '.join(asked)}")
    mode = asked[0] if asked else None
    if mode is not None:
        drawn = {"published": published, "plot": plot, "summary": summary}
        changed = {"split": split != "test", "digits": digits is not None, "permutations": permutations != 10_000}
        of_tables = {**given, **drawn, **changed, "no-std": not std}
        of_grids = {} if mode == "--failed" else {"grid": grid, "merge": merge}
        _refuse_unused(mode, {**of_tables, **of_grids}, format)
    if check or update:
        if folder is not None:
            raise SpecError(
                f"--check and --update cannot be used with a folder; got {folder} "
                "(several documents: --check A.md --check B.md)"
            )
        _documents(check or [], update or [])
        return
    if folder is None:
        raise SpecError("expected a results folder, or a document: --check README.md")
    place = Path(folder)
    if sql is not None:
        _query(place, sql, format)
        return
    if pack_files:
        count = pack(place)
        _tell(f"{count} runs are in {packed_file(place)}")
        return
    source = Source(place, grid, *(None if path is None else Path(path) for path in (merge, published)))
    found = source.results()
    if failed:
        _print_failed(found)
        return
    shown = {**given, "digits": digits}
    layout = read_layout({name: value for name, value in shown.items() if value is not None},
                         std=std, summary=summary)  # fmt: skip
    table = source.finished(_table(found, layout, permutations), layout)
    if plot is not None:
        _plot(table, plot)
    _print(table, format, rounded=digits is not None)


def _refuse_unused(mode: str, options: Mapping[str, object], format: TableFormat) -> None:
    """Raises SpecError if one of these options is set, or a format that is not for what is asked."""
    unused = [name for name, value in options.items() if value not in (None, False)]
    if unused:
        raise SpecError(f"{mode} cannot be used with --{unused[0]}")
    formats = (TableFormat.text, TableFormat.csv, TableFormat.json) if mode == "--sql" else (TableFormat.text,)
    if format not in formats:
        raise SpecError(f"{mode}: expected --format {' or '.join(formats)}, found {format.value}")


def _tell(message: str) -> None:
    if not is_quiet():
        print(message)


def _table(found: GridResults, layout: ResultTableLayout, shuffles: int) -> ResultTable:
    if not found.finished_runs:
        raise SpecError(f"{found.folder}: no finished run of {found.name}; --failed lists failed runs")
    with progress(PROGRESS_DELAY_SECONDS) as report:
        return layout.table(found, permutations=shuffles, progress=report)


def _print(table: ResultTable, format: TableFormat, *, rounded: bool) -> None:
    if format == TableFormat.json:
        print(json.dumps(table.to_values(rounded=rounded), ensure_ascii=False, indent=2))
    elif format == TableFormat.csv:
        print(table.to_csv(rounded=rounded), end="")
    elif format == TableFormat.latex:
        print(table.to_latex(), end="")
    elif format == TableFormat.markdown:
        print(table.to_markdown(), end="")
    else:
        print(f"{table.title}\n")
        print_table(table.head, table.texts(), table.align)
        print()
        for note in table.notes:
            print(note)


def _query(folder: Path, sql: str, format: TableFormat) -> None:
    from panparser.lab.sql_index import query

    if not folder.is_dir():
        raise SpecError(f"{folder}: no such results folder")
    names, rows = query(folder, sql)
    if format == TableFormat.csv:
        print_csv(names, rows)
    elif format == TableFormat.json:
        print(
            json.dumps([dict(zip(names, row, strict=True)) for row in rows], ensure_ascii=False, indent=2, default=str)
        )
    elif rows:
        print_values(names, [["" if value is None else value for value in row] for row in rows])


def _print_failed(found: GridResults) -> None:
    rows = [
        (row.key[:12], ", ".join(row.labels.values()), (row.outcome.error if row.outcome else "") or "")
        for row in found.failed_runs
    ]
    if rows:
        print_table(("key", "run", "error"), rows, "lll")
    _tell(found.signature())


def _plot(table: ResultTable, path: str) -> None:
    from panparser.lab.analysis.frame_tables import import_analysis

    import_analysis(plot=path)
    from panparser.lab.analysis import plots

    bars, groups = _bars(table)
    plots.save(plots.plot_means(bars, groups, title=table.title), Path(path))


def _bars(table: ResultTable) -> tuple[dict[str, list[tuple[float | None, float | None]]], list[str]]:
    """What is drawn, by row, and its columns; of comparisons, the differences by treebank."""
    bars: dict[str, list[tuple[float | None, float | None]]] = {}
    if DIFFERENCE in table.head:
        groups = list(dict.fromkeys(row[table.names - 1].text for row in table.rows))
        at = table.head.index(DIFFERENCE)
        for row in table.rows:
            name = ", ".join(cell.text for cell in row[: table.names - 1])
            values = bars.setdefault(name, [(None, None)] * len(groups))
            values[groups.index(row[table.names - 1].text)] = (row[at].value, None)
        return bars, groups
    for row in table.rows:
        name = ", ".join(cell.text for cell in row[: table.names]) or "all"
        bars[name] = [(cell.value, cell.deviation) for cell in row[table.names :]]
    return bars, list(table.head[table.names :])


def _documents(checked: list[str], updated: list[str]) -> None:
    for name in updated:
        path = Path(name)
        text = read_document(path)
        new = with_results(text, path)
        if new != text:
            ends = "\r\n" if b"\r\n" in path.read_bytes() else "\n"
            write_whole(path, new.replace("\n", ends).encode(), SpecError)
        _tell(f"{name}: {'written' if new != text else 'is up to date'}")
    wrong = 0
    for name in checked:
        found = check_document(Path(name))
        wrong += len(found.mismatches)
        for mismatch in found.mismatches:
            print(mismatch)
        if found.others and not is_quiet():
            tables = f"{len(found.others)} table{'s' * (len(found.others) > 1)}"
            print(
                f"{name}: {tables} of other figures, which no run stands for: {', '.join(found.others)}",
                file=sys.stderr,
            )
        none = "" if found.tables or found.figures else "; no table or figure of results is marked in it"
        figures = f"{found.figures} figure{'s' * (found.figures != 1)}"
        _tell(f"{name}: {figures}, {len(found.mismatches)} wrong{none}")
    if wrong:
        raise typer.Exit(1)
