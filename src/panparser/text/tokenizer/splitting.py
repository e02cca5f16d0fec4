"""Tokens that may be one word or several: a classifier decides.

A form that was seen both ways (French *des*) is classified by the form and its neighbours; an unknown form whose ending
occurs in both split and unsplit words, by its affixes and its neighbours.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray, LongArray
from panparser.sequences.model import Items, SequenceModel
from panparser.text.characters import CodePoints, kinds
from panparser.text.tokenizer.boundaries import Hashing, column, lower_case
from panparser.text.tokenizer.multiword import MultiwordRules, Words, alternatives_if_new
from panparser.text.tokenizer.windows import ENDS, STARTS, splitter_window
from panparser.text.writing import Tokens

_EPOCHS = 10
_MAX_TOKENS = 3  # of a form that is treated as new


@dataclass(frozen=True)
class Doubts:
    """Tokens that may be one word or several: their places, the words that they would be, whether the form is known."""

    places: LongArray
    words: list[Words]
    known: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, forms: Sequence[str], rules: MultiwordRules, new: dict[str, Words] | None = None) -> Doubts:
        """The doubtful tokens of a text; `new`: words of forms treated as new, of which a few tokens are used."""
        words: dict[str, Words | None] = {}
        count: Counter[str] = Counter()
        found: list[tuple[int, Words, bool]] = []
        for place, form in enumerate(forms):
            if form not in words:
                words[form] = rules.alternative(form)
                if new is not None and form.lower() not in rules.ambiguous:
                    words[form] = new.get(form.lower())
            chosen = words[form]
            if chosen is not None:
                count[form] += 1
                known = form.lower() in rules.ambiguous
                if known or new is None or count[form] <= _MAX_TOKENS:
                    found.append((place, chosen, known))
        places = np.array([place for place, _, _ in found], dtype=np.int64)
        return cls(places, [w for _, w, _ in found], np.array([known for _, _, known in found], dtype=bool))


def train_splitter(
    points: CodePoints,
    tokens: Tokens,
    forms: Sequence[str],
    splits: Sequence[Words | None],
    rules: MultiwordRules,
    seed: int,
    threads: int | None = None,
) -> SequenceModel | None:
    """A classifier of tokens that may be one word or several; None if there are no such tokens."""
    from panparser.sequences.training import train_sequences

    doubts = Doubts.of(forms, rules, alternatives_if_new(zip(forms, splits, strict=True)))
    pairs = zip(doubts.places.tolist(), doubts.words, strict=True)
    right = np.array([_same(splits[place], words) for place, words in pairs], dtype=np.int32)
    if not len(right) or right.all() or not right.any():
        return None
    items = _items(points, tokens, doubts)
    return train_sequences(splitter_window(), items, right, 2, epochs=_EPOCHS, seed=seed, threads=threads)


def _same(split: Words | None, words: Words) -> bool:
    return split is not None and [word.lower() for word in split] == [word.lower() for word in words]


def decide(
    model: SequenceModel,
    rules: MultiwordRules,
    points: CodePoints,
    tokens: Tokens,
    forms: Sequence[str],
    splits: list[Words | None],
) -> None:
    """Overrides the rules for tokens that may be one word or several."""
    doubts = Doubts.of(forms, rules)
    if len(doubts.words):
        found = model.predict(_items(points, tokens, doubts))
        for place, words, split in zip(doubts.places.tolist(), doubts.words, found.tolist(), strict=True):
            splits[place] = words if split else None


def _items(points: CodePoints, tokens: Tokens, doubts: Doubts) -> Items:
    hashes, kind, at = Hashing(lower_case(points)), kinds(points), doubts.places
    starts, ends = tokens.starts, tokens.ends
    first, end = starts[at], ends[at]
    columns: dict[str, IntArray] = {
        "form": _only(doubts.known, column(hashes.of(first, end))),
        "length": np.minimum(end - first, 12).astype(np.int32),
        **{f"e{n}": column(hashes.of(np.maximum(first, end - n), end)) for n in ENDS},
        **{f"b{n}": column(hashes.of(first, np.minimum(end, first + n))) for n in STARTS},
        "capital": kind[starts[at]].astype(np.int32),
        "last": tokens.last[at].astype(np.int32),
    }
    for name, distance in (("p2", -2), ("p1", -1), ("n1", 1), ("n2", 2)):
        place = at + distance
        inside = (place >= 0) & (place < len(starts))
        place = np.clip(place, 0, len(starts) - 1)
        start, end = starts[place], ends[place]
        pieces = {
            "": column(hashes.of(start, end)),
            "s2": column(hashes.of(np.maximum(start, end - 2), end)),
            "s3": column(hashes.of(np.maximum(start, end - 3), end)),
            "k": kind[start].astype(np.int32),
        }
        for suffix, numbers in pieces.items():
            columns[f"{name}{suffix}"] = _only(inside, numbers)
    return Items(np.arange(len(at) + 1), columns)


def _only(inside: npt.NDArray[np.bool_], numbers: IntArray) -> IntArray:
    return np.where(inside, numbers, -1).astype(np.int32)
