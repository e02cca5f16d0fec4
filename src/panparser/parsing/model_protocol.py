"""The interface of models that score a parser's actions and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy.typing as npt

from panparser import _engine
from panparser.base.types import FloatArray, IntArray, LongArray
from panparser.batches.classifier import Classifier
from panparser.features.vectors import WordVectors
from panparser.learning.layers import Labels, Layer
from panparser.learning.listeners import SearchListener
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.spec import ParserSpec
from panparser.parsing.voters import Voter
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

RawTree: TypeAlias = tuple[list[int], list[int], float]  # heads, numbers of labels, score
NO_RIVAL: int = _engine.NO_RIVAL  # the margin if there is no rival


class SearchResult(NamedTuple):
    """Trees of a treebank, word by word, before lifted arcs are put back.

    `behind`: the largest distance of each sentence's tree behind the best in its beam; empty for classifiers, which
    have no margin. `signals`: (words, signals) of confidence, empty unless asked for.
    """

    heads: IntArray
    labels: IntArray
    behind: LongArray
    signals: FloatArray
    tags: IntArray | None = None  # (words, columns) numbers that the classifier can write, if it predicts tags, too


@dataclass(frozen=True, kw_only=True)
class Search:
    """How to search: beam, threads, margin, constraints, listeners."""

    beam: int
    threads: int = 1
    margin: int | None = None
    constraints: BatchConstraints | None = None
    signals: bool = False
    listeners: Sequence[SearchListener] = ()


class Model(Protocol):
    """A scoring model: the perceptron, a vote, or any classifier."""

    spec: ParserSpec
    labels: Labels
    vectors: WordVectors | None

    @property
    def name(self) -> str: ...

    @property
    def classifier(self) -> Classifier | None:
        """The classifier that scores; None for a perceptron of the engine."""

    @property
    def layers(self) -> Sequence[Layer]:
        """The layers of a perceptron; empty if there is a classifier."""

    @property
    def voters(self) -> tuple[Voter, ...]:
        """The owners of the layers, in order, if several parsers vote."""

    @property
    def unit(self) -> float:
        """The size of one update in its scores of actions."""

    def find(self, treebank: Treebank, search: Search) -> SearchResult:
        """The best trees of a treebank."""

    def best(
        self, sentence: Sentence, width: int, wanted: int, constraints: BatchConstraints | None
    ) -> Iterable[RawTree]:
        """Trees of one sentence, best first; a width of 0 is exhaustive search."""

    def as_classifier(self) -> Classifier:
        """Return a classifier with the same scores, which is called step by step."""

    def check(self) -> None:
        """Raises an error if any of the numbers that it was restored from is invalid."""

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def to_values(self) -> dict[str, Any]:
        """Its manifest entry: everything except the arrays."""
