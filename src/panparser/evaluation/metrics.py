"""Evaluation: the metrics of the CoNLL 2018 shared task and more, with confidence intervals and comparisons.

Words of the two files are aligned through the characters of the text, so tokenization may differ. Every metric counts
correct, gold and predicted words for each gold sentence; scores, bootstrap and tests are sums over these counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from panparser.base.types import FloatArray
from panparser.errors import TreebankError
from panparser.evaluation.counting import Pair
from panparser.treebank.treebank import Treebank

OFFICIAL = "Tokens Sentences Words UPOS XPOS UFeats AllTags Lemmas UAS LAS CLAS MLAS BLEX".split()
EXTRA = ["FullLAS", "UAS-punct", "LAS-punct", "Exact-UAS", "Exact-LAS"]
DESCRIPTIONS = {
    "LAS": "labels without subtypes",
    "FullLAS": "labels with subtypes: the LAS of `train`",
    "UAS-punct": "UAS without punctuation",
    "LAS-punct": "LAS without punctuation",
    "Exact-UAS": "sentences with every head right",
    "Exact-LAS": "sentences with every head and label right",
}
_BOOTSTRAP_SAMPLES = 1000
_N_PERMUTATIONS = 10_000
_ROUNDING_TOLERANCE = 1e-9  # rounding errors are smaller


@dataclass(frozen=True)
class Score:
    """Counts of one metric; the ratios are in percent."""

    correct: int
    gold: int
    predicted: int
    aligned: int | None = None  # words in both files; None if that is the metric itself
    interval: tuple[float, float] | None = None  # of f1, 95 %, by bootstrap over sentences

    @property
    def precision(self) -> float:
        return 100 * (self.correct / self.predicted if self.predicted else 0.0)

    @property
    def recall(self) -> float:
        return 100 * (self.correct / self.gold if self.gold else 0.0)

    @property
    def f1(self) -> float:
        total = self.predicted + self.gold
        return 100 * (2 * self.correct / total if total else 0.0)

    @property
    def aligned_accuracy(self) -> float | None:
        if self.aligned is None:
            return None
        return 100 * (self.correct / self.aligned) if self.aligned else 0.0


@dataclass(frozen=True)
class Difference:
    """The second prediction's f1 minus the first's, in points, and whether it is significant."""

    difference: float
    interval: tuple[float, float]
    p_bootstrap: float
    p_randomization: float


@dataclass(frozen=True)
class Evaluation:
    """Scores by metric; `coverage` is the percentage of predicted words that have a head."""

    scores: dict[str, Score]
    coverage: float
    counts: dict[str, FloatArray] = field(repr=False, compare=False, default_factory=dict)

    @property
    def uas(self) -> float:
        return self.scores["UAS"].f1

    @property
    def las(self) -> float:
        return self.scores["LAS"].f1

    def __getitem__(self, metric: str) -> Score:
        return self.scores[metric]

    def __str__(self) -> str:
        lines = [f"{'':10}{'precision':>11}{'recall':>9}{'F1':>9}"]
        for name, score in self.scores.items():
            lines.append(f"{name:10}{score.precision:11.2f}{score.recall:9.2f}{score.f1:9.2f}")
        return "\n".join(lines)

    def to_values(self) -> dict[str, Any]:
        """Plain values for JSON, in percent."""
        metrics = {
            name: {
                "precision": score.precision,
                "recall": score.recall,
                "f1": score.f1,
                "aligned_accuracy": score.aligned_accuracy,
                "correct": score.correct,
                "gold": score.gold,
                "predicted": score.predicted,
                "interval": score.interval,
            }
            for name, score in self.scores.items()
        }
        return {"metrics": metrics, "coverage": self.coverage}


def evaluate(
    gold: Treebank, predicted: Treebank, *, bootstrap_samples: int = _BOOTSTRAP_SAMPLES, seed: int = 1
) -> Evaluation:
    """Scores a prediction; both treebanks must have the same text, white space aside.

    `bootstrap_samples` give the intervals; 0 leaves them out. A gold head `_` is not counted, and neither is a
    predicted one: UAS precision is then that of the words that have a head; `coverage` is their percentage.
    """
    pair = Pair(gold, predicted)
    counts, aligned = {}, {}
    for name, (correct, in_gold, in_predicted, both) in pair.metrics():
        counts[name] = np.stack([correct, in_gold, in_predicted], axis=1).astype(np.float64)
        aligned[name] = both
    intervals = _intervals(counts, bootstrap_samples, seed)
    scores = {}
    for name, table in counts.items():
        totals = [int(total) for total in table.sum(axis=0)]
        scores[name] = Score(totals[0], totals[1], totals[2], aligned[name], intervals.get(name))
    headed = int(np.count_nonzero(predicted.heads >= 0))
    return Evaluation(scores, 100 * headed / predicted.words if predicted.words else 100.0, counts)


def compare_evaluations(
    first: Evaluation,
    second: Evaluation,
    *,
    bootstrap_samples: int = _BOOTSTRAP_SAMPLES,
    permutations: int = _N_PERMUTATIONS,
    seed: int = 1,
) -> dict[str, Difference]:
    """For each metric: the second's f1 minus the first's, with interval and p-values, paired by gold sentence.

    The p-value of the bootstrap is that of Berg-Kirkpatrick, Burkett & Klein (2012), two-sided; the other is that of
    approximate randomization (Noreen 1989), which swaps the two predictions sentence by sentence.
    """
    a, b = (np.concatenate(list(side.counts.values()), axis=1) for side in (first, second))
    if len(a) != len(b) or (first.counts["Words"][:, 1] != second.counts["Words"][:, 1]).any():
        raise TreebankError(
            f"compare_evaluations: expected evaluations against the same gold treebank ({len(a)}, {len(b)} sentences)"
        )
    if bootstrap_samples < 1 or permutations < 1 or not len(a):
        counts = f"{len(a)}, {bootstrap_samples}, {permutations}"
        raise TreebankError(
            f"compare_evaluations: expected sentences, bootstrap_samples and permutations >= 1; got {counts}"
        )
    rng = np.random.default_rng(seed)
    found = _by_metric(b.sum(axis=0)) - _by_metric(a.sum(axis=0))
    drawn = [
        _by_metric(weights @ b) - _by_metric(weights @ a) for weights in _resamples(len(a), bootstrap_samples, rng)
    ]
    spread = np.concatenate(drawn)
    low, high = np.quantile(spread, [0.025, 0.975], axis=0)
    extreme = np.count_nonzero(np.abs(spread - found) >= np.abs(found) - _ROUNDING_TOLERANCE, axis=0)
    chance = (extreme + 1) / (len(spread) + 1)
    swapped = _randomization(a, b, found, permutations, rng)
    return {
        name: Difference(float(found[i]), (float(low[i]), float(high[i])), float(chance[i]), float(swapped[i]))
        for i, name in enumerate(first.counts)
    }


def _by_metric(counts: FloatArray) -> FloatArray:
    """f1 of each metric, from counts (correct, gold, predicted) of one metric after the other."""
    return _f1(counts.reshape(*counts.shape[:-1], -1, 3))


def _f1(counts: FloatArray) -> FloatArray:
    total = counts[..., 1] + counts[..., 2]
    return np.divide(200 * counts[..., 0], total, out=np.zeros_like(total), where=total > 0)


def _resamples(sentences: int, samples: int, rng: np.random.Generator) -> Iterator[FloatArray]:
    """Number of times each sentence is drawn, a hundred samples at a time."""
    for start in range(0, samples if sentences else 0, 100):
        rows = min(100, samples - start)
        drawn = rng.integers(0, sentences, size=(rows, sentences)) + sentences * np.arange(rows)[:, None]
        yield np.bincount(drawn.ravel(), minlength=rows * sentences).reshape(rows, sentences).astype(np.float64)


def _intervals(counts: dict[str, FloatArray], samples: int, seed: int) -> dict[str, tuple[float, float]]:
    every = np.concatenate(list(counts.values()), axis=1)
    rng = np.random.default_rng(seed)
    drawn = [_by_metric(weights @ every) for weights in _resamples(len(every), samples, rng)]
    if not drawn:
        return {}
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975], axis=0)
    return {name: (float(low[i]), float(high[i])) for i, name in enumerate(counts)}


def _randomization(
    a: FloatArray, b: FloatArray, found: FloatArray, shuffles: int, rng: np.random.Generator
) -> FloatArray:
    """The share of random swaps with at least as large a difference, including the original order."""
    differs = np.flatnonzero((a != b).any(axis=1))
    change, total_a, total_b = (b - a)[differs], a.sum(axis=0), b.sum(axis=0)
    extreme = np.ones(len(found))
    for start in range(0, shuffles, 200):
        rows = min(200, shuffles - start)
        moved = rng.integers(0, 2, size=(rows, len(differs))).astype(np.float64) @ change
        difference = _by_metric(total_b - moved) - _by_metric(total_a + moved)
        extreme += np.count_nonzero(np.abs(difference) >= np.abs(found) - _ROUNDING_TOLERANCE, axis=0)
    return extreme / (shuffles + 1)
