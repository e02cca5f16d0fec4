"""`panparser analyze`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    JsonOption,
    SeedOption,
    is_quiet,
    listed,
    print_table,
    progress,
    read_to_score,
)
from panparser.errors import AnalysisError
from panparser.lab.analysis.frame_tables import Table, draw, import_analysis, print_tables, shaped, values, write_csv
from panparser.parsing.confidence import HEAD_KEY, LABEL_KEY, read_confidence
from panparser.storage.atomic import check_writable

_List = list[str] | None
MAX_PRINTED_ROWS = 20  # of each table of the summary
MAX_CLASSES = 2000  # of a confusion matrix in a file
MAX_PRINTED_CLASSES = 12  # of a confusion matrix in a terminal
_KEYS = {"heads": HEAD_KEY, "labels": LABEL_KEY}
_SUMMARY = ("upos", "base-label", "length", "direction")


def _list_criteria(asked: bool) -> None:
    if not asked:
        return
    analysis = import_analysis()
    for title, known in (("criterion", analysis.CRITERIA), ("score", analysis.MEASURES)):
        print_table((title, ""), [(name, each.description) for name, each in known.items()], "ll")
        print()
    print("head-NAME is the criterion NAME of the head, predicted.NAME that of the prediction.")
    raise typer.Exit


def analyze(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="Gold treebank.")],
    predicted: Annotated[
        _List, typer.Argument(metavar="[PREDICTED]...", help="Predictions; without any, GOLD itself is counted.")
    ] = None,
    by: Annotated[_List, typer.Option(help="Criteria of a table: upos; upos,head-upos; form+upos. Repeatable.")] = None,
    where: Annotated[
        str | None, typer.Option(help="Condition on words, such as 'label=mark and direction=right'.")
    ] = None,
    metric: Annotated[
        str, typer.Option(help="Scores, comma-separated: uas, las, label, full-las, upos, xpos, feats, lemma.")
    ] = "uas,las,label",
    matrix: Annotated[
        _List, typer.Option(help="Matrix of the first --metric by two criteria: upos,head-upos. Repeatable.")
    ] = None,
    precision: Annotated[
        _List, typer.Option(help="Precision, recall and F1 by criteria such as base-label. Repeatable.")
    ] = None,
    confusion: Annotated[_List, typer.Option(help="Confusion matrix of a criterion such as label. Repeatable.")] = None,
    correlation: Annotated[
        _List, typer.Option(help="Correlation of accuracies between the classes of criteria. Repeatable.")
    ] = None,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="Accuracy by confidence (of `parse --confidence`).")
    ] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Compare the other predictions with the first, with significance tests.")
    ] = False,
    ignore: Annotated[
        str, typer.Option("--ignore-upos", help="UPOS tags of words to ignore, comma-separated, or none.")
    ] = "PUNCT",
    train: Annotated[
        str | None,
        typer.Option("--frequency-from", metavar="FILE", help="Treebank for the criterion frequency."),
    ] = None,
    sort: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column to sort tables by, or class.")] = None,
    descending: Annotated[bool, typer.Option("--descending", help="Sort in descending order.")] = False,
    min_count: Annotated[int, typer.Option(min=0, help="Minimum number of words of a class.")] = 0,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of rows printed per table.")] = None,
    samples: Annotated[
        int,
        typer.Option("--bootstrap-samples", min=0, max=1_000_000, help="Number of bootstrap samples; 0: no tests."),
    ] = 1000,
    seed: SeedOption = 1,
    csv: Annotated[
        str | None, typer.Option(metavar="FILE", help="Output CSV file; several tables get their names as suffixes.")
    ] = None,
    plot: Annotated[
        str | None, typer.Option(metavar="FILE", help="Output plot (.png, .svg or .pdf); several as with --csv.")
    ] = None,
    page: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Output HTML report with plots and all sentences."),
    ] = None,
    plots: Annotated[
        str | None,
        typer.Option("--plot-dir", metavar="FOLDER", help="Output folder for the plots of the report."),
    ] = None,
    format: InputFormatOption = FileFormat.auto,
    as_json: JsonOption = False,
    criteria: Annotated[
        bool,
        typer.Option(
            "--list-criteria", is_eager=True, callback=_list_criteria, help="List all criteria and scores, and exit."
        ),
    ] = False,
) -> None:
    """Break down errors by any criteria; compare parsers.

    Gold and predictions must have the same words. Criteria apply to gold words; predicted.upos and predicted2.upos
    apply to the predictions. depth:4 caps values, length:1/3/6 bins them, form+upos joins two criteria; --list-criteria
    lists all. With --compare, classes are compared by the first --metric. Requires `pip install 'panparser[analysis]'`.
    """
    analysis = import_analysis(plot, plots)
    selection = TableSelection(
        by or [],
        matrix or [],
        precision or [],
        confusion or [],
        correlation or [],
        reliability,
        listed(metric),
        compare,
        samples,
        seed,
    )
    for written in (csv, plot, page):
        if written is not None:
            check_writable(Path(written), AnalysisError, gold, *(predicted or []), train)
    with progress() as report:
        report("reading", 0, 0)
        files = [read_to_score(path, format.value) for path in (gold, *(predicted or []))]
        frame = analysis.make_frame(
            *files,
            names=_names(predicted or []),
            train=None if train is None else read_to_score(train, format.value),
            ignore=[] if ignore == "none" else listed(ignore),
            where=where,
        )
        if not len(frame):
            raise AnalysisError(
                f"no words to analyze: none {'match --where ' + where if where else 'are left by --ignore-upos'}"
            )
        report("counting", 0, 0)
        tables = [
            shaped(table, sort, descending, min_count, limit) for table in make_tables(analysis, frame, selection)
        ]
        if csv is not None:
            write_csv(tables, csv)
        if plot is not None:
            report("drawing", 0, 0)
            draw(tables, plot)
        if page is not None:
            report("drawing", 0, 0)
            analysis.write_report(frame, page)
        if plots is not None:
            report("drawing", 0, 0)
            analysis.write_plots(frame, plots)
    if as_json:
        print(json.dumps({"words": len(frame), "tables": [values(table) for table in tables]}, indent=2))
    elif not is_quiet():
        print_tables(tables)


def _names(paths: list[str]) -> list[str]:
    """Names of the predictions: those of their files, or whole paths where two are alike or a column has the name."""
    from panparser.lab.analysis.frame import COLUMNS

    stems = [Path(path).name.removesuffix(".gz").removesuffix(".conllu") for path in paths]
    if len(set(stems)) == len(stems) and COLUMNS.isdisjoint(stems):
        return stems
    return [path if paths.count(path) == 1 else f"{path} ({place})" for place, path in enumerate(paths, start=1)]


@dataclass(frozen=True)
class TableSelection:
    """The tables that the options ask for."""

    by: list[str]
    matrix: list[str]
    precision: list[str]
    confusion: list[str]
    correlation: list[str]
    reliability: bool
    metrics: list[str]
    compare: bool
    bootstrap_samples: int
    seed: int

    @property
    def summary(self) -> bool:
        lists = (self.by, self.matrix, self.precision, self.confusion, self.correlation)
        return not (any(lists) or self.reliability or self.compare)


def make_tables(analysis: Any, frame: Any, selection: TableSelection) -> Iterator[Table]:
    """The tables that the options ask for; without any, a summary."""
    if not frame.names:
        yield from _statistics(analysis, frame, selection)
        return
    if not selection.compare and (selection.by or selection.summary):
        yield Table("all words that count", "all", analysis.scores(frame, None, selection.metrics), aside=True)
    if selection.compare:
        yield from _comparisons(analysis, frame, selection)
    else:
        for by in selection.by or (_SUMMARY if selection.summary else ()):
            yield Table(
                f"by {by}",
                by,
                analysis.scores(frame, by, selection.metrics),
                "scores",
                MAX_PRINTED_ROWS if selection.summary else None,
            )
    for name in frame.names:
        yield from _of_one(analysis, frame, selection, name)


def _of_one(analysis: Any, frame: Any, selection: TableSelection, name: str) -> Iterator[Table]:
    """Tables of one prediction."""
    whose, file = (f" ({name})", f"-{name}") if len(frame.names) > 1 else ("", "")
    for each in selection.matrix:
        table = analysis.two_way(frame, *_two(each), metric=selection.metrics[0], prediction=name)
        yield Table(f"{selection.metrics[0]} by {each}{whose}", f"{each}{file}", table, "matrix")
    for each in selection.precision:
        measure = "las" if "las" in selection.metrics else selection.metrics[0]
        table = analysis.precision_recall(frame, each, measure, prediction=name)
        yield Table(f"precision and recall of {measure} by {each}{whose}", f"precision-{each}{file}", table)
    for each in selection.confusion:
        sizes = (MAX_CLASSES, MAX_PRINTED_CLASSES)
        whole, part = (analysis.confusion(frame, each, prediction=name, max_classes=size) for size in sizes)
        title = f"{each}: gold in rows, predicted in columns{whose}"
        yield Table(title, f"confusion-{each}{file}", whole, "matrix", printed=part)
        yield _confusions(analysis, frame, each, name, whose, file)
    for each in selection.correlation:
        table = analysis.correlation(
            frame, each, selection.metrics[0], prediction=name, max_classes=MAX_PRINTED_CLASSES
        )
        title = f"correlation of {selection.metrics[0]} between classes of {each}, over sentences{whose}"
        yield Table(title, f"correlation-{each}{file}", table, "matrix")
    if selection.reliability or selection.summary:
        known = [each for each in _KEYS if _has_confidence(frame, each, name)]
        for each in known or (["heads"] if selection.reliability else []):  # which reports what is missing
            yield _reliability(frame, each, name, whose, file)
    if selection.summary:
        worst = analysis.worst(frame, "base-label,upos", "las", prediction=name)
        yield Table(f"where the errors are{whose}", f"worst{file}", worst, "", MAX_PRINTED_ROWS)
        yield _confusions(analysis, frame, "base-label", name, whose, file)


def _has_confidence(frame: Any, of: str, name: str) -> bool:
    """Whether a prediction has confidences, as `parse --confidence` writes them."""
    treebank = frame.sides[frame.side_of(name)].treebank
    return not np.isnan(read_confidence(treebank, _KEYS[of])).all()


def _reliability(frame: Any, of: Any, name: str, whose: str, file: str) -> Table:
    """How sure and how often right, of all words: bins of a part would be too small."""
    from panparser.lab.analysis.reliability import calibration_error, reliability

    table = reliability(frame.gold.treebank, frame.sides[frame.side_of(name)].treebank, bins=10, target=of)
    title = f"how sure of {of} and how often right, all words; calibration error {calibration_error(table):.4f}{whose}"
    return Table(title, f"reliability-{of}{file}", table[table["words"] > 0].set_index("bin"))


def _confusions(analysis: Any, frame: Any, of: str, name: str, whose: str, file: str) -> Table:
    pairs = analysis.confusions(frame, of, prediction=name)
    title = f"most frequent confusions of {of}{whose}"
    return Table(title, f"confusions-{of}{file}", pairs, max_rows=MAX_PRINTED_ROWS, aside=True)


def _comparisons(analysis: Any, frame: Any, selection: TableSelection) -> Iterator[Table]:
    """The first prediction and each other."""
    first, *others = frame.names
    if not others:
        raise AnalysisError("--compare: expected at least two predictions; got one")
    for other in others:
        for by in (None, *(selection.by or ["base-label"])):
            for measure in selection.metrics[: 1 if by else None]:
                table = analysis.compare(
                    frame,
                    by,
                    measure,
                    first=first,
                    second=other,
                    bootstrap_samples=selection.bootstrap_samples,
                    seed=selection.seed,
                )
                title = f"{measure} of {other} and {first}{f' by {by}' if by else ''}"
                yield Table(title, f"compare-{measure}-{by or 'all'}-{other}", table, aside=by is None)
    if len(others) > 1:
        for by in (None, *(selection.by or ["base-label"])):
            title = f"who is right ({selection.metrics[0]}){f' by {by}' if by else ''}"
            yield Table(title, f"right-{by or 'all'}", analysis.who_is_right(frame, by, selection.metrics[0]))


def _statistics(analysis: Any, frame: Any, selection: TableSelection) -> Iterator[Table]:
    """Of a gold alone."""
    for option in ("precision", "confusion", "correlation", "reliability", "compare"):
        if getattr(selection, option):
            raise AnalysisError(f"--{option}: expected a prediction; got only a gold treebank")
    for each in selection.matrix:
        yield Table(f"words by {each}", each, analysis.two_way(frame, *_two(each), metric="words"), "matrix")
    for by in selection.by or (_SUMMARY if selection.summary else ()):
        yield Table(
            f"words by {by}", by, analysis.counts(frame, by), "counts", MAX_PRINTED_ROWS if selection.summary else None
        )


def _two(text: str) -> list[str]:
    criteria = text.split(",")
    if len(criteria) != 2:
        raise AnalysisError(f"--matrix: expected two comma-separated criteria; got {text!r}")
    return criteria
