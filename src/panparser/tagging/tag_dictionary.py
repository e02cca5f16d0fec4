"""TagDictionary: frequent words with a single class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.base.checks import MAX_INT, Interval, check_count, check_number
from panparser.base.types import IntArray
from panparser.tagging.sequences import AllowedLabels
from panparser.treebank.treebank import Treebank

LEXICON_COLUMNS = ("lexicon", "ending")  # of items, if there is a lexicon: a word's tags, and what its ending tells


@dataclass(frozen=True)
class TagDictionaryThresholds:
    """Thresholds of a tag dictionary: a word has at least `min_count` occurrences, at most the share `max_other_share`
    of them with another class than the most frequent one."""

    min_count: int = 20
    max_other_share: float = 0.02

    def __post_init__(self) -> None:
        check_count("TagDictionaryThresholds: min_count", self.min_count, maximum=MAX_INT)
        check_number("TagDictionaryThresholds: max_other_share", self.max_other_share, Interval(0, 0.5, "[)"))


class TagDictionary:
    """Words and their class."""

    def __init__(self, class_of: Mapping[str, int]) -> None:
        self.class_of = dict(class_of)

    def __len__(self) -> int:
        return len(self.class_of)

    @classmethod
    def from_treebank(cls, treebank: Treebank, gold: IntArray, thresholds: TagDictionaryThresholds) -> TagDictionary:
        """The dictionary of a treebank whose words have these classes; -1 is ignored."""
        known = gold >= 0
        width = int(gold.max(initial=0)) + 1
        found, counts = np.unique(
            treebank.column("form")[known].astype(np.int64) * width + gold[known], return_counts=True
        )
        words, classes = found // width, found % width
        totals = np.bincount(words, weights=counts, minlength=1)
        kept = (totals[words] >= thresholds.min_count) & (
            totals[words] - counts <= thresholds.max_other_share * totals[words]
        )
        strings = treebank.vocabulary("form")
        return cls({strings[w]: c for w, c in zip(words[kept].tolist(), classes[kept].tolist(), strict=True)})

    def allowed(self, treebank: Treebank) -> AllowedLabels | None:
        """The classes that the words of a treebank may have; None if the dictionary is empty."""
        if not self.class_of:
            return None
        table = np.array([self.class_of.get(word, -1) for word in treebank.vocabulary("form")], dtype=np.int32)
        classes, numbers = np.unique(table, return_inverse=True)
        sets = np.asarray(numbers.reshape(-1) - int(classes[0] == -1), dtype=np.int32)
        return AllowedLabels(sets[treebank.column("form")], [(int(c),) for c in classes if c >= 0])

    def to_values(self) -> list[list[Any]]:
        """Plain values: what a model file holds."""
        words: dict[int, list[str]] = {}
        for word, number in sorted(self.class_of.items()):
            words.setdefault(number, []).append(word)
        return [[number, found] for number, found in sorted(words.items())]

    @classmethod
    def from_values(cls, values: list[list[Any]]) -> TagDictionary:
        return cls({word: number for number, words in values for word in words})
