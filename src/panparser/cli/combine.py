"""`panparser combine`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    in_flags,
    is_model,
    is_quiet,
    parse_numbers,
    print_notice,
    print_table,
    progress,
)
from panparser.errors import ModelError, SpecError
from panparser.pipeline.bundled_models import find
from panparser.storage.atomic import check_writable
from panparser.treebank.conllu import conllu_output, read_conllu


def combine(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE...", help="Models of one transition system, or trees of the same words."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="Output file; - is standard output (trees only).")
    ] = "-",
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="1,2,...|FILE.toml", help="Weight of each file; of trees also a file.  [default: equal weights]"
        ),
    ] = None,
    projective: Annotated[
        bool, typer.Option("--projective", help="Build trees without crossing arcs (trees only).")
    ] = False,
    single_root: Annotated[
        bool,
        typer.Option(
            "--single-root/--multi-root", help="Allow exactly one root word per sentence, or any number (trees only)."
        ),
    ] = True,
    min_votes: Annotated[
        float | None,
        typer.Option(
            metavar="VOTES", help="Minimum weight of an arc; words without such an arc get no head (trees only)."
        ),
    ] = None,
    estimate_weights: Annotated[
        str | None,
        typer.Option(metavar="GOLD", help="Write weights fitted to this gold treebank, as TOML (trees only)."),
    ] = None,
    weights_by: Annotated[
        str | None, typer.Option(metavar="upos|xpos", help="Estimate weights for each tag (with --estimate-weights).")
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option("--dev", "-d", metavar="DEV", help="Development treebank, used to select weights (models only)."),
    ] = None,
    beam: Annotated[
        int | None, typer.Option(min=1, help="Beam size (models only).  [default: the largest of the models']")
    ] = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Combine models into one, or trees into the best tree.

    Of models: the new model scores each step with all of them. They must have the same transition system; templates
    and labels may differ. It is used like any other model, and takes as long as its parsers together. Only the parsers
    of pipelines are combined; the other parts are left out.

    Of trees: the result is the tree with the largest sum of arc weights, where an arc counts as much as the files that
    contain it weigh; labels are chosen likewise among the files that contain the arc. Ties go to the file named first.
    Words without a head do not vote. All other columns are those of the first file.
    """
    of_trees = {
        "--projective": projective,
        "--multi-root": not single_root,
        "--min-votes": min_votes is not None,
        "--estimate-weights": estimate_weights is not None,
        "--weights-by": weights_by is not None,
    }
    if is_model(files[0], pipe=False):
        _refuse(of_trees, "trees, not for models")
        _combine_models(files, output, weights, dev, beam, format.value)
        return
    _refuse({"--dev": dev is not None, "--beam": beam is not None}, "models, not for trees")
    if weights_by is not None and estimate_weights is None:
        raise SpecError("--weights-by requires --estimate-weights")
    if estimate_weights is not None:
        unused = {"--weights": weights is not None} | {name: of_trees[name] for name in list(of_trees)[:3]}
        for name in (name for name, is_set in unused.items() if is_set):
            raise SpecError(f"--estimate-weights writes weights, not trees: it cannot be used with {name}")
    if output != "-":
        check_writable(Path(output), SpecError, *files, estimate_weights, weights)
    if estimate_weights is not None:
        _estimate_weights(files, estimate_weights, weights_by, output, format.value)
        return
    _combine_trees(files, output, weights, projective, single_root, min_votes, format.value)


def _refuse(options: dict[str, bool], kind: str) -> None:
    for name in (name for name, is_set in options.items() if is_set):
        raise SpecError(f"{name} is only supported for {kind}")


# --- Trees ---


def _combine_trees(
    files: Sequence[str],
    output: str,
    weights: str | None,
    projective: bool,
    single_root: bool,
    min_votes: float | None,
    format: Any,
) -> None:
    from panparser.ensembles.combining import ArcWeights
    from panparser.ensembles.combining import combine_trees as combine_treebanks

    treebanks = [read_conllu(file, format=format) for file in files]
    chosen = None
    if weights is not None:
        chosen = (
            ArcWeights.read(weights)
            if weights.endswith(".toml")
            else ArcWeights(tuple(parse_numbers("--weights", weights)))
        )
    with in_flags("combine_trees", min_votes="--min-votes"), progress() as report, conllu_output(output) as stream:
        combined = combine_treebanks(
            treebanks,
            weights=chosen,
            projective=projective,
            single_root=single_root,
            min_votes=min_votes,
            progress=lambda done, total: report("combining", done, total),
        )
        stream.write(combined.to_bytes())


def _estimate_weights(files: Sequence[str], gold: str, by: str | None, output: str, format: Any) -> None:
    from panparser.ensembles.combining import estimate_arc_weights

    treebanks = [read_conllu(file, format=format) for file in files]
    with in_flags("estimate_arc_weights", column="--weights-by"):
        estimated = estimate_arc_weights(read_conllu(gold, format=format), treebanks, column=by)
    if output == "-":
        print(estimated.to_toml(), end="")
        return
    estimated.write(output)
    if not is_quiet():
        rows = [(file, f"{weight:.2f}") for file, weight in zip(files, estimated.default, strict=True)]
        print_table(("file", "weight"), rows)


# --- Models ---


def _combine_models(
    models: Sequence[str], output: str, weights: str | None, dev: str | None, beam: int | None, format: Any
) -> None:
    from panparser.ensembles.voting import as_voters, make_voting_parser
    from panparser.pipeline.loading import load, parser_in
    from panparser.pipeline.pipeline import Pipeline

    if output == "-":
        raise SpecError("expected an output file: -o MODEL")
    check_writable(Path(output), ModelError, *map(find, models), dev)
    numbers = None if weights is None else parse_numbers("--weights", weights)
    loaded = [load(model) for model in models]
    parsers = [parser_in(part, model) for part, model in zip(loaded, models, strict=True)]
    if any(isinstance(part, Pipeline) for part in loaded) and not is_quiet():
        print_notice("the result is a parser for tagged CoNLL-U: tokenizers and taggers are left out")
    with in_flags("make_voting_parser"), progress() as report:
        combined = make_voting_parser(
            parsers,
            weights=numbers,
            dev=None if dev is None else read_conllu(dev, format=format),
            beam=beam,
            progress=lambda done, total: report("choosing weights", done, total),
        )
    combined.save(output)
    if not is_quiet():
        if combined.voters:
            left_out = sum(len(as_voters(parser)) for parser in parsers) - len(combined.voters)
        else:  # networks among them
            left_out = (numbers or []).count(0)
        print(f"{output}: {combined!r}" + (f", {left_out} left out" if left_out else ""))
