"""How a classifier learns from batches of states: locally, step by step, or from pairs of derivations of a beam."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser._arrays import IntArray
from panparser.errors import StrategyError
from panparser.learning.strategies import Strategy
from panparser.parsing.batch.search import BatchSearch, Hypotheses, Sentences, cut, first_of_each
from panparser.parsing.models.classifier import Classifier


@dataclass(frozen=True)
class Pair:
    """An update, as listeners hear of it: actions from the initial state."""

    sentence: int  # among those that were started
    positive: IntArray
    negative: IntArray
    positive_score: float
    negative_score: float
    started: int


Hear = Callable[[list[Pair], bool], None]  # before and after updates


def is_local(strategy: Strategy, beam: int) -> bool:
    """Does a classifier learn step by step? StrategyError names strategies by which it cannot learn at all."""
    for name, known in (("horizon", (None,)), ("focus", (1.0,)), ("positive", ("best-scoring",))):
        if (value := getattr(strategy, name)) not in known:
            raise StrategyError(f"{name} of Strategy must be {known[0]} where a classifier learns; got {value!r}")
    if beam == 1 and strategy.update_at == "first-violation" and strategy.restart in ("pair", "random-correct"):
        return True
    if strategy.restart in ("none", "pair") and strategy.update_at != "longest-prefix":
        return False
    raise StrategyError(
        "a classifier learns without restart or with restart from the pair (early-update, max-violation, ...), or, "
        "with a beam of 1, from each step (static, dynamic, dynamic-ambiguity, dynamic-explore); "
        f"got update_at={strategy.update_at!r}, restart={strategy.restart!r} and a beam of {beam}"
    )


class BatchLearner:
    """One classifier, and how it learns by a strategy."""

    def __init__(self, search: BatchSearch, beam: int) -> None:
        self.search = search
        self.states = search.states
        self.classifier: Classifier = search.classifier
        self.beam = beam
        self.words = 0
        self.updates = 0

    def learn(
        self, sentences: Sentences, strategy: Strategy, exploration: float, rng: np.random.Generator, hear: Hear | None
    ) -> None:
        """Learns from some sentences."""
        if is_local(strategy, self.beam):
            self._learn_steps(sentences, strategy, exploration, rng, hear)
        else:
            self._learn_pairs(sentences, strategy, exploration, rng, hear)
        self.classifier.end(self.states)
        self.words += int(self.states.lengths.sum())

    # --- Step by step: with a beam of 1, Goldberg & Nivre 2012, Algorithms 2 and 3, many sentences at a time ---

    def _learn_steps(
        self, sentences: Sentences, strategy: Strategy, exploration: float, rng: np.random.Generator, hear: Hear | None
    ) -> None:
        self.search.start(sentences)
        while count := len(self.states):
            rows = np.arange(count, dtype=np.int32)
            scores = self.search.scores()
            gold = self._gold(strategy, scores)
            predicted = scores.argmax(axis=1).astype(np.int32)
            positive = np.where(gold, scores, -np.inf).argmax(axis=1).astype(np.int32)
            wrong = ~gold[rows, predicted]
            explores = rng.random(count) < exploration
            correct = positive
            if strategy.restart == "random-correct":
                correct = np.where(gold, rng.random(gold.shape), -1).argmax(axis=1).astype(np.int32)
            actions = np.where(wrong & ~explores, correct, predicted)
            labels = self.search.choose_labels(rows, actions)
            pairs = self._step_pairs(rows[wrong], positive, predicted, scores) if hear else []
            if hear:
                hear(pairs, False)
            self.classifier.update(self.states, gold)
            self._learn_labels(rows, actions)
            if hear:
                hear(pairs, True)
            self.updates += int(wrong.sum())
            self.states.apply(actions, labels)

    def _gold(self, strategy: Strategy, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """(rows, actions) What is correct."""
        if strategy.oracle == "static":
            numbers = np.arange(len(self.states.system.transitions))
            return np.equal(numbers, self.search.static_actions(scores)[:, None])
        costs = self.states.costs()
        least: IntArray = costs.min(axis=1, keepdims=True)
        return np.equal(costs, least)

    def _step_pairs(self, rows: IntArray, positive: IntArray, negative: IntArray, scores: Any) -> list[Pair]:
        owners, numbers = self.states.sentence_index, self.states.ids
        pairs = []
        for row in rows.tolist():
            _, before = self.states.derivation(int(numbers[row]))
            good, bad = positive[row], negative[row]
            derivations = np.append(before, good), np.append(before, bad)
            pairs.append(Pair(int(owners[row]), *derivations, scores[row, good], scores[row, bad], len(before)))
        return pairs

    def _learn_labels(self, rows: IntArray, actions: IntArray) -> None:
        if not self.states.labels.names:
            return
        labels = self.states.gold_labels(rows, actions)
        known = np.flatnonzero(labels >= 0)
        if len(known):
            self.classifier.update_labels(self.states, rows[known], actions[known], labels[known])

    # --- From pairs: Aufrant & Wisniewski 2018, Algorithms 1 to 3, many sentences at a time ---

    def _learn_pairs(
        self, sentences: Sentences, strategy: Strategy, exploration: float, rng: np.random.Generator, hear: Hear | None
    ) -> None:
        start = self.search.start(sentences)
        while len(start := start.take(~start.is_final)):
            found = self._search_pairs(start, strategy)
            self._learn_from(found, start, strategy.restart != "none", hear)
            again = found.wrong if strategy.restart == "pair" else found.wrong[:0]
            explores = rng.random(len(again)) < exploration
            state = np.where(explores, found.negative[again], found.positive[again])
            zeros = np.zeros(len(again), dtype=np.int32)
            start = Hypotheses(again, state, np.zeros(len(again)), zeros, self.states.is_final(state))

    def _learn_from(self, found: _Violations, start: Hypotheses, restarts: bool, hear: Hear | None) -> None:
        """All updates of one search."""
        paths, pairs = [], []
        lengths = {s: len(self.states.derivation(i)[0]) for s, i in zip(start.sentence, start.state, strict=True)}
        for sentence in found.wrong.tolist():
            good = self.states.derivation(found.positive[sentence])
            bad = self.states.derivation(found.negative[sentence])
            paths += _apart(good, bad)
            good_score, bad_score = found.scores[sentence].tolist()
            pairs.append(Pair(sentence, good[1], bad[1], good_score, bad_score, lengths[sentence]))
        if hear:
            hear(pairs, False)
        if self.states.labels.names:
            # All that is known to be correct teaches labels, unless the search comes by there again.
            is_wrong = found.positive != found.negative
            correct = np.where(is_wrong & restarts, found.positive, found.correct)
            known = [(self.states.derivation(correct[sentence]), length) for sentence, length in lengths.items()]
            self._learn_labels_along([(states[length:], actions[length:]) for (states, actions), length in known])
        if paths:
            before, actions, signs = (np.concatenate(column) for column in zip(*paths, strict=True))
            self.states.select(before)
            self.classifier.update_pair(self.states, actions, signs)
        if hear:
            hear(pairs, True)
        self.updates += len(pairs)

    def _learn_labels_along(self, derivations: list[tuple[IntArray, IntArray]]) -> None:
        before, actions = (np.concatenate(column) for column in zip(*derivations, strict=True))
        self.states.select(before)
        self._learn_labels(np.arange(len(before), dtype=np.int32), actions)

    def _search_pairs(self, start: Hypotheses, strategy: Strategy) -> _Violations:
        """Searches with a beam; beside it goes what is correct, for sentences that have nothing correct left in it."""
        beam, beside = start, start.take(slice(0))
        found = _Violations(len(self.states.started), strategy)
        while not (beam.is_final.all() and beside.is_final.all()):
            both = Hypotheses.join(beam, beside)
            candidates = self.search.expand(both, strategy.oracle)
            in_beam, correct = candidates.source < len(beam), candidates.loss == 0
            kept = cut(candidates.take(in_beam), self.beam)
            lost = found.lost(kept.sentence, kept.sentence[kept.loss == 0])
            rescued = cut(candidates.take(correct & in_beam & lost[candidates.sentence]), None)
            going = cut(candidates.take(correct & ~in_beam), self.beam)
            made = self.search.make(both, type(kept).join(kept, rescued, going))
            beam, beside = made.take(slice(len(kept))), made.take(slice(len(kept), None))
            found.look(beam, beside, lost)
            if strategy.update_at == "first-violation":
                beam, beside = beam.take(~found.fallen[beam.sentence]), beside.take(slice(0))
        return found


class _Violations:
    """Of each sentence the pair to learn from, as far as the search has come; states are -1 where there was none."""

    def __init__(self, sentences: int, strategy: Strategy) -> None:
        self.update_at = strategy.update_at
        self.fallen = np.zeros(sentences, dtype=np.bool_)  # nothing correct is left in the beam
        self.positive, self.negative, self.correct = np.full((3, sentences), -1, dtype=np.int32)
        self.scores = np.zeros((sentences, 2))  # of the positive and the negative state

    @property
    def wrong(self) -> IntArray:
        """The sentences with something to learn from."""
        return np.flatnonzero(self.positive != self.negative).astype(np.int32)

    def lost(self, sentences: IntArray, correct: IntArray) -> npt.NDArray[np.bool_]:
        """Which of the sentences of a beam have just lost all that is correct."""
        lost = np.zeros(len(self.fallen), dtype=np.bool_)
        lost[sentences] = True
        lost[correct] = False
        return lost & ~self.fallen

    def look(self, beam: Hypotheses, beside: Hypotheses, lost: npt.NDArray[np.bool_]) -> None:
        """Takes the pairs of this step where they are better to learn from than those before."""
        inside = beam.take((beam.loss == 0) & ~(self.fallen | lost)[beam.sentence])
        sentences, top = first_of_each(beam.sentence)
        good = Hypotheses.join(inside, beside)
        owners, first = first_of_each(good.sentence)
        assert np.array_equal(owners, sentences)  # some action is always correct
        negative, positive = beam.take(top), good.take(first)
        gap, before = negative.score - positive.score, self.scores[sentences, 1] - self.scores[sentences, 0]
        better = {"max-violation": gap > before, "latest-violation": gap >= 0, "end": True, "first-violation": False}
        chosen = np.where(self.fallen[sentences], better[self.update_at], True)
        at = sentences[chosen]
        self.correct[sentences] = positive.state  # the best that is correct, at the last step
        self.positive[at], self.negative[at] = positive.state[chosen], negative.state[chosen]
        self.scores[at, 0], self.scores[at, 1] = positive.score[chosen], negative.score[chosen]
        self.fallen |= lost


def _apart(
    good: tuple[IntArray, IntArray], bad: tuple[IntArray, IntArray]
) -> list[tuple[IntArray, IntArray, IntArray]]:
    """What two derivations do not share: states, actions, and +1 or -1 for each."""
    least = min(len(good[0]), len(bad[0]))
    same = (good[0][:least] == bad[0][:least]) & (good[1][:least] == bad[1][:least])
    shared = least if same.all() else int(same.argmin())
    return [
        (states[shared:], actions[shared:], np.full(len(states) - shared, sign, dtype=np.int32))
        for (states, actions), sign in ((good, 1), (bad, -1))
    ]
