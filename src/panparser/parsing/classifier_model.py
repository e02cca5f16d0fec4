"""A classifier as the model of a parser, and its signals of confidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.types import FloatArray, IntArray
from panparser.batches.batch_search import BatchSearch, ClassifierPool, Hypotheses, Sentences, batches_of, first_of_each
from panparser.batches.classifier import (
    CLASSIFIER_PREFIX,
    Classifier,
    checked_arrays,
    classifier_values,
    has_method,
    tag_columns,
)
from panparser.errors import ModelError
from panparser.features.vectors import WordVectors
from panparser.learning.layers import Labels, Layer
from panparser.learning.listeners import SearchListener
from panparser.parsing.joint_states import JointActionStates
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.model_protocol import RawTree, Search, SearchResult
from panparser.parsing.python_states import ParserStates, states_of, with_joint_actions
from panparser.parsing.spec import ParserSpec
from panparser.parsing.voters import Voter
from panparser.treebank.conllu import parse_conllu
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

NO_RIVAL = float(_engine.NO_RIVAL)
ARC, LEAST, LABEL, RIVAL, TREE = map(int, _engine.Signal)  # defined in confidence.hpp of the engine


def signals_of(search: BatchSearch, states: ParserStates, beams: list[Hypotheses], final: IntArray) -> FloatArray:
    """(words of the started sentences, signals) `final` are the states that won, one for each sentence."""
    offsets = np.concatenate([[0], np.cumsum(states.lengths)])
    signals = np.full((int(offsets[-1]), len(_engine.Signal)), NO_RIVAL)
    arcs = _made_arcs(states, beams)
    for sentence, state in enumerate(final.tolist()):
        own = signals[offsets[sentence] : offsets[sentence + 1]]
        before, actions = states.derivation(state)
        if len(before):
            path = [*before.tolist()[1:], state]
            heads = _heads(arcs, path)
            _read_actions(search, states, before, actions, own)
            _read_beams(states, beams, sentence, path, heads, arcs, own)
            own[[word - 1 for word in range(1, len(own) + 1) if word not in heads]] = NO_RIVAL
    return signals


def _made_arcs(states: ParserStates, beams: list[Hypotheses]) -> dict[int, tuple[int, int]]:
    """By state: head and dependent of the arc that its last action made."""
    numbers = np.unique(np.concatenate([beam.state for beam in beams]))
    made = {}
    for number in numbers.tolist():
        before, actions = states.derivation(number)
        if len(before):
            made[number] = (int(before[-1]), int(actions[-1]))
    parents = np.array([parent for parent, _ in made.values()], dtype=np.int32)
    taken = np.array([action for _, action in made.values()], dtype=np.int32)
    if not len(parents):
        return {}
    states.select(parents)
    heads, dependents = states.arcs(np.arange(len(parents), dtype=np.int32), taken)
    found = zip(made, heads.tolist(), dependents.tolist(), strict=True)
    return {number: (head, dependent) for number, head, dependent in found if head >= 0 and dependent > 0}


def _heads(arcs: dict[int, tuple[int, int]], path: list[int]) -> dict[int, int]:
    """By word, the head that the states of a derivation gave it."""
    return {arcs[state][1]: arcs[state][0] for state in path if state in arcs}


def _read_actions(
    search: BatchSearch, states: ParserStates, before: IntArray, actions: IntArray, own: FloatArray
) -> None:
    """Margins of the action that made each arc, of the actions while its word waited, and of its label."""
    states.select(before)
    rows = np.arange(len(before), dtype=np.int32)
    scores = search.scores()
    won = scores[rows, actions]
    others = scores.copy()
    others[rows, actions] = -np.inf
    best = others.max(axis=1)
    margins = np.where(np.isfinite(best), won - np.where(np.isfinite(best), best, 0), NO_RIVAL)
    looked = states.positions(("S0", "B0")).copy()
    heads, dependents = states.arcs(rows, actions)
    labels = _label_margins(search, states, rows, actions, heads)
    last = {int(word): row for row, word in enumerate(dependents) if heads[row] >= 0 and word > 0}
    for word, row in last.items():
        waited = [margins[step] for step in range(row) if word in looked[step]]
        own[word - 1, ARC] = margins[row]
        own[word - 1, LEAST] = min([*waited, margins[row]])
        own[word - 1, LABEL] = labels[row]


def _label_margins(
    search: BatchSearch, states: ParserStates, rows: IntArray, actions: IntArray, heads: IntArray
) -> FloatArray:
    margins = np.full(len(rows), NO_RIVAL)
    if not states.labels.names:
        return margins
    made = np.flatnonzero(heads >= 0)
    if len(made):
        legal = states.legal_labels(rows[made], actions[made])
        scores = np.where(legal, search.classifier.score_labels(states, rows[made], actions[made]), -np.inf)
        ordered = np.sort(scores, axis=1)
        two = (legal.sum(axis=1) > 1) & (scores.shape[1] > 1)
        margins[made[two]] = ordered[two, -1] - ordered[two, -2]
    return margins


def _read_beams(
    states: ParserStates,
    beams: list[Hypotheses],
    sentence: int,
    path: list[int],
    heads: dict[int, int],
    arcs: dict[int, tuple[int, int]],
    own: FloatArray,
) -> None:
    """Margins over hypotheses that gave a word another head at any time, and over final trees with another head."""
    score_of = {int(s): float(x) for beam in beams for s, x in zip(beam.state, beam.score, strict=True)}
    winning = [0.0, *(score_of[state] for state in path)]
    seen: set[int] = set()
    for number, beam in enumerate(beams):
        for state, score in _of_sentence(beam, sentence):
            if state in seen:
                continue
            seen.add(state)
            gap = winning[min(number, len(path))] - score
            for ancestor in [*states.derivation(state)[0].tolist(), state]:
                arc = arcs.get(ancestor)
                if arc is not None and heads.get(arc[1], arc[0]) != arc[0]:
                    own[arc[1] - 1, RIVAL] = min(own[arc[1] - 1, RIVAL], gap)
    for state, score in _of_sentence(beams[-1], sentence):
        theirs = _heads(arcs, [*states.derivation(state)[0].tolist(), state])
        for word, head in heads.items():
            if theirs.get(word) != head:
                own[word - 1, TREE] = min(own[word - 1, TREE], winning[-1] - score)


def _of_sentence(beam: Hypotheses, sentence: int) -> list[tuple[int, float]]:
    chosen = beam.sentence == sentence
    return list(zip(beam.state[chosen].tolist(), beam.score[chosen].tolist(), strict=True))


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
        return with_joint_actions(states, self.classifier)

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
