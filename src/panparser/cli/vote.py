"""`panparser vote`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.inputs import parse_numbers
from panparser.cli.progress import progress
from panparser.ensembles.voting import as_voters
from panparser.ensembles.voting import vote as vote_of
from panparser.errors import ModelError
from panparser.pipeline.bundled import find
from panparser.pipeline.loading import load, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.files import check_writable
from panparser.treebank.conllu import read_conllu


@app.command()
def vote(
    models: Annotated[list[str], typer.Argument(metavar="MODEL...", help="What `panparser train` wrote.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="MODEL", help="The model file of the vote.")],
    weights: Annotated[
        str | None, typer.Option(metavar="1,2,...", help="One for each model.  [default: all the same]")
    ] = None,
    dev: Annotated[
        str | None, typer.Option("--dev", "-d", metavar="DEV", help="Treebank that the weights are chosen by.")
    ] = None,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Hypotheses kept.  [default: that of the model with most]")
    ] = None,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Make one parser of several: each step is decided by their scores together.

    They must have the same transition system; templates and labels may differ. The vote is an ordinary model: `parse`,
    `info` and the rest work with it, and it takes about as long as its parsers together. Of pipelines, the parsers
    vote; the other parts are left out (`Pipeline(tokenizer=..., parser=...)` in Python puts parts together).

    Examples:

      panparser vote seed1.panparser seed2.panparser seed3.panparser -o vote.panparser

      panparser vote rich.panparser zn11.panparser -o vote.panparser --weights 2,1

      panparser vote rich.panparser zn11.panparser -o vote.panparser --dev dev.conllu
    """
    check_writable(Path(output), ModelError, *map(find, models), dev)
    numbers = None if weights is None else parse_numbers(weights)
    loaded = [load(model) for model in models]
    parsers = [parser_in(each, model) for each, model in zip(loaded, models, strict=True)]
    if any(isinstance(each, Pipeline) for each in loaded) and not is_quiet():
        what = "the vote is a parser alone, which reads tagged CoNLL-U: it has none of their tokenizers and taggers"
        print(f"panparser: {what}", file=sys.stderr)
    with progress() as report:
        made = vote_of(
            parsers,
            weights=numbers,
            dev=None if dev is None else read_conllu(dev, format=format.value),
            beam=beam,
            report=lambda done, total: report("choosing weights", done, total),
        )
    made.save(output)
    if not is_quiet():
        if made.voters:
            left_out = sum(len(as_voters(parser)) for parser in parsers) - len(made.voters)
        else:  # networks among them
            left_out = (numbers or []).count(0)
        print(f"{output}: {made!r}" + (f", {left_out} left out" if left_out else ""))
