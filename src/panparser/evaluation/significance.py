"""Tests that are not of sentences: of few pairs of scores, and of many tests at a time."""

from __future__ import annotations

import numpy as np

from panparser._arrays import FloatArray

_EXACT = 16  # pairs whose signs are all tried
_SHUFFLES = 10_000
_TINY = 1e-9  # rounding errors are smaller


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
    if count <= _EXACT:
        signs = 1.0 - 2.0 * (np.arange(1 << count)[:, None] >> np.arange(count) & 1)
    else:
        rng = np.random.default_rng(seed)
        signs = 1.0 - 2.0 * rng.integers(0, 2, size=(_SHUFFLES, count))
        signs = np.concatenate([signs, np.ones((1, count))])
    found = abs(differences.sum())
    return float(np.mean(np.abs(signs @ differences) >= found - _TINY))
