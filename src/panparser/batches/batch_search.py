"""Greedy and beam search through a batch of states, scored by a classifier: the same search for every kind of state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.types import IntArray
from panparser.batches.classifier import Classifier, checked_arrays, checked_scores, has_method, revived
from panparser.batches.item_states import MAX_ACTIONS, States
from panparser.errors import BatchError, NoLegalTransitionError
from panparser.learning.listeners import SearchListener

Scores = npt.NDArray[np.float64]
Oracle = Literal["static", "dynamic"]
Sentences = npt.NDArray[np.int64]
T = TypeVar("T", bound="ColumnTable")


class ColumnTable:
    """Arrays of one length, side by side."""

    def __len__(self) -> int:
        return len(next(iter(vars(self).values())))

    def take(self: T, chosen: Any) -> T:
        """Some of the rows: by mask, slice or indices."""
        return type(self)(**{name: array[chosen] for name, array in vars(self).items()})

    @classmethod
    def join(cls: type[T], *parts: T) -> T:
        names = [f.name for f in fields(cls)]  # type: ignore[arg-type]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


@dataclass(frozen=True)
class Hypotheses(ColumnTable):
    """Scored states; those of a sentence stand together, best first."""

    sentence: IntArray
    state: IntArray
    score: Scores
    loss: IntArray  # correct attachments lost since the search began
    is_final: npt.NDArray[np.bool_]
    violations: IntArray  # of constraints, since the sentence began


@dataclass(frozen=True)
class StepCandidates(ColumnTable):
    """Possible next steps: an action in a row of the batch; a final hypothesis is kept as it is (row and action -1)."""

    source: IntArray  # in the hypotheses
    row: IntArray
    action: IntArray
    sentence: IntArray
    score: Scores
    loss: IntArray
    violations: IntArray


class ClassifierPool:
    """Classifiers with the same weights, one for each search: what a classifier keeps from call to call is its own.

    A classifier that can be copied without its weights stays as it is. Any other serves one search itself; copies, made
    from its arrays, serve the searches of other threads.
    """

    def __init__(self, classifier: Classifier) -> None:
        self._classifier = classifier
        self._is_shared = has_method(classifier, "copy_shared")
        self._idle = [] if self._is_shared else [classifier]

    @contextmanager
    def take(self) -> Iterator[Classifier]:
        """Yield a classifier that no other search has until the block ends."""
        try:
            classifier = self._idle.pop()
        except IndexError:
            classifier = self._classifier.copy_shared() if self._is_shared else revived(self._classifier, *self._stored)
        try:
            yield classifier
        finally:
            self._idle.append(classifier)

    @cached_property
    def _stored(self) -> tuple[dict[str, npt.NDArray[Any]], dict[str, Any]]:
        return checked_arrays(self._classifier), self._classifier.to_values()


class BatchSearch:
    """Steps the states of many sentences together, with a classifier that no other search has meanwhile."""

    def __init__(self, states: States, classifier: Classifier, listeners: Sequence[SearchListener] = ()) -> None:
        self.states = states
        self.classifier = classifier
        self.listeners = listeners

    def start(self, sentences: Sentences) -> Hypotheses:
        """The initial states of some sentences."""
        self.states.start(sentences)
        self.classifier.start_batch(self.states)
        count = len(sentences)
        numbers = np.arange(count, dtype=np.int32)
        zeros = np.zeros(count, dtype=np.int32)
        return Hypotheses(numbers, numbers, np.zeros(count), zeros, self.states.is_final(numbers), zeros)

    def scores(self) -> Scores:
        """(rows, actions) The classifier's scores; minus infinity where illegal."""
        found = self.classifier.score(self.states)
        legal = self.states.legal()  # after the classifier, which may have used the same memory
        scores = np.where(legal, checked_scores(self.classifier, "score", found, legal), -np.inf)
        for listener in self.listeners:
            changed = listener.on_scores(self.states, scores)
            if changed is not None:
                scores = _still_legal(changed, scores, listener)
        return scores

    def static_actions(self, scores: Scores) -> IntArray:
        """(rows) The static oracle's action; where heads are unknown, the best-scoring of those of least cost."""
        chosen = self.states.oracle()
        is_open = self.states.has_open_gold[self.states.started[self.states.sentence_index]]
        if is_open.any():
            costs = self.states.costs()[is_open]
            least = costs == costs.min(axis=1, keepdims=True)
            chosen[is_open] = np.where(least, scores[is_open], -np.inf).argmax(axis=1)
        return chosen

    def choose_labels(self, rows: IntArray, actions: IntArray) -> IntArray | None:
        """The best label for the arc that each action makes in its row, -1 where none; None without labels."""
        if not self.states.labels.names:
            return None
        legal = self.states.legal_labels(rows, actions)
        arcs = np.flatnonzero(legal.any(axis=1))
        labels = np.full(len(rows), -1, dtype=np.int32)
        if len(arcs):
            legal = legal[arcs]
            found = self.classifier.score_labels(self.states, rows[arcs], actions[arcs])
            scores = checked_scores(self.classifier, "score_labels", found, legal)
            labels[arcs] = np.where(legal, scores, -np.inf).argmax(axis=1)
        return labels

    def expand(self, hypotheses: Hypotheses, oracle: Oracle | None = None) -> StepCandidates:
        """All possible next steps; with an oracle, their losses. Calls the classifier once."""
        is_final = hypotheses.is_final
        live = np.flatnonzero(~is_final).astype(np.int32)
        self.states.select(hypotheses.state[live])
        scores = self.scores()
        lost = self.states.violations
        rows, actions = np.nonzero(np.isfinite(scores))
        sources = live[rows]
        losses = np.zeros(len(rows), dtype=np.int32)
        if oracle == "static":
            losses = (actions != self.static_actions(scores)[rows]).astype(np.int32)
        elif oracle == "dynamic":
            costs = self.states.costs()
            losses = (costs - costs.min(axis=1, keepdims=True))[rows, actions]
        done = np.flatnonzero(is_final).astype(np.int32)
        none = np.full(len(done), -1, dtype=np.int32)
        source = np.concatenate([sources, done])
        return StepCandidates(
            source=source,
            row=np.concatenate([rows.astype(np.int32), none]),
            action=np.concatenate([actions.astype(np.int32), none]),
            sentence=hypotheses.sentence[source],
            score=hypotheses.score[source] + np.concatenate([scores[rows, actions], np.zeros(len(done))]),
            loss=hypotheses.loss[source] + np.concatenate([losses, np.zeros(len(done), dtype=np.int32)]),
            violations=hypotheses.violations[source]
            + np.concatenate([lost[rows], np.zeros(len(done), dtype=np.int32)]),
        )

    def make(self, hypotheses: Hypotheses, candidates: StepCandidates) -> Hypotheses:
        """The hypotheses that candidates stand for, with the best label for each arc."""
        state = hypotheses.state[candidates.source]
        is_final = hypotheses.is_final[candidates.source]
        new = np.flatnonzero(candidates.action >= 0)
        rows, actions = candidates.row[new], candidates.action[new]
        state[new] = self.states.apply(actions, self.choose_labels(rows, actions), rows)
        is_final[new] = self.states.is_final(state[new])
        return Hypotheses(
            candidates.sentence, state, candidates.score, candidates.loss, is_final, candidates.violations
        )

    def greedy(self, sentences: Sentences) -> IntArray:
        """The final state of each of some sentences."""
        found = self.start(sentences).state
        while count := len(self.states):
            owners = self.states.sentence_index
            actions = self.scores().argmax(axis=1).astype(np.int32)
            found[owners] = self.states.apply(actions, self.choose_labels(np.arange(count, dtype=np.int32), actions))
        return found

    def beam(self, sentences: Sentences, width: int | None, beams: list[Hypotheses] | None = None) -> Hypotheses:
        """Complete derivations of some sentences, the best of each first; all of them if the width is None.

        `beams` collects the beam after each step.
        """
        beam = self.start(sentences)
        for _ in range(MAX_ACTIONS):
            if beams is not None:
                beams.append(beam)
            if beam.is_final.all():
                return beam
            beam = self.make(beam, cut(self.expand(beam), width))
        raise NoLegalTransitionError("a derivation does not end")

    def best(self, sentences: Sentences, width: int) -> IntArray:
        """The final state of the best derivation of each of some sentences."""
        if width == 1:
            return self.greedy(sentences)
        kept = self.beam(sentences, width)
        return kept.state[first_of_each(kept.sentence)[1]]


def _still_legal(changed: object, scores: Scores, listener: SearchListener) -> Scores:
    found = np.asarray(changed, dtype=np.float64)
    owner = f"on_scores of {type(listener).__name__}"
    if found.shape != scores.shape:
        raise BatchError(f"{owner} must return numbers of shape {scores.shape}; got {changed!r}")
    kept: Scores = np.where(np.isfinite(scores), found, -np.inf)
    if np.isnan(found).any() or np.isposinf(kept).any():
        raise BatchError(f"{owner} must return finite numbers, or minus infinity; got {changed!r}")
    if not np.isfinite(kept).any(axis=1).all():
        raise BatchError(f"{owner} must leave a legal action in every row")
    return kept


def cut(candidates: StepCandidates, width: int | None) -> StepCandidates:
    """The best of each sentence, best first; ties keep their order."""
    violations = (candidates.violations,) if candidates.violations.any() else ()
    order = np.lexsort((candidates.action, candidates.source, -candidates.score, *violations, candidates.sentence))
    if width is not None:
        sentences = candidates.sentence[order]
        rank = np.arange(len(order)) - np.searchsorted(sentences, sentences)
        order = order[rank < width]
    return candidates.take(order)


def first_of_each(sentences: IntArray) -> tuple[IntArray, npt.NDArray[np.intp]]:
    """The sentences, and where each comes first."""
    return np.unique(sentences, return_index=True)


def batches(numbers: Sequence[int] | Sentences, size: int) -> Iterator[Sentences]:
    """The numbers in batches of `size`."""
    for start in range(0, len(numbers), size):
        yield np.array(numbers[start : start + size], dtype=np.int64)


def batches_of(
    classifier: Classifier, numbers: Sentences, lengths: npt.NDArray[np.int64], *, learning: bool
) -> Iterator[Sentences]:
    """The numbers in batches as a classifier wants them."""
    if has_method(classifier, "batches"):
        return classifier.batches(numbers, lengths, learning=learning)
    return batches(numbers, classifier.batch)
