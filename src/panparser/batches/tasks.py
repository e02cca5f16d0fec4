"""Tasks in Python: a search problem of the user's own, trained like a parser."""

from __future__ import annotations

import copy
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar, Unpack

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.checks import check_beam, check_best
from panparser.base.kinds import NUMBER, TABLE, Table, TableOf, integer
from panparser.base.types import IntArray
from panparser.batches.batch_learner import BatchLearner, needed_method
from panparser.batches.batch_run import BatchMember
from panparser.batches.batch_search import BatchSearch, ClassifierPool, batches
from panparser.batches.classifier import (
    CLASSIFIER_PREFIX,
    STORED,
    ActionNames,
    Classifier,
    ClassifierSetup,
    check_classifier,
    checked_arrays,
    classifier_values,
    copied,
    external_class,
    restored_classifier,
    text_key,
)
from panparser.batches.item_states import PythonObjectStates, StateNode, States
from panparser.errors import SpecError
from panparser.learning.engine_run import update_units
from panparser.learning.epochs import EpochLoop
from panparser.learning.layers import Labels
from panparser.learning.listeners import Listener, Replacement, SequenceEpochReport, check_listeners
from panparser.learning.strategies import TrainingStrategy
from panparser.learning.training import TaskOptions, TrainingConfig, sequence_training
from panparser.learning.training_record import TASK, TrainingRecord
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, StoredModel, prefixed

Input_contra = TypeVar("Input_contra", contravariant=True)
State = TypeVar("State")
Gold_contra = TypeVar("Gold_contra", contravariant=True)


class Task(Protocol[Input_contra, State, Gold_contra]):
    """A task to learn. States are values: `apply` returns a new one and does not change the old."""

    def initial(self, input: Input_contra) -> State:
        """Where derivations for an input begin."""

    def legal(self, state: State) -> Sequence[str]:
        """The possible actions, always in the same order; none in a final state."""

    def apply(self, state: State, action: str) -> State:
        """The state after an action."""

    def cost(self, state: State, action: str, gold: Gold_contra) -> int:
        """What a legal action loses: the actions of least cost are correct, even if that is not 0."""

    def features(self, state: State) -> Sequence[str]:
        """Features, as strings; each is used as a whole, so prefix it with the name of what it describes."""


class TaskStates(PythonObjectStates):
    """States of a task over some inputs; with golds, costs too. Actions get numbers as they are met."""

    def __init__(self, task: Task[Any, Any, Any], inputs: Sequence[Any], golds: Sequence[Any] | None = None) -> None:
        self.task = task
        self.inputs = inputs
        self.golds = golds
        self._numbers = {name: number for number, name in enumerate(getattr(task, "actions", ()))}
        super().__init__((), len(inputs))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    @names.setter
    def names(self, names: tuple[str, ...]) -> None:
        """Ignored: the names are those of the task."""

    def make_initial(self, example: int) -> Any:
        return self.task.initial(self.inputs[example])

    def find_legal(self, state: Any, example: int) -> tuple[Sequence[int], int]:
        return [self._numbers.setdefault(name, len(self._numbers)) for name in self.task.legal(state)], 0

    def make_next(self, state: Any, action: int, label: int, example: int) -> Any:
        return self.task.apply(state, self.names[action])

    def find_costs(self, node: StateNode, example: int) -> Sequence[int]:
        if self.golds is None:
            raise SpecError("costs: the inputs have no golds")
        names = self.names
        return [self.task.cost(node.state, names[action], self.golds[example]) for action in node.legal]

    def texts(self, node: StateNode) -> Sequence[str]:
        """The task's features of a state."""
        if "texts" not in node.known:
            node.known["texts"] = list(self.task.features(node.state))
        found: Sequence[str] = node.known["texts"]
        return found

    def make_keys(self, rows: Sequence[StateNode]) -> Any:
        return [np.array([text_key(text) for text in self.texts(node)], dtype=np.uint64) for node in rows]


@dataclass(frozen=True)
class Prediction:
    """A model's result for an input: the final state, the actions that lead to it, and their score (in updates)."""

    state: Any
    actions: tuple[str, ...]
    score: float


Row = dict[str, float]  # weights by action


class NamedPerceptron(Classifier):
    """The averaged perceptron of a task: whole numbers by feature and action, each with the sum of its changes times
    their dates. The clock of the average is the number of examples seen."""

    name = "named-perceptron"
    batch = 1

    def __init__(self, unit: int = 1) -> None:
        self.unit = float(unit)
        self.weights: dict[str, dict[str, float]] = {}
        self.dated: dict[str, dict[str, float]] = {}
        self.time = 0

    def copy_shared(self) -> NamedPerceptron:
        return copy.copy(self)

    def score(self, states: States) -> npt.NDArray[np.float64]:
        assert isinstance(states, TaskStates)
        names = {name: number for number, name in enumerate(states.names)}
        scores = np.zeros((len(states), len(names)))
        for row, node in zip(scores, states.rows, strict=True):
            for feature in states.texts(node):
                for action, weight in self.weights.get(feature, {}).items():
                    if action in names:
                        row[names[action]] += weight
        return scores

    def update_pair(self, states: States, actions: IntArray, signs: npt.NDArray[Any]) -> None:
        assert isinstance(states, TaskStates)
        names = states.names
        for node, action, sign in zip(states.rows, actions.tolist(), signs.tolist(), strict=True):
            by = int(math.copysign(math.floor(self.unit * abs(sign) + 0.5), sign))
            for feature in states.texts(node):
                for rows, change in ((self.weights, by), (self.dated, by * self.time)):
                    row = rows.setdefault(feature, {})
                    row[names[action]] = row.get(names[action], 0) + change

    def end_batch(self, states: States) -> None:
        self.time += len(states.started)

    def averaged(self) -> dict[str, Row]:
        """Weights by feature and action, in updates; without those that are 0."""
        rows: dict[str, Row] = {}
        for feature, row in self.weights.items():
            sums = {action: self.time * weight - self.dated[feature][action] for action, weight in row.items()}
            if kept := {action: number / (self.time * self.unit) for action, number in sums.items() if number}:
                rows[feature] = kept
        return rows


class TaskModel(StoredModel, kind="task", newest=1):
    """Scores the actions of a task with averaged weights, or a classifier. Made by `train_task` and `load`."""

    declared = Table(
        {"beam": integer(1), "training": TABLE, "weights": TableOf(TableOf(NUMBER))}, {"classifier": STORED}
    )

    def __init__(
        self,
        task: Task[Any, Any, Any],
        weights: dict[str, Row],
        beam: int = 1,
        classifier: Classifier | None = None,
    ) -> None:
        check_beam(beam, "TaskModel")
        self.task = task
        self.weights = weights  # by feature; empty where a classifier scores
        self.beam = beam
        self.classifier = classifier
        self.training = TrainingRecord()

    @cached_property
    def _pool(self) -> ClassifierPool:
        if self.classifier is not None:
            return ClassifierPool(self.classifier)
        scorer = NamedPerceptron()
        scorer.weights = self.weights
        return ClassifierPool(scorer)

    def predict(self, input: Any, *, beam: int | None = None) -> Prediction:
        """The best prediction that a beam finds."""
        return self.k_best(input, 1, beam=beam)[0]

    def k_best(self, input: Any, k: int, *, beam: int | None = None) -> list[Prediction]:
        """At most `count` predictions, best first; the beam is at least as wide. `beam=0`: exhaustive search."""
        width = self.beam if beam is None else beam
        check_best(k, width, "k_best: k")
        if width != 0:
            check_beam(width, "best")
            width = max(width, k)
        states = TaskStates(self.task, [input])
        with self._pool.take() as classifier:
            found = BatchSearch(states, classifier).beam(np.zeros(1, dtype=np.int64), width or None)
        pairs = list(zip(found.state.tolist(), found.score.tolist(), strict=True))[:k]
        return [_prediction(states, state, score / classifier.unit) for state, score in pairs]

    # --- Files: what was learned; the task itself is code and is not stored ---

    def external_code(self) -> dict[str, Any]:
        return {"task": self.task, "classifier": None if self.classifier is None else external_class(self.classifier)}

    def to_arrays(self) -> Arrays:
        return prefixed(CLASSIFIER_PREFIX, checked_arrays(self.classifier)) if self.classifier is not None else {}

    def to_values(self) -> dict[str, Any]:
        """The rest, in plain values."""
        classifier = {} if self.classifier is None else {"classifier": classifier_values(self.classifier)}
        return {"beam": self.beam, "training": self.training.to_values(), **classifier, "weights": self.weights}

    @classmethod
    def load(
        cls, path: str | os.PathLike[str], task: Task[Any, Any, Any], classifier: type[Classifier] | None = None
    ) -> TaskModel:
        """The model of a file, for the task that it was trained for; raises ModelError if it is not a valid one."""
        return cls.read(path, task=task, classifier=classifier)

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> TaskModel:
        weights = {
            feature: {action: float(w) for action, w in row.items()} for feature, row in values["weights"].items()
        }
        classifier = restored_classifier(arrays, values.get("classifier"), source.code.get("classifier"), source.path)
        model = cls(source.code["task"], weights, values["beam"], classifier)
        model.training = TrainingRecord.from_values(values["training"])
        return model


def _prediction(states: TaskStates, state: int, score: float) -> Prediction:
    names = states.names
    actions = tuple(names[action] for action in states.derivation(state)[1].tolist())
    return Prediction(states.nodes[state].state, actions, score)


# --- Training ---


Examples = Sequence[tuple[Any, Any]]


def train_task(
    task: Task[Any, Any, Any],
    examples: Examples,
    *,
    beam: int = 1,
    dev: Examples | None = None,
    listeners: Sequence[Listener] = (),
    classifier: Classifier | None = None,
    **options: Unpack[TaskOptions],
) -> TaskModel:
    """A model for a task, from pairs of an input and its gold; `options` are strategy, epochs, patience and seed.

    With `dev`, more such pairs, the epoch kept is that whose predictions for them have the most actions of least cost,
    without it the last. The strategy defaults to DYNAMIC, or MAX_VIOLATION with a beam. A `classifier` learns instead
    of the perceptron; the task must then list its `actions`.
    """
    check_beam(beam, "train_task")
    check_listeners("train_task", listeners)
    if not examples:
        raise SpecError("expected examples to learn from; got none")
    training = sequence_training(beam, options, "train_task", TaskOptions)
    run = _TaskRun(
        task=task,
        examples=examples,
        beam=beam,
        dev=dev,
        listeners=listeners,
        training=training,
        classifier=classifier,
    )
    return run.run()


@dataclass(kw_only=True)
class _TaskRun(EpochLoop[TaskModel, TaskModel]):
    task: Task[Any, Any, Any]
    examples: Examples
    beam: int
    dev: Examples | None
    training: TrainingConfig
    classifier: Classifier | None = None

    def __post_init__(self) -> None:
        self.states = TaskStates(self.task, [one for one, _ in self.examples], [gold for _, gold in self.examples])
        if self.classifier is None:
            self._learning: Classifier = NamedPerceptron(update_units(self.training))
        else:
            self._learning = self._prepared(self.classifier)
        self.learner = BatchLearner(BatchSearch(self.states, self._learning), self.beam, self.training.seed)
        self.member = BatchMember(
            self, self.learner, self._replacement_states, report_interval=None, after_search=self._count_actions
        )
        self._actions = 0  # of derivations learned from

    def _prepared(self, classifier: Classifier) -> Classifier:
        strategy, actions = self.training.strategy, tuple(getattr(self.task, "actions", ()))
        if not actions:
            raise SpecError(f"{type(self.task).__name__} must list its `actions`, all of them, for a classifier")
        methods = [needed_method(strategy, self.beam, classifier)] if isinstance(strategy, TrainingStrategy) else []
        check_classifier(classifier, *methods)
        own = copy.deepcopy(classifier)
        own.prepare(
            ClassifierSetup(
                system=ActionNames(actions), templates=None, labels=Labels(), sentences=None, seed=self.training.seed
            )
        )
        return own

    def train_epoch(self, epoch: int) -> None:
        order = np.random.default_rng([self.training.seed, epoch, 0]).permutation(len(self.examples))
        self.member.train_epoch(epoch, batches(order, self._learning.batch))

    def _replacement_states(self, number: int, replacement: Replacement) -> tuple[States, int]:
        input, gold = self.examples[number]
        input = input if replacement.sentence is None else replacement.sentence
        gold = gold if replacement.gold is None else replacement.gold
        return TaskStates(self.task, [input], [gold]), 0

    def _count_actions(self, learner: BatchLearner, count: int) -> None:
        nodes = learner.states.nodes  # type: ignore[attr-defined]
        for example in range(count):
            self._actions += max(node.length for node in nodes if node.example == example)

    def make_report(self, epoch: int) -> SequenceEpochReport:
        return SequenceEpochReport(epoch, self._actions, self.learner.updates)

    def weights(self) -> TaskModel:
        if isinstance(self._learning, NamedPerceptron):
            return TaskModel(self.task, self._learning.averaged(), self.beam)
        return TaskModel(self.task, {}, self.beam, copied(self._learning))

    def accuracy(self, weights: TaskModel) -> float:
        correct = total = 0
        for input, gold in self.dev or ():
            state = self.task.initial(input)
            for action in weights.predict(input).actions:
                costs = {name: self.task.cost(state, name, gold) for name in self.task.legal(state)}
                correct += costs[action] == min(costs.values())
                total += 1
                state = self.task.apply(state, action)
        return 100 * correct / max(1, total)

    def finish(self, *, interrupted: bool) -> TaskModel:
        model = self.best_epoch()[1]
        model.training = TrainingRecord(
            written=TASK, **self.training.to_values(), **self.epoch_record(), interrupted=interrupted
        )
        return model
