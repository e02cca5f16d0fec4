"""`panparser propagation`."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.terminal import (
    BeamOption,
    CsvOption,
    FileFormat,
    InputFormatOption,
    ModelOption,
    print_table,
    read_sentences,
    shown_value,
)
from panparser.inspection.frame_output import import_with_pandas, print_rows, print_rows_or_csv
from panparser.pipeline.loading import load_parser


def propagation(
    model: ModelOption,
    source: Annotated[str, typer.Argument(metavar="GOLD", help="Gold treebank.")],
    by: Annotated[
        str | None,
        typer.Option(
            "--group-by",
            metavar="COLUMNS",
            help="Columns: correct,action,S0,B0,cost,sentence,step.  [default: correct,action]",
        ),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Maximum number of rows.")] = 20,
    beam: BeamOption = None,
    format: InputFormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
) -> None:
    """Trace wrong arcs back to the actions that caused them.

    An error is an action that costs more than the best alternative. Each wrong word is attributed to the error that
    made its gold arc unreachable: the same action may attach it, or a later one at no further cost. S0 and B0 are the
    tags on top of the stack and at the front of the buffer. --csv has one row per error.
    """
    found = import_with_pandas("propagation").propagation(
        load_parser(model), read_sentences(source, format.value), beam=beam
    )
    table = found.table(*(by.split(",") if by else ()))
    if as_csv:
        print_rows_or_csv(found.errors, True)
        return
    print_table((), [(str(name), shown_value(value)) for name, value in found.summary().items()], "lr")
    print()
    print_rows(table.head(limit))
