"""A slow, obvious learner, straight from the pseudo-code of the papers: the engine must learn the same weights.

G&N 2012: Goldberg & Nivre, "A Dynamic Oracle for Arc-Eager Dependency Parsing". A&W 2018: Aufrant & Wisniewski,
"PanParser: a Modular Implementation for Efficient Transition-Based Dependency Parsing".
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, takewhile
from typing import Any

from panparser.gold import Gold
from panparser.oracles import static_derivation
from panparser.strategies import Strategy
from panparser.testing.constraints import filtered_transitions
from panparser.testing.features import Arc, Derivation, Feature, Reader
from panparser.transitions import TransitionSystem


class Random:
    """xorshift64*, as the engine has it."""

    def __init__(self, seed: int) -> None:
        self.state = (seed * 0x9E3779B97F4A7C15 + 0x2545F4914F6CDD1D) % 2**64 or 1

    def bits(self) -> int:
        self.state ^= self.state >> 12
        self.state = (self.state ^ self.state << 25) % 2**64
        self.state ^= self.state >> 27
        return self.state * 0x2545F4914F6CDD1D % 2**64 >> 32

    def below(self, bound: int) -> int:
        return self.bits() * bound >> 32

    def uniform(self) -> float:
        return self.bits() / 2**32


class Perceptron:
    """Weights by feature and class, and their sum over time: the clock ticks after every sentence."""

    def __init__(self) -> None:
        self.weights: dict[Hashable, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.totals: dict[Hashable, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.time = 0

    def score(self, features: Sequence[Hashable], name: str) -> int:
        return sum(self.weights[f][name] for f in features if f in self.weights and name in self.weights[f])

    def change(self, features: Sequence[Hashable], name: str, by: int) -> None:
        for feature in features:
            self.weights[feature][name] += by

    def tick(self) -> None:
        """The end of a sentence: adds all weights to their totals."""
        self.time += 1
        for feature, row in self.weights.items():
            for name, weight in row.items():
                self.totals[feature][name] += weight


@dataclass(frozen=True)
class Hypothesis:
    """A derivation with its score and its loss since the search began."""

    at: Derivation
    score: int = 0
    loss: int = 0

    @property
    def is_final(self) -> bool:
        return self.at.state.system.is_final(self.at.state)


@dataclass(frozen=True)
class Example:
    """A sentence to learn from; labels are None where unknown."""

    reader: Reader
    gold: Gold
    labels: Sequence[str | None] = ()
    static: tuple[str, ...] | None = None  # the derivation, if the oracle is static
    given: Gold | None = None  # what the search keeps to; some tree has all of it


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


@dataclass
class ReferenceLearner:
    """What the learner knows, and its search. `of_root` and `of_words` are the labels that arcs may have, in order."""

    system: TransitionSystem
    beam: int
    of_root: Sequence[str] = ()
    of_words: Sequence[str] = ()
    for_labels: Callable[[Feature], bool] = lambda feature: True
    seed: int = 1
    unit: int = 1
    actions: Perceptron = field(default_factory=Perceptron)
    labels: Perceptron = field(default_factory=Perceptron)
    updates: list[Update] = field(default_factory=list)
    steps: list[tuple[Beam, Beam]] = field(default_factory=list)  # (beam, gold) of the last training unit

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    # --- Scores, costs and search ---

    def initial(self, example: Example) -> Hypothesis:
        return Hypothesis(Derivation(self.system.initial(len(example.gold))))

    def score(self, at: Derivation, action: str, example: Example) -> int:
        return self.actions.score(example.reader.features(at), action)

    def costs(self, at: Derivation, example: Example) -> dict[str, int]:
        """By action; the least is 0, since what was lost already is not lost by an action."""
        if example.static is not None:
            wanted = example.static[len(at.actions)] if at.actions == example.static[: len(at.actions)] else None
            return {name: int(name != wanted) for name in self.allowed(at, example)}
        costs = self.system.costs(at.state, example.gold)
        allowed = {name: costs[name] for name in self.allowed(at, example)}
        return {name: cost - min(allowed.values()) for name, cost in allowed.items()}

    def allowed(self, at: Derivation, example: Example) -> tuple[str, ...]:
        """Legal actions; where something is given, those that keep most of it."""
        if example.given is None:
            return self.system.legal(at.state)
        return filtered_transitions(self.system, at.state, example.given)

    def label(self, at: Derivation, action: str, example: Example) -> str | None:
        """The best label for the arc that an action makes or proposes."""
        made, proposed = at.arc_of(action)
        arc = made or proposed
        if arc is None or not self.of_words:
            return None
        if (given := _given_label(arc, at.root, example)) is not None:
            return given
        features = self._label_features(at, action, example)
        allowed = self.of_root if arc.head == at.root else self.of_words
        return max(allowed, key=lambda name: self.labels.score(features, name))

    def _label_features(self, at: Derivation, action: str, example: Example) -> list[Hashable]:
        return [(action, feature) for feature in example.reader.features(at) if self.for_labels(feature)]

    def next(self, c: Hypothesis, example: Example) -> list[tuple[Hypothesis, str | None, int, int]]:
        """NEXT of A&W 2018, Algorithm 3, not yet applied: (hypothesis, action, score, loss) of each successor."""
        if c.is_final:
            return [(c, None, c.score, c.loss)]
        return [
            (c, name, c.score + self.score(c.at, name, example), c.loss + cost)
            for name, cost in self.costs(c.at, example).items()
        ]

    def best(self, successors: list[Any], count: int, example: Example) -> Beam:
        """k-best of A&W 2018, Algorithm 3, best first; of equals the first stays first."""
        chosen = sorted(successors, key=lambda successor: -successor[2])[:count]
        return [
            before
            if action is None
            else Hypothesis(before.at.follow(action, self.label(before.at, action, example)), score, loss)
            for before, action, score, loss in chosen
        ]

    # --- A&W 2018, Algorithm 3: CORRECT(c|c0) is that the loss since c0 is 0 ---

    def find_violation(self, start: Beam, example: Example, horizon: int | None = None) -> tuple[Beam, Beam]:
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

    def early_update_oracle(self, c0: Hypothesis, example: Example) -> Pair:
        gold, beam = self.find_violation([c0], example)
        return gold[0], beam[0]

    def max_violation_oracle(self, c0: Hypothesis, example: Example) -> Pair:
        candidates = self.violations([c0], example)
        return max(candidates, key=lambda pair: pair[1].score - pair[0].score)

    def violations(self, start: Beam, example: Example, strategy: Strategy | None = None) -> list[Pair]:
        """The candidates of MAXVIOLATIONORACLE: pairs from the first violation to the end of the sentence.

        The loop of the paper ends with the beam; where derivations differ in length it must wait for the gold, too.
        """
        strategy = strategy or Strategy()
        gold, beam = self.find_violation(start, example, strategy.horizon)
        base = min(c.loss for c in start)
        candidates = [self.pair(gold, beam, strategy)]
        is_violation = not any(c.loss == base for c in beam)
        while is_violation and not all(c.is_final for c in [*beam, *gold]) and not self._is_over(strategy.horizon):
            beam = self.best([s for c in beam for s in self.next(c, example)], self.beam, example)
            correct = [s for c in gold for s in self.next(c, example) if s[3] == base]
            gold = self.best(correct, self.beam, example)
            self.steps.append((beam, gold))
            candidates.append(self.pair(gold, beam, strategy))
        return candidates

    def _is_over(self, horizon: int | None) -> bool:
        return horizon is not None and len(self.steps) > horizon

    @staticmethod
    def pair(gold: Beam, beam: Beam, strategy: Strategy) -> Pair:
        """The positive and negative hypothesis of one length."""
        if strategy.positive == "best-scoring":
            return gold[0], beam[0]
        return max(gold, key=lambda c: len(shared_prefix(c.at.actions, beam[0].at.actions))), beam[0]

    # --- A&W 2018, Algorithm 2 ---

    def training_unit(self, start: Beam, example: Example, strategy: Strategy) -> tuple[Pair, int, bool]:
        """One search and its update: the pair, its step, and whether it was wrong."""
        started = len(start[0].at.actions)
        if strategy.update_at == "first-violation":
            gold, beam = self.find_violation(start, example, strategy.horizon)
            candidates = [self.pair(gold, beam, strategy)]
        else:
            candidates = self.violations(start, example, strategy)
        i = choose_length(candidates, strategy)
        positive, negative = candidates[i]
        step = len(self.steps) - len(candidates) + i
        is_wrong = positive.at.actions != negative.at.actions
        # All that is known to be correct teaches labels, unless the search comes by there again.
        stops = not is_wrong or strategy.restart == "none"
        self.learn_labels(self.steps[-1][1][0].at if stops else positive.at, started, example)
        if is_wrong:
            self.updates.append(
                Update(positive.at.actions, negative.at.actions, positive.score, negative.score, started)
            )
            self.update(positive.at, negative.at, example, strategy.focus)
        return (positive, negative), step, is_wrong

    def update(self, positive: Derivation, negative: Derivation, example: Example, focus: float = 1) -> None:
        """theta + sum of lambda_i (phi(t_i+) - phi(t_i-)); what both share cancels out, so lambda starts behind it."""
        shared = len(shared_prefix(positive.actions, negative.actions))
        for derivation, sign in ((positive, 1), (negative, -1)):
            path = derivations(derivation)[shared:]
            first = 1 - (len(path) - 1) if focus > 1 else 0  # the last transition counts whole, or the first
            for place, (before, after) in enumerate(pairwise(path)):
                by = sign * math.floor(self.unit * focus ** float(first + place) + 0.5)
                self.actions.change(example.reader.features(before), after.action, by)

    def learn_labels(self, positive: Derivation, started: int, example: Example) -> None:
        """Each correct arc of a correct derivation teaches its label."""
        lessons = []
        for before, after in pairwise(derivations(positive)[started:]):
            arc = after.made
            if (
                arc
                and self.of_words
                and _given_label(arc, before.root, example) is None
                and (wanted := self._gold_label(arc, before.root, example)) not in (None, arc.label)
            ):
                lessons.append((self._label_features(before, after.action, example), wanted, arc.label))
        for features, wanted, found in lessons:
            self.labels.change(features, wanted or "", self.unit)
            self.labels.change(features, found or "", -self.unit)

    @staticmethod
    def _gold_label(arc: Arc, root: int, example: Example) -> str | None:
        if arc.dependent == root or example.gold.heads[arc.dependent - 1] != (0 if arc.head == root else arc.head):
            return None
        return example.labels[arc.dependent - 1]

    # --- A&W 2018, Algorithm 1, with every way to go on ---

    def train_one_sentence(self, example: Example, strategy: Strategy, exploration: float = 0) -> None:
        """`exploration` is that of the epoch. Without a restart and a horizon the loop body runs once."""
        if strategy.oracle == "static":
            example = replace(example, static=self.static_derivation(example))
        start = [self.initial(example)]
        while start and not all(c.is_final for c in start):
            pair, step, is_wrong = self.training_unit(start, example, strategy)
            start = self.go_on(pair, step, is_wrong, strategy, exploration)
        self.actions.tick()
        self.labels.tick()

    def static_derivation(self, example: Example) -> tuple[str, ...]:
        """That of the system; where heads are unknown, of all derivations of least cost the one that scores best."""
        if None not in example.gold.heads and example.given is None:
            return static_derivation(self.system, example.gold)
        beam = [self.initial(example)]
        while not beam[0].is_final:
            correct = [successor for successor in self.next(beam[0], example) if successor[3] == beam[0].loss]
            beam = self.best(correct, 1, example)
        return tuple(beam[0].at.actions)

    def go_on(self, pair: Pair, step: int, is_wrong: bool, strategy: Strategy, exploration: float) -> Beam:
        """What the next search starts from; nothing ends the sentence."""
        positive, negative = pair
        beam, gold = self.steps[step]
        if not is_wrong:
            is_cut = strategy.horizon is not None and not all(c.is_final for c in beam)
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


def _given_label(arc: Arc, root: int, example: Example) -> str | None:
    labels = example.given.labels if example.given else None
    return labels[arc.dependent - 1] if labels and arc.dependent != root else None


def choose_length(candidates: list[Pair], strategy: Strategy) -> int:
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


def derivations(last: Derivation | None) -> list[Derivation]:
    """All prefixes of a derivation, the empty one first."""
    found = []
    while last is not None:
        found.append(last)
        last = last.before
    return found[::-1]
