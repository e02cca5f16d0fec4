"""Tables of one prediction, or of several: scores, precision and recall, two-way tables, confusions, counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pandas as pd

from panparser.base.types import BoolArray, FloatArray, LongArray
from panparser.errors import AnalysisError
from panparser.lab.analysis.criteria import By, JointCriterion, Key
from panparser.lab.analysis.criteria_text import keys
from panparser.lab.analysis.frame import Frame, measure_of
from panparser.lab.analysis.word_columns import Column, combinations

METRICS = ("uas", "las", "label")
OTHER = "other"
_MAX_CELLS = 25_000_000  # of a matrix, which is held in memory


@dataclass(frozen=True, eq=False)
class Groups:
    """The rows of a frame by class: `group[row]` is a row of `index`."""

    group: LongArray
    index: pd.Index
    is_ordered: bool

    def sums(self, flags: BoolArray | None = None) -> LongArray:
        """The number of rows of each group, or of the flagged ones."""
        chosen = self.group if flags is None else self.group[flags]
        return np.bincount(chosen, minlength=len(self.index))


def groups(frame: Frame, by: By) -> Groups:
    """Rows by class: combinations that occur; classes in their order if they have one, others the largest first."""
    criteria = keys(by)
    if not criteria:
        return Groups(np.zeros(len(frame), dtype=np.int64), pd.Index(["all"], name=""), True)
    columns = [_by_size(frame.classes(each)) for each in criteria]
    parts, group = combinations(columns)
    if not columns[-1].is_ordered and len(columns) > 1:  # by size within the class of the other criteria
        order = np.lexsort((-np.bincount(group), *parts[-2::-1]))
        parts, group = [part[order] for part in parts], np.argsort(order)[group]
    levels = [[column.names[i] for i in part.tolist()] for column, part in zip(columns, parts, strict=True)]
    names = [str(each) for each in criteria]
    if len(criteria) == 1:
        index = pd.Index(levels[0], name=names[0], dtype=object)
    else:
        index = pd.MultiIndex.from_arrays(levels, names=names)
    return Groups(group, index, all(column.is_ordered for column in columns))


def _by_size(column: Column) -> Column:
    """The column with its classes in the order of tables."""
    if column.is_ordered:
        return column
    sizes = np.bincount(column.codes, minlength=len(column.names))
    order = sorted(range(len(column.names)), key=lambda i: (-sizes[i], column.names[i]))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    return Column(place[column.codes], tuple(column.names[i] for i in order), False)


def percent(part: npt.NDArray[np.integer], whole: npt.NDArray[np.integer]) -> FloatArray:
    """Shares in percent; NaN if there are no words."""
    shares: FloatArray = np.divide(100.0 * part, whole, out=np.full(len(whole), np.nan), where=whole > 0)
    return shares


def scores(frame: Frame, by: By = None, metrics: Sequence[str] = METRICS) -> pd.DataFrame:
    """Accuracies (in percent) by class: words, then each measure; of several predictions, a group of columns for each.

    The words of a class are those of the gold; a word without gold head is not counted by measures of arcs.
    """
    found = groups(frame, by)
    columns: dict[object, object] = {}
    for name in frame.names or (frame.side_of(),):
        for measure in metrics:
            counted = frame.is_scored(measure)
            right = found.sums(frame.is_correct(measure, name) & counted)
            columns[measure if len(frame.names) == 1 else (name, measure)] = percent(right, found.sums(counted))
    words: object = "words" if len(frame.names) == 1 else ("", "words")
    return pd.DataFrame({words: found.sums()} | columns, index=found.index)


def worst(
    frame: Frame, by: By, metric: str = "las", *, prediction: str | None = None, min_count: int = 1
) -> pd.DataFrame:
    """Classes by their number of errors: words, errors, the score, and their percentage of all errors.

    Classes of fewer than `min_count` words are left out; the percentages are still those of all errors.
    """
    found = groups(frame, by)
    counted = frame.is_scored(metric)
    right = frame.is_correct(metric, prediction) & counted
    words, errors = found.sums(counted), found.sums(counted & ~right)
    total = np.full(len(words), errors.sum())
    table = pd.DataFrame(
        {
            "words": words,
            "errors": errors,
            metric: percent(words - errors, words),
            "percent_of_errors": percent(errors, total),
        },
        index=found.index,
    )
    return table[table["words"] >= min_count].sort_values("errors", ascending=False, kind="stable")


def precision_recall(
    frame: Frame, by: By = "base-label", metric: str = "las", *, prediction: str | None = None
) -> pd.DataFrame:
    """Precision, recall and F1 by class (in percent), with the underlying counts.

    Recall is that of the words whose gold is in the class, precision that of the words whose prediction is: with
    `by="length"`, of the arcs that were predicted as long. Criteria with an explicit side keep it.
    """
    side = frame.side_of(prediction)
    counted = frame.is_scored(metric)
    right = frame.is_correct(metric, prediction) & counted
    headed = counted & (frame.sides[side].heads[frame.rows] >= 0) if measure_of(metric).needs_gold_head else counted
    gold, predicted = (groups(frame, [_on(each, where) for each in keys(by)]) for where in ("gold", side))
    parts = {
        "gold": (gold, counted),
        "predicted": (predicted, headed),
        "right in gold": (gold, right),
        "right in predicted": (predicted, right),
    }
    table = pd.DataFrame({name: _series(each, flags) for name, (each, flags) in parts.items()})
    order = gold.index.append(predicted.index[~predicted.index.isin(gold.index)])
    table = table.reindex(order).fillna(0).astype(np.int64)
    table.index.names = [str(each) for each in keys(by)] or [""]
    recall = percent(table["right in gold"].to_numpy(), table["gold"].to_numpy())
    precision = percent(table["right in predicted"].to_numpy(), table["predicted"].to_numpy())
    total = precision + recall
    f1 = np.divide(2 * precision * recall, total, out=np.where(np.isnan(total), np.nan, 0.0), where=total > 0)
    return table[["gold", "predicted"]].assign(precision=precision, recall=recall, f1=f1)


def two_way(
    frame: Frame, rows: str | Key, columns: str | Key, metric: str = "uas", *, prediction: str | None = None
) -> pd.DataFrame:
    """A score for each pair of classes, NaN without words; `metric="words"` counts them instead."""
    first, second = groups(frame, rows), groups(frame, columns)
    shape = _checked(len(first.index), len(second.index))
    cell = first.group * shape[1] + second.group
    counted = np.ones(len(frame), dtype=bool) if metric == "words" else frame.is_scored(metric)
    words = np.bincount(cell[counted], minlength=shape[0] * shape[1])
    if metric == "words":
        values: npt.NDArray[np.generic] = words
    else:
        right = frame.is_correct(metric, prediction) & counted
        values = percent(np.bincount(cell[right], minlength=shape[0] * shape[1]), words)
    return pd.DataFrame(values.reshape(shape), index=first.index, columns=second.index)


def confusion(
    frame: Frame, criterion: str | Key = "base-label", *, prediction: str | None = None, max_classes: int | None = None
) -> pd.DataFrame:
    """The number of words by gold class (rows) and predicted class (columns).

    `max_classes` keeps that many of the largest classes and makes one, `other`, of the others.
    """
    found = ConfusionCounts.from_frame(frame, criterion, prediction)
    kept = found.order if max_classes is None or len(found.order) <= max_classes else found.by_size()[:max_classes]
    if not len(kept) and len(found.order):
        raise AnalysisError(f"confusion: max_classes must be >= 1; got {max_classes}")
    rest = len(kept) < len(found.order)
    size = _checked(len(kept) + rest, len(kept) + rest)[0]
    place = np.full(len(found.names), len(kept))
    place[kept] = np.arange(len(kept))
    cells = place[found.gold] * size + place[found.predicted]
    matrix = np.bincount(cells, minlength=size**2).reshape(size, size)
    names = [*(found.names[i] for i in kept.tolist()), *([OTHER] if rest else [])]
    table = pd.DataFrame(matrix, index=pd.Index(names, dtype=object), columns=pd.Index(names, dtype=object))
    return table.rename_axis(index=f"gold {found.criterion}", columns=f"predicted {found.criterion}")


def confusions(frame: Frame, criterion: str | Key = "base-label", *, prediction: str | None = None) -> pd.DataFrame:
    """The confusions as a list, most frequent first: gold, predicted, words, their percentage of the gold class."""
    found = ConfusionCounts.from_frame(frame, criterion, prediction)
    place = np.zeros(len(found.names), dtype=np.int64)
    place[found.order] = np.arange(len(found.order))
    wrong = found.gold != found.predicted
    size = max(1, len(found.order))
    cells, words = np.unique(place[found.gold[wrong]] * size + place[found.predicted[wrong]], return_counts=True)
    names = np.array([found.names[i] for i in found.order.tolist()], dtype=object)
    gold, predicted = cells // size, cells % size
    whole = np.bincount(place[found.gold], minlength=size)
    table = pd.DataFrame(
        {
            "gold": names[gold],
            "predicted": names[predicted],
            "words": words,
            "percent_of_gold": percent(words, whole[gold]),
        }
    )
    return table.sort_values("words", ascending=False, kind="stable").set_index(["gold", "predicted"])


def counts(frame: Frame, by: By) -> pd.DataFrame:
    """Statistics of the gold: words of each class, percentage of all, different forms; by several criteria also
    `percent_of_group`, the percentage of the words that are in the same class of all criteria but the last."""
    found = groups(frame, by)
    words = found.sums()
    forms = frame.classes("form")
    pairs = np.unique(found.group * max(1, len(forms.names)) + forms.codes) // max(1, len(forms.names))
    table = pd.DataFrame(
        {
            "words": words,
            "percent_of_words": percent(words, np.full(len(words), len(frame))),
            "forms": np.bincount(pairs, minlength=len(words)),
        },
        index=found.index,
    )
    if found.index.nlevels > 1:
        outer = table.groupby(level=list(range(found.index.nlevels - 1)), sort=False)["words"].transform("sum")
        table.insert(2, "percent_of_group", percent(words, outer.to_numpy()))
    return table


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """The gold and the predicted class of each row, as numbers of names; `order`: those that occur, as tables do."""

    criterion: Key
    names: tuple[str, ...]
    gold: LongArray
    predicted: LongArray
    order: LongArray

    @classmethod
    def from_frame(cls, frame: Frame, criterion: str | Key, prediction: str | None) -> ConfusionCounts:
        criteria = keys(criterion)
        if len(criteria) != 1:
            raise AnalysisError(f"confusion: expected one criterion (+ joins several), found {len(criteria)}")
        both = [frame.classes(_on(criteria[0], where)) for where in ("gold", frame.side_of(prediction))]
        names = {name: number for number, name in enumerate(dict.fromkeys((*both[0].names, *both[1].names)))}
        gold, predicted = (
            np.array([names[name] for name in column.names], dtype=np.int64)[column.codes] for column in both
        )
        found = cls(criteria[0], tuple(names), gold, predicted, np.unique(np.concatenate([gold, predicted])))
        return found if both[0].is_ordered else replace(found, order=found.by_size())

    def by_size(self) -> LongArray:
        """The classes that occur, those of most gold words first."""
        gold, predicted = (np.bincount(each, minlength=len(self.names)) for each in (self.gold, self.predicted))
        return self.order[np.lexsort((-(gold + predicted)[self.order], -gold[self.order]))]


def _checked(rows: int, columns: int) -> tuple[int, int]:
    if rows * columns > _MAX_CELLS:
        raise AnalysisError(f"matrix: expected up to {_MAX_CELLS:,} cells, found {rows:,} x {columns:,} classes")
    return rows, columns


def _on(key: Key, side: str) -> Key:
    """A criterion of the gold, on another side."""
    if isinstance(key, JointCriterion):
        return JointCriterion(tuple(part.on(side) if part.side == "gold" else part for part in key.parts))
    return key.on(side) if key.side == "gold" else key


def _series(found: Groups, flags: BoolArray) -> pd.Series:
    return pd.Series(found.sums(flags), index=found.index)
