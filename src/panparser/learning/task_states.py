"""Task: what can be learned beside parsing; and its states, as classifiers and searches see them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Protocol, TypeVar

import numpy as np

from panparser.errors import SpecError
from panparser.learning.states import PythonObjectStates, StateNode

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
            raise SpecError("costs of a task need the golds of its inputs")
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


@lru_cache(maxsize=1 << 16)
def text_key(text: str) -> int:
    """A 64-bit key that is almost surely unique, and never 0."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little") or 1
