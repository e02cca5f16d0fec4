"""`panparser weights`."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from panparser.cli.terminal import CsvOption, FileFormat, InputFormatOption, ModelOption, read_sentences
from panparser.errors import SpecError
from panparser.inspection.frame_output import import_with_pandas, print_rows_or_csv
from panparser.pipeline.loading import load_parser

MAX_FEATURES = 20


class GroupBy(StrEnum):
    """Rows of a comparison."""

    template = "template"
    kind = "kind"


def weights(
    model: ModelOption,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Treebank whose features are listed.")] = None,
    name: Annotated[str | None, typer.Option("--class", metavar="NAME", help="Action or label.")] = None,
    other: Annotated[
        str | None, typer.Option("--compare-with", metavar="MODEL", help="Second model, to compare weights with.")
    ] = None,
    by: Annotated[GroupBy | None, typer.Option("--group-by", help="Rows of a comparison.  [default: template]")] = None,
    feature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Feature such as 'S0.upos=NOUN' whose weights are listed.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of features (with --class).  [default: 20]")
    ] = None,
    format: InputFormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
) -> None:
    """List the strongest weights, or compare two models.

    Models store features as numbers; names come from FILE, so only features that occur there are listed. Weights are
    in perceptron updates.
    """
    weights = import_with_pandas("model_weights")
    if sum(value is not None for value in (name, other, feature)) != 1:
        raise SpecError("expected one of --class NAME, --feature TEXT and --compare-with MODEL")
    if feature is not None and source is not None:
        raise SpecError(f"--feature cannot be used with FILE; got {source}")
    if feature is None and source is None:
        raise SpecError("expected a treebank whose features are listed: FILE")
    if by is not None and other is None:
        raise SpecError("--group-by requires --compare-with")
    if limit is not None and name is None:
        raise SpecError("--limit requires --class")
    parser = load_parser(model)
    if feature is not None:
        found = weights.weights_of(parser, feature).rename("weight").rename_axis("action").reset_index()
    elif other is not None:
        rows = "template" if by is None else by.value
        found = weights.shared(parser, load_parser(other), read_sentences(str(source), format.value), group_by=rows)
    else:
        found = weights.strongest(
            parser, read_sentences(str(source), format.value), str(name), limit=limit or MAX_FEATURES
        )
    print_rows_or_csv(found, as_csv)
