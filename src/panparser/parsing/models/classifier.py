"""ClassifierModel: any classifier as the model of a parser, over batches of states of tables and of Python systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray
from panparser.errors import ModelError
from panparser.features.vectors import WordVectors
from panparser.learning.classifiers import (
    CLASSIFIER_PREFIX,
    Classifier,
    checked_arrays,
    classifier_values,
    has_method,
    tag_columns,
)
from panparser.learning.labels import Labels
from panparser.learning.layers import Layer
from panparser.learning.listeners import SearchListener
from panparser.learning.search import BatchSearch, ClassifierPool, Hypotheses, Sentences, batches_of, first_of_each
from panparser.parsing.batch.joint import JointActionStates
from panparser.parsing.batch.kept import BatchConstraints
from panparser.parsing.batch.signals import signals_of
from panparser.parsing.batch.states import ParserStates, joined, states_of
from panparser.parsing.models.protocol import RawTree, Search, SearchResult
from panparser.parsing.models.vote import Voter
from panparser.parsing.spec import ParserSpec
from panparser.treebank.conllu import parse_conllu
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank


class ClassifierModel:
    """A trained classifier that scores states of a batch of sentences at a time."""

    def __init__(
        self, spec: ParserSpec, labels: Labels, classifier: Classifier, vectors: WordVectors | None = None
    ) -> None:
        self.spec = spec
        self.labels = labels
        self.classifier = classifier
        self.vectors = vectors
        self.pool = ClassifierPool(classifier)

    @property
    def layers(self) -> tuple[Layer, ...]:
        return ()

    @property
    def voters(self) -> tuple[Voter, ...]:
        return ()

    def as_classifier(self) -> Classifier:
        return self.classifier

    @property
    def name(self) -> str:
        return self.classifier.name

    @property
    def unit(self) -> float:
        return self.classifier.unit

    def check(self) -> None:
        """Raises ModelError if the classifier scores other actions than the labels and tags make."""
        states = self.states(parse_conllu(b""))
        if not has_method(self.classifier, "check_compatible"):
            return
        try:
            self.classifier.check_compatible(len(states.names), len(states.labels.names), self.vectors)
        except ModelError as error:
            raise ModelError(f"its {self.name} {error}") from None

    def states(self, treebank: Treebank, constraints: BatchConstraints | None = None) -> ParserStates:
        states = states_of(self.spec, treebank, self.labels, constraints=constraints, vectors=self.vectors)
        return joined(states, self.classifier)

    def find(self, treebank: Treebank, search: Search) -> SearchResult:
        every = np.arange(len(treebank), dtype=np.int64)
        parts = list(batches_of(self.classifier, every, np.diff(treebank.offsets), learning=False))
        threads = min(search.threads, len(parts)) or 1
        shares = [parts[number::threads] for number in range(threads)]

        def work(share: Sequence[Sentences]) -> list[_Part]:
            states = self.states(treebank, search.constraints)
            with self.pool.take() as classifier:
                searching = BatchSearch(states, classifier, search.listeners)
                return [_parse(searching, states, sentences, search) for sentences in share]

        if threads == 1:
            found = [work(share) for share in shares]
        else:
            with ThreadPoolExecutor(threads) as pool:
                found = list(pool.map(work, shares))
        ordered = [found[number % threads][number // threads] for number in range(len(parts))]
        return _joined(treebank, parts, ordered, search.signals, self.classifier)

    def best(
        self, sentence: Sentence, width: int, wanted: int, constraints: BatchConstraints | None
    ) -> Iterator[RawTree]:
        states = self.states(sentence.treebank, constraints)
        chosen = np.array([sentence.position], dtype=np.int64)
        with self.pool.take() as classifier:
            found = BatchSearch(states, classifier).beam(chosen, width or None)
        for state, score in zip(found.state, found.score, strict=True):
            heads, labels = states.trees(np.array([state], dtype=np.int32))
            yield heads.tolist(), labels.tolist(), float(score) / self.unit

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        return {CLASSIFIER_PREFIX + name: array for name, array in checked_arrays(self.classifier).items()}

    def to_values(self) -> dict[str, Any]:
        return {"classifier": classifier_values(self.classifier)}


_Part = tuple[IntArray, IntArray, npt.NDArray[np.float64], IntArray]


def _parse(search: BatchSearch, states: ParserStates, sentences: Sentences, how: Search) -> _Part:
    """Heads, labels, signals and tags of some sentences."""
    beams: list[Hypotheses] = []
    if how.beam == 1 and not how.signals:
        final = search.greedy(sentences)
    else:
        kept = search.beam(sentences, how.beam, beams if how.signals else None)
        final = kept.state[first_of_each(kept.sentence)[1]]
    heads, labels = states.trees(final)
    for listener in search.listeners:
        _notify(listener, states, final)
    signals = signals_of(search, states, beams, final) if how.signals else np.zeros((0, 0))
    return heads, labels, signals, _tags(search.classifier, states, final)


def _tags(classifier: Classifier, states: ParserStates, final: IntArray) -> IntArray:
    """(words, columns) The tags of sentences, if the classifier predicts any."""
    if isinstance(states, JointActionStates):
        return states.tags_of(final)[:, None]
    columns = tag_columns(classifier)
    return classifier.current_tags() if columns else np.zeros((0, 0), dtype=np.int32)


def _notify(listener: SearchListener, states: ParserStates, final: IntArray) -> None:
    listener.after_search(states, final)


def _joined(
    treebank: Treebank, sentences: Sequence[Sentences], parts: Sequence[_Part], signals: bool, classifier: Classifier
) -> SearchResult:
    """What was found in groups of sentences, in the order of the treebank."""

    def placed(column: int, empty: npt.NDArray[Any]) -> Any:
        return _placed(treebank, sentences, [part[column] for part in parts], empty)

    none = np.zeros(0, dtype=np.int32)
    columns = len(tag_columns(classifier))
    return SearchResult(
        placed(0, none),
        placed(1, none),
        np.zeros(0, dtype=np.int64),
        placed(2, np.zeros((0, parts[0][2].shape[1]))) if signals and parts else np.zeros((0, 5)),
        placed(3, np.zeros((0, columns), dtype=np.int32)) if columns else None,
    )


def _placed(
    treebank: Treebank, sentences: Sequence[Sentences], parts: Sequence[npt.NDArray[Any]], empty: npt.NDArray[Any]
) -> Any:
    """Rows for the words of groups of sentences, in the order of the treebank."""
    offsets = treebank.offsets
    words = [np.arange(offsets[number], offsets[number + 1]) for some in sentences for number in some.tolist()]
    place = np.concatenate([np.zeros(0, dtype=np.int64), *words])
    found = np.concatenate([empty, *parts])
    ordered = np.empty_like(found)
    ordered[place[: len(found)]] = found
    return ordered
