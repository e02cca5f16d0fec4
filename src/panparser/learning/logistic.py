"""Logistic regression by Newton's method: small, exact, the same numbers every time."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import FloatArray
from panparser._checks import is_number
from panparser.errors import SpecError

_MAX_STEPS = 50
_TOLERANCE = 1e-9
_DIGITS = 6  # significant digits of a weight: rounding differences between processors are smaller
_KNOTS = (0.0, 2.0)  # where the curve bends, in log-odds
_STRAIGHT = (0.0, 1.0, *(0.0 for _ in _KNOTS))


@dataclass(frozen=True)
class Logistic:
    """Probabilities from columns of numbers: a weighted sum, bent, as log-odds.

    `weights`: the intercept, then one for each column. `bend`: the intercept, the slope of the bent line, and what the
    slope gains at each knot; it always rises.
    """

    weights: tuple[float, ...]
    bend: tuple[float, ...] = _STRAIGHT

    def __post_init__(self) -> None:
        for numbers in (self.weights, self.bend):
            if not all(is_finite(value) for value in numbers):
                raise SpecError(f"Logistic: weights must be numbers; got {numbers!r}")
        if len(self.bend) != len(_STRAIGHT) or not _rises(self.bend):
            raise SpecError(f"Logistic: bend must be {len(_STRAIGHT)} numbers of a line that rises; got {self.bend!r}")

    def __call__(self, columns: FloatArray) -> FloatArray:
        """The probability of each row."""
        return _probabilities(_sums(_hinges(_sums(columns, self.weights)), self.bend))

    def to_values(self) -> list[list[float]]:
        return [list(self.weights), list(self.bend)]

    @classmethod
    def from_values(cls, values: Any) -> Logistic:
        weights, bend = values
        return cls(tuple(weights), tuple(bend))


def fit(columns: FloatArray, right: npt.NDArray[np.bool_]) -> Logistic:
    """The model that fits outcomes best."""
    if not len(columns):
        return Logistic((0.0,) * (columns.shape[1] + 1))
    weights = _newton(columns, right)
    bend = _newton(_hinges(_sums(columns, weights)), right)
    return Logistic(weights, bend if _rises(bend) else _STRAIGHT)


def is_finite(value: object) -> bool:
    """Is it a finite number?"""
    return is_number(value) and math.isfinite(value)


def _rises(bend: tuple[float, ...]) -> bool:
    return bool((np.cumsum(bend[1:]) > 0).all())


def _hinges(sums: FloatArray) -> FloatArray:
    return np.column_stack([sums, *(np.maximum(0, sums - knot) for knot in _KNOTS)])


def _sums(columns: FloatArray, weights: tuple[float, ...]) -> FloatArray:
    # Not a product of matrices, here and below: how that is added up may depend on the number of threads.
    found: FloatArray = weights[0] + np.einsum("ni,i->n", columns, np.array(weights[1:]))
    return found


def _probabilities(log_odds: FloatArray) -> FloatArray:
    found: FloatArray = 0.5 * (1 + np.tanh(0.5 * log_odds))  # never overflows
    return found


def _newton(columns: FloatArray, right: npt.NDArray[np.bool_], penalty: float = 1.0) -> tuple[float, ...]:
    """The intercept and the weights of columns.

    The penalty is on squared weights of columns that were brought to the same spread. Both outcomes are taken to have
    been seen once more than they were (Platt 1999), so that nothing is ever certain.
    """
    center, spread = columns.mean(axis=0), columns.std(axis=0)
    spread[spread < _TOLERANCE] = 1.0  # a constant column gets no weight
    scaled = np.column_stack([np.ones(len(columns)), (columns - center) / spread])
    ones, zeros = int(right.sum()), int((~right).sum())
    targets = np.where(right, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    penalties = np.full(scaled.shape[1], penalty)
    penalties[0] = 0.0

    def loss(weights: FloatArray) -> float:
        sums = np.einsum("ni,i->n", scaled, weights)
        return float((np.logaddexp(0, sums) - targets * sums).sum() + 0.5 * (penalties * weights**2).sum())

    weights = np.zeros(scaled.shape[1])
    least = loss(weights)
    for _ in range(_MAX_STEPS):
        found = _probabilities(np.einsum("ni,i->n", scaled, weights))
        gradient = np.einsum("ni,n->i", scaled, found - targets) + penalties * weights
        curvature = np.einsum("ni,nj->ij", scaled * (found * (1 - found))[:, None], scaled) + np.diag(penalties)
        step = np.linalg.solve(curvature + _TOLERANCE * np.eye(len(weights)), gradient)
        while (after := loss(weights - step)) > least + _TOLERANCE:
            step /= 2
        weights, least = weights - step, after
        if np.abs(step).max() < _TOLERANCE:
            break
    slopes = weights[1:] / spread
    rounded = [float(f"{value:.{_DIGITS}g}") for value in (weights[0] - (slopes * center).sum(), *slopes)]
    return tuple(rounded)
