"""`panparser combine`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat
from panparser.cli.inputs import parse_numbers
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.ensembles.arc_weights import Weights, learn_weights
from panparser.ensembles.combining import combine as combine_treebanks
from panparser.errors import SpecError
from panparser.storage.files import check_writable
from panparser.treebank.conllu import conllu_output, read_conllu


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
    partial: Annotated[
        float | None,
        typer.Option(
            metavar="K",
            help="Only arcs with at least so many votes (or weight) count; words that keep none have no head.",
        ),
    ] = None,
    learn: Annotated[
        str | None,
        typer.Option(metavar="GOLD", help="Write no trees, but the weights that fit this gold file, as TOML."),
    ] = None,
    by: Annotated[str | None, typer.Option(metavar="upos|xpos", help="With --learn: weights for each tag.")] = None,
    format: Annotated[FileFormat, typer.Option(help="CoNLL-X is recognized where the file leaves no doubt.")] = (
        FileFormat.auto
    ),
) -> None:
    """Combine several analyses of the same words into the tree with the largest sum of weighted arcs.

    Each arc counts as much as the files that have it weigh; the tree with the largest sum wins, and each label likewise
    among those files that have its arc. Where sums are equal, the file named first wins. A word without a head casts no
    vote. All but heads and labels is as in the first file. With --partial, only arcs that enough files have count.

    Examples:

      panparser combine a.conllu b.conllu c.conllu -o best.conllu

      panparser combine a.conllu b.conllu --weights 2,1 --projective

      panparser combine a.conllu b.conllu c.conllu --partial 2 -o agreed.conllu

      panparser combine --learn dev.conllu a-dev.conllu b-dev.conllu c-dev.conllu --by upos -o weights.toml

      panparser combine a.conllu b.conllu c.conllu --weights weights.toml -o best.conllu
    """
    if by is not None and learn is None:
        raise SpecError("--by needs --learn: a file of weights names the column that they depend on")
    if learn is not None and (weights is not None or projective or not single_root or partial is not None):
        raise SpecError(
            "--learn writes weights, no trees: --weights, --projective, --multi-root and --partial are not for it"
        )
    if output != "-":
        check_writable(Path(output), SpecError, *files, learn, weights)
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
            partial=partial,
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
