"""The learner straight from the pseudo-code of the papers, one sentence at a time: a reference for the real ones.

G&N 2012: Goldberg & Nivre, "A Dynamic Oracle for Arc-Eager Dependency Parsing". A&W 2018: Aufrant & Wisniewski,
"PanParser: a Modular Implementation for Efficient Transition-Based Dependency Parsing".
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile
from typing import Any

from panparser.base.progress import Random
from panparser.learning.strategies import TrainingStrategy


@dataclass(frozen=True)
class Hypothesis:
    """A derivation with its score and its loss since the search began."""

    at: Any
    score: int = 0
    loss: int = 0

    @property
    def is_final(self) -> bool:
        return bool(self.at.is_final)


@dataclass(frozen=True)
class Update:
    """What an update was made of: derivations, their scores, and the length of the one that the search began with."""

    positive: tuple[str, ...]
    negative: tuple[str, ...]
    positive_score: int
    negative_score: int
    started: int


Beam = list[Hypothesis]
Pair = tuple[Hypothesis, Hypothesis]  # positive, negative
Successor = tuple[Hypothesis, str | None, int, int]  # a hypothesis, an action (None: it is final), score and loss after


class StrategyLearner(ABC):
    """Search, violation, update, restart. Subclasses define what is learned, and with which weights.

    A derivation (`Hypothesis.at`) has `actions`, the last `action`, the derivation `before` it, and `is_final`.
    """

    beam: int
    unit: int  # what an update adds
    random: Random
    updates: list[Update]
    steps: list[tuple[Beam, Beam]]  # (beam, gold) of the last training unit

    @abstractmethod
    def next(self, c: Hypothesis, example: Any) -> list[Successor]:
        """NEXT of A&W 2018, Algorithm 3, not yet applied. Losses grow by cost, of which the least is 0."""

    @abstractmethod
    def follow(self, at: Any, action: str, example: Any) -> Any:
        """The derivation extended by one action."""

    @abstractmethod
    def reward(self, before: Any, action: str, by: int, example: Any) -> None:
        """Changes the weights of an action after a derivation."""

    def learn_labels(self, positive: Any, started: int, example: Any) -> None:  # noqa: B027 - most tasks have none
        """Learns labels, if any, from a correct derivation beyond a given length."""

    def best(self, successors: list[Any], count: int, example: Any) -> Beam:
        """k-best of A&W 2018, Algorithm 3, best first; ties keep their order."""
        chosen = sorted(successors, key=lambda successor: -successor[2])[:count]
        return [
            before if action is None else Hypothesis(self.follow(before.at, action, example), score, loss)
            for before, action, score, loss in chosen
        ]

    # --- A&W 2018, Algorithm 3: CORRECT(c|c0) is that the loss since c0 is 0 ---

    def find_violation(self, start: Beam, example: Any, horizon: int | None = None) -> tuple[Beam, Beam]:
        beam, base = start, min(c.loss for c in start)
        self.steps = [(beam, [c for c in beam if c.loss == base])]
        while not all(c.is_final for c in beam) and not self._is_over(horizon):
            successors = [s for c in beam for s in self.next(c, example)]
            beam = self.best(successors, self.beam, example)
            if not any(c.loss == base for c in beam):
                correct = [s for s in successors if s[3] == base]
                gold = self.best(correct, len(correct), example)
                self.steps.append((beam, gold))
                return gold, beam
            self.steps.append((beam, [c for c in beam if c.loss == base]))
        return self.steps[-1][1], beam

    def early_update_oracle(self, c0: Hypothesis, example: Any) -> Pair:
        gold, beam = self.find_violation([c0], example)
        return gold[0], beam[0]

    def max_violation_oracle(self, c0: Hypothesis, example: Any) -> Pair:
        candidates = self.violations([c0], example)
        return max(candidates, key=lambda pair: pair[1].score - pair[0].score)

    def violations(self, start: Beam, example: Any, strategy: TrainingStrategy | None = None) -> list[Pair]:
        """The candidates of MAXVIOLATIONORACLE: pairs from the first violation to the end of the sentence.

        The loop of the paper ends with the beam; if derivations differ in length it must also wait for the gold.
        """
        strategy = strategy or TrainingStrategy()
        gold, beam = self.find_violation(start, example, strategy.search_horizon)
        base = min(c.loss for c in start)
        candidates = [self.pair(gold, beam, strategy)]
        is_violation = not any(c.loss == base for c in beam)
        while (
            is_violation and not all(c.is_final for c in [*beam, *gold]) and not self._is_over(strategy.search_horizon)
        ):
            beam = self.best([s for c in beam for s in self.next(c, example)], self.beam, example)
            correct = [s for c in gold for s in self.next(c, example) if s[3] == base]
            gold = self.best(correct, self.beam, example)
            self.steps.append((beam, gold))
            candidates.append(self.pair(gold, beam, strategy))
        return candidates

    def _is_over(self, horizon: int | None) -> bool:
        return horizon is not None and len(self.steps) > horizon

    @staticmethod
    def pair(gold: Beam, beam: Beam, strategy: TrainingStrategy) -> Pair:
        """The positive and negative hypothesis of one length."""
        if strategy.positive == "best-scoring":
            return gold[0], beam[0]
        return max(gold, key=lambda c: len(shared_prefix(c.at.actions, beam[0].at.actions))), beam[0]

    # --- A&W 2018, Algorithm 2 ---

    def training_unit(self, start: Beam, example: Any, strategy: TrainingStrategy) -> tuple[Pair, int, bool]:
        """One search and its update: the pair, its step, and whether it was wrong."""
        started = len(start[0].at.actions)
        if strategy.update_at == "first-violation":
            gold, beam = self.find_violation(start, example, strategy.search_horizon)
            candidates = [self.pair(gold, beam, strategy)]
        else:
            candidates = self.violations(start, example, strategy)
        i = choose_length(candidates, strategy)
        positive, negative = candidates[i]
        step = len(self.steps) - len(candidates) + i
        is_wrong = positive.at.actions != negative.at.actions
        # Labels are learned from the whole correct path, except for states that the search will visit again.
        stops = not is_wrong or strategy.restart == "none"
        self.learn_labels(self.steps[-1][1][0].at if stops else positive.at, started, example)
        if is_wrong:
            self.updates.append(
                Update(positive.at.actions, negative.at.actions, positive.score, negative.score, started)
            )
            self.update(positive.at, negative.at, example, strategy.focus)
        return (positive, negative), step, is_wrong

    def update(self, positive: Any, negative: Any, example: Any, focus: float = 1) -> None:
        """theta + sum of lambda_i (phi(t_i+) - phi(t_i-)); what both share cancels out, so lambda starts behind it."""
        shared = len(shared_prefix(positive.actions, negative.actions))
        for derivation, sign in ((positive, 1), (negative, -1)):
            path = derivations(derivation)[shared:]
            first = 1 - (len(path) - 1) if focus > 1 else 0  # the last transition counts whole, or the first
            for place, (before, after) in enumerate(pairwise(path)):
                by = sign * math.floor(self.unit * focus ** float(first + place) + 0.5)
                self.reward(before, after.action, by, example)

    # --- A&W 2018, Algorithm 1 ---

    def learn_from(self, start: Beam, example: Any, strategy: TrainingStrategy, exploration: float) -> None:
        """A&W 2018, Algorithm 1, with every kind of restart; `exploration` is that of the epoch."""
        while start and not all(c.is_final for c in start):
            pair, step, is_wrong = self.training_unit(start, example, strategy)
            start = self.next_start(pair, step, is_wrong, strategy, exploration)

    def next_start(self, pair: Pair, step: int, is_wrong: bool, strategy: TrainingStrategy, exploration: float) -> Beam:
        """The hypotheses that the next search starts from; none ends the sentence."""
        positive, negative = pair
        beam, gold = self.steps[step]
        if not is_wrong:
            is_cut = strategy.search_horizon is not None and not all(c.is_final for c in beam)
            return [replace(positive, score=0)] if is_cut else []
        if strategy.restart == "none":
            return []
        if strategy.restart == "beam":
            return beam if len(beam) > 1 else [replace(beam[0], score=0)]
        if strategy.restart == "sample":
            return [replace(self._sample(beam, positive, strategy.temperature), score=0)]
        if self.random.uniform() < exploration:
            return [replace(negative, score=0)]
        if strategy.restart == "random-correct":
            positive = gold[self.random.below(len(gold))]
        return [replace(positive, score=0)]

    def _sample(self, beam: Beam, positive: Hypothesis, temperature: float) -> Hypothesis:
        options = [*beam, *([] if any(c.at.actions == positive.at.actions for c in beam) else [positive])]
        shares = [math.exp((c.score - beam[0].score) / (temperature * self.unit)) for c in options]
        at, sum_so_far = self.random.uniform() * sum(shares), 0.0
        for c, share in zip(options, shares, strict=True):
            sum_so_far += share
            if at < sum_so_far:
                return c
        return options[-1]


def choose_length(candidates: list[Pair], strategy: TrainingStrategy) -> int:
    """i_update of A&W 2018, Algorithm 2, counted from the first violation."""
    violations = [negative.score - positive.score for positive, negative in candidates]
    if strategy.update_at == "max-violation":
        return violations.index(max(violations))
    if strategy.update_at == "latest-violation":
        return max([0, *(i for i, violation in enumerate(violations) if violation >= 0)])
    if strategy.update_at == "longest-prefix":
        lengths = [len(shared_prefix(p.at.actions, n.at.actions)) for p, n in candidates]
        return lengths.index(max(lengths))
    return len(candidates) - 1 if strategy.update_at == "end" else 0


def shared_prefix(first: Sequence[str], second: Sequence[str]) -> list[str]:
    return [a for a, _ in takewhile(lambda both: both[0] == both[1], zip(first, second, strict=False))]


def derivations(last: Any) -> list[Any]:
    """All prefixes of a derivation, the empty one first."""
    found = []
    while last is not None:
        found.append(last)
        last = last.before
    return found[::-1]
