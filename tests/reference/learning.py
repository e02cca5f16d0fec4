"""A slow, obvious parser learner: the engine must learn the same weights. Its search is that of tasks in Python."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from panparser.base.progress import Random
from panparser.inspection.naive_features import Arc, Derivation, Feature, Reader
from panparser.learning.strategies import TrainingStrategy
from panparser.proofs.constraint_proof import filtered_transitions
from panparser.systems.oracles import static_derivation
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.gold import GoldTree
from reference.strategies import Beam, Hypothesis, StrategyLearner, Successor, Update, derivations

__all__ = ["Example", "Hypothesis", "Perceptron", "Random", "ReferenceLearner", "Update"]


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
class Example:
    """A sentence to learn from; labels are None where unknown."""

    reader: Reader
    gold: GoldTree
    labels: Sequence[str | None] = ()
    static: tuple[str, ...] | None = None  # the derivation, if the oracle is static
    given: GoldTree | None = None  # constraints of the search; some tree satisfies them all


@dataclass
class ReferenceLearner(StrategyLearner):
    """Weights of the learner, and its search. `of_root` and `of_words` are the labels that arcs may have, in order."""

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
        return self.actions.score(example.reader.features(at.seen_by(action)), self.system[action].name)

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

    def follow(self, at: Derivation, action: str, example: Example) -> Derivation:
        return at.follow(action, self.label(at, action, example))

    def reward(self, before: Derivation, action: str, by: int, example: Example) -> None:
        self.actions.change(example.reader.features(before.seen_by(action)), self.system[action].name, by)

    def _label_features(self, at: Derivation, action: str, example: Example) -> list[Hashable]:
        features = example.reader.features(at.seen_by(action))
        return [(self.system[action].name, feature) for feature in features if self.for_labels(feature)]

    def next(self, c: Hypothesis, example: Example) -> list[Successor]:
        if c.is_final:
            return [(c, None, c.score, c.loss)]
        return [
            (c, name, c.score + self.score(c.at, name, example), c.loss + cost)
            for name, cost in self.costs(c.at, example).items()
        ]

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

    # --- A&W 2018, Algorithm 1, with every kind of restart ---

    def train_one_sentence(self, example: Example, strategy: TrainingStrategy, exploration: float = 0) -> None:
        """`exploration` is that of the epoch. Without a restart and a horizon the loop body runs once."""
        if strategy.oracle == "static":
            example = replace(example, static=self.static_derivation(example))
        start = [self.initial(example)]
        self.learn_from(start, example, strategy, exploration)
        self.actions.tick()
        self.labels.tick()

    def static_derivation(self, example: Example) -> tuple[str, ...]:
        """The derivation of the system; if heads are unknown, the best-scoring of all derivations of least cost."""
        if None not in example.gold.heads and example.given is None:
            return static_derivation(self.system, example.gold)
        beam = [self.initial(example)]
        while not beam[0].is_final:
            correct = [successor for successor in self.next(beam[0], example) if successor[3] == beam[0].loss]
            beam = self.best(correct, 1, example)
        return tuple(beam[0].at.actions)


def _given_label(arc: Arc, root: int, example: Example) -> str | None:
    labels = example.given.labels if example.given else None
    return labels[arc.dependent - 1] if labels and arc.dependent != root else None
