"""Comparison of predictions: which is right where, agreement, differences and their significance."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pandas as pd

from panparser.base.types import BoolArray, FloatArray, LongArray
from panparser.errors import AnalysisError
from panparser.evaluation import metrics as evaluation
from panparser.evaluation.significance import holm
from panparser.lab.analysis.criteria import By
from panparser.lab.analysis.frame import Frame, measure_of
from panparser.lab.analysis.score_tables import Groups, groups, percent

MAX_TESTED_CLASSES = 50  # classes: the largest, so that rare forms do not take the power from all others


def compare(
    frame: Frame,
    by: By = None,
    metric: str = "uas",
    *,
    first: str | None = None,
    second: str | None = None,
    bootstrap_samples: int = 1000,
    permutations: int = 10_000,
    seed: int = 1,
    max_tested_classes: int = MAX_TESTED_CLASSES,
) -> pd.DataFrame:
    """Two predictions (the first two, unless named) by class, in percent of its words.

    words; the score of each and their difference; how often both, only one or neither is correct; `agreement`: how
    often both predict the same. Then the tests of `evaluate` with two predictions, paired by sentence, for the
    `max_tested_classes` largest classes: the interval of the difference (`ci_low`, `ci_high`), `p` by approximate
    randomization, and `p_holm`, corrected for the number
    of tests (Holm 1979). `bootstrap_samples=0` leaves the tests out.
    """
    one, two = _two(frame, first, second)
    found = groups(frame, by)
    counted = frame.is_scored(metric)
    a, b = (frame.is_correct(metric, name) & counted for name in (one, two))
    words = found.sums(counted)
    score_a, score_b = (_f1(found, frame, metric, name) for name in (one, two))
    table = pd.DataFrame(
        {
            "words": words,
            one: score_a,
            two: score_b,
            "difference": score_b - score_a,
            "both_correct": percent(found.sums(a & b), words),
            f"only_{one}_correct": percent(found.sums(a & ~b), words),
            f"only_{two}_correct": percent(found.sums(b & ~a), words),
            "neither_correct": percent(found.sums(counted & ~a & ~b), words),
            "agreement": percent(found.sums(counted & _same(frame, metric, one, two)), words),
        },
        index=found.index,
    )
    if bootstrap_samples:
        chosen = np.sort(np.argsort(-words, kind="stable")[:max_tested_classes])
        tests = _tests(frame, metric, found, chosen, (one, two), bootstrap_samples, permutations, seed)
        table = table.join(tests.set_axis(found.index[chosen]))
    return table


def agreement(frame: Frame, metric: str = "uas", by: By = None) -> pd.DataFrame:
    """How often each two predictions predict the same, right or wrong (in percent), by class."""
    found = groups(frame, by)
    counted = frame.is_scored(metric)
    pairs = {
        f"{a} = {b}": percent(found.sums(counted & _same(frame, metric, a, b)), found.sums(counted))
        for a, b in combinations(_several(frame), 2)
    }
    return pd.DataFrame({"words": found.sums(counted)} | pairs, index=found.index)


def who_is_right(frame: Frame, by: By = None, metric: str = "uas") -> pd.DataFrame:
    """Words by which of the predictions are right, in percent of each class: all, each combination, none."""
    names = _several(frame)
    found = groups(frame, by)
    counted = frame.is_scored(metric)
    pattern = np.zeros(len(frame), dtype=np.int64)
    for bit, name in enumerate(names):
        pattern |= (frame.is_correct(metric, name) & counted).astype(np.int64) << bit
    columns: dict[str, object] = {"words": found.sums(counted)}
    present = np.unique(pattern[counted])
    for each in sorted(present.tolist(), key=lambda bits: (-bits.bit_count(), bits)):
        right = [name for bit, name in enumerate(names) if each >> bit & 1]
        title = "all" if len(right) == len(names) else ", ".join(right) or "none"
        columns[title] = percent(found.sums(counted & (pattern == each)), found.sums(counted))
    return pd.DataFrame(columns, index=found.index)


def difference(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """The second table minus the first: of scores, of counts, of confusions (which may have other classes).

    A count that only one table has is 0 in the other; the difference of a missing score is NaN.
    """
    rows = _union(first.index, second.index)
    matrix = first.columns.name is not None and second.columns.name is not None
    both = first.columns[first.columns.isin(second.columns)]
    columns = _union(first.columns, second.columns) if matrix else both
    a, b = (table.reindex(index=rows, columns=columns) for table in (first, second))
    result = b.sub(a)
    for column in columns:
        if all(column not in table or table[column].dtype.kind in "iu" for table in (first, second)):
            result[column] = b[column].fillna(0).sub(a[column].fillna(0)).astype(np.int64)
    return result


def _union(first: pd.Index, second: pd.Index) -> pd.Index:
    return first.append(second[~second.isin(first)])


def _several(frame: Frame) -> tuple[str, ...]:
    if len(frame.names) < 2:
        raise AnalysisError(f"comparison: expected two predictions or more, found {len(frame.names)}")
    return frame.names


def _two(frame: Frame, first: str | None, second: str | None) -> tuple[str, str]:
    names = _several(frame)
    one = names[0] if first is None else first
    two = next(name for name in names if name != one) if second is None else second
    for name in (one, two):
        frame.side_of(name)  # says what is wrong with it
    if one == two:
        raise AnalysisError(f"comparison: expected two different predictions, found {one} twice")
    return one, two


def _same(frame: Frame, metric: str, first: str, second: str) -> BoolArray:
    """Where two predictions predict the same: what a measure would call right if one of them were the gold."""
    a, b = (frame.sides[frame.side_of(name)] for name in (first, second))
    return measure_of(metric).is_correct(a, b)[frame.rows]


def _predicted(frame: Frame, metric: str, name: str) -> BoolArray:
    """Rows with both a gold and a predicted annotation, as `evaluate` counts them."""
    counted = frame.is_scored(metric)
    headed: BoolArray = frame.sides[frame.side_of(name)].heads[frame.rows] >= 0
    return counted & headed if measure_of(metric).needs_gold_head else counted


def _f1(found: Groups, frame: Frame, metric: str, name: str) -> FloatArray:
    right = found.sums(frame.is_correct(metric, name) & frame.is_scored(metric))
    total = found.sums(frame.is_scored(metric)) + found.sums(_predicted(frame, metric, name))
    return percent(2 * right, total)


def _tests(
    frame: Frame,
    metric: str,
    found: Groups,
    chosen: LongArray,
    names: tuple[str, str],
    bootstrap_samples: int,
    permutations: int,
    seed: int,
) -> pd.DataFrame:
    """`evaluation.compare`, with a metric for each class."""
    place = np.full(len(found.index), -1)
    place[chosen] = np.arange(len(chosen))
    sides = [_evaluation(frame, metric, place[found.group], len(chosen), name) for name in names]
    results = evaluation.compare_evaluations(
        *sides, bootstrap_samples=bootstrap_samples, permutations=permutations, seed=seed
    )
    rows = [results[str(number)] for number in range(len(chosen))]
    p = np.array([each.p_randomization for each in rows])
    low, high = ([each.interval[end] for each in rows] for end in (0, 1))
    return pd.DataFrame({"ci_low": low, "ci_high": high, "p": p, "p_holm": holm(p)})


def _evaluation(frame: Frame, metric: str, place: LongArray, classes: int, name: str) -> evaluation.Evaluation:
    """Counts (correct, gold, predicted) by sentence and class, of sentences with words of the frame."""
    sentences, sentence = np.unique(frame.gold.sentence[frame.rows], return_inverse=True)
    counted = frame.is_scored(metric)
    parts = []
    for flags in (frame.is_correct(metric, name) & counted, counted, _predicted(frame, metric, name)):
        taken = flags & (place >= 0)
        cells = np.bincount(sentence[taken] * classes + place[taken], minlength=len(sentences) * classes)
        parts.append(cells.reshape(len(sentences), classes))
    table = np.stack(parts, axis=2).astype(np.float64)
    counts = {"Words": np.repeat(table[:, :, 1].sum(axis=1)[:, None], 3, axis=1)}
    counts |= {str(number): table[:, number] for number in range(classes)}
    return evaluation.Evaluation({}, 100.0, counts)
