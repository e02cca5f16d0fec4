"""Which labels arcs may have, and which they have in the gold: the same for tables and for systems in Python."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser._arrays import BoolArray, IntArray
from panparser.learning.labels import Labels
from panparser.parsing.batch.kept import BatchConstraints

Gold = tuple[IntArray, IntArray]  # heads and numbers of labels, of all words of a treebank


class ArcLabels:
    """The labels of a parser over the words of a treebank."""

    def __init__(self, labels: Labels, gold: Gold | None, constraints: BatchConstraints | None) -> None:
        self._of_root = labels.of_root
        self._allowed = np.array([labels.of_words, labels.of_root], dtype=np.bool_)
        self.gold = gold
        self.constraints = constraints

    def legal(self, heads: IntArray, words: npt.NDArray[np.int64] | None) -> BoolArray:
        """(arcs, labels) May the arc have the label? False if there is no arc (head -1)."""
        allowed: BoolArray = self._allowed[(heads == 0).astype(np.intp)] & (heads >= 0)[:, None]
        if self.constraints is not None and words is not None and allowed.shape[1]:
            given = np.where(heads >= 0, self.constraints.labels[words], _engine.ANY_LABEL)
            allowed[given == _engine.STAYING_LABEL] &= ~self.constraints.moving
            fixed = np.flatnonzero(given >= 0)
            allowed[fixed] = False
            allowed[fixed, given[fixed]] = True
        return allowed

    def name_rest(self, heads: IntArray, labels: IntArray) -> None:
        """Gives the first label of roots to those that no arc has given one."""
        if any(self._of_root):
            labels[(heads == 0) & (labels < 0)] = self._of_root.index(True)

    def right(self, heads: IntArray, words: npt.NDArray[np.int64], gold: Gold) -> IntArray:
        """The gold label of each arc; -1 if the gold has another arc, or a constraint gives the label."""
        is_gold = (heads >= 0) & (gold[0][words] == heads)
        if self.constraints is not None:
            is_gold &= self.constraints.labels[words] < 0  # given, so never predicted
        return np.where(is_gold, gold[1][words], np.int32(-1))
