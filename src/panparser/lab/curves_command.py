"""`panparser curves`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.terminal import FileFormat, InputFormatOption, JsonOption, is_quiet, listed, progress, read_to_score
from panparser.errors import AnalysisError, SpecError
from panparser.lab.analysis.frame_tables import Table, bounded, import_analysis, print_tables, values, write_csv
from panparser.recipes.recipe import Recipe
from panparser.storage.atomic import check_writable
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    from panparser.lab.curves import Curves

_MODEL = ".panparser"


def curves(
    train: Annotated[str, typer.Argument(metavar="TRAIN", help="Training treebank.")],
    test: Annotated[str, typer.Argument(metavar="TEST", help="Test treebank.")],
    sizes: Annotated[
        str | None,
        typer.Option(help="Numbers of training sentences, comma-separated.  [default: 10,20,50,100,... and all]"),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples-per-size", min=1, help="Random samples averaged per size.  [default: the first sentences]"
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Another parser, or its trees for TEST, for the break-even point."),
    ] = None,
    cost: Annotated[
        float | None, typer.Option("--cost-per-sentence", min=0, help="Cost of annotating a sentence.")
    ] = None,
    by: Annotated[str, typer.Option(help="Criteria of word classes, as in `panparser analyze`.")] = "upos",
    metric: Annotated[str, typer.Option(help="Score: uas, las, label, full-las, upos, xpos, feats, lemma.")] = "uas",
    ignore: Annotated[
        str, typer.Option("--ignore-upos", help="UPOS tags of words to ignore, comma-separated, or none.")
    ] = "PUNCT",
    learned_share: Annotated[
        float, typer.Option(min=0, max=1, help="Share of its final score at which a class counts as learned.")
    ] = 0.9,
    min_count: Annotated[int, typer.Option(min=0, help="Minimum number of words of a class.")] = 10,
    recipe: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Recipe of the parser; its data section is not used.")
    ] = None,
    beam: Annotated[int | None, typer.Option(min=1, help="Beam size; 1 is greedy search.")] = None,
    epochs: Annotated[int | None, typer.Option(min=1, help="Maximum number of epochs.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Random seed.")] = None,
    threads: Annotated[int, typer.Option(min=1, help="Number of parallel trainings.")] = 1,
    format: InputFormatOption = FileFormat.auto,
    csv: Annotated[str | None, typer.Option(metavar="FILE", help="Output CSV file with the scores.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Output plot: .png, .svg or .pdf.")] = None,
    as_json: JsonOption = False,
) -> None:
    """Plot learning curves; find the break-even point.

    Trains parsers on more and more sentences. The first table contains the scores of each class; with
    --samples-per-size, a second one half of their 95 % intervals. Then: learnability, the score after 10 sentences as a
    percentage of that after 500 (or the nearest sizes); hardness, by how many percent more words of the class are wrong
    at the end than of all words; complexity, by how many percent more sentences it needs for --learned-share. The last
    tables contain the number of sentences that each score needs, and, with --baseline, the number needed to match
    another parser. Scores are interpolated over the logarithm of the number of sentences.

    Requires `pip install 'panparser[analysis]'`.
    """
    analysis = import_analysis(plot)
    for path in (csv, plot):
        if path is not None:
            check_writable(Path(path), AnalysisError, train, test, recipe, baseline)
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
            metric,
            samples_per_size=samples,
            baseline=None if baseline is None else _other(baseline, scored, format.value),
            ignore=[] if ignore == "none" else listed(ignore),
            threads=threads,
            progress=lambda done, total: report("training parsers", done, total),
            **options,
        )
    table = found.table[found.words >= min_count]
    tables = _tables(found, by, metric, learned_share, min_count, cost, analysis.simplicity(table, learned_share))
    if csv is not None:
        write_csv(tables, csv)
    if plot is not None:
        from panparser.lab.analysis import plots

        plots.save(plots.plot_curves(table, title=f"{metric} by {by}"), plot)
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
    tables.append(Table(f"sentences needed for {reach:.0%} of the final score", "learned", learned, aside=True))
    if found.baseline is not None:
        even = found.break_even(cost)[kept]
        title = "sentences needed to match --baseline"
        tables.append(Table(title, "break-even", even, printed=bounded(even, found.sizes, cost), aside=True))
    if of in ("uas", "las"):
        capacity = found.capacity(cost_per_sentence=cost)
        title = f"sentences needed for a score ({of} of all words)"
        tables.append(Table(title, "capacity", capacity, printed=bounded(capacity, found.sizes, cost), aside=True))
    return tables


def _named(table: Any) -> Any:
    return table.set_axis(map(str, table.columns), axis=1)


def _recipe(path: str | None, beam: int | None, seed: int | None) -> Recipe:
    """What parser, and how it learns; the data of the recipe are not used."""
    given = Recipe.read(path) if path is not None else Recipe()
    if given.training.seeds and seed is None:
        raise SpecError(f"{path}: expected one seed; got several: use --seed {given.training.seeds[0]}")
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
        raise SpecError(f"--sizes: expected comma-separated numbers such as 20,100,500; got {text!r}")
    numbers = [int(part) for part in parts]
    if numbers != sorted(set(numbers)):
        raise SpecError(f"--sizes: expected increasing numbers; got {text!r}")
    return numbers
