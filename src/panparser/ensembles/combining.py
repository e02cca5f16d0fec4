"""Trees combined: the best tree over arcs that are weighted by parsers."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.checks import NON_NEGATIVE, Interval, check_number, is_number
from panparser.base.kinds import ListOf, Table, TableOf, check, integer, number, one_of, read_values
from panparser.base.types import FloatArray, IntArray, LongArray
from panparser.errors import SpecError
from panparser.parsing.confidence import clear_parse_metadata
from panparser.storage.atomic import write_whole
from panparser.storage.toml_text import to_toml
from panparser.treebank.matching import check_alike
from panparser.treebank.treebank import Treebank
from panparser.trees.projectivity import maximum_projective_tree, maximum_spanning_tree

TAGS = ("upos", "xpos")  # columns that weights may depend on
PRIOR_WORDS = 20  # words: weight of the overall share in the estimate for a tag
_FORMAT = 1
_WEIGHTS = ListOf(number(NON_NEGATIVE), minimum=1)
_VALUES = Table(
    {"format": integer(_FORMAT, _FORMAT), "weights": _WEIGHTS},
    {"by": one_of(*TAGS), "tags": TableOf(_WEIGHTS)},
    closed=True,
)


@dataclass(frozen=True)
class ArcWeights:
    """A weight for each analysis: by the word's tag in `column`, and for all other words a default."""

    default: tuple[float, ...]
    column: str | None = None
    tags: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "default", _numbers(self.default, "weights"))
        if self.column not in (None, *TAGS):
            raise SpecError(f"ArcWeights: column must be {' or '.join(TAGS)}; got {self.column!r}")
        if not isinstance(self.tags, Mapping) or (self.tags and self.column is None):
            raise SpecError(
                f"ArcWeights: tags must be weights by tag, and `column` must name their column; got {self.tags!r}"
            )
        tags = {tag: _numbers(numbers, f"{tag}: weights") for tag, numbers in self.tags.items()}
        for tag, numbers in tags.items():
            if len(numbers) != len(self.default):
                raise SpecError(f"{tag}: weights must be {len(self.default)}, as the others are; got {len(numbers)}")
        object.__setattr__(self, "tags", tags)

    def matrix(self, treebank: Treebank) -> npt.NDArray[np.float64]:
        """(analyses, words) The weights for the words of a treebank."""
        if self.column is None:
            return np.repeat(np.array(self.default)[:, None], treebank.words, axis=1)
        table = np.array([self.tags.get(tag, self.default) for tag in treebank.vocabulary(self.column)])
        return np.ascontiguousarray(table[treebank.column(self.column)].T)

    def to_toml(self) -> str:
        tags = {tag: list(numbers) for tag, numbers in self.tags.items()}
        return to_toml({"format": _FORMAT, "weights": list(self.default), "by": self.column, "tags": tags or None})

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


def estimate_arc_weights(gold: Treebank, predicted: Sequence[Treebank], *, column: str | None = None) -> ArcWeights:
    """Weights from analyses of a text with known heads: the log-odds that a head is correct, at least 0.

    With `column` ("upos" or "xpos") there is a weight for each tag; that of a rare tag is close to the weight of all
    words.
    """
    check_alike([gold, *predicted])
    if not predicted:
        raise SpecError("estimate_arc_weights: expected at least one prediction; got none")
    if column not in (None, *TAGS):
        raise SpecError(f"estimate_arc_weights: column must be {' or '.join(TAGS)}; got {column!r}")
    known = gold.heads >= 0
    if not known.any():
        raise SpecError(f"{gold.path}: expected words with heads to learn from, found none")
    right = np.stack([(other.heads == gold.heads) & known for other in predicted])
    overall = (right.sum(axis=1) + 1) / (known.sum() + 2)
    default = tuple(_log_odds(share) for share in overall)
    if column is None:
        return ArcWeights(default)
    ids, names = gold.column(column), gold.vocabulary(column)
    totals = np.bincount(ids[known], minlength=len(names))
    counts = np.stack([np.bincount(ids[row], minlength=len(names)) for row in right])
    shares = (counts + PRIOR_WORDS * overall[:, None]) / (totals + PRIOR_WORDS)
    tags = {names[tag]: tuple(_log_odds(share) for share in shares[:, tag]) for tag in np.flatnonzero(totals)}
    return ArcWeights(default, column, dict(sorted(tags.items())))


def _log_odds(share: float) -> float:
    return round(max(0.01, math.log(share / (1 - share))), 4) if share < 1 else 20.0


Progress = Callable[[int, int], None]

_MAX_CELLS = 1 << 20  # of matrices that are filled together
TIE_TOLERANCE = 1e-9  # of the largest weight: sums that differ by less are equal


def combine_trees(
    treebanks: Sequence[Treebank],
    *,
    weights: ArcWeights | Sequence[float] | None = None,
    projective: bool = False,
    single_root: bool = True,
    min_votes: float | None = None,
    progress: Progress | None = None,
) -> Treebank:
    """A copy of the first treebank with the heads and labels of the best tree over the weighted arcs of all treebanks.

    Heads are those of the tree whose arcs have the largest sum of weights: of all trees, or of the `projective` ones
    only. A word's label is the one with the largest sum of weights among the analyses that have its arc or, if none has
    it, among all. A headless word (`_`) casts no vote. Ties go to the earliest analysis.
    `weights`: one for each treebank, or `ArcWeights` that also depend on the word's tag. `min_votes`: only arcs with at
    least this sum of weights (of votes, without weights) count, and words that keep none stay without head and label.
    `progress` is called with the number of words done and their total.
    """
    if min_votes is not None:
        check_number("combine_trees: min_votes", min_votes, Interval(0, ends="()"))
    check_alike(treebanks)
    first = treebanks[0]
    chosen = as_weights(weights, len(treebanks))
    matrix = chosen.matrix(first)
    heads = np.stack([treebank.heads for treebank in treebanks])
    found = best_heads(
        heads,
        matrix,
        first.offsets,
        projective=projective,
        single_root=single_root,
        min_votes=min_votes,
        progress=progress,
    )
    result = first.copy()
    clear_parse_metadata(result)
    result.heads[:] = found
    names, labels = common_ids(treebanks, "deprel")
    chosen_labels = best_labels(labels, (heads == found) & (heads >= 0), matrix, names.get("_", -1))
    ids = np.array([result.id_of("deprel", name) for name in names], dtype=np.int32)
    result.column("deprel")[:] = np.where(found < 0, result.id_of("deprel", "_"), ids[chosen_labels])
    return result


def best_heads(
    heads: IntArray,
    weights: FloatArray,
    offsets: LongArray,
    *,
    projective: bool,
    single_root: bool,
    min_votes: float | None = None,
    fixed_heads: IntArray | None = None,
    progress: Progress | None = None,
) -> IntArray:
    """The heads of the best trees over the weighted arcs of (analysis, word); options as in `combine`.

    `fixed_heads`: heads that each tree has, -1 where any will do; some analysis must have all those of a sentence.
    """
    found = np.empty(heads.shape[1], dtype=np.int32)
    decode = maximum_projective_tree if projective else maximum_spanning_tree
    for sentence, scores in _Arcs(heads, weights, offsets, min_votes or 0.0).matrices():
        start, end = offsets[sentence], offsets[sentence + 1]
        if fixed_heads is not None:
            words = np.flatnonzero(fixed_heads[start:end] >= 0)
            scores[fixed_heads[start:end][words], words + 1] += 1 + scores.sum()  # more than all others together
        best = decode(scores, single_root=single_root)[1:]
        if min_votes is not None:
            best = np.where(scores[best, np.arange(1, len(scores))] > 0, best, -1)
        found[start:end] = best
        if progress:
            progress(int(end), len(found))
    return found


class _Arcs:
    """The weighted arcs of all sentences."""

    def __init__(self, heads: IntArray, weights: FloatArray, offsets: LongArray, least: float) -> None:
        self.heads, self.weights, self.offsets = heads, weights, offsets
        self.bonus = TIE_TOLERANCE * max(float(weights.max(initial=0)), 1e-300)
        self.least = least - self.bonus  # sum of weights of an arc that counts

    def matrices(self) -> Iterator[tuple[int, FloatArray]]:
        """Each sentence that has words, and the scores of its arcs, as decoders take them."""
        sizes = np.diff(self.offsets) + 1
        ends = np.cumsum(sizes**2)
        start = 0
        while start < len(sizes):
            limit = (ends[start - 1] if start else 0) + _MAX_CELLS
            end = max(start + 1, int(np.searchsorted(ends, limit, side="right")))
            scores = self._fill(start, end, sizes[start:end])
            cell = 0
            for sentence in range(start, end):
                size = int(sizes[sentence])
                if size > 1:
                    yield sentence, scores[cell : cell + size * size].reshape(size, size)
                cell += size * size
            start = end

    def _fill(self, start: int, end: int, sizes: LongArray) -> FloatArray:
        """The matrices of some sentences, one after the other."""
        words = slice(int(self.offsets[start]), int(self.offsets[end]))
        sentence = np.repeat(np.arange(end - start), sizes - 1)
        position = np.arange(words.start, words.stop) - self.offsets[start + sentence] + 1
        first_cell = (np.cumsum(sizes**2) - sizes**2)[sentence]
        scores = np.zeros(int((sizes**2).sum()))
        count = len(self.heads)
        earliest = np.zeros(len(scores))
        for index in reversed(range(count)):
            heads = self.heads[index, words]
            known = heads >= 0
            cells = (first_cell + heads * sizes[sentence] + position)[known]
            scores[cells] += self.weights[index, words][known]
            earliest[cells] = count - index
        return np.where(scores >= self.least, scores + self.bonus / count * earliest, 0.0)


def best_labels(labels: IntArray, agrees: npt.NDArray[np.bool_], weights: FloatArray, none: int) -> IntArray:
    """The label of each word, as an id: from the analyses that agree with its head, else from all that have a label."""
    has_label = labels != none
    votes = agrees & has_label
    votes = np.where(votes.any(axis=0), votes, has_label)
    count, words = labels.shape
    best, most = np.full(words, none, dtype=np.int32), np.full(words, -np.inf)
    bonus = TIE_TOLERANCE * max(float(weights.max(initial=0)), 1e-300)
    for index in range(count):
        support = (weights * (votes & (labels == labels[index]))).sum(axis=0) + bonus * (count - index) / count
        better = votes[index] & (support > most)
        best[better], most[better] = labels[index, better], support[better]
    return best


def common_ids(treebanks: Sequence[Treebank], column: str) -> tuple[dict[str, int], IntArray]:
    """Numbers for the values that a column has in any of the treebanks, and those of (treebank, word)."""
    numbers: dict[str, int] = {}
    rows = []
    for treebank in treebanks:
        table = [numbers.setdefault(text, len(numbers)) for text in treebank.vocabulary(column)]
        rows.append(np.array(table, dtype=np.int32)[treebank.column(column)])
    return numbers, np.stack(rows)
