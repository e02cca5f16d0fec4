"""Tokens that are sometimes one word and sometimes several (French *des*): a classifier decides by their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.sequence_training import train_sequences
from panparser.sequences import Items, SequenceModel
from panparser.text.boundaries import Column, Hashing, column, lower_case
from panparser.text.characters import CodePoints, Ints, kinds
from panparser.text.multiword import MultiwordRules, Words
from panparser.text.windows import splitter_window
from panparser.text.writing import Tokens


def ambiguous_tokens(forms: Sequence[str], rules: MultiwordRules) -> Ints:
    """The places of tokens whose form was seen both ways."""
    both = rules.ambiguous
    return np.array([i for i, form in enumerate(forms) if form.lower() in both], dtype=np.int64)


def train_splitter(
    points: CodePoints, tokens: Tokens, forms: Sequence[str], splits: Sequence[Words | None], rules: MultiwordRules
) -> SequenceModel | None:
    """A classifier of tokens whose form was seen both ways; None if there are none."""
    at = ambiguous_tokens(forms, rules)
    right = np.array([splits[i] is not None for i in at.tolist()], dtype=np.int32)
    if not len(at) or right.all() or not right.any():
        return None
    options: dict[str, Any] = {"epochs": 10}
    return train_sequences(splitter_window(), _items(points, tokens, at), right, 2, **options)


def decide(
    model: SequenceModel,
    rules: MultiwordRules,
    points: CodePoints,
    tokens: Tokens,
    forms: Sequence[str],
    splits: list[Words | None],
) -> None:
    """Replaces the majority's choice for forms that were seen both ways."""
    at = ambiguous_tokens(forms, rules)
    if len(at):
        found = model.predict(_items(points, tokens, at))
        for place, split in zip(at.tolist(), found.tolist(), strict=True):
            splits[place] = rules.alternative(forms[place]) if split else None


def _items(points: CodePoints, tokens: Tokens, at: Ints) -> Items:
    hashes, kind = Hashing(lower_case(points)), kinds(points)
    starts, ends = tokens.starts, tokens.ends
    columns: dict[str, Column] = {
        "form": column(hashes.of(starts[at], ends[at])),
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


def _only(inside: npt.NDArray[np.bool_], numbers: Column) -> Column:
    return np.where(inside, numbers, -1).astype(np.int32)
