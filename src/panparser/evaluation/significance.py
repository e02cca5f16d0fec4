"""Significance tests over several treebanks or pairs of scores, and corrections for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from panparser.base.types import FloatArray

_MAX_EXACT_PAIRS = 16  # pairs whose signs are all tried
_SHUFFLES = 10_000
_AT_ONCE = 200  # random samples
_ROUNDING_TOLERANCE = 1e-9  # rounding errors are smaller


def holm(p: FloatArray) -> FloatArray:
    """p-values corrected for their number (Holm 1979), which bounds the probability of any false alarm."""
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * (len(p) - np.arange(len(p))))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1.0)
    return corrected


def sign_test(differences: FloatArray, *, seed: int = 1) -> float:
    """The probability of a mean as far from 0 if each difference could as well have the other sign; two-sided.

    All signs are tried for up to 16 differences, else 10,000 random ones and those found.
    """
    count = len(differences)
    if count == 0:
        return float("nan")
    if count <= _MAX_EXACT_PAIRS:
        signs = 1.0 - 2.0 * (np.arange(1 << count)[:, None] >> np.arange(count) & 1)
    else:
        rng = np.random.default_rng(seed)
        signs = 1.0 - 2.0 * rng.integers(0, 2, size=(_SHUFFLES, count))
        signs = np.concatenate([signs, np.ones((1, count))])
    found = abs(differences.sum())
    return float(np.mean(np.abs(signs @ differences) >= found - _ROUNDING_TOLERANCE))


def mean_difference(
    pairs: Sequence[tuple[FloatArray, FloatArray]], *, samples: int = 1000, shuffles: int = _SHUFFLES, seed: int = 1
) -> tuple[tuple[float, float], float]:
    """Of the mean over treebanks of the second's F1 minus the first's: its 95 % interval, and its p-value.

    Each pair has the counts (correct, gold, predicted) of the sentences of a treebank. The interval is by bootstrap, p
    by approximate randomization, of the sentences of each treebank by themselves.
    """
    rng = np.random.default_rng(seed)
    found = float(np.mean([_f1(b.sum(axis=0)) - _f1(a.sum(axis=0)) for a, b in pairs]))
    drawn, swapped = [], []
    for start in range(0, samples, _AT_ONCE):
        rows = min(_AT_ONCE, samples - start)
        each = []
        for a, b in pairs:
            weights = rng.multinomial(len(a), np.full(len(a), 1 / len(a)), size=rows).astype(np.float64)
            each.append(_f1(weights @ b) - _f1(weights @ a))
        drawn.append(np.mean(each, axis=0))
    for start in range(0, shuffles, _AT_ONCE):
        rows = min(_AT_ONCE, shuffles - start)
        each = []
        for a, b in pairs:
            moved = rng.integers(0, 2, size=(rows, len(a))).astype(np.float64) @ (b - a)
            each.append(_f1(b.sum(axis=0) - moved) - _f1(a.sum(axis=0) + moved))
        swapped.append(np.mean(each, axis=0))
    low, high = np.quantile(np.concatenate(drawn), [0.025, 0.975])
    extreme = np.count_nonzero(np.abs(np.concatenate(swapped)) >= abs(found) - _ROUNDING_TOLERANCE)
    return (float(low), float(high)), (extreme + 1) / (shuffles + 1)


def _f1(counts: FloatArray) -> FloatArray:
    total = counts[..., 1] + counts[..., 2]
    shares: FloatArray = np.divide(200 * counts[..., 0], total, out=np.zeros_like(total), where=total > 0)
    return shares
