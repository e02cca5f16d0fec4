"""`panparser propagation`."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.app import app
from panparser.cli.choices import BeamOption, FileFormat, FormatOption, ModelOption
from panparser.cli.frames import import_analysis, print_rows, print_rows_or_csv
from panparser.cli.inputs import read_sentences
from panparser.cli.tables import print_table, shown_value
from panparser.pipeline.loading import load_parser


@app.command()
def propagation(
    model: ModelOption,
    source: Annotated[str, typer.Argument(metavar="GOLD", help="A treebank with heads.")],
    by: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="Columns that errors are grouped by.  [default: right,action]")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many features to show.")] = 20,
    beam: BeamOption = None,
    format: FormatOption = FileFormat.auto,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row for each error as CSV.")] = False,
) -> None:
    """Show where a model leaves the gold trees, and what comes of it.

    An error is an action that costs more than another would. Each wrong word is traced to the error that made its gold
    arc impossible: it may be attached by that action itself, or later, at no further cost. Columns for --by: right,
    action, S0, B0 (tags), cost, sentence, step.

    Examples:

      panparser propagation -m en.panparser dev.conllu

      panparser propagation -m en.panparser dev.conllu --by action,S0,B0
    """
    found = import_analysis().propagation(load_parser(model), read_sentences(source, format.value), beam=beam)
    table = found.table(*(by.split(",") if by else ()))
    if as_csv:
        print_rows_or_csv(found.errors, True)
        return
    print_table((), [(str(name), shown_value(value)) for name, value in found.summary().items()], "lr")
    print()
    print_rows(table.head(top))
