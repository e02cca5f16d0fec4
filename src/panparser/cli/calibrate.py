"""`panparser calibrate`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import BeamOption, FileFormat, InputFormatOption, is_quiet
from panparser.errors import ModelError
from panparser.parsing.calibrating import calibrate as calibrated
from panparser.pipeline.bundled_models import find
from panparser.pipeline.loading import load, load_parser, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.atomic import check_writable
from panparser.treebank.conllu import read_conllu


def calibrate(
    model: Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="Model file.")],
    dev: Annotated[str, typer.Argument(metavar="DEV", help="Development treebank that was not used for training.")],
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUTPUT", help="Output model file.")],
    beam: BeamOption = None,
    ensemble: Annotated[
        list[str] | None,
        typer.Option("--ensemble", metavar="MODEL", help="Additional model, trained with another seed; repeatable."),
    ] = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Calibrate the confidence of a model on a development set.

    Training with a development set already does this. Calibrate again for another kind of text, for another beam size,
    or for an ensemble, which `panparser parse --confidence` must then also get. A pipeline tags DEV first.
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
