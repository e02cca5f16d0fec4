"""Classes over sentences, parsers and training sizes: which go together, and which are learned early."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from panparser.analysis.criteria.criterion import By
from panparser.analysis.frame import PUNCTUATION, Frame
from panparser.analysis.tables.sample_curves import sample_curves
from panparser.analysis.tables.scores import groups, scores
from panparser.errors import AnalysisError
from panparser.parsing.spec import ParserSpec
from panparser.treebank.treebank import Treebank


def correlation(
    frame: Frame,
    by: By = "upos",
    of: str = "uas",
    *,
    over: Literal["sentences", "predictions"] = "sentences",
    prediction: str | None = None,
    least: int = 3,
    most: int = 30,
) -> pd.DataFrame:
    """Pearson's correlation of the accuracies of each two of the `most` largest classes.

    Over sentences: of one prediction, in those that have words of both classes. Over predictions: of the accuracies
    that each parser has. NaN if there are fewer than `least` of them, or one of the classes never varies.
    """
    if over not in ("sentences", "predictions"):
        raise AnalysisError(f"over of correlation: expected sentences or predictions, found {over!r}")
    found = groups(frame, by)
    kept = np.sort(np.argsort(-found.sums(), kind="stable")[:most])
    if over == "sentences":
        accuracies = _by_sentence(frame, by, of, prediction)
    else:
        accuracies = pd.DataFrame(
            {name: scores(frame, by, [of]).iloc[:, i + 1] for i, name in enumerate(frame.names)}
        ).T
    table = accuracies.iloc[:, kept].corr(min_periods=least)
    return table.set_axis(found.index[kept]).set_axis(found.index[kept], axis=1)


def _by_sentence(frame: Frame, by: By, of: str, prediction: str | None) -> pd.DataFrame:
    """A row for each sentence, a column for each class; NaN if the sentence has none of it."""
    found = groups(frame, by)
    sentences, sentence = np.unique(frame.gold.sentence[frame.rows], return_inverse=True)
    counted = frame.counted(of)
    cell = sentence * len(found.index) + found.group
    shape = (len(sentences), len(found.index))
    words, right = (
        np.bincount(cell[flags], minlength=shape[0] * shape[1]).reshape(shape)
        for flags in (counted, counted & frame.right(of, prediction))
    )
    return pd.DataFrame(np.divide(right, words, out=np.full(shape, np.nan), where=words > 0))


def learning_curves(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    by: By = "upos",
    of: str = "uas",
    *,
    samples: int | None = None,
    dev: Treebank | None = None,
    ignore: Sequence[str] = PUNCTUATION,
    threads: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """The score of each class on `test` for each training size, in percent.

    For each size, a parser is trained on the first sentences, or on so many `samples`, of which the mean is taken;
    `options` are those of `TrainingConfig`. Besides the sizes, the table has `words` (in `test`), and a last row, `all`.
    `sample_curves` has the scores of each sample, and what follows from them.
    """
    return sample_curves(
        spec, treebank, test, sizes, by, of, samples=samples, dev=dev, ignore=ignore, threads=threads, **options
    ).table


def simplicity(curves: pd.DataFrame, reach: float = 0.9) -> pd.DataFrame:
    """The first size at which a class reaches the share `reach` of its last score, simplest first."""
    sizes = [column for column in curves.columns if column != "words"]
    values = curves[sizes].to_numpy(dtype=np.float64)
    reached = values >= reach * values[:, -1:]
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), len(sizes) - 1)
    table = pd.DataFrame(
        {
            "words": curves["words"],
            "sentences": np.array(sizes)[first],
            "first": values[:, 0],
            "last": values[:, -1],
            "gain": values[:, -1] - values[:, 0],
        },
        index=curves.index,
    )
    return table.sort_values(["sentences", "gain"], kind="stable")
