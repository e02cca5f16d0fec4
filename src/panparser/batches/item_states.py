"""States: what search, learning and classifiers see of a batch of states; and batches whose states are Python objects.

The states of a table are the engine's (`StateBatch`). Those of a system written in Python, of a task or of a sequence
are objects: `ObjectStates` gives them the same interface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import numpy as np

from panparser import _engine
from panparser.base.checks import check_range
from panparser.base.types import BoolArray, IntArray, KeyArray, LongArray
from panparser.errors import BatchError, NoLegalTransitionError
from panparser.learning.layers import Labels

MAX_FEATURE_BITS = 31
MAX_ACTIONS = 1 << 20  # of one derivation
State = TypeVar("State")


class States(Protocol):
    """States of many examples, stepped together. Rows are states that are not final; arrays have one entry a row.

    States are numbered: the initial ones 0, 1, ... in the order of the examples, then the others as they are made.
    """

    labels: Labels
    started: LongArray
    lengths: IntArray

    @property
    def names(self) -> tuple[str, ...]:
        """Of the actions, by number."""

    def __len__(self) -> int:
        """The number of rows."""

    @property
    def ids(self) -> IntArray: ...
    @property
    def parents(self) -> IntArray: ...
    @property
    def sentence_index(self) -> IntArray: ...
    @property
    def last_actions(self) -> IntArray: ...
    @property
    def violations(self) -> IntArray:
        """Number of constraints violated by every remaining action of a row."""

    @property
    def has_open_gold(self) -> BoolArray:
        """(all examples) Does the gold leave something open, so that no derivation can be fixed in advance?"""

    @property
    def label_templates(self) -> Sequence[int]:
        """The columns of `keys` that labels are predicted from."""

    def start(self, sentences: Any = None) -> None: ...
    def select(self, states: IntArray) -> None: ...
    def legal(self) -> BoolArray: ...
    def costs(self) -> IntArray: ...
    def oracle(self) -> IntArray: ...
    def keys(self) -> KeyArray: ...
    def features(self, bits: int = 20) -> IntArray: ...
    def apply(self, actions: IntArray, labels: IntArray | None = None, rows: IntArray | None = None) -> IntArray: ...
    def legal_labels(self, rows: IntArray, actions: IntArray) -> BoolArray: ...
    def gold_labels(self, rows: IntArray, actions: IntArray) -> IntArray: ...
    def is_final(self, states: IntArray) -> BoolArray: ...
    def derivation(self, state: int) -> tuple[IntArray, IntArray]: ...


def check_bits(bits: object) -> None:
    """Raises BatchError unless `bits` is a valid width for features."""
    check_range("features: bits", bits, 1, MAX_FEATURE_BITS, BatchError)


def hashed(keys: KeyArray, bits: int) -> IntArray:
    """Keys as numbers below 2**bits."""
    check_bits(bits)
    return np.right_shift(keys, np.uint64(64 - bits)).astype(np.int32)


@dataclass
class StateNode:
    """A state with its place in a derivation; `known` caches what was computed for it."""

    state: Any
    example: int  # among those started
    parent: int
    action: int
    length: int
    legal: tuple[int, ...]  # empty in a final state
    violations: int = 0
    known: dict[str, Any] = field(default_factory=dict)


class PythonObjectStates(ABC):
    """States that are Python objects. A subclass defines initial states, actions, costs and features."""

    def __init__(self, names: Sequence[str], examples: int, labels: Labels | None = None) -> None:
        self.names = tuple(names)
        self.labels = labels or Labels()
        self.examples = examples
        self.start(())

    # --- What a kind of state does ---

    @abstractmethod
    def make_initial(self, example: int) -> Any:
        """The first state of an example."""

    @abstractmethod
    def find_legal(self, state: Any, example: int) -> tuple[Sequence[int], int]:
        """The actions that may follow, none in a final state; and what constraints lose by all of them."""

    @abstractmethod
    def make_next(self, state: Any, action: int, label: int, example: int) -> Any:
        """The state after an action; the old one is not changed. The label is -1 if the action has none."""

    @abstractmethod
    def find_costs(self, node: StateNode, example: int) -> Sequence[int]:
        """What each legal action loses."""

    @abstractmethod
    def make_keys(self, rows: Sequence[StateNode]) -> KeyArray:
        """(rows, any number) Keys of features; 0 means no feature."""

    def choose_static(self, node: StateNode, costs: Sequence[int], example: int) -> int:
        """The action of the static oracle: the first of least cost."""
        return node.legal[int(np.argmin(costs))]

    def length_of(self, example: int) -> int:
        """In words, or whatever is counted."""
        return 1

    @property
    def has_open_gold(self) -> BoolArray:
        return np.zeros(self.examples, dtype=np.bool_)

    @property
    def label_templates(self) -> Sequence[int]:
        return ()

    # --- Which states ---

    def start(self, sentences: Any = None) -> None:
        """Discards all states and starts with the initial ones of these examples, or of all."""
        chosen = np.arange(self.examples) if sentences is None else np.asarray(sentences, dtype=np.int64)
        if len(chosen) and not 0 <= chosen.min() <= chosen.max() < self.examples:
            raise BatchError(f"start: sentences must be between 0 and {self.examples - 1}; got {sentences!r}")
        self.started: LongArray = chosen.astype(np.int64)
        self.lengths: IntArray = np.array([self.length_of(int(number)) for number in chosen], dtype=np.int32)
        self.nodes: list[StateNode] = []
        for place, number in enumerate(chosen.tolist()):
            self._add(self.make_initial(number), place, -1, -1, 0)
        self._rows = [number for number, node in enumerate(self.nodes) if node.legal]

    def _add(self, state: Any, example: int, parent: int, action: int, length: int) -> int:
        if length > MAX_ACTIONS:
            raise NoLegalTransitionError("a derivation does not end")
        legal, violations = self.find_legal(state, int(self.started[example]))
        self.nodes.append(StateNode(state, example, parent, action, length, tuple(legal), violations))
        return len(self.nodes) - 1

    def select(self, states: IntArray) -> None:
        """Makes rows of states that are not final, in that order."""
        for number in states.tolist():
            if not 0 <= number < len(self.nodes) or not self.nodes[number].legal:
                raise BatchError(f"select: expected states that are not final; got {number}")
        self._rows = states.tolist()

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def states(self) -> int:
        """Number of states made since the start; the next one gets this number."""
        return len(self.nodes)

    @property
    def rows(self) -> list[StateNode]:
        return [self.nodes[number] for number in self._rows]

    @property
    def ids(self) -> IntArray:
        return np.array(self._rows, dtype=np.int32)

    @property
    def parents(self) -> IntArray:
        return np.array([node.parent for node in self.rows], dtype=np.int32)

    @property
    def sentence_index(self) -> IntArray:
        return np.array([node.example for node in self.rows], dtype=np.int32)

    @property
    def last_actions(self) -> IntArray:
        return np.array([node.action for node in self.rows], dtype=np.int32)

    @property
    def violations(self) -> IntArray:
        return np.array([node.violations for node in self.rows], dtype=np.int32)

    # --- What is seen of them ---

    def legal(self, out: BoolArray | None = None) -> BoolArray:
        """(rows, actions) Is the action legal?"""
        found = np.zeros((len(self._rows), len(self.names)), dtype=np.bool_)
        for row, node in zip(found, self.rows, strict=True):
            row[list(node.legal)] = True
        return _into(out, found)

    def costs(self, out: IntArray | None = None) -> IntArray:
        """(rows, actions) What an action loses; `ILLEGAL_COST` where it is illegal."""
        found = np.full((len(self._rows), len(self.names)), _engine.ILLEGAL_COST, dtype=np.int32)
        for row, node in zip(found, self.rows, strict=True):
            row[list(node.legal)] = self._costs(node)
        return _into(out, found)

    def _costs(self, node: StateNode) -> Sequence[int]:
        if "costs" not in node.known:
            node.known["costs"] = self.find_costs(node, int(self.started[node.example]))
        costs: Sequence[int] = node.known["costs"]
        return costs

    def oracle(self) -> IntArray:
        """(rows) The action of the static oracle."""
        chosen = [self.choose_static(node, self._costs(node), int(self.started[node.example])) for node in self.rows]
        return np.array(chosen, dtype=np.int32)

    def keys(self, out: KeyArray | None = None) -> KeyArray:
        """(rows, templates) The features, as 64-bit keys that are almost surely unique."""
        rows = self.rows
        missing = [node for node in rows if "keys" not in node.known]
        if missing:
            for node, keys in zip(missing, self.make_keys(missing), strict=True):
                node.known["keys"] = keys
        width = max((len(node.known["keys"]) for node in rows), default=0)
        found = np.zeros((len(rows), width), dtype=np.uint64)
        for row, node in zip(found, rows, strict=True):
            row[: len(node.known["keys"])] = node.known["keys"]
        return _into(out, found)

    def features(self, bits: int = 20, out: IntArray | None = None) -> IntArray:
        """(rows, templates) The features, as numbers below 2**bits; features may collide."""
        return _into(out, hashed(self.keys(), bits))

    # --- What is done to them ---

    def apply(self, actions: IntArray, labels: IntArray | None = None, rows: IntArray | None = None) -> IntArray:
        """Applies an action in each row, or in each of `rows`: numbers of the new states, which become the rows."""
        chosen = range(len(self._rows)) if rows is None else rows.tolist()
        given = [-1] * len(chosen) if labels is None else labels.tolist()
        made = []
        for row, action, label in zip(chosen, actions.tolist(), given, strict=True):
            number = self._rows[row]
            node = self.nodes[number]
            if action not in node.legal:
                raise BatchError(f"apply: {self.names[action]} is illegal in {node.state!r}")
            after = self.make_next(node.state, action, label, int(self.started[node.example]))
            made.append(self._add(after, node.example, number, action, node.length + 1))
        self._rows = [number for number in made if self.nodes[number].legal]
        return np.array(made, dtype=np.int32)

    def legal_labels(self, rows: IntArray, actions: IntArray) -> BoolArray:
        """(given rows, labels) May the arc that an action makes have the label?"""
        return np.zeros((len(rows), len(self.labels.names)), dtype=np.bool_)

    def gold_labels(self, rows: IntArray, actions: IntArray) -> IntArray:
        """The labels that the gold has for the arcs that actions make; -1 where it has none."""
        return np.full(len(rows), -1, dtype=np.int32)

    # --- Where they lead ---

    def is_final(self, states: IntArray) -> BoolArray:
        """Is a derivation complete there?"""
        return np.array([not self.nodes[number].legal for number in states.tolist()], dtype=np.bool_)

    def derivation(self, state: int) -> tuple[IntArray, IntArray]:
        """The derivation of a state: the numbers of the states before each action, and the actions."""
        before, actions = [], []
        node = self.nodes[state]
        while node.parent >= 0:
            before.append(node.parent)
            actions.append(node.action)
            node = self.nodes[node.parent]
        return np.array(before[::-1], dtype=np.int32), np.array(actions[::-1], dtype=np.int32)


Array = TypeVar("Array", bound="np.ndarray[Any, Any]")


def _into(out: Array | None, found: Array) -> Array:
    if out is None:
        return found
    out[...] = found
    return out
