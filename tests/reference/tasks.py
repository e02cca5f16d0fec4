"""The averaged perceptron of a task, one example at a time, straight from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from panparser.base.caching import cached_property
from panparser.base.progress import Random
from panparser.batches.tasks import Task
from panparser.errors import NoLegalTransitionError
from panparser.learning.strategies import TrainingStrategy
from reference.strategies import Beam, Hypothesis, StrategyLearner, Successor, Update

Row = dict[str, float]  # weights by action
_MAX_ACTIONS = 1 << 20  # of a derivation


@dataclass(frozen=True)
class Derivation:
    """Actions from the initial state, and the state that they lead to."""

    state: Any
    is_final: bool
    before: Derivation | None = None
    action: str = ""

    @cached_property
    def actions(self) -> tuple[str, ...]:
        found, at = [], self
        while at.before is not None:
            found.append(at.action)
            at = at.before
        return tuple(reversed(found))


def start(task: Task[Any, Any, Any], input: Any) -> Derivation:
    state = task.initial(input)
    return Derivation(state, not task.legal(state))


def follow(task: Task[Any, Any, Any], at: Derivation, action: str) -> Derivation:
    state = task.apply(at.state, action)
    return Derivation(state, not task.legal(state), at, action)


def summed(weights: Any, features: Sequence[str]) -> dict[str, Any]:
    """Scores by action."""
    scores: dict[str, Any] = {}
    for feature in features:
        for action, weight in weights.get(feature, {}).items():
            scores[action] = scores.get(action, 0) + weight
    return scores


@dataclass(frozen=True)
class _Example:
    input: Any
    gold: Any
    static: tuple[str, ...] | None = None  # the derivation, if the oracle is static


@dataclass
class TaskLearner(StrategyLearner):
    """The averaged perceptron of a task: whole numbers, each with the sum of its changes times their dates."""

    task: Task[Any, Any, Any]
    beam: int = 1
    seed: int = 1
    unit: int = 1
    weights: dict[str, dict[str, int]] = field(default_factory=dict)
    dated: dict[str, dict[str, int]] = field(default_factory=dict)
    time: int = 0
    updates: list[Update] = field(default_factory=list)
    steps: list[tuple[Beam, Beam]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    def train(self, input: Any, gold: Any, strategy: TrainingStrategy, exploration: float) -> None:
        """Learns from one example; the clock of the average ticks."""
        example = _Example(input, gold)
        if strategy.oracle == "static":
            example = _Example(input, gold, self._static(example))
        self.learn_from([Hypothesis(start(self.task, input))], example, strategy, exploration)
        self.time += 1

    def averaged(self) -> dict[str, Row]:
        """Weights by feature and action, in updates; without those that are 0."""
        rows: dict[str, Row] = {}
        for feature, row in self.weights.items():
            sums = {action: self.time * weight - self.dated[feature][action] for action, weight in row.items()}
            if kept := {action: number / (self.time * self.unit) for action, number in sums.items() if number}:
                rows[feature] = kept
        return rows

    def _costs(self, at: Derivation, example: _Example) -> dict[str, int]:
        names = self.task.legal(at.state)
        if example.static is not None:
            step = len(at.actions)
            wanted = example.static[step] if at.actions == example.static[:step] else None
            return {name: int(name != wanted) for name in names}
        costs = {name: self.task.cost(at.state, name, example.gold) for name in names}
        return {name: cost - min(costs.values()) for name, cost in costs.items()}

    def _static(self, example: _Example) -> tuple[str, ...]:
        """Always the first of the actions of least cost."""
        at = start(self.task, example.input)
        while not at.is_final:
            costs = self._costs(at, example)
            at = follow(self.task, at, min(costs, key=lambda name: costs[name]))
            if len(at.actions) > _MAX_ACTIONS:
                raise NoLegalTransitionError("the derivation of an example does not end")
        return at.actions

    def next(self, c: Hypothesis, example: _Example) -> list[Successor]:
        if c.is_final:
            return [(c, None, c.score, c.loss)]
        scores = summed(self.weights, self.task.features(c.at.state))
        costs = self._costs(c.at, example)
        return [(c, name, c.score + scores.get(name, 0), c.loss + cost) for name, cost in costs.items()]

    def follow(self, at: Derivation, action: str, example: _Example) -> Derivation:
        return follow(self.task, at, action)

    def reward(self, before: Derivation, action: str, by: int, example: _Example) -> None:
        for feature in self.task.features(before.state):
            for rows, change in ((self.weights, by), (self.dated, by * self.time)):
                row = rows.setdefault(feature, {})
                row[action] = row.get(action, 0) + change
