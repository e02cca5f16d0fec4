"""Pseudo-projective labels, with marks for lifted arcs; trees with these arcs put back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from panparser.base.types import IntArray
from panparser.treebank.treebank import Treebank
from panparser.trees.projectivity import LIFTED, PATH, deprojectivize

ENCODING = "head+path"  # the one that restores the most sentences


class PseudoProjectiveLabels:
    """The labels of a parser; none is marked unless it learned from `lifted` arcs.

    `plain`: without marks; `moving`: for each label, whether arcs that have it are put back elsewhere after parsing.
    """

    def __init__(self, names: Sequence[str], lifted: bool) -> None:
        self.names = tuple(names)
        self._plain_ids: IntArray | None = None
        self.plain, self.moving = self.names, np.zeros(len(names), dtype=bool)
        if lifted:
            bare = [name.rstrip(PATH).partition(LIFTED)[0] for name in names]
            self.plain = tuple(dict.fromkeys(bare))
            self.moving = np.array([LIFTED in name for name in names], dtype=bool)
            self._plain_ids = np.array([*(self.plain.index(name) for name in bare), -1], dtype=np.int32)

    def put_back(self, treebank: Treebank, heads: IntArray, labels: IntArray) -> tuple[IntArray, IntArray]:
        """Heads and labels of all words with arcs put back; labels are numbers, finally without marks; -1 is none."""
        if self._plain_ids is None:
            return heads, labels
        marked: npt.NDArray[np.bool_] = np.append(self.moving, False)[labels]
        sentences = np.searchsorted(treebank.offsets, np.flatnonzero(marked), side="right") - 1
        for sentence in sorted(set(sentences.tolist())):
            words = slice(int(treebank.offsets[sentence]), int(treebank.offsets[sentence + 1]))
            if (heads[words] < 0).any():
                continue
            heads[words], _ = deprojectivize(heads[words], [self.names[label] for label in labels[words]], ENCODING)
        return heads, self._plain_ids[labels]

    def put_back_one(self, heads: Sequence[int], labels: Sequence[int]) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """Heads and labels of one sentence with arcs put back; labels become texts."""
        texts = [self.names[label] if label >= 0 else "_" for label in labels]
        if self._plain_ids is not None and min(heads) >= 0:
            return deprojectivize(heads, texts, ENCODING)
        return tuple(heads), tuple(texts)
