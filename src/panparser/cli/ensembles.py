"""`panparser vote` and `panparser combine`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import FileFormat, app, is_quiet, print_table, progress
from panparser.ensembles.arc_weights import Weights, learn_weights
from panparser.ensembles.combining import combine as combine_treebanks
from panparser.ensembles.voting import as_voters
from panparser.ensembles.voting import vote as vote_of
from panparser.errors import ModelError, SpecError
from panparser.pipeline.loading import load_parser
from panparser.storage.files import check_writable
from panparser.treebank.conllu import conllu_output, read_conllu


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
) -> None:
    """Make one parser of several: each step is decided by their scores together.

    They must have the same transition system; templates and labels may differ. The vote is an ordinary model: `parse`,
    `info` and the rest work with it, and it takes about as long as its parsers together.

    Examples:

      panparser vote seed1.panparser seed2.panparser seed3.panparser -o vote.panparser

      panparser vote rich.panparser zn11.panparser -o vote.panparser --weights 2,1

      panparser vote rich.panparser zn11.panparser -o vote.panparser --dev dev.conllu
    """
    check_writable(Path(output), ModelError)
    numbers = None if weights is None else parse_numbers(weights)
    parsers = [load_parser(model) for model in models]
    with progress() as report:
        made = vote_of(
            parsers,
            weights=numbers,
            dev=None if dev is None else read_conllu(dev),
            beam=beam,
            report=lambda done, total: report("choosing weights", done, total),
        )
    made.save(output)
    if not is_quiet():
        left_out = sum(len(as_voters(parser)) for parser in parsers) - len(made.voters)
        print(f"{output}: {made!r}" + (f", {left_out} left out" if left_out else ""))


@app.command()
def combine(
    files: Annotated[list[str], typer.Argument(metavar="FILE...", help="Analyses of the same words.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="1,2,...|FILE.toml", help="One for each file, or what --learn wrote.  [default: the same]"
        ),
    ] = None,
    projective: Annotated[bool, typer.Option("--projective", help="Only trees without crossing arcs.")] = False,
    single_root: Annotated[
        bool, typer.Option("--single-root/--multi-root", help="One child of Root, or any number.")
    ] = True,
    learn: Annotated[
        str | None,
        typer.Option(metavar="GOLD", help="Write no trees, but the weights that fit this gold file, as TOML."),
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="upos|xpos", help="With --learn: weights for each tag.")] = None,
    format: Annotated[FileFormat, typer.Option(help="CoNLL-X is recognized where the file leaves no doubt.")] = (
        FileFormat.auto
    ),
) -> None:
    """Combine several analyses of the same words into the tree that their arcs, weighted, speak for most.

    Each arc counts as much as the files that have it weigh; the tree with the largest sum wins, and each label likewise
    among those files that have its arc. Where sums are equal, the file named first wins. A word without a head casts no
    vote. All but heads and labels is as in the first file.

    Examples:

      panparser combine a.conllu b.conllu c.conllu -o best.conllu

      panparser combine a.conllu b.conllu --weights 2,1 --projective

      panparser combine --learn dev.conllu a-dev.conllu b-dev.conllu c-dev.conllu --by upos -o weights.toml

      panparser combine a.conllu b.conllu c.conllu --weights weights.toml -o best.conllu
    """
    if by is not None and learn is None:
        raise SpecError("--by needs --learn: weights that are given say themselves what they depend on")
    if learn is not None and (weights is not None or projective or not single_root):
        raise SpecError("--learn writes weights, no trees: --weights, --projective and --multi-root are not for it")
    if learn is not None and output != "-":
        check_writable(Path(output), SpecError)
    treebanks = [read_conllu(file, format=format.value) for file in files]
    if learn is not None:
        _learn(learn_weights(read_conllu(learn, format=format.value), treebanks, by=by), files, output)
        return
    chosen = None
    if weights is not None:
        chosen = Weights.read(weights) if weights.endswith(".toml") else Weights(tuple(parse_numbers(weights)))
    with progress() as report, conllu_output(output) as stream:
        combined = combine_treebanks(
            treebanks,
            weights=chosen,
            projective=projective,
            single_root=single_root,
            report=lambda done, total: report("combining", done, total),
        )
        stream.write(combined.to_bytes())


def _learn(weights: Weights, files: list[str], output: str) -> None:
    if output == "-":
        print(weights.to_toml(), end="")
        return
    weights.write(output)
    if not is_quiet():
        print_table(("file", "weight"), [(file, f"{n:.2f}") for file, n in zip(files, weights.default, strict=True)])


def parse_numbers(text: str) -> list[float]:
    """The numbers of an option such as --weights 1,0.5."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"--weights: expected numbers with commas between them, found {text!r}") from None
