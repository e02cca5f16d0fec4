"""How a classifier learns from batches of states by a strategy: locally, step by step, or from pairs of derivations.

G&N 2012: Goldberg & Nivre, "A Dynamic Oracle for Arc-Eager Dependency Parsing". A&W 2018: Aufrant & Wisniewski,
"PanParser: a Modular Implementation for Efficient Transition-Based Dependency Parsing".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.progress import Random
from panparser.base.types import BoolArray, FloatArray, IntArray
from panparser.batches.batch_search import BatchSearch, Hypotheses, Sentences, cut
from panparser.batches.classifier import Classifier, FinalBeams, has_method
from panparser.learning.strategies import TrainingStrategy


@dataclass(frozen=True)
class UpdatePair:
    """An update as listeners see it: actions from the initial state."""

    sentence: int  # among those that were started
    positive: IntArray
    negative: IntArray
    positive_score: float
    negative_score: float
    started: int  # length of the derivation that the search started from


Notify = Callable[[list[UpdatePair], bool], None]  # before (False) and after (True) updates


def is_local(strategy: TrainingStrategy, beam: int, classifier: Classifier) -> bool:
    """Does the classifier learn step by step (`update`) rather than from pairs of derivations (`update_pair`)?"""
    steps = beam == 1 and strategy.update_at == "first-violation" and strategy.restart != "none"
    return steps and strategy.competitor == "best" and has_method(classifier, "update")


def needed_method(strategy: TrainingStrategy, beam: int, classifier: Classifier) -> str:
    """The method by which a classifier learns."""
    if strategy.competitor == "beam":
        return "update_beam"
    return "update" if is_local(strategy, beam, classifier) else "update_pair"


class BatchLearner:
    """Trains one classifier by a strategy."""

    def __init__(self, search: BatchSearch, beam: int, seed: int) -> None:
        self.search = search
        self.states = search.states
        self.classifier: Classifier = search.classifier
        self.beam = beam
        self.random = Random(seed)
        self.words = 0
        self.updates = 0

    def learn(
        self, sentences: Sentences, strategy: TrainingStrategy, exploration: float, notify: Notify | None
    ) -> None:
        """Learns from some sentences."""
        if is_local(strategy, self.beam, self.classifier):
            self._learn_steps(sentences, strategy, exploration, notify)
        elif self._is_in_lockstep(strategy, exploration, notify):
            self._learn_in_lockstep(sentences, strategy)
        else:
            self._learn_pairs(sentences, strategy, exploration, notify)
        self.classifier.end_batch(self.states)
        self.words += int(self.states.lengths.sum())

    # --- Step by step: with a beam of 1, G&N 2012, Algorithms 2 and 3, many sentences at a time ---

    def _learn_steps(
        self, sentences: Sentences, strategy: TrainingStrategy, exploration: float, notify: Notify | None
    ) -> None:
        self.search.start(sentences)
        while count := len(self.states):
            rows = np.arange(count, dtype=np.int32)
            scores = self.search.scores()
            gold = self._gold(strategy, scores)
            predicted = scores.argmax(axis=1).astype(np.int32)
            positive = np.where(gold, scores, -np.inf).argmax(axis=1).astype(np.int32)
            wrong = ~gold[rows, predicted]
            actions = predicted.copy()
            for row in np.flatnonzero(wrong):
                actions[row] = self._follow(strategy, exploration, scores[row], gold[row], positive[row])
            labels = self._choose_labels(rows, actions)
            pairs = self._step_pairs(rows[wrong], positive, predicted, scores) if notify else []
            if notify:
                notify(pairs, False)
            self.classifier.update(self.states, gold)
            self._learn_labels(rows, actions)
            if notify:
                notify(pairs, True)
            self.updates += int(wrong.sum())
            self.states.apply(actions, labels)

    def _follow(
        self, strategy: TrainingStrategy, exploration: float, scores: FloatArray, gold: BoolArray, positive: int
    ) -> int:
        """The action to follow after a wrong prediction."""
        predicted = int(scores.argmax())
        if strategy.restart == "beam":
            return predicted
        if strategy.restart == "sample":
            options = np.array([predicted, positive])
            return int(options[self._draw(scores[options], strategy.temperature)])
        if self.random.uniform() < exploration:
            return predicted
        if strategy.restart == "random-correct":
            correct = np.flatnonzero(gold)
            by_score = correct[np.argsort(-scores[correct], kind="stable")]
            return int(by_score[self.random.below(len(by_score))])
        return int(positive)

    def _draw(self, scores: FloatArray, temperature: float) -> int:
        """Samples a hypothesis by score; the first is the best."""
        shares = [math.exp((score - scores[0]) / (temperature * self.classifier.unit)) for score in scores.tolist()]
        at, sum_so_far = self.random.uniform() * sum(shares), 0.0
        for number, share in enumerate(shares):
            sum_so_far += share
            if at < sum_so_far:
                return number
        return len(shares) - 1

    def _gold(self, strategy: TrainingStrategy, scores: FloatArray) -> BoolArray:
        """(rows, actions) Is the action correct?"""
        if strategy.oracle == "static":
            numbers = np.arange(len(self.states.names))
            return np.equal(numbers, self.search.static_actions(scores)[:, None])
        costs = self.states.costs()
        least: IntArray = costs.min(axis=1, keepdims=True)
        return np.equal(costs, least)

    def _step_pairs(self, rows: IntArray, positive: IntArray, negative: IntArray, scores: Any) -> list[UpdatePair]:
        owners, numbers = self.states.sentence_index, self.states.ids
        pairs = []
        for row in rows.tolist():
            _, before = self.states.derivation(int(numbers[row]))
            good, bad = positive[row], negative[row]
            derivations = np.append(before, good), np.append(before, bad)
            pairs.append(UpdatePair(int(owners[row]), *derivations, scores[row, good], scores[row, bad], len(before)))
        return pairs

    @property
    def _has_labels(self) -> bool:
        return bool(self.states.labels.names) and getattr(self.classifier, "uses_previous_labels", True)

    def _choose_labels(self, rows: IntArray, actions: IntArray) -> IntArray | None:
        return self.search.choose_labels(rows, actions) if self._has_labels else None

    def _learn_labels(self, rows: IntArray, actions: IntArray) -> None:
        if not self._has_labels:
            return
        labels = self.states.gold_labels(rows, actions)
        known = np.flatnonzero(labels >= 0)
        if len(known):
            self.classifier.update_labels(self.states, rows[known], actions[known], labels[known])

    # --- From all of the beam: the same as from pairs, but no sentence waits for the searches of others ---

    def _is_in_lockstep(self, strategy: TrainingStrategy, exploration: float, notify: Notify | None) -> bool:
        """Can the engine's beams do it? The classifier must not change meanwhile."""
        plain = TrainingStrategy(competitor="beam", restart=strategy.restart, exploration=strategy.exploration)
        is_plain = strategy == plain and strategy.restart in ("none", "pair") and exploration == 0 and notify is None
        return (
            is_plain
            and getattr(self.classifier, "updates_in_batches", False)
            and hasattr(type(self.states), "start_beams")
        )

    def _learn_in_lockstep(self, sentences: Sentences, strategy: TrainingStrategy) -> None:
        states: Any = self.states
        self.search.start(sentences)
        states.start_beams(self.beam, restarts=strategy.restart == "pair")
        while len(states):
            rows, actions = states.choose_steps(self.search.scores())
            states.take_steps(self._choose_labels(rows, actions))
        self.updates += states.violated_searches
        if self._has_labels:
            before, steps = states.gold_steps()
            if len(before):
                states.select(before)
                self._learn_labels(steps.rows.astype(np.int32), steps.actions.astype(np.int32))
        before, beams = states.ambiguous_steps()
        if len(before):
            states.select(before)
            self.classifier.update_beam(states, beams)

    # --- From pairs: A&W 2018, Algorithms 1 to 3, many sentences at a time ---

    def _learn_pairs(
        self, sentences: Sentences, strategy: TrainingStrategy, exploration: float, notify: Notify | None
    ) -> None:
        start = self.search.start(sentences)
        while len(start := _unfinished(start)):
            unit = self._search_unit(start, strategy)
            chosen = [unit.choose(sentence, strategy, self.states) for sentence in unit.sentences]
            self._learn_from(unit, chosen, strategy, notify)
            again = [self._next_start(unit, pair, strategy, exploration) for pair in chosen]
            start = Hypotheses.join(start.take(slice(0)), *again)

    def _search_unit(self, start: Hypotheses, strategy: TrainingStrategy) -> SearchSegment:
        """Searches with a beam, and follows correct derivations beside it for sentences that lost all of theirs."""
        unit = SearchSegment(start, len(self.states.started))
        beam, beside = start, start.take(slice(0))
        while not (beam.is_final.all() and beside.is_final.all()) and not unit.is_over(strategy.search_horizon):
            both = Hypotheses.join(beam, beside)
            candidates = self.search.expand(both, strategy.oracle)
            in_beam, correct = candidates.source < len(beam), candidates.loss == unit.base[candidates.sentence]
            kept = cut(candidates.take(in_beam), self.beam)
            lost = unit.lost(kept.sentence, kept.sentence[kept.loss == unit.base[kept.sentence]])
            rescued = cut(candidates.take(correct & in_beam & lost[candidates.sentence]), None)
            going = cut(candidates.take(correct & ~in_beam), self.beam)
            made = self.search.make(both, type(kept).join(kept, rescued, going))
            beam, beside = made.take(slice(len(kept))), made.take(slice(len(kept), None))
            unit.add(beam, beside, lost)
            if strategy.update_at == "first-violation":
                beam, beside = beam.take(~unit.has_fallen[beam.sentence]), beside.take(slice(0))
        return unit

    def _learn_from(
        self, unit: SearchSegment, chosen: list[SelectedPairs], strategy: TrainingStrategy, notify: Notify | None
    ) -> None:
        """All updates of one search."""
        wrong = [pair for pair in chosen if pair.is_wrong]
        paths, pairs = [], []
        for pair in wrong:
            good, bad = (
                self.states.derivation(int(state)) for state in (pair.positive.state[0], pair.negative.state[0])
            )
            paths += _apart(good, bad, strategy.focus)
            scores = float(pair.positive.score[0]), float(pair.negative.score[0])
            pairs.append(UpdatePair(pair.sentence, good[1], bad[1], *scores, unit.started(pair.sentence, self.states)))
        if notify:
            notify(pairs, False)
        if self._has_labels:
            self._learn_labels_along([self._correct_path(unit, pair, strategy) for pair in chosen])
        if strategy.competitor == "beam":
            self._learn_beams(unit, chosen)
        elif paths:
            before, actions, signs = (np.concatenate(column) for column in zip(*paths, strict=True))
            self.states.select(before)
            self.classifier.update_pair(self.states, actions, signs)
        if notify:
            notify(pairs, True)
        self.updates += len(pairs)

    def _learn_beams(self, unit: SearchSegment, chosen: list[SelectedPairs]) -> None:
        """The correct derivations of each sentence against its beam, from where the search started."""
        paths: list[tuple[IntArray, IntArray]] = []
        owners, correct, searches = [], [], 0
        for pair in chosen:
            beam, gold = unit.beam(pair.step, pair.sentence), unit.gold(pair.step, pair.sentence)
            wrong = beam.state[~np.isin(beam.state, gold.state)]
            if not len(wrong):
                continue
            started = unit.started(pair.sentence, self.states)
            for state in (*gold.state.tolist(), *wrong.tolist()):
                before, actions = self.states.derivation(int(state))
                paths.append((before[started:], actions[started:]))
            owners += [searches] * (len(gold) + len(wrong))
            searches += 1
            correct += [True] * len(gold) + [False] * len(wrong)
        if not paths:
            return
        before, actions = (np.concatenate(column) for column in zip(*paths, strict=True))
        known, rows = np.unique(before, return_inverse=True)  # derivations share most of their states
        self.states.select(known)
        of_steps = np.repeat(np.arange(len(paths)), [len(actions) for _, actions in paths])
        beams = FinalBeams(rows, actions.astype(np.int64), of_steps, np.array(owners), np.array(correct))
        self.classifier.update_beam(self.states, beams)

    def _correct_path(
        self, unit: SearchSegment, pair: SelectedPairs, strategy: TrainingStrategy
    ) -> tuple[IntArray, IntArray]:
        """The correct path that labels are learned from, except for states that the search will visit again."""
        stops = not pair.is_wrong or strategy.restart == "none"
        last = unit.gold(unit.last_step(pair.sentence), pair.sentence) if stops else pair.positive
        before, actions = self.states.derivation(int(last.state[0]))
        started = unit.started(pair.sentence, self.states)
        return before[started:], actions[started:]

    def _learn_labels_along(self, derivations: list[tuple[IntArray, IntArray]]) -> None:
        before, actions = (np.concatenate(column) for column in zip(*derivations, strict=True))
        if len(before):
            self.states.select(before)
            self._learn_labels(np.arange(len(before), dtype=np.int32), actions)

    def _next_start(
        self, unit: SearchSegment, pair: SelectedPairs, strategy: TrainingStrategy, exploration: float
    ) -> Hypotheses:
        """The hypotheses that the next search starts from; none ends the sentence."""
        beam, gold = unit.beam(pair.step, pair.sentence), unit.gold(pair.step, pair.sentence)
        if not pair.is_wrong:
            is_cut = strategy.search_horizon is not None and not beam.is_final.all()
            return _fresh(pair.positive) if is_cut else beam.take(slice(0))
        if strategy.restart == "none":
            return beam.take(slice(0))
        if strategy.restart == "beam":
            return beam if len(beam) > 1 else _fresh(beam)
        if strategy.restart == "sample":
            is_known = (beam.state == pair.positive.state[0]).any()
            options = beam if is_known else Hypotheses.join(beam, pair.positive)
            return _fresh(options.take([self._draw(options.score, strategy.temperature)]))
        if self.random.uniform() < exploration:
            return _fresh(pair.negative)
        if strategy.restart == "random-correct":
            return _fresh(gold.take([self.random.below(len(gold))]))
        return _fresh(pair.positive)


@dataclass(frozen=True)
class SelectedPairs:
    """The pair chosen for a sentence after a search, each a table of one row, and the step that it is from."""

    sentence: int
    step: int
    positive: Hypotheses
    negative: Hypotheses

    @property
    def is_wrong(self) -> bool:
        return bool(self.positive.state[0] != self.negative.state[0])


class SearchSegment:
    """One search, A&W 2018, Algorithm 2: after each step the beam, and what is correct of the same length."""

    def __init__(self, start: Hypotheses, sentences: int) -> None:
        self.sentences = np.unique(start.sentence).tolist()
        self.base = np.full(sentences, np.iinfo(np.int32).max, dtype=np.int32)  # the loss of correct derivations
        np.minimum.at(self.base, start.sentence, start.loss)
        self.fell_at = np.full(
            sentences, -1, dtype=np.int32
        )  # the step at which the beam lost its last correct derivation
        self._steps = [(start, start.take(start.loss == self.base[start.sentence]))]
        self._start = start

    @property
    def has_fallen(self) -> BoolArray:
        return self.fell_at >= 0

    def is_over(self, horizon: int | None) -> bool:
        return horizon is not None and len(self._steps) > horizon

    def lost(self, sentences: IntArray, correct: IntArray) -> BoolArray:
        """Which sentences of a beam have just lost their last correct derivation."""
        lost = np.zeros(len(self.base), dtype=np.bool_)
        lost[sentences] = True
        lost[correct] = False
        return lost & ~self.has_fallen

    def add(self, beam: Hypotheses, beside: Hypotheses, lost: BoolArray) -> None:
        """Records a step: the gold is in the beam unless it is lost, else beside it."""
        self.fell_at[lost] = len(self._steps)
        inside = beam.take((beam.loss == self.base[beam.sentence]) & ~self.has_fallen[beam.sentence])
        gold = Hypotheses.join(inside, beside)
        self._steps.append((beam, gold.take(np.argsort(gold.sentence, kind="stable"))))

    def beam(self, step: int, sentence: int) -> Hypotheses:
        return _of_sentence(self._steps[step][0], sentence)

    def gold(self, step: int, sentence: int) -> Hypotheses:
        return _of_sentence(self._steps[step][1], sentence)

    def last_step(self, sentence: int) -> int:
        """The last step that the sentence was part of."""
        step = len(self._steps) - 1
        while len(self.beam(step, sentence)) == 0:
            step -= 1
        return step

    def started(self, sentence: int, states: Any) -> int:
        """The length of the derivation that the search started from."""
        return len(states.derivation(int(_of_sentence(self._start, sentence).state[0]))[1])

    def choose(self, sentence: int, strategy: TrainingStrategy, states: Any) -> SelectedPairs:
        """The pair to learn from: among those from the first violation on, the one that the strategy selects."""
        last, fell_at = self.last_step(sentence), int(self.fell_at[sentence])
        steps = range(fell_at, last + 1) if fell_at >= 0 else [last]
        if strategy.update_at == "end":
            steps = [last]
        pairs = [self._pair(step, sentence, strategy, states) for step in steps]
        if strategy.update_at == "longest-prefix":
            values = [float(_shared(pair, states)) for pair in pairs]
        else:
            values = [float(pair.negative.score[0] - pair.positive.score[0]) for pair in pairs]
        if strategy.update_at == "latest-violation":
            return pairs[max([0, *(i for i, violation in enumerate(values) if violation >= 0)])]
        if strategy.update_at in ("max-violation", "longest-prefix"):
            return pairs[values.index(max(values))]
        return pairs[0]

    def _pair(self, step: int, sentence: int, strategy: TrainingStrategy, states: Any) -> SelectedPairs:
        gold, negative = self.gold(step, sentence), self.beam(step, sentence).take([0])
        pairs = [SelectedPairs(sentence, step, gold.take([i]), negative) for i in range(len(gold))]
        if strategy.positive == "best-scoring" or len(pairs) == 1:
            return pairs[0]
        return max(pairs, key=lambda pair: _shared(pair, states))


def _of_sentence(table: Hypotheses, sentence: int) -> Hypotheses:
    first, end = np.searchsorted(table.sentence, [sentence, sentence + 1])
    return table.take(slice(first, end))


def _unfinished(start: Hypotheses) -> Hypotheses:
    """Without the sentences whose hypotheses are all final."""
    live = np.unique(start.sentence[~start.is_final])
    return start.take(np.isin(start.sentence, live))


def _fresh(one: Hypotheses) -> Hypotheses:
    return replace(one, score=np.zeros(len(one)))


def _shared(pair: SelectedPairs, states: Any) -> int:
    """Number of actions in the common prefix of a pair's derivations."""
    good, bad = (states.derivation(int(one.state[0]))[1] for one in (pair.positive, pair.negative))
    return _common(good, bad)


def _common(first: IntArray, second: IntArray) -> int:
    least = min(len(first), len(second))
    same = first[:least] == second[:least]
    return least if same.all() else int(same.argmin())


def _apart(
    good: tuple[IntArray, IntArray], bad: tuple[IntArray, IntArray], focus: float
) -> list[tuple[IntArray, IntArray, npt.NDArray[Any]]]:
    """The parts where two derivations differ: states, actions, and a sign for each, scaled by its place (A&W 2018)."""
    shared = _common(good[1], bad[1])
    return [
        (states[shared:], actions[shared:], sign * _weights(len(states) - shared, focus))
        for (states, actions), sign in ((good, 1), (bad, -1))
    ]


def _weights(count: int, focus: float) -> npt.NDArray[Any]:
    """Weights of transitions: 1 each, or powers of the focus, of which the largest is 1."""
    if focus == 1:
        return np.ones(count, dtype=np.int32)
    first = 1 - count if focus > 1 else 0
    return np.array([focus ** float(first + place) for place in range(count)])


def grouped(sentences: Sentences, strategies: Sequence[TrainingStrategy]) -> list[tuple[Sentences, TrainingStrategy]]:
    """Groups of neighboring sentences with the same strategy, in order."""
    groups: list[tuple[list[int], TrainingStrategy]] = []
    for sentence, strategy in zip(sentences.tolist(), strategies, strict=True):
        if groups and groups[-1][1] == strategy:
            groups[-1][0].append(sentence)
        else:
            groups.append(([sentence], strategy))
    return [(np.array(numbers, dtype=np.int64), strategy) for numbers, strategy in groups]
