"""`panparser curves`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.frames import Table, import_analysis, print_tables, values, write_csv
from panparser.cli.inputs import listed, read_to_score
from panparser.cli.progress import progress
from panparser.errors import AnalysisError, SpecError
from panparser.recipes.recipe import Recipe
from panparser.storage.files import check_writable


@app.command()
def curves(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Where the parsers learn from the first sentences.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="What they are scored on.")],
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of sentences, with commas.  [default: 10,20,50,100,... and all]")
    ] = None,
    by: Annotated[str, typer.Option(help="Classes of words: any criteria of `panparser analyze`.")] = "upos",
    of: Annotated[str, typer.Option(help="What is scored.")] = "uas",
    ignore: Annotated[
        str, typer.Option(help="UPOS tags that do not count, with commas; none: all words do.")
    ] = "PUNCT",
    reach: Annotated[
        float, typer.Option(min=0, max=1, help="A class is learned when it has this share of its last score.")
    ] = 0.9,
    least: Annotated[int, typer.Option(min=0, help="Leave out classes of fewer words.")] = 10,
    recipe: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="What parser, and how it learns; its data are not used.")
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Hypotheses kept; 1 is greedy.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Passes over the sentences.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same scores.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Trainings that run at once.")] = 1,
    format: FormatOption = FileFormat.auto,
    csv: Annotated[str | None, typer.Option(help="Write the scores as CSV.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the curves, as .png, .svg or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show which classes of words are learned first: train on growing parts of a treebank, score each class.

    Needs pandas (pip install 'panparser[analysis]').

    Examples:

      panparser curves train.conllu test.conllu

      panparser curves train.conllu test.conllu --sizes 20,100,500 --by base-label --of las --plot curves.png
    """
    analysis = import_analysis(plot)
    for path in (csv, plot):
        if path is not None:
            check_writable(Path(path), AnalysisError, train, test, recipe)
    given = _recipe(recipe, beam, seed)
    options = given.options() | {"init": given.load_init(), "vectors": given.load_vectors()}
    options |= {key: value for key, value in (("epochs", epochs), ("seed", seed)) if value is not None}
    with progress() as report:
        report("reading", 0, 0)
        treebank, scored = read_to_score(train, format.value), read_to_score(test, format.value)
        numbers = _sizes(sizes, len(treebank))
        report(f"training {len(numbers)} parsers", 0, 0)
        ignored = [] if ignore == "none" else listed(ignore)
        table = analysis.learning_curves(
            given.spec(), treebank, scored, numbers, by, of, ignore=ignored, threads=threads, **options
        )
    table = table[table["words"] >= least]
    learned = analysis.simplicity(table, reach)
    tables = [
        Table(f"{of} by {by}, after so many sentences", "curves", table.set_axis(map(str, table.columns), axis=1)),
        Table(f"sentences until {reach:.0%} of the last score", "learned", learned, aside=True),
    ]
    if csv is not None:
        write_csv(tables, csv)
    if plot is not None:
        from panparser.analysis.reporting import plots

        plots.save(plots.plot_curves(table, title=f"{of} by {by}"), plot)
    if as_json:
        print(json.dumps({"tables": [values(each) for each in tables]}, indent=2))
    elif not is_quiet():
        print_tables(tables)


def _recipe(path: str | None, beam: int | None, seed: int | None) -> Recipe:
    """What parser, and how it learns; the data of the recipe are not used."""
    given = Recipe.read(path) if path is not None else Recipe()
    if given.training.seeds and seed is None:
        raise SpecError(f"{path}: expected one seed for curves, found several: --seed {given.training.seeds[0]}")
    if beam is not None:
        given = replace(given, parser=replace(given.parser, beam=beam))
    return given.resolved()


def _sizes(text: str | None, sentences: int) -> list[int]:
    """Numbers of sentences: those that are given, or ten and on in steps of about two, and all."""
    if text is None:
        steps = [digit * 10**power for power in range(1, 7) for digit in (1, 2, 5)]
        return [*(step for step in steps if step < 0.9 * sentences), sentences]
    parts = listed(text)
    if not all(part.isascii() and part.isdigit() for part in parts):
        raise SpecError(f"--sizes: expected numbers with commas, such as 20,100,500; found {text!r}")
    numbers = [int(part) for part in parts]
    if numbers != sorted(set(numbers)):
        raise SpecError(f"--sizes: expected rising numbers; found {text!r}")
    return numbers
