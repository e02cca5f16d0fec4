"""The report: one HTML page with scores, confusions, comparisons and sentences."""

from __future__ import annotations

import html
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import pandas as pd

from panparser.base.types import BoolArray, LongArray
from panparser.errors import AnalysisError
from panparser.evaluation import metrics as evaluation
from panparser.lab.analysis.charts import (
    Link,
    Series,
    bar_chart,
    heat_map,
    html_note,
    html_select,
    html_table,
    legend_mark,
    line_chart,
)
from panparser.lab.analysis.comparison import compare
from panparser.lab.analysis.frame import Frame
from panparser.lab.analysis.plots import interval, plot_matrix, plot_scores, save
from panparser.lab.analysis.reliability import calibration_error, reliability
from panparser.lab.analysis.score_tables import OTHER, confusion, confusions, scores, worst
from panparser.pages.page import Page, data_text
from panparser.parsing.confidence import HEAD_KEY, read_confidence
from panparser.storage.atomic import check_writable, write_whole
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label


def page_data(frame: Frame, max_sentences: int) -> tuple[str, int]:
    """The `most` sentences with most errors, in their order, as JSON; and their number.

    A sentence is [number from 1, its id, forms, tags, heads, labels, places of words that do not count, predictions], a
    prediction [heads, labels]; tags and labels are indices into lists.
    """
    gold = frame.gold.treebank
    chosen = _chosen(frame, max_sentences)
    treebanks = [side.treebank for side in frame.sides.values()]
    labels, label_ids = _shared(treebanks, "deprel")
    tags, (tag_ids,) = _shared([gold], "upos")
    forms = np.array(gold.vocabulary("form"), dtype=object)[gold.column("form")]
    counts = np.zeros(gold.words, dtype=bool)
    counts[frame.rows] = True
    sentences = []
    for sentence in chosen.tolist():
        words = slice(int(gold.offsets[sentence]), int(gold.offsets[sentence + 1]))
        trees = [[t.heads[words].tolist(), ids[words].tolist()] for t, ids in zip(treebanks, label_ids, strict=True)]
        sentences.append(
            [
                sentence + 1,
                gold[sentence].sent_id or "",
                forms[words].tolist(),
                tag_ids[words].tolist(),
                *trees[0],
                np.flatnonzero(~counts[words]).tolist(),
                trees[1:],
            ]
        )
    values = {"names": list(frame.names), "labels": labels, "tags": tags, "sentences": sentences}
    return data_text(values), len(sentences)


def _chosen(frame: Frame, most: int) -> LongArray:
    gold = frame.gold.treebank
    every = np.flatnonzero(np.diff(gold.offsets) > 0)
    if len(every) <= most:
        return every
    errors = np.zeros(len(gold), dtype=np.int64)
    counted = frame.is_scored("las")
    for name in frame.names:
        wrong = frame.rows[counted & ~frame.is_correct("las", name)]
        errors += np.bincount(gold.sentence_of_word()[wrong], minlength=len(gold))
    return np.sort(every[np.argsort(-errors[every], kind="stable")[:most]])


def _shared(treebanks: list[Treebank], column: str) -> tuple[list[str], list[LongArray]]:
    """The distinct texts of a column, and the index of each word's text, in each treebank."""
    numbers: dict[str, int] = {}
    ids = []
    for treebank in treebanks:
        table = [numbers.setdefault(text, len(numbers)) for text in treebank.vocabulary(column)]
        ids.append(np.array(table, dtype=np.int64)[treebank.column(column)])
    return list(numbers), ids


_MAX_SENTENCES = 5000  # of the browser
_SAMPLES = 1000
_MAX_CLASSES = 18  # of a heat map or a bar chart
_MAX_ROWS = 12  # of a table
_MAX_SERIES = 3  # of a chart
_MIN_SHARE = 0.001  # of the words, for a class to be drawn


@dataclass(frozen=True)
class _Chart:
    by: str
    title: str
    draw: Callable[[str, Sequence[str], Sequence[int], Sequence[Series]], str]


_CHARTS = (
    _Chart("sentence-length", "By words in the sentence", line_chart),
    _Chart("length", "By distance from the head", line_chart),
    _Chart("depth", "By depth in the tree", line_chart),
    _Chart("position", "By position in the sentence", line_chart),
    _Chart("frequency", "By frequency of the form in training", line_chart),
    _Chart("base-label", "By label", bar_chart),
    _Chart("upos", "By tag", bar_chart),
    _Chart("direction", "By where the head is", bar_chart),
)
_CONFUSIONS = (("base-label", "Labels"), ("head-upos", "Tags of heads"))
_FIELDS = {"base-label": "label", "upos": "tag"}  # criteria that sentences can be filtered by, and the field for it
_WORST = (("base-label", "label"), ("upos", "tag"), ("tag-pair", "tags of word and head"), ("form", "form"))


def report(
    frame: Frame, *, title: str | None = None, sentences: int = _MAX_SENTENCES, bootstrap_samples: int = _SAMPLES
) -> str:
    """The page as HTML. It shows at most the `sentences` with most errors; figures cover the whole treebank.

    `samples` of the bootstrap are for intervals and the comparison; 0 leaves intervals out.
    """
    frame.side_of()  # says so if there is no prediction
    title = title or f"{' and '.join(frame.names)} on {Path(frame.gold.treebank.path).name}"
    data, count = page_data(frame, sentences)
    sections = [
        _summary(frame, bootstrap_samples),
        _comparison(frame, bootstrap_samples) if len(frame.names) > 1 else "",
        _charts(frame),
        _confidence(frame),
        _confusions(frame),
        _worst(frame),
        _browser(frame, count),
    ]
    folder = files("panparser.lab.analysis") / "assets"
    return str(Page(title, "report", data, "".join(sections), ("sentences",), folder))


def write_report(frame: Frame, path: str | os.PathLike[str], **options: object) -> None:
    """Writes the page to a file; the options are those of `report`."""
    check_writable(Path(path), AnalysisError)
    write_whole(Path(path), report(frame, **options).encode("utf-8"), AnalysisError)  # type: ignore[arg-type]


def write_plots(frame: Frame, folder: str | os.PathLike[str]) -> list[Path]:
    """Writes the figures of the report as .png and .svg files, and returns their names. Needs matplotlib."""
    place = Path(folder)
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise AnalysisError(f"{place}: expected a folder for plots: {error.strerror}") from None
    figures = {chart.by: plot_scores(table, title=chart.title) for chart, table in _tables(frame)}
    for by, name in _CONFUSIONS:
        figures[f"confusion-{by}"] = plot_matrix(confusion(frame, by, max_classes=_MAX_CLASSES), title=name)
    written = []
    for name, figure in figures.items():
        for kind in ("png", "svg"):
            written.append(place / f"{name}.{kind}")
            save(figure, written[-1])
    return written


# --- Sections ---


def _summary(frame: Frame, samples: int) -> str:
    rows = []
    for name in frame.names:
        cells: list[object] = [name, len(frame)]
        found = _with_intervals(frame, name, samples)
        for measure in ("uas", "las", "label"):
            value, ends = found[measure]
            cells.append(f"{value:.2f}" + (f" ({ends[0]:.2f}–{ends[1]:.2f})" if ends else ""))
        cells += [f"{_exact(frame, name, measure):.2f}" for measure in ("uas", "las")]
        rows.append(cells)
    header = ["", "words", "UAS", "LAS", "label", "exact UAS", "exact LAS"]
    treebank = frame.gold.treebank
    note = (
        f"{len(frame):,} of {treebank.words:,} words count, in {len(treebank):,} sentences. LAS and label are without "
        "subtypes; exact: sentences without an error. In brackets: 95 %, by bootstrap over sentences."
    )
    return f"<h2>Summary</h2>{html_table(header, rows)}{html_note(note)}"


def _with_intervals(frame: Frame, name: str, samples: int) -> dict[str, tuple[float, tuple[float, float] | None]]:
    """Scores of all words, with their intervals."""
    _, sentence = np.unique(frame.gold.sentence[frame.rows], return_inverse=True)
    counts = {}
    for measure in ("uas", "las", "label"):
        counted = frame.is_scored(measure)
        right, whole = (
            np.bincount(sentence[flags], minlength=sentence.max(initial=-1) + 1).astype(np.float64)
            for flags in (frame.is_correct(measure, name) & counted, counted)
        )
        counts[measure] = np.stack([right, whole, whole], axis=1)
    ends = evaluation._intervals(counts, samples, 1)
    return {
        measure: (100 * float(each[:, 0].sum() / max(1.0, each[:, 1].sum())), ends.get(measure))
        for measure, each in counts.items()
    }


def _exact(frame: Frame, name: str, measure: str) -> float:
    """The share of sentences without an error, among those with words that count."""
    counted: BoolArray = frame.is_scored(measure)
    sentence = frame.gold.sentence[frame.rows]
    wrong = np.unique(sentence[counted & ~frame.is_correct(measure, name)])
    whole = len(np.unique(sentence[counted]))
    return 100 * (1 - len(wrong) / whole) if whole else 0.0


def _comparison(frame: Frame, samples: int) -> str:
    one, two = frame.names[:2]
    rows: list[list[object]] = []
    for measure in ("uas", "las"):
        row = compare(frame, None, measure, bootstrap_samples=samples).iloc[0]
        tests = [f"{row['ci_low']:+.2f} to {row['ci_high']:+.2f}", f"{row['p']:.4f}"] if samples else []
        shares = (
            f"{row[part]:.2f}"
            for part in ("both_correct", f"only_{one}_correct", f"only_{two}_correct", "neither_correct", "agreement")
        )
        rows.append(
            [measure.upper(), f"{row[one]:.2f}", f"{row[two]:.2f}", f"{row['difference']:+.2f}", *tests, *shares]
        )
    tested = ["95 %", "p"] if samples else []
    header = ["", one, two, "difference", *tested, "both right", f"only {one}", f"only {two}", "none right", "agree"]
    by_label = compare(frame, "base-label", "las", bootstrap_samples=0)
    by_label["words gained"] = (
        (by_label[f"only_{two}_correct"] - by_label[f"only_{one}_correct"]) * by_label["words"] / 100
    ).round()
    moved = by_label[by_label["words gained"] != 0].sort_values("words gained", kind="stable")
    tables = []
    for caption, part in ((f"Where {two} is better", moved[::-1]), (f"Where {one} is better", moved)):
        sign = 1 if part is not moved else -1
        some = part[part["words gained"] * sign > 0].head(_MAX_ROWS)
        cells = [
            [name, int(row["words"]), f"{row[one]:.2f}", f"{row[two]:.2f}", f"{row['words gained']:+.0f}"]
            for name, row in some.iterrows()
        ]
        tables.append(
            f"<div><h3>{html.escape(caption)}</h3>{html_table(['label', 'words', one, two, 'gained'], cells)}</div>"
        )
    note = (
        "Tests are paired by sentence: p by approximate randomization. Tables: LAS by label; gained: how many words "
        f"more {two} has right."
    )
    return f'<h2>Comparison</h2>{html_table(header, rows)}{html_note(note)}<div class="tiles">{"".join(tables)}</div>'


def _tables(frame: Frame) -> Iterator[tuple[_Chart, pd.DataFrame]]:
    """The tables behind the charts."""
    of = ("uas", "las") if len(frame.names) == 1 else ("las",)
    for chart in _CHARTS:
        if chart.by == "frequency" and frame.gold.train is None:
            continue
        table = scores(frame, chart.by, of)
        words = table[table.columns[0]]
        yield (
            chart,
            table[words >= max(1.0, _MIN_SHARE * len(frame))].head(_MAX_CLASSES if chart.draw is bar_chart else None),
        )


def _charts(frame: Frame) -> str:
    parts, names = [], []
    for chart, table in _tables(frame):
        words = table.iloc[:, 0].to_numpy()
        series = []
        for column in table.columns[1 : 1 + _MAX_SERIES]:
            values = table[column].to_numpy(dtype=np.float64)
            low, high = interval(values, words.astype(np.float64))
            name = column.upper() if isinstance(column, str) else f"{column[0]} {column[1].upper()}"
            series.append(Series(name, values, low, high))
        names = [one.name for one in series]
        drawn = chart.draw(chart.title, [str(name) for name in table.index], words.tolist(), series)
        parts.append(f"<div><h3>{chart.title}</h3>{drawn}</div>")
    note = "Whiskers: 95 % (Wilson), as if words were independent. Grey: how many words there are of a class."
    return f'<h2>Scores</h2>{_legend(names)}{html_note(note)}<div class="tiles">{"".join(parts)}</div>'


def _legend(names: Iterable[str]) -> str:
    keys = (f"<span>{legend_mark(i)}{html.escape(name)}</span>" for i, name in enumerate(names))
    return f'<div class="legend">{"".join(keys)}</div>'


def _confidence(frame: Frame) -> str:
    """How confident predictions were, if they say so, and how often they were right."""
    gold, parts = frame.gold.treebank, []
    for name in frame.names:
        predicted = frame.sides[frame.side_of(name)].treebank
        if np.isnan(read_confidence(predicted, HEAD_KEY)).all():
            continue
        table = reliability(gold, predicted, bins=10)
        error = calibration_error(table)
        table = table[table["words"] > 0]
        sure, right = (100 * table[column].to_numpy(dtype=np.float64) for column in ("confidence", "accuracy"))
        series = [Series("right", right, *interval(right, table["words"].to_numpy(dtype=np.float64)))]
        series.append(Series("sure", sure, sure, sure))
        bins = [f"{start:.1f}–{end:.1f}" for start, end in zip(table["bin_start"], table["bin_end"], strict=True)]
        title = f"Confidence in heads: {name}, calibration error {error:.4f}"
        drawn = line_chart(title, bins, table["words"].tolist(), series)
        parts.append(f"<div><h3>{html.escape(title)}</h3>{drawn}</div>")
    if not parts:
        return ""
    note = (
        "All words by how sure the parser was of their heads: where the lines meet, it is as often right as it thinks."
    )
    tiles = "".join(parts)
    return f'<h2>Confidence</h2>{_legend(["right", "sure"])}{html_note(note)}<div class="tiles">{tiles}</div>'


def _confusions(frame: Frame) -> str:
    parts = []
    for number, name in enumerate(frame.names):
        of = f" ({html.escape(name)})" if len(frame.names) > 1 else ""
        for by, title in _CONFUSIONS:
            matrix = confusion(frame, by, prediction=name, max_classes=_MAX_CLASSES)
            names = [str(each) for each in matrix.index]
            link = _to_confusion(number) if by == "base-label" else lambda gold, predicted: None
            drawn = heat_map(f"{title}: confusions", names, matrix.to_numpy(), link)
            parts.append(f'<div class="scroll wide"><h3>{title}{of}</h3>{drawn}</div>')
        found = confusions(frame, "base-label", prediction=name).head(_MAX_ROWS)
        to = _to_confusion(number)
        rows = [
            [Link(gold, to(gold, other)), other, int(row["words"]), f"{row['percent_of_gold']:.1f}"]
            for (gold, other), row in found.iterrows()
        ]
        table = html_table(["gold", "predicted", "words", "% of gold"], rows, texts=2)
        parts.insert(-1, f"<div><h3>Most frequent confusions of labels{of}</h3>{table}</div>")
    note = (
        "Rows are gold classes. The stronger a cell, the larger its share of the row; off the diagonal it is wrong. "
        "Cells of labels lead to their sentences."
    )
    return f'<h2>Confusions</h2>{html_note(note)}<div class="row">{"".join(parts)}</div>'


def _to_confusion(prediction: int) -> Callable[[str, str], str | None]:
    """The address of the sentences with a confusion of labels."""

    def link(gold: str, predicted: str) -> str | None:
        return None if OTHER in (gold, predicted) else _address(label=gold, found=predicted, kind="all", of=prediction)

    return link


def _address(**fields: object) -> str:
    return "#" + urlencode(fields)


def _worst(frame: Frame) -> str:
    parts = []
    for number, name in enumerate(frame.names):
        of = f" ({html.escape(name)})" if len(frame.names) > 1 else ""
        for by, title in _WORST:
            found = worst(frame, by, prediction=name, min_count=2).head(_MAX_ROWS)
            rows = [
                [
                    Link(str(key), _address(**{_FIELDS[by]: key, "of": number}) if by in _FIELDS else None),
                    *(int(row["words"]), int(row["errors"]), f"{row['las']:.2f}", f"{row['percent_of_errors']:.1f}"),
                ]
                for key, row in found.iterrows()
            ]
            table = html_table([title, "words", "errors", "LAS", "% of errors"], rows)
            parts.append(f"<div><h3>Most errors, by {title}{of}</h3>{table}</div>")
    return f'<h2>Where the errors are</h2><div class="tiles">{"".join(parts)}</div>'


def _browser(frame: Frame, count: int) -> str:
    labels = sorted(
        {name for side in frame.sides.values() for name in map(base_label, side.treebank.vocabulary("deprel"))}
    )
    tags = sorted(set(frame.gold.treebank.vocabulary("upos")))
    kinds = [("errors", "with errors"), ("heads", "with wrong heads"), ("labels", "with wrong labels, right heads")]
    if len(frame.names) > 1:
        kinds += [("differ", "where predictions differ"), ("worse", "where another is better")]
    orders = [("errors", "most errors"), ("share", "most errors a word"), ("position", "position in the file")]
    orders += [("longest", "longest first"), ("shortest", "shortest first")]
    fields = [
        '<label>Words or id<input id="text" type="search" placeholder="press / to search"></label>',
        html_select("kind", "Show", [*kinds, ("all", "all sentences")]),
        html_select("label", "Gold label", [("", "any"), *((name, name) for name in labels)]),
        html_select("found", "Predicted label", [("", "any"), *((name, name) for name in labels)]),
        html_select("tag", "Tag", [("", "any"), *((name, name) for name in tags)]),
        html_select("of", "Prediction", [(str(i), name) for i, name in enumerate(frame.names)]),
        html_select("sort", "Order", orders),
        '<button id="reset" type="button">Reset</button>',
    ]
    total = len(frame.gold.treebank)
    left = f" The page has the {count:,} with most errors, of {total:,}." if count < total else ""
    keys = "Keys: <kbd>j</kbd> <kbd>k</kbd> next and previous sentence, <kbd>/</kbd> search; arrows in the list."
    legend = (
        '<div class="legend note"><span><i class="key-line"></i>right</span>'
        '<span><i class="key-line head"></i>✗ wrong head</span><span><i class="key-line label"></i>≠ wrong label</span>'
        '<span><i class="key-line lost"></i>gold arc that was missed</span></div>'
    )
    return (
        f'<h2 id="sentences">Sentences</h2><p class="note">Gold trees above the words, predicted trees below.{left} '
        f'{keys}</p><div class="tools">{"".join(fields)}</div><p id="status" role="status" aria-live="polite"></p>'
        '<div class="browser"><ul id="list" class="list" role="listbox" tabindex="0" aria-label="Sentences"></ul>'
        f'<div class="detail"><h3 id="which" aria-live="polite"></h3>{legend}'
        '<div id="tree" class="tree" tabindex="0" role="region" aria-label="Trees"></div>'
        '<div id="errors" class="scroll"></div></div></div>'
        "<noscript><p>The browser of sentences needs JavaScript; all else does not.</p></noscript>"
    )
