"""`panparser calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.errors import ModelError
from panparser.parsing.calibrating import calibrate as calibrated
from panparser.pipeline.bundled import find
from panparser.pipeline.loading import load, load_parser, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.files import check_writable
from panparser.treebank.conllu import read_conllu


@app.command()
def calibrate(
    model: Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="What `panparser train` wrote.")],
    dev: Annotated[str, typer.Argument(metavar="DEV", help="Sentences with known heads, not learned from.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUTPUT", help="The model, calibrated.")],
    beam: Annotated[int | None, typer.Option(min=1, help="To parse with later.  [default: the model's]")] = None,
    ensemble: Annotated[
        list[str] | None,
        typer.Option(
            "--ensemble", metavar="MODEL", help="Other models, of other seeds, whose agreement is taken into account."
        ),
    ] = None,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Calibrate the confidence of a model on sentences with known heads.

    Training with a development set does this already. It is needed for another kind of text, for another beam, and for
    an ensemble, which `panparser parse --confidence` must then be given too. A pipeline tags DEV first.

    Examples:

      panparser calibrate -m en.panparser dev.conllu -o en-calibrated.panparser

      panparser calibrate -m en-1.panparser dev.conllu --ensemble en-2.panparser -o en.panparser
    """
    check_writable(Path(output), ModelError, dev, *map(find, (model, *(ensemble or ()))))
    found = load(model)
    parser = parser_in(found, model)
    others = [load_parser(other) for other in ensemble or ()]
    treebank = read_conllu(dev, format=format.value)
    if isinstance(found, Pipeline):
        found.annotate_words(treebank)
    parser = calibrated(parser, treebank, ensemble=others, beam=beam)
    (found.with_parser(parser) if isinstance(found, Pipeline) else parser).save(output)
    if not is_quiet() and parser.calibration is not None:
        print(f"{output}: calibrated on {parser.calibration.words:,} words")
