"""`panparser weights`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from panparser.cli.app import app
from panparser.cli.choices import CsvOption, FileFormat, FormatOption, ModelOption
from panparser.cli.frames import import_analysis, print_rows_or_csv
from panparser.cli.inputs import read_sentences
from panparser.errors import SpecError
from panparser.pipeline.loading import load_parser

_SHOWN = 20  # strongest weights


class By(StrEnum):
    """Rows of a comparison."""

    template = "template"
    kind = "kind"


@app.command()
def weights(
    model: ModelOption,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Where features are seen.")] = None,
    name: Annotated[str | None, typer.Option("--of", metavar="NAME", help="An action or a label.")] = None,
    other: Annotated[str | None, typer.Option("--with", metavar="MODEL", help="Compare with this model.")] = None,
    by: Annotated[
        By | None, typer.Option(help="Rows of --with: templates, or those of tags and of words.  [default: template]")
    ] = None,
    feature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Show all weights of one feature, such as 'S0.upos=NOUN'.")
    ] = None,
    top: Annotated[int | None, typer.Option(min=1, help="Of --of: how many features to show.  [default: 20]")] = None,
    format: FormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
) -> None:
    """Show the strongest weights of an action or a label, or what two models have in common.

    A model knows features by number; their names come from FILE, so only features that it has are shown. Weights are in
    updates of the perceptron.

    Examples:

      panparser weights -m en.panparser dev.conllu --of LEFT

      panparser weights -m en.panparser dev.conllu --of nsubj --top 40

      panparser weights -m en.panparser --feature 'S0.upos=ADJ B0.upos=NOUN'

      panparser weights -m en.panparser dev.conllu --with other.panparser

      panparser weights -m en.panparser dev.conllu --with other.panparser --by kind
    """
    analysis = import_analysis()
    if sum(value is not None for value in (name, other, feature)) != 1:
        raise SpecError("expected one of --of NAME, --feature TEXT and --with MODEL")
    if feature is not None and source is not None:
        raise SpecError(f"--feature: expected no FILE, since the feature is named; found {source}")
    if feature is None and source is None:
        raise SpecError("expected a treebank whose features are looked at: FILE")
    if by is not None and other is None:
        raise SpecError("--by is about the comparison with another model: --with MODEL")
    if top is not None and name is None:
        raise SpecError(f"--top is about the strongest weights of --of NAME: expected none, found {top}")
    parser = load_parser(model)
    if feature is not None:
        found = analysis.weights_of(parser, feature).rename("weight").rename_axis("action").reset_index()
    elif other is not None:
        rows = "template" if by is None else by.value
        found = analysis.shared(parser, load_parser(other), read_sentences(str(source), format.value), by=rows)
    else:
        found = analysis.strongest(parser, read_sentences(str(source), format.value), str(name), top=top or _SHOWN)
    print_rows_or_csv(found, as_csv)
