"""Tally: how many heads and labels of a parsed treebank are right."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label

_PUNCTUATION = "PUNCT"
_DIFFERENT = 0.15  # of the words, which one of two methods gets right: 5 to 20 % on six development sets


@dataclass(frozen=True)
class AttachmentCounts:
    """Words, without punctuation, whose heads, and whose heads and labels, are right; labels without subtypes.

    `tagged`: the same with the tags of a tagger instead of those of the treebank, if there is one.
    """

    words: int
    heads: int
    both: int
    tagged: AttachmentCounts | None = None

    @classmethod
    def of(cls, gold: Treebank, predicted: Treebank, with_tagger: Treebank | None = None) -> AttachmentCounts:
        """That of a parsed treebank, and of the same, tagged by a tagger and parsed."""
        counted = gold.heads >= 0
        counted &= _holds(gold, "upos", lambda tag: tag != _PUNCTUATION)
        right = counted & (gold.heads == predicted.heads)
        both = right & (_base_labels(gold) == _base_labels(predicted))
        tagged = None if with_tagger is None else cls.of(gold, with_tagger)
        return cls(int(counted.sum()), int(right.sum()), int(both.sum()), tagged)

    @classmethod
    def sum(cls, tallies: Iterable[AttachmentCounts]) -> AttachmentCounts:
        """That of all words together."""
        found = list(tallies)
        tagged = [each.tagged for each in found if each.tagged is not None]
        words, heads, both = (sum(getattr(each, name) for each in found) for name in ("words", "heads", "both"))
        return cls(words, heads, both, cls.sum(tagged) if tagged else None)

    @property
    def rank(self) -> tuple[int, int]:
        """Of two, the one with the larger rank is better: with the tags of the tagger, if there is one."""
        counted = self if self.tagged is None else self.tagged
        return counted.heads, counted.both

    def is_clearly_above(self, other: AttachmentCounts) -> bool:
        """Does it have more heads right, by more than one standard error of the difference?"""
        (own, _), (less, _) = self.rank, other.rank
        return own - less > math.sqrt(_DIFFERENT * self.words)

    @property
    def uas(self) -> float:
        return 100 * self.heads / max(1, self.words)

    @property
    def las(self) -> float:
        return 100 * self.both / max(1, self.words)


def _holds(treebank: Treebank, column: str, test: Any) -> Any:
    return np.array([test(text) for text in treebank.vocabulary(column)], dtype=bool)[treebank.column(column)]


def _base_labels(treebank: Treebank) -> Any:
    return np.array([base_label(label) for label in treebank.vocabulary("deprel")])[treebank.column("deprel")]
