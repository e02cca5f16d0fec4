"""Beams: the hypotheses of a search step by step, those that fell off, and what they lost."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.types import IntArray
from panparser.batches.classifier import Classifier
from panparser.batches.item_states import MAX_ACTIONS
from panparser.errors import NoLegalTransitionError, SpecError
from panparser.inspection.derivations import Derivations, inside, network, units
from panparser.parsing.engine_model import LayerScores, PerceptronModel
from panparser.parsing.parser import Parser
from panparser.treebank.treebank import Treebank

Scores = npt.NDArray[np.float64]
_NAMED = 12  # legal actions that a message names
_FALLEN = 4  # of a step: how many of those that fell off are kept, the best ones


@dataclass(frozen=True)
class Hypothesis:
    """A candidate for the beam: a step from a hypothesis of the beam before, or that hypothesis as it was."""

    rank: int  # its place in the beam; -1: it fell off
    source: int  # its place in the beam before
    action: str | None  # None: its derivation was complete
    score: float  # of the whole derivation
    loss: int | None  # what the derivation has lost, if there is a gold tree
    is_final_path: bool  # does the best derivation of all begin like this?

    @property
    def is_kept(self) -> bool:
        return self.rank >= 0


@dataclass(frozen=True)
class LiveHypothesis:
    state: int
    score: float
    loss: int
    is_final: bool


def beams(derivations: Derivations, width: int) -> list[list[Hypothesis]] | None:
    """The beam after each step of the one sentence of `derivations`, best first, then the best that fell off.

    Other derivations may take longer than the best; then there are more beams than steps. None if the search, repeated
    here step by step, ends elsewhere.
    """
    with _searching(derivations, width) as search:
        made = list(search.run())
    return search.hypotheses(made) if np.array_equal(search.best[1], derivations.steps) else None


def continued(
    parser: Parser, treebank: Treebank, width: int, actions: Sequence[str]
) -> tuple[Derivations, list[list[Hypothesis]]]:
    """How a sentence is derived from some first actions on, and the beam after each step.

    Until these actions are taken, the beam has one hypothesis. Raises SpecError if one of them is not legal.
    """
    none = np.zeros(0, dtype=np.int32)
    derivations = Derivations(parser, treebank, np.zeros(2, dtype=np.int64), none, none)
    with _searching(derivations, width) as search:
        made = list(search.run(actions))
    states, steps = search.best
    labels = np.array([search.labels[state] for state in states[1:].tolist()], dtype=np.int32)
    offsets = np.array([0, len(steps)], dtype=np.int64)
    return Derivations(parser, treebank, offsets, steps, labels), search.hypotheses(made)


@contextmanager
def _searching(derivations: Derivations, width: int) -> Iterator[_Search]:
    """Yield a search that has its classifier to itself."""
    model = network(derivations.parser)
    if model is None:
        yield _Search(derivations, width, _Weights(derivations))
        return
    with model.pool.take() as classifier:
        yield _Search(derivations, width, classifier)


_Row = tuple[int, int, int, float, int | None, int]  # rank, source, step, score, loss, state


class _Search:
    """The search of a parser, which the engine or a classifier does, in slow and readable form."""

    def __init__(self, derivations: Derivations, width: int, scores: Classifier | _Weights) -> None:
        self.parser, self.width = derivations.parser, width
        self.name = self.parser.spec.system.step_name
        treebank = derivations.treebank
        self.has_gold = bool((treebank.heads >= 0).all()) and self.parser.spec.system.has_oracle
        self.states: Any = derivations.batch(gold=self.has_gold)
        model = network(self.parser)
        self.unit = 1.0 if model else units(self.parser)[0]
        self.scores: Any = scores
        if model:
            self.states = model.states(treebank)
            if self.has_gold:
                self.costs = derivations.batch(gold=True)
        self.live: list[LiveHypothesis] = []
        self.labels: dict[int, int] = {}  # of the arc that led to a state; -1: none

    @property
    def best(self) -> tuple[IntArray, IntArray]:
        """The states of the best derivation, from the first to the last, and its steps."""
        last = self.live[0].state
        before, steps = self.states.derivation(last)
        return np.array([*before.tolist(), last], dtype=np.int32), steps

    def hypotheses(self, made: list[list[_Row]]) -> list[list[Hypothesis]]:
        """The beams, now that it is known which hypothesis became best."""
        path = set(self.best[0].tolist())
        return [
            [
                Hypothesis(rank, source, None if step < 0 else self.name(step), score / self.unit, loss, state in path)
                for rank, source, step, score, loss, state in beam
            ]
            for beam in made
        ]

    def run(self, actions: Sequence[str] = ()) -> Iterator[list[_Row]]:
        """The beam after each step; the first ones are given."""
        self.states.start(np.zeros(1, dtype=np.int64))
        self.scores.start_batch(self.states)
        self.live = [LiveHypothesis(0, 0.0, 0, bool(self.states.is_final(np.zeros(1, dtype=np.int32))[0]))]
        for number in range(MAX_ACTIONS):
            if all(one.is_final for one in self.live):
                if number < len(actions):
                    raise SpecError(f"the derivation is complete after {number} actions; found {len(actions)}")
                return
            yield self._advance((number + 1, actions[number]) if number < len(actions) else None)
        raise NoLegalTransitionError(f"{self.parser.spec.system.name}: no end after {MAX_ACTIONS} steps")

    def _advance(self, given: tuple[int, str] | None) -> list[_Row]:
        candidates, rows = self._candidates()
        order = sorted(range(len(candidates)), key=lambda i: -candidates[i][2])  # ties keep their order
        kept = order[: self.width]
        if isinstance(self.parser.model, PerceptronModel) and self.parser.pruning_margin is not None:
            least = candidates[order[0]][2] - self.parser.pruning_margin
            kept = [i for i in kept if candidates[i][2] >= least]
        if given is not None:
            kept = [self._given(candidates, *given)]
        rest = [i for i in order if i not in kept]
        fallen = rest[:_FALLEN]
        if self.has_gold:  # the best derivation that lost nothing, if there is one, is of interest
            fallen += [i for i in rest[_FALLEN:] if candidates[i][3] == 0][:1]
        self.live = self._make(candidates, rows, kept)
        states = [(rank, one.state) for rank, one in enumerate(self.live)] + [(-1, -1)] * len(fallen)
        return [
            (rank, *candidates[i][:3], self._loss(candidates[i]), state)
            for i, (rank, state) in zip(kept + fallen, states, strict=True)
        ]

    def _given(self, candidates: list[tuple[int, int, float, int]], number: int, action: str) -> int:
        """The candidate that takes a given action."""
        names = [self.name(step) for _, step, _, _ in candidates]
        if action not in names:
            legal = ", ".join(names[:_NAMED]) + (", ..." if len(names) > _NAMED else "")
            raise SpecError(f"action {number}: expected one that is legal, {legal}; got {action!r}")
        return names.index(action)

    def _loss(self, candidate: tuple[int, int, float, int]) -> int | None:
        return candidate[3] if self.has_gold else None

    def _candidates(self) -> tuple[list[tuple[int, int, float, int]], list[int]]:
        """Source, step, score and loss of each possible next step; and its row in the batch."""
        open_ = np.array([one.state for one in self.live if not one.is_final], dtype=np.int32)
        self.states.select(open_)
        ids, focus = self.states.ids.tolist(), self.states.focus
        scores = np.array(self.scores.score(self.states), dtype=np.float64)
        legal = self.states.legal().copy()
        costs = self._costs(open_) if self.has_gold else np.zeros(legal.shape, dtype=np.int32)
        candidates, rows = [], []
        for source, one in enumerate(self.live):
            if one.is_final:
                candidates.append((source, -1, one.score, one.loss))
                rows.append(-1)
                continue
            own = [row for row, state in enumerate(ids) if state == one.state]
            least = min(int(costs[row][legal[row]].min()) for row in own if legal[row].any())
            for row in own:
                for action in np.flatnonzero(legal[row]).tolist():
                    step = max(int(focus[row]), 0) * _engine.MAX_ROWS + action
                    loss = one.loss + int(costs[row, action]) - least
                    candidates.append((source, step, one.score + float(scores[row, action]), loss))
                    rows.append(row)
        return candidates, rows

    def _costs(self, states: IntArray) -> IntArray:
        if not hasattr(self, "costs"):
            found: IntArray = self.states.costs().copy()
            return found
        return np.concatenate([self._replayed(state) for state in states.tolist()])

    def _replayed(self, state: int) -> IntArray:
        """(1, actions) The costs in a state, of a batch that has the gold tree."""
        _, steps = self.states.derivation(state)
        self.costs.start(np.zeros(1, dtype=np.int64))
        for step in steps.tolist():
            self.costs.apply(np.array([step], dtype=np.int32))
        found: IntArray = self.costs.costs().copy()
        return found

    def _make(
        self, candidates: list[tuple[int, int, float, int]], rows: list[int], kept: list[int]
    ) -> list[LiveHypothesis]:
        new = [i for i in kept if rows[i] >= 0]
        at = np.array([rows[i] for i in new], dtype=np.int32)
        actions = np.array([candidates[i][1] % _engine.MAX_ROWS for i in new], dtype=np.int32)
        labels = self._labels(at, actions)
        after = self.states.apply(actions, labels, at)
        states = dict(zip(new, after.tolist(), strict=True))
        self.labels |= dict(zip(after.tolist(), [-1] * len(new) if labels is None else labels.tolist(), strict=True))
        final = dict(zip(new, self.states.is_final(after).tolist(), strict=True))
        return [
            LiveHypothesis(states[i], *candidates[i][2:], final[i]) if i in states else self.live[candidates[i][0]]
            for i in kept
        ]

    def _labels(self, rows: IntArray, actions: IntArray) -> IntArray | None:
        """The best label for the arc that each action makes in its row, -1 where none; None without labels."""
        if not self.parser.labels.names:
            return None
        legal = self.states.legal_labels(rows, actions)
        labels = np.full(len(rows), -1, dtype=np.int32)
        arcs = np.flatnonzero(legal.any(axis=1))
        if len(arcs):
            scores = self.scores.score_labels(self.states, rows[arcs], actions[arcs])
            labels[arcs] = np.where(legal[arcs], scores, -np.inf).argmax(axis=1)
        return labels


class _Weights:
    """A perceptron's weights, those of vectors too."""

    def __init__(self, derivations: Derivations) -> None:
        parser = derivations.parser
        assert isinstance(parser.model, PerceptronModel)
        self.layers = LayerScores(parser.model)
        self.engine = inside(parser)
        self.addresses = [t.atoms[0].addresses[0] for t in parser.spec.used_templates if t.is_vector]
        forms = derivations.treebank.column("form")
        rows = parser.vectors.rows(derivations.treebank)[forms] if parser.vectors and self.addresses else ()
        self.rows = np.array([-1, *rows], dtype=np.int32)  # by word; Root has none

    def start_batch(self, states: Any) -> None:
        pass

    def score(self, states: Any) -> Scores:
        scores = self.layers.score(states).astype(np.float64)
        for number, rows in enumerate(self._vectors(states)):
            own = np.flatnonzero(rows >= 0)
            found = self.engine.vector_action_weights(number, np.ascontiguousarray(rows[own]))
            scores[own] += found.reshape(len(own), scores.shape[1])
        return scores

    def score_labels(self, states: Any, rows: IntArray, actions: IntArray) -> Scores:
        scores = self.layers.score_labels(states, rows, actions).astype(np.float64)
        for number, every in enumerate(self._vectors(states)):
            if not self.engine.label_vectors[number]:
                continue
            for place, (row, action) in enumerate(zip(every[rows].tolist(), actions.tolist(), strict=True)):
                if row >= 0:
                    one = np.array([row], dtype=np.int32)
                    scores[place] += self.engine.vector_label_weights(number, action, one)
        return scores

    def _vectors(self, states: Any) -> list[IntArray]:
        """By address of a vector: its row for each row of the batch, -1 where there is no word."""
        if not self.addresses:
            return []
        words = states.positions(self.addresses)
        return [np.where(words[:, i] > 0, self.rows[np.maximum(words[:, i], 0)], -1) for i in range(words.shape[1])]
