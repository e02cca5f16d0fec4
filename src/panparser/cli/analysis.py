"""`panparser analyze`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.analysis_tables import Wanted, draw, make_tables, print_tables, shaped, values, write_csv
from panparser.cli.app import app, is_quiet, print_table, progress
from panparser.cli.treebanks import read_to_score
from panparser.errors import AnalysisError, PanParserError

_List = list[str] | None


def _analysis(plot: str | None = None, folder: str | None = None) -> Any:
    """The package, which needs pandas, and matplotlib for a plot or a folder of them."""
    try:
        from panparser import analysis
        from panparser.analysis.reporting import plots

        if plot is not None:
            plots.check_format(plot)
        if folder is not None:
            plots.check_format("plot.png")
    except ImportError as error:
        raise PanParserError(str(error)) from None
    return analysis


def _list_criteria(asked: bool) -> None:
    if not asked:
        return
    analysis = _analysis()
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
    top: Annotated[int | None, typer.Option(min=1, help="Print so many rows of each table.")] = None,
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
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    criteria: Annotated[
        bool, typer.Option("--criteria", is_eager=True, callback=_list_criteria, help="List all criteria and scores.")
    ] = False,
) -> None:
    """Say where parsers are wrong: scores by any criteria, confusions, comparisons.

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
    analysis = _analysis(plot, plots)
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
    with progress() as report:
        report("reading", 0, 0)
        files = [read_to_score(path) for path in (gold, *(predicted or []))]
        frame = analysis.frame(
            *files,
            names=_names(predicted or []),
            train=None if train is None else read_to_score(train),
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
            draw(analysis, tables, plot)
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


def listed(text: str) -> list[str]:
    """What an option names, with commas."""
    return [part.strip() for part in text.split(",")]


def _names(paths: list[str]) -> list[str]:
    """What the predictions are called: the names of their files, as far as these tell them apart, and from columns."""
    from panparser.analysis.frame import COLUMNS

    stems = [Path(path).name.removesuffix(".gz").removesuffix(".conllu") for path in paths]
    if len(set(stems)) == len(stems) and COLUMNS.isdisjoint(stems):
        return stems
    return [path if paths.count(path) == 1 else f"{path} ({place})" for place, path in enumerate(paths, start=1)]
