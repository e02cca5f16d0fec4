"""Constraints in the form that a batch of states uses."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.base.types import BoolArray, IntArray
from panparser.trees.gold import UNKNOWN


@dataclass(frozen=True)
class BatchConstraints:
    """Constraints of a treebank for search: given heads and labels by word, and which arcs sentences may have.

    `heads`: Root is 0, marks are those of Gold, UNKNOWN if unconstrained. `labels`: numbers of the parser's labels, or
    the engine's marks for any label and for any whose arc stays. `moving`: by label, is the arc moved after parsing?
    `allowed`: by sentence, flags by head and dependent. `engine`: the same for the engine, if it runs the system.
    """

    heads: IntArray
    labels: IntArray
    moving: BoolArray
    allowed: dict[int, Any]
    offsets: Any
    engine: Any = None

    @property
    def is_constrained(self) -> BoolArray:
        """By word: is it in a sentence with constraints?"""
        sentence = np.repeat(np.arange(len(self.offsets) - 1), np.diff(self.offsets))
        asked = np.zeros(len(self.offsets) - 1, dtype=np.bool_)
        asked[sentence[(self.heads != UNKNOWN) | (self.labels != -1)]] = True
        asked[list(self.allowed)] = True
        return asked[sentence]
