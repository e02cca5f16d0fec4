"""`panparser analyze`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.frames import Table, draw, import_analysis, print_tables, shaped, values, write_csv
from panparser.cli.inputs import listed, read_to_score
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.errors import AnalysisError
from panparser.parsing.confidence import HEAD_KEY, LABEL_KEY, read_confidence
from panparser.storage.files import check_writable

_List = list[str] | None
_ROWS_SHOWN = 20  # rows of each table of the summary
_MAX_CLASSES = 2000  # classes of a confusion matrix that a file can hold
_CLASSES_SHOWN = 12  # classes of a confusion matrix that a terminal can show
_KEYS = {"heads": HEAD_KEY, "labels": LABEL_KEY}
_SUMMARY = ("upos", "base-label", "length", "direction")


def _list_criteria(asked: bool) -> None:
    if not asked:
        return
    analysis = import_analysis()
    for title, known in (("criterion", analysis.CRITERIA), ("score", analysis.MEASURES)):
        print_table((title, ""), [(name, each.about) for name, each in known.items()], "ll")
        print()
    print("head-NAME is the criterion NAME of the head, predicted.NAME that of the prediction.")
    raise typer.Exit


@app.command()
def analyze(
    gold: Annotated[str, typer.Argument(metavar="GOLD", help="The reference.")],
    predicted: Annotated[
        _List, typer.Argument(metavar="[PREDICTED]...", help="Predictions; without one, GOLD itself is counted.")
    ] = None,
    by: Annotated[
        _List, typer.Option(help="A table by these criteria: upos; upos,head-upos; form+upos. Repeat it for several.")
    ] = None,
    where: Annotated[
        str | None, typer.Option(help="Only words for which this holds: 'label=mark and direction=right'.")
    ] = None,
    of: Annotated[str, typer.Option(help="What is scored: uas, las, label, full-las, upos, xpos, feats, lemma.")] = (
        "uas,las,label"
    ),
    two_way: Annotated[
        _List, typer.Option(help="A matrix of the first score of --of by two criteria: upos,head-upos.")
    ] = None,
    precision: Annotated[_List, typer.Option(help="Precision, recall and F1 by criteria, such as base-label.")] = None,
    confusion: Annotated[_List, typer.Option(help="A confusion matrix of a criterion, such as label.")] = None,
    correlation: Annotated[
        _List, typer.Option(help="Correlation of accuracies between the classes of criteria.")
    ] = None,
    reliability: Annotated[
        bool, typer.Option("--reliability", help="How sure a parser was (parse --confidence), and how often right.")
    ] = False,
    compare: Annotated[
        bool,
        typer.Option("--compare", help="Compare the others with the first, with tests; classes by the first of --of."),
    ] = False,
    ignore: Annotated[
        str, typer.Option(help="UPOS tags that do not count, with commas; none: all words do.")
    ] = "PUNCT",
    train: Annotated[str | None, typer.Option(help="Where the criterion frequency counts forms.")] = None,
    sort: Annotated[str | None, typer.Option(help="Sort tables by a column, smallest first; class: by name.")] = None,
    descending: Annotated[bool, typer.Option("--descending", help="Sort largest first.")] = False,
    least: Annotated[int, typer.Option(min=0, help="Leave out classes of fewer words.")] = 0,
    top: Annotated[int | None, typer.Option(min=1, help="Print at most this many rows of each table.")] = None,
    samples: Annotated[
        int, typer.Option(min=0, max=1_000_000, help="Bootstrap samples of --compare; 0: no tests.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the tests.")] = 1,
    csv: Annotated[
        str | None, typer.Option(help="Write the table as CSV; several get their names: out-upos.csv.")
    ] = None,
    plot: Annotated[str | None, typer.Option(help="Draw it, as .png, .svg or .pdf; several get their names.")] = None,
    page: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write a page with plots and all sentences: report.html."),
    ] = None,
    plots: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Write the plots of the report there, as .png and .svg.")
    ] = None,
    format: FormatOption = FileFormat.auto,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    criteria: Annotated[
        bool, typer.Option("--criteria", is_eager=True, callback=_list_criteria, help="List all criteria and scores.")
    ] = False,
) -> None:
    """Show where parsers are wrong: scores by any criteria, confusions, comparisons.

    Gold and predictions must have the same words. Criteria are those of the gold; predicted.upos, predicted2.upos are
    those of the predictions. depth:4 caps, length:1/3/6 bins, form+upos joins. --criteria lists them all. Needs
    pandas (pip install 'panparser[analysis]').

    Examples:

      panparser analyze gold.conllu mine.conllu

      panparser analyze gold.conllu mine.conllu --by depth:4 --ignore PUNCT,INTJ,SYM,X

      panparser analyze gold.conllu mine.conllu --by form+upos --where 'label=mark' --top 10

      panparser analyze gold.conllu mine.conllu --two-way upos,head-upos --plot pairs.png

      panparser analyze gold.conllu mine.conllu --confusion head-upos --csv heads.csv

      panparser analyze gold.conllu mine.conllu theirs.conllu --compare --by label

      panparser analyze gold.conllu mine.conllu theirs.conllu --train train.conllu --report report.html

      panparser analyze train.conllu --by length --by upos,head-upos+direction
    """
    analysis = import_analysis(plot, plots)
    wanted = Wanted(
        by or [],
        two_way or [],
        precision or [],
        confusion or [],
        correlation or [],
        reliability,
        listed(of),
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
        frame = analysis.frame(
            *files,
            names=_names(predicted or []),
            train=None if train is None else read_to_score(train, format.value),
            ignore=[] if ignore == "none" else listed(ignore),
            where=where,
        )
        if not len(frame):
            raise AnalysisError(f"expected words to analyze, found none {'where ' + where if where else 'that count'}")
        report("counting", 0, 0)
        tables = [shaped(table, sort, descending, least, top) for table in make_tables(analysis, frame, wanted)]
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
    from panparser.analysis.frame import COLUMNS

    stems = [Path(path).name.removesuffix(".gz").removesuffix(".conllu") for path in paths]
    if len(set(stems)) == len(stems) and COLUMNS.isdisjoint(stems):
        return stems
    return [path if paths.count(path) == 1 else f"{path} ({place})" for place, path in enumerate(paths, start=1)]


@dataclass(frozen=True)
class Wanted:
    """The tables that the options ask for."""

    by: list[str]
    two_way: list[str]
    precision: list[str]
    confusion: list[str]
    correlation: list[str]
    reliability: bool
    of: list[str]
    compare: bool
    samples: int
    seed: int

    @property
    def summary(self) -> bool:
        lists = (self.by, self.two_way, self.precision, self.confusion, self.correlation)
        return not (any(lists) or self.reliability or self.compare)


def make_tables(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """The tables that the options ask for; without any, a summary."""
    if not frame.names:
        yield from _statistics(analysis, frame, wanted)
        return
    if not wanted.compare and (wanted.by or wanted.summary):
        yield Table("all words that count", "all", analysis.scores(frame, None, wanted.of), aside=True)
    if wanted.compare:
        yield from _comparisons(analysis, frame, wanted)
    else:
        for by in wanted.by or (_SUMMARY if wanted.summary else ()):
            yield Table(
                f"by {by}", by, analysis.scores(frame, by, wanted.of), "scores", _ROWS_SHOWN if wanted.summary else None
            )
    for name in frame.names:
        yield from _of_one(analysis, frame, wanted, name)


def _of_one(analysis: Any, frame: Any, wanted: Wanted, name: str) -> Iterator[Table]:
    """Tables of one prediction."""
    whose, file = (f" ({name})", f"-{name}") if len(frame.names) > 1 else ("", "")
    for each in wanted.two_way:
        table = analysis.two_way(frame, *_two(each), of=wanted.of[0], prediction=name)
        yield Table(f"{wanted.of[0]} by {each}{whose}", f"{each}{file}", table, "matrix")
    for each in wanted.precision:
        measure = "las" if "las" in wanted.of else wanted.of[0]
        table = analysis.precision_recall(frame, each, measure, prediction=name)
        yield Table(f"precision and recall of {measure} by {each}{whose}", f"precision-{each}{file}", table)
    for each in wanted.confusion:
        sizes = (_MAX_CLASSES, _CLASSES_SHOWN)
        whole, part = (analysis.confusion(frame, each, prediction=name, most=most) for most in sizes)
        title = f"{each}: gold in rows, predicted in columns{whose}"
        yield Table(title, f"confusion-{each}{file}", whole, "matrix", printed=part)
        yield _confusions(analysis, frame, each, name, whose, file)
    for each in wanted.correlation:
        table = analysis.correlation(frame, each, wanted.of[0], prediction=name, most=_CLASSES_SHOWN)
        title = f"correlation of {wanted.of[0]} between classes of {each}, over sentences{whose}"
        yield Table(title, f"correlation-{each}{file}", table, "matrix")
    if wanted.reliability or wanted.summary:
        known = [each for each in _KEYS if _has_confidence(frame, each, name)]
        for each in known or (["heads"] if wanted.reliability else []):  # which reports what is missing
            yield _reliability(frame, each, name, whose, file)
    if wanted.summary:
        worst = analysis.worst(frame, "base-label,upos", "las", prediction=name)
        yield Table(f"where the errors are{whose}", f"worst{file}", worst, "", _ROWS_SHOWN)
        yield _confusions(analysis, frame, "base-label", name, whose, file)


def _has_confidence(frame: Any, of: str, name: str) -> bool:
    """Whether a prediction has confidences, as `parse --confidence` writes them."""
    treebank = frame.sides[frame.side_of(name)].treebank
    return not np.isnan(read_confidence(treebank, _KEYS[of])).all()


def _reliability(frame: Any, of: Any, name: str, whose: str, file: str) -> Table:
    """How sure and how often right, of all words: bins of a part would be too small."""
    from panparser.analysis.tables.calibration import calibration_error, reliability

    table = reliability(frame.gold.treebank, frame.sides[frame.side_of(name)].treebank, bins=10, of=of)
    title = f"how sure of {of} and how often right, all words; calibration error {calibration_error(table):.4f}{whose}"
    return Table(title, f"reliability-{of}{file}", table[table["count"] > 0].set_index("bin"))


def _confusions(analysis: Any, frame: Any, of: str, name: str, whose: str, file: str) -> Table:
    pairs = analysis.confusions(frame, of, prediction=name)
    title = f"most frequent confusions of {of}{whose}"
    return Table(title, f"confusions-{of}{file}", pairs, most=_ROWS_SHOWN, aside=True)


def _comparisons(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """The first prediction and each other."""
    first, *others = frame.names
    if not others:
        raise AnalysisError("--compare: expected two predictions or more, found one")
    for other in others:
        for by in (None, *(wanted.by or ["base-label"])):
            for measure in wanted.of[: 1 if by else None]:
                table = analysis.compare(
                    frame, by, measure, first=first, second=other, samples=wanted.samples, seed=wanted.seed
                )
                title = f"{measure} of {other} and {first}{f' by {by}' if by else ''}"
                yield Table(title, f"compare-{measure}-{by or 'all'}-{other}", table, aside=by is None)
    if len(others) > 1:
        for by in (None, *(wanted.by or ["base-label"])):
            title = f"who is right ({wanted.of[0]}){f' by {by}' if by else ''}"
            yield Table(title, f"right-{by or 'all'}", analysis.who_is_right(frame, by, wanted.of[0]))


def _statistics(analysis: Any, frame: Any, wanted: Wanted) -> Iterator[Table]:
    """Of a gold alone."""
    for option in ("precision", "confusion", "correlation", "reliability", "compare"):
        if getattr(wanted, option):
            raise AnalysisError(f"--{option}: expected a prediction beside the gold, found none")
    for each in wanted.two_way:
        yield Table(f"words by {each}", each, analysis.two_way(frame, *_two(each), of="words"), "matrix")
    for by in wanted.by or (_SUMMARY if wanted.summary else ()):
        yield Table(f"words by {by}", by, analysis.counts(frame, by), "counts", _ROWS_SHOWN if wanted.summary else None)


def _two(text: str) -> list[str]:
    criteria = text.split(",")
    if len(criteria) != 2:
        raise AnalysisError(f"--two-way: expected two criteria with a comma between, found {text!r}")
    return criteria
