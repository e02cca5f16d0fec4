"""A classifier for tokens that may be one word or several.

A form that was seen both ways (French *des*) is classified by the form and its neighbours; an unknown form whose ending
occurs in both split and unsplit words, by its affixes and its neighbours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panparser import _engine
from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.tagging.sequences import SequenceItems, SequenceModel
from panparser.text.boundaries import ENDS, STARTS, splitter_window
from panparser.text.characters import CodePoints, kinds, lower_case
from panparser.text.multiword import MultiwordRules, Words, alternatives_if_new
from panparser.text.text_output import DistinctForms, Splits, Tokens

_EPOCHS = 10
_MAX_TOKENS = 3  # of a form that is treated as new


@dataclass(frozen=True)
class AmbiguousTokens:
    """Tokens that may be one word or several: their places, and whether the form is known; the words that each token of
    the text would be, if it were several."""

    places: LongArray
    known: BoolArray
    splits: Splits

    @classmethod
    def from_forms(
        cls,
        forms: DistinctForms,
        words: Sequence[Words | None],
        rules: MultiwordRules,
        new: dict[str, Words] | None = None,
    ) -> AmbiguousTokens:
        """The doubtful tokens of a text, by the alternatives of its forms; `new`: words of forms treated as new, of
        which a few tokens are used."""
        if new is not None:
            lower = [form.lower() for form in forms.texts]
            words = [
                split if form in rules.ambiguous else new.get(form) for form, split in zip(lower, words, strict=True)
            ]
        doubtful = [number for number, split in enumerate(words) if split is not None]
        known = np.zeros(len(words), dtype=bool)
        known[[number for number in doubtful if forms.texts[number].lower() in rules.ambiguous]] = True
        is_doubtful = np.zeros(len(words), dtype=bool)
        is_doubtful[doubtful] = True
        places = np.flatnonzero(is_doubtful[forms.numbers])
        if new is not None:
            few = _occurrences(forms.numbers[places]) < _MAX_TOKENS
            places = places[known[forms.numbers[places]] | few]
        return cls(places, known[forms.numbers[places]], Splits.by_form(forms, words))


def _occurrences(numbers: IntArray) -> LongArray:
    """How often each number came before."""
    order = np.argsort(numbers, kind="stable")
    ordered = numbers[order]
    found = np.empty(len(numbers), dtype=np.int64)
    found[order] = np.arange(len(numbers)) - np.searchsorted(ordered, ordered)
    return found


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
    from panparser.tagging.sequence_training import train_sequence_model

    new = alternatives_if_new(zip(forms, splits, strict=True))
    distinct = DistinctForms.from_forms(forms)
    doubts = AmbiguousTokens.from_forms(distinct, [rules.alternative(form) for form in distinct.texts], rules, new)
    right = np.array([_same(splits[place], doubts.splits[place]) for place in doubts.places.tolist()], dtype=np.int32)
    if not len(right) or right.all() or not right.any():
        return None
    items = _items(points, tokens, doubts)
    return train_sequence_model(splitter_window(), items, right, 2, epochs=_EPOCHS, seed=seed, threads=threads)


def _same(split: Words | None, words: Words | None) -> bool:
    return (
        split is not None and words is not None and [word.lower() for word in split] == [word.lower() for word in words]
    )


def decide(
    model: SequenceModel | None,
    rules: MultiwordRules,
    points: CodePoints,
    tokens: Tokens,
    forms: DistinctForms,
) -> Splits:
    """The words of tokens: by the rules, but for tokens that may be one word or several."""
    analyses = rules.analyses(forms.texts)
    splits = Splits.by_form(forms, [split for split, _ in analyses])
    doubts = AmbiguousTokens.from_forms(forms, [alternative for _, alternative in analyses], rules)
    if model is None or not len(doubts.places):
        return splits
    found = model.predict(_items(points, tokens, doubts)).astype(bool)
    return splits.replaced(doubts.places, doubts.splits, found)


def _items(points: CodePoints, tokens: Tokens, doubts: AmbiguousTokens) -> SequenceItems:
    lower, at = lower_case(points), doubts.places
    starts, ends = tokens.starts, tokens.ends
    first, end = starts[at], ends[at]

    def column(start: LongArray, end: LongArray) -> IntArray:
        return _engine.number_pieces(lower, start, end)

    columns: dict[str, IntArray] = {
        "form": _only(doubts.known, column(first, end)),
        "length": np.minimum(end - first, 12).astype(np.int32),
        **{f"e{n}": column(np.maximum(first, end - n), end) for n in ENDS},
        **{f"b{n}": column(first, np.minimum(end, first + n)) for n in STARTS},
        "capital": kinds(points[first]).astype(np.int32),
        "last": tokens.last[at].astype(np.int32),
    }
    for name, distance in (("p2", -2), ("p1", -1), ("n1", 1), ("n2", 2)):
        place = at + distance
        inside = (place >= 0) & (place < len(starts))
        place = np.clip(place, 0, len(starts) - 1)
        start, end = starts[place], ends[place]
        pieces = {
            "": column(start, end),
            "s2": column(np.maximum(start, end - 2), end),
            "s3": column(np.maximum(start, end - 3), end),
            "k": kinds(points[start]).astype(np.int32),
        }
        for suffix, numbers in pieces.items():
            columns[f"{name}{suffix}"] = _only(inside, numbers)
    return SequenceItems(np.arange(len(at) + 1), columns)


def _only(inside: BoolArray, numbers: IntArray) -> IntArray:
    return np.where(inside, numbers, -1).astype(np.int32)
