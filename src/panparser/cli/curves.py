"""`panparser curves`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.frames import Table, bounded, import_analysis, print_tables, values, write_csv
from panparser.cli.inputs import listed, read_to_score
from panparser.cli.progress import progress
from panparser.errors import AnalysisError, SpecError
from panparser.recipes.recipe import Recipe
from panparser.storage.files import check_writable
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.analysis import Curves

_MODEL = ".panparser"


@app.command()
def curves(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Where the parsers learn from.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="What they are scored on.")],
    sizes: Annotated[
        str | None, typer.Option(help="Numbers of sentences, with commas.  [default: 10,20,50,100,... and all]")
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(min=1, help="Random samples of each size, of which the mean is told.  [default: the first ones]"),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="TEST as another parser sees it, or that parser: where do the curves meet it?"
        ),
    ] = None,
    cost: Annotated[float | None, typer.Option(min=0, help="Price of a sentence with its tree.")] = None,
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
    seed: Annotated[int | None, typer.Option(min=0, help="Same seed, same samples and scores.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Trainings that run at once.")] = 1,
    format: FormatOption = FileFormat.auto,
    csv: Annotated[str | None, typer.Option(help="Write the scores as CSV.")] = None,
    plot: Annotated[str | None, typer.Option(help="Draw the curves, as .png, .svg or .pdf.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what sentences are worth, and which classes of words are learned first: train on more and more of them.

    The first table has the scores of each class; with --samples it is followed by half of their 95 % intervals. The
    next one tells how easily classes are learned. learnability: the score with 10 sentences as a percentage of that
    with 500 (or the nearest sizes that there are). hardness: by how many percent more of the class is wrong in the end
    than of all words. complexity: by how many percent more sentences it needs for --reach. Last is how many sentences
    each score of all words takes, and, with --against, how many it takes to be as good as another parser. Between two
    sizes, scores are taken to grow as the logarithm of the number of sentences.

    Needs pandas (pip install 'panparser[analysis]').

    Examples:

      panparser curves train.conllu test.conllu

      panparser curves train.conllu test.conllu --sizes 20,100,500 --by base-label --of las --plot curves.png

      panparser curves train.conllu test.conllu --samples 5 --by difficulty --against transferred.conllu --cost 10
    """
    analysis = import_analysis(plot)
    for path in (csv, plot):
        if path is not None:
            check_writable(Path(path), AnalysisError, train, test, recipe, against)
    given = _recipe(recipe, beam, seed)
    options = given.options() | {"init": given.load_init(), "vectors": given.load_vectors()}
    options |= {key: value for key, value in (("epochs", epochs), ("seed", seed)) if value is not None}
    with progress() as report:
        report("reading", 0, 0)
        treebank, scored = read_to_score(train, format.value), read_to_score(test, format.value)
        found = analysis.sample_curves(
            given.spec(),
            treebank,
            scored,
            _sizes(sizes, len(treebank)),
            by,
            of,
            samples=samples,
            against=None if against is None else _other(against, scored, format.value),
            ignore=[] if ignore == "none" else listed(ignore),
            threads=threads,
            report=lambda done, total: report("training parsers", done, total),
            **options,
        )
    table = found.table[found.words >= least]
    tables = _tables(found, by, of, reach, least, cost, analysis.simplicity(table, reach))
    if csv is not None:
        write_csv(tables, csv)
    if plot is not None:
        from panparser.analysis.reporting import plots

        plots.save(plots.plot_curves(table, title=f"{of} by {by}"), plot)
    if as_json:
        print(json.dumps({"tables": [values(each) for each in tables]}, indent=2))
    elif not is_quiet():
        print_tables(tables)


def _other(path: str, test: Treebank, format: str) -> Treebank:
    """The test set as another parser sees it: a file of its trees, or its model."""
    if not path.endswith(_MODEL):
        return read_to_score(path, format)
    from panparser.pipeline.loading import load_any_parser

    return load_any_parser(path).parse(test)


def _tables(found: Curves, by: str, of: str, reach: float, least: int, cost: float | None, learned: Any) -> list[Table]:
    """All that is told; the first one is written to a file."""
    kept = found.words >= least
    samples = found.scores.shape[2]
    mean = f", mean of {samples} samples" if samples > 1 else ""
    tables = [Table(f"{of} by {by}, after so many sentences{mean}", "curves", _named(found.table[kept]))]
    if samples > 1:
        tables.append(
            Table("half of the 95 % interval of each", "intervals", _named(found.intervals[kept]), aside=True)
        )
    learned = learned.join(found.classes(reach))
    tables.append(Table(f"sentences until {reach:.0%} of the last score", "learned", learned, aside=True))
    if found.against is not None:
        even = found.break_even(cost)[kept]
        title = "sentences until it is as good as --against"
        tables.append(Table(title, "break-even", even, printed=bounded(even, found.sizes, cost), aside=True))
    if of in ("uas", "las"):
        capacity = found.capacity(cost=cost)
        title = f"sentences until {of} of all words has reached a score"
        tables.append(Table(title, "capacity", capacity, printed=bounded(capacity, found.sizes, cost), aside=True))
    return tables


def _named(table: Any) -> Any:
    return table.set_axis(map(str, table.columns), axis=1)


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
