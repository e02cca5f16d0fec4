"""Weights of treebanks that are learned from together: how often an epoch learns from their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser._arrays import BoolArray, FloatArray, LongArray
from panparser._checks import is_number
from panparser.errors import SpecError, TreebankError
from panparser.treebank.treebank import Treebank, concatenated

MOST_WEIGHT = 10_000


@dataclass(frozen=True)
class TreebankWeights:
    """For each of the treebanks, the number of its sentences, and their weight.

    With a weight of 25 an epoch learns from a sentence as if it stood 25 times in the treebank, in random order with
    all others. What is left of a weight over a whole number is the probability of one more time, drawn anew in each
    epoch.
    """

    sentences: tuple[int, ...]
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        for weight in self.weights:
            if not is_number(weight) or not 0 < weight <= MOST_WEIGHT:
                raise SpecError(f"train: weights must be numbers above 0 and at most {MOST_WEIGHT:,}; got {weight!r}")

    @property
    def most(self) -> int:
        """How often an epoch learns from a sentence at most."""
        return int(np.ceil(max(self.weights)))

    def of_sentences(self) -> FloatArray:
        """The weight of each sentence."""
        return np.repeat(np.array(self.weights, dtype=np.float64), self.sentences)

    def words(self, treebank: Treebank) -> int:
        """The words that an epoch learns from, on average."""
        return round(float(self.of_sentences() @ np.diff(treebank.offsets)))

    def chosen(self, used: BoolArray, rng: np.random.Generator) -> LongArray:
        """The sentences of an epoch, in the order of a treebank in which they stand that often."""
        weights = self.of_sentences()
        times = np.floor(weights)
        if (times < weights).any():
            times += rng.random(len(weights)) < weights - times
        rounds = [np.flatnonzero(used & (times > number)) for number in range(int(times.max(initial=0)))]
        return np.concatenate([np.zeros(0, dtype=np.int64), *rounds]).astype(np.int64)

    def to_values(self) -> list[dict[str, Any]]:
        """Plain values, as a manifest holds them."""
        pairs = zip(self.sentences, self.weights, strict=True)
        return [{"sentences": sentences, "weight": float(weight)} for sentences, weight in pairs]


def pooled(
    treebank: Treebank | Sequence[Treebank], weights: Sequence[float] | None
) -> tuple[Treebank, TreebankWeights | None]:
    """Treebanks as one, and their weights; None: all of them are 1."""
    parts = [treebank] if isinstance(treebank, Treebank) else treebank
    if not isinstance(parts, Sequence) or not parts or not all(isinstance(part, Treebank) for part in parts):
        raise TreebankError(f"train: treebank must be a Treebank, or a list of them; got {treebank!r}")
    if weights is not None and (not isinstance(weights, Sequence) or len(weights) != len(parts)):
        count = "one number" if len(parts) == 1 else f"{len(parts)} numbers, one for each treebank"
        raise SpecError(f"train: weights must be a list of {count}; got {weights!r}")
    whole = concatenated(parts)
    if weights is None:
        return whole, None
    found = TreebankWeights(tuple(map(len, parts)), tuple(weights))
    return whole, None if all(weight == 1 for weight in weights) else found
