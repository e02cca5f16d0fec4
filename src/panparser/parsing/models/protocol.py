"""The interface of models that score a parser's actions and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

import numpy.typing as npt

from panparser import _engine
from panparser._arrays import FloatArray, IntArray, LongArray
from panparser.features.vectors import Vectors
from panparser.learning.labels import Labels
from panparser.learning.layers import Layer
from panparser.learning.listeners import SearchListener
from panparser.parsing.batch.kept import KeptConstraints
from panparser.parsing.lifting import LiftedLabels
from panparser.parsing.spec import ParserSpec
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank

RawTree: TypeAlias = tuple[list[int], list[int], float]  # heads, numbers of labels, score
NO_RIVAL: int = _engine.NO_RIVAL  # the margin if there is no rival


class Found(NamedTuple):
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
    constraints: KeptConstraints | None = None
    signals: bool = False
    listeners: Sequence[SearchListener] = ()


class Model(Protocol):
    """A scoring model: the perceptron, a vote, or any classifier."""

    @property
    def name(self) -> str: ...

    @property
    def unit(self) -> float:
        """The size of one update in its scores of actions."""

    def find(self, treebank: Treebank, search: Search) -> Found:
        """The best trees of a treebank."""

    def best(
        self, sentence: Sentence, width: int, wanted: int, constraints: KeptConstraints | None
    ) -> Iterable[RawTree]:
        """Trees of one sentence, best first; a width of 0 is exhaustive search."""

    def check(self) -> None:
        """Raises an error if any of the numbers that it was restored from is invalid."""

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]: ...
    def to_values(self) -> dict[str, Any]:
        """Its manifest entry: everything except the arrays."""


@runtime_checkable
class ParserLike(Protocol):
    """A parser, as seen by the modules that it is made of."""

    spec: ParserSpec
    labels: Labels
    layers: list[Layer]
    vectors: Vectors | None
    calibration: Any

    @property
    def margin(self) -> int | None: ...
    @property
    def model(self) -> Model: ...
    @property
    def plain_labels(self) -> tuple[str, ...]: ...
    @property
    def lifted(self) -> LiftedLabels: ...
    def scoring(self, search: Search) -> Model: ...
    def checked_beam(self, treebank: Treebank, beam: int | None, threads: int) -> int: ...
    def lowered(self, treebank: Treebank, heads: IntArray, labels: IntArray) -> tuple[IntArray, IntArray]: ...
    def predict(self, treebank: Treebank, *, threads: int = 1) -> tuple[IntArray, IntArray]: ...
