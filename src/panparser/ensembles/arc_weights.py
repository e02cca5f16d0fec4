"""Weights: how much the arcs of each analysis count when they are combined; learned from a gold file, kept as TOML."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._checks import is_number
from panparser.errors import SpecError
from panparser.storage.files import write_whole
from panparser.storage.toml import to_toml
from panparser.storage.values import ListOf, Table, TableOf, check, integer, number, one_of, read_values
from panparser.treebank.matching import check_alike
from panparser.treebank.treebank import Treebank

TAGS = ("upos", "xpos")  # columns that weights may depend on
_PRIOR = 20  # words: weight of the overall share in the estimate for a tag
_FORMAT = 1
_WEIGHTS = ListOf(number(0), least=1)
_VALUES = Table(
    {"format": integer(_FORMAT, _FORMAT), "weights": _WEIGHTS},
    {"by": one_of(*TAGS), "tags": TableOf(_WEIGHTS)},
    closed=True,
)


@dataclass(frozen=True)
class ArcWeights:
    """A weight for each analysis: by the word's tag in the column `by`, and for all other words a default."""

    default: tuple[float, ...]
    by: str | None = None
    tags: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", _numbers(self.default, "weights"))
        if self.by not in (None, *TAGS):
            raise SpecError(f"ArcWeights: by must be {' or '.join(TAGS)}; got {self.by!r}")
        if not isinstance(self.tags, Mapping) or (self.tags and self.by is None):
            raise SpecError(
                f"ArcWeights: tags must be weights by tag, and `by` must name their column; got {self.tags!r}"
            )
        tags = {tag: _numbers(numbers, f"{tag}: weights") for tag, numbers in self.tags.items()}
        for tag, numbers in tags.items():
            if len(numbers) != len(self.default):
                raise SpecError(f"{tag}: weights must be {len(self.default)}, as the others are; got {len(numbers)}")
        object.__setattr__(self, "tags", tags)

    def matrix(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """(analyses, words) The weights for the words of a treebank."""
        if self.by is None:
            return np.repeat(np.array(self.default)[:, None], treebank.words, axis=1)
        table = np.array([self.tags.get(tag, self.default) for tag in treebank.vocabulary(self.by)])
        return np.ascontiguousarray(table[treebank.column(self.by)].T)

    def to_toml(self) -> str:
        tags = {tag: list(numbers) for tag, numbers in self.tags.items()}
        return to_toml({"format": _FORMAT, "weights": list(self.default), "by": self.by, "tags": tags or None})

    def write(self, path: str | os.PathLike[str]) -> None:
        write_whole(Path(path), self.to_toml().encode(), SpecError)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> ArcWeights:
        """The weights of a TOML file. Raises SpecError if the file is not valid."""
        values = read_values(path, "TOML", SpecError)
        try:
            return cls.from_values(values)
        except SpecError as error:
            raise SpecError(f"{os.fspath(path)}: {error}") from None

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> ArcWeights:
        check(values, _VALUES, "", SpecError)
        return cls(values["weights"], values.get("by"), values.get("tags", {}))


def _numbers(values: object, what: str) -> tuple[float, ...]:
    """Valid weights. Raises SpecError otherwise."""
    if isinstance(values, list | tuple | np.ndarray) and len(values):
        numbers = tuple(values)
        if all(is_number(n) or isinstance(n, np.number) for n in numbers):
            floats = tuple(float(number) for number in numbers)
            if all(0 <= number < 1e9 for number in floats) and any(floats):
                return floats
    raise SpecError(f"{what} must be numbers >= 0, not all 0; got {values!r}")


def as_weights(weights: ArcWeights | Sequence[float] | None, count: int) -> ArcWeights:
    """Weights for this many analyses."""
    if not isinstance(weights, ArcWeights):
        weights = ArcWeights((1.0,) * count if weights is None else weights)  # type: ignore[arg-type]
    if len(weights.default) != count:
        raise SpecError(f"combine_trees: weights must be {count}, one for each treebank; got {len(weights.default)}")
    return weights


def estimate_arc_weights(gold: Treebank, predicted: Sequence[Treebank], *, by: str | None = None) -> ArcWeights:
    """Weights from analyses of a text with known heads: the log-odds that a head is correct, at least 0.

    With `by` ("upos" or "xpos") there is a weight for each tag; that of a rare tag is close to the weight of all words.
    """
    check_alike([gold, *predicted])
    if not predicted:
        raise SpecError("expected analyses to learn weights from, found none")
    if by not in (None, *TAGS):
        raise SpecError(f"estimate_arc_weights: by must be {' or '.join(TAGS)}; got {by!r}")
    known = gold.heads >= 0
    if not known.any():
        raise SpecError(f"{gold.path}: expected words with heads to learn from, found none")
    right = np.stack([(other.heads == gold.heads) & known for other in predicted])
    overall = (right.sum(axis=1) + 1) / (known.sum() + 2)
    default = tuple(_log_odds(share) for share in overall)
    if by is None:
        return ArcWeights(default)
    column, names = gold.column(by), gold.vocabulary(by)
    totals = np.bincount(column[known], minlength=len(names))
    counts = np.stack([np.bincount(column[row], minlength=len(names)) for row in right])
    shares = (counts + _PRIOR * overall[:, None]) / (totals + _PRIOR)
    tags = {names[tag]: tuple(_log_odds(share) for share in shares[:, tag]) for tag in np.flatnonzero(totals)}
    return ArcWeights(default, by, dict(sorted(tags.items())))


def _log_odds(share: float) -> float:
    return round(max(0.01, math.log(share / (1 - share))), 4) if share < 1 else 20.0
