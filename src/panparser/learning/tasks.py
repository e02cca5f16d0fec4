"""Task: a structured prediction task of one's own, as a Python class. train_task learns it, a TaskModel predicts.

Strategies, search and averaging are those of parsers, in Python (`_strategy_learner`): much slower than the tasks that
the engine knows, tables (`ParserSpec`) and sequences (`Window`).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, TypeVar, Unpack

import numpy as np

from panparser._checks import check_beam, check_count
from panparser.errors import ModelError, SpecError, StuckError
from panparser.learning.epochs import EpochLoop
from panparser.learning.learner import Beam, Hypothesis, Random, StrategyLearner, Successor, Update
from panparser.learning.listeners import EpochReport, Listener, SequenceReport
from panparser.learning.listeners import Update as HeardUpdate
from panparser.learning.native import update_units
from panparser.learning.options import TaskOptions, Training, sequence_training
from panparser.learning.record import TASK, TrainingRecord
from panparser.learning.strategies import Strategy
from panparser.storage.arrays import check_kind, read_arrays, write_arrays

FORMAT, KIND = 1, "task"
_LONGEST = 1 << 20  # actions of a derivation

Input_contra = TypeVar("Input_contra", contravariant=True)
State = TypeVar("State")
Gold_contra = TypeVar("Gold_contra", contravariant=True)


class Task(Protocol[Input_contra, State, Gold_contra]):
    """What there is to learn. States are values: `apply` gives a new one, and leaves the old as it is."""

    def initial(self, input: Input_contra) -> State:
        """Where derivations for an input begin."""

    def legal(self, state: State) -> Sequence[str]:
        """The actions that are possible, always in the same order; none in a final state."""

    def apply(self, state: State, action: str) -> State:
        """The state after an action."""

    def cost(self, state: State, action: str, gold: Gold_contra) -> int:
        """How much is lost by a legal action: the actions of least cost are right, even if it is not 0."""

    def features(self, state: State) -> Sequence[str]:
        """What the classifier sees, as texts; each stands for itself, so begin them with what they are of."""


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


@dataclass(frozen=True)
class Prediction:
    """What a model makes of an input: the final state, the actions that lead to it, and their score (in updates)."""

    state: Any
    actions: tuple[str, ...]
    score: float


Row = dict[str, float]  # weights by action


class TaskModel:
    """Averaged weights for a task. `train_task` and `load` make one."""

    def __init__(self, task: Task[Any, Any, Any], weights: dict[str, Row], beam: int = 1) -> None:
        check_beam(beam, "TaskModel")
        self.task = task
        self.weights = weights  # by feature
        self.beam = beam
        self.training = TrainingRecord()

    def predict(self, input: Any, *, beam: int | None = None) -> Prediction:
        """The best that a beam finds."""
        return self.best(input, 1, beam=beam)[0]

    def best(self, input: Any, count: int, *, beam: int | None = None) -> list[Prediction]:
        """At most `count` predictions, best first; the beam is at least as wide. `beam=0`: exhaustive search."""
        check_count("count of best", count)
        width = self.beam if beam is None else beam
        if width != 0:
            check_beam(width, "best")
            width = max(width, count)
        found = [(0.0, start(self.task, input))]
        for _ in range(_LONGEST):
            if all(at.is_final for _, at in found):
                return [Prediction(at.state, at.actions, score) for score, at in found[:count]]
            successors: list[tuple[float, Derivation, str | None]] = []
            for score, at in found:
                if at.is_final:
                    successors.append((score, at, None))
                    continue
                scores = summed(self.weights, self.task.features(at.state))
                successors += [(score + scores.get(name, 0), at, name) for name in self.task.legal(at.state)]
            kept = sorted(successors, key=lambda successor: -successor[0])[: width or None]
            found = [(score, at if name is None else follow(self.task, at, name)) for score, at, name in kept]
        raise StuckError("the derivation of an input does not end")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the weights to one file; the task itself is code, and stays outside."""
        manifest = {"format": FORMAT, "kind": KIND, "beam": self.beam, "training": self.training.to_values()}
        write_arrays(Path(path), {}, manifest | {"weights": self.weights})

    @classmethod
    def load(cls, path: str | os.PathLike[str], task: Task[Any, Any, Any]) -> TaskModel:
        """The model of a file, for the task that it was trained for."""
        _, manifest = read_arrays(path, "panparser model")
        check_kind(manifest, KIND, os.fspath(path), FORMAT)
        try:
            weights = {str(f): {str(a): float(w) for a, w in row.items()} for f, row in manifest["weights"].items()}
            model = cls(task, weights, manifest["beam"])
            model.training = TrainingRecord.from_values(manifest["training"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ModelError(f"{os.fspath(path)}: not a model of a task that can be used: {error}") from None
        return model


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


# --- Training ---


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

    def train(self, input: Any, gold: Any, strategy: Strategy, exploration: float) -> None:
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
        """Of the actions of least cost always the first."""
        at = start(self.task, example.input)
        while not at.is_final:
            costs = self._costs(at, example)
            at = follow(self.task, at, min(costs, key=lambda name: costs[name]))
            if len(at.actions) > _LONGEST:
                raise StuckError("the derivation of an example does not end")
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


Examples = Sequence[tuple[Any, Any]]


def train_task(
    task: Task[Any, Any, Any],
    examples: Examples,
    *,
    beam: int = 1,
    dev: Examples | None = None,
    listeners: Sequence[Listener] = (),
    **options: Unpack[TaskOptions],
) -> TaskModel:
    """A model for a task, from pairs of an input and its gold; `options` are strategy, epochs, patience and seed.

    With `dev`, other such pairs, the epoch is kept in which most actions of the predictions for them are of least cost,
    without it the last. The strategy is DYNAMIC, or MAX_VIOLATION with a beam, if nothing is said.
    """
    check_beam(beam, "train_task")
    if not examples:
        raise SpecError("expected examples to learn from; got none")
    training = sequence_training(beam, options, "train_task", TaskOptions)
    return _TaskRun(task=task, examples=examples, beam=beam, dev=dev, listeners=listeners, training=training).run()


@dataclass(kw_only=True)
class _TaskRun(EpochLoop[dict[str, Row], TaskModel]):
    task: Task[Any, Any, Any]
    examples: Examples
    beam: int
    dev: Examples | None
    training: Training

    def __post_init__(self) -> None:
        self.learner = TaskLearner(self.task, self.beam, self.training.seed, update_units(self.training))
        self._actions = self._updates = 0  # of derivations learned from

    def learn(self, epoch: int) -> None:
        for number in np.random.default_rng([self.training.seed, epoch, 0]).permutation(len(self.examples)).tolist():
            self.tell("before_sentence", epoch, number)
            strategy = self.training.strategy_for(epoch, number)
            input, gold = self.examples[number]
            self.learner.train(input, gold, strategy, strategy.exploration(epoch))
            self._actions += len(self.learner.steps) - 1
            for update in self.learner.updates:
                heard = HeardUpdate(epoch, number, update.positive, update.negative, *_numbers(update))
                self.tell("after_update", heard)
            self._updates += len(self.learner.updates)
            self.learner.updates.clear()
            self.tell("after_sentence", epoch, number)

    def report(self, epoch: int) -> EpochReport:
        return SequenceReport(epoch, self._actions, self._updates)

    def weights(self) -> dict[str, Row]:
        return self.learner.averaged()

    def evaluate(self, report: EpochReport, weights: dict[str, Row]) -> None:
        if self.dev is None or not isinstance(report, SequenceReport):
            return
        self.tell("before_evaluation", report.epoch)
        model, right, total = TaskModel(self.task, weights, self.beam), 0, 0
        for input, gold in self.dev:
            at = start(self.task, input)
            for action in model.predict(input).actions:
                costs = {name: self.task.cost(at.state, name, gold) for name in self.task.legal(at.state)}
                right += costs[action] == min(costs.values())
                total += 1
                at = follow(self.task, at, action)
        report.accuracy = 100 * right / max(1, total)
        self.tell("after_evaluation", report)

    def finish(self, *, interrupted: bool) -> TaskModel:
        model = TaskModel(self.task, self.finished()[1], self.beam)
        model.training = TrainingRecord(
            written=TASK, **self.training.to_values(), **self.epochs_so_far(), interrupted=interrupted
        )
        return model


def _numbers(update: Update) -> tuple[float, float, int]:
    return update.positive_score, update.negative_score, update.started
