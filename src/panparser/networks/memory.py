"""What LSTMs have read of states: their actions so far, and what is on their stacks (D 2015: see network.py).

A sequence that was read is a number: 0 is the empty one, any other is one more value after a shorter one. States share
the beginnings of their sequences, so a new state takes one step after what its parent has read.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from panparser._arrays import LongArray
from panparser.networks.encoding import ACTION_SIZE, Arrays, Floats, Lstm, taken
from panparser.networks.network import NetworkSpec
from panparser.systems.table import TransitionSystem


class Sequences:
    """Sequences that one LSTM has read: for each, the one before its last value, and that value."""

    def __init__(self, lstm: Lstm, gates: Floats) -> None:
        self.lstm = lstm
        self.gates = gates  # (values, 4 * size) what a value adds to the gates
        self.before, self.values, self.lengths = [0], [0], [0]
        self.hidden = np.zeros((1, lstm.size), dtype=np.float32)  # has room for more sequences than there are
        self._cell = np.zeros_like(self.hidden)
        self._known: dict[int, int] = {}

    def after(self, before: LongArray, values: LongArray) -> LongArray:
        """The sequences that continue others by one value each."""
        keys = before * len(self.gates) + values
        new = np.unique(np.array([key for key in keys.tolist() if key not in self._known], dtype=np.int64))
        if len(new):
            self._read(new)
        return np.array([self._known[key] for key in keys.tolist()], dtype=np.int64)

    def shared(self, sequence: int, values: LongArray, count: int) -> int:
        """The beginning of a sequence that some values have, too, if those that differ are at the end.

        Compared from the end: no row of a table changes what is below a word of the stack that stays in its place.
        """
        length = self.lengths[sequence]
        while length > count or (length and self.values[sequence] != values[length - 1]):
            sequence, length = self.before[sequence], length - 1
        return sequence

    def _read(self, keys: LongArray) -> None:
        before, values = keys // len(self.gates), keys % len(self.gates)
        cell, hidden = self._cell[before], self.hidden[before]
        self.lstm.step(self.gates[values], cell, hidden)
        first, end = len(self.before), len(self.before) + len(keys)
        if end > len(self.hidden):
            more = np.zeros((end, self.lstm.size), dtype=np.float32)
            self.hidden, self._cell = np.concatenate([self.hidden, more]), np.concatenate([self._cell, more])
        self.hidden[first:end], self._cell[first:end] = hidden, cell
        self._known.update(zip(keys.tolist(), range(first, end), strict=True))
        self.lengths += [self.lengths[one] + 1 for one in before.tolist()]
        self.before += before.tolist()
        self.values += values.tolist()


class StackMemory:
    """What is remembered of the states of some sentences."""

    def __init__(self, actions: Sequences, stacks: Sequences, first: LongArray) -> None:
        self.actions, self.stacks = actions, stacks
        self.first = first  # rows of the sentences' Roots
        self._actions_of: dict[int, int] = {-1: 0}  # sequences of states, by number
        self._stack_of: dict[int, int] = {}

    def read(self, states: Any) -> LongArray:
        """(rows, 2) The sequence of the actions of each state, and that of the words on its stack."""
        return np.stack([self._read_actions(states), self._read_stacks(states)], axis=1)

    def _read_actions(self, states: Any) -> LongArray:
        parents = states.parents.tolist()
        for parent in parents:
            if parent not in self._actions_of:
                self._catch_up(states, parent)
        before = np.array([self._actions_of[parent] for parent in parents], dtype=np.int64)
        last = states.last_actions.astype(np.int64)
        is_later = last >= 0
        before[is_later] = self.actions.after(before[is_later], last[is_later])
        self._actions_of.update(zip(states.ids.tolist(), before.tolist(), strict=True))
        return before

    def _catch_up(self, states: Any, state: int) -> None:
        """Reads the actions of a state that nobody has looked at, nor perhaps at those before it."""
        _, actions = states.derivation(state)
        found = np.zeros(1, dtype=np.int64)
        for action in actions.astype(np.int64):
            found = self.actions.after(found, action[None])
        self._actions_of[state] = int(found[0])

    def _read_stacks(self, states: Any) -> LongArray:
        """What is left of the parent's stack, then what is new on top."""
        stacks = states.stacks()
        sizes = (stacks >= 0).sum(axis=1)
        words = self.first[states.sentence_index][:, None] + stacks
        is_table = isinstance(states.system, TransitionSystem)  # a system in Python may change a stack anywhere
        parents = [self._stack_of.get(parent, 0) if is_table else 0 for parent in states.parents.tolist()]
        found = np.array(
            [self.stacks.shared(*row) for row in zip(parents, words, sizes.tolist(), strict=True)], dtype=np.int64
        )
        lengths = np.array([self.stacks.lengths[one] for one in found.tolist()], dtype=np.int64)
        while len(rows := np.flatnonzero(lengths < sizes)):
            found[rows] = self.stacks.after(found[rows], words[rows, lengths[rows]])
            lengths[rows] += 1
        self._stack_of.update(zip(states.ids.tolist(), found.tolist(), strict=True))
        return found

    def remembered(self, read: LongArray) -> Floats:
        """(rows, 2 * size) The hidden states of both LSTMs."""
        return np.concatenate([self.actions.hidden[read[:, 0]], self.stacks.hidden[read[:, 1]]], axis=1)


class StackLstmLayers:
    """The weights of both LSTMs."""

    def __init__(self, network: NetworkSpec, arrays: Arrays, actions: int) -> None:
        self.actions = Lstm.of(arrays, "memory.actions", ACTION_SIZE, network.memory)
        self.stack = Lstm.of(arrays, "memory.stack", network.width, network.memory)
        self.table = taken(arrays, "memory.table.weight", actions, ACTION_SIZE)

    def __call__(self, encoded: Floats, first: LongArray) -> StackMemory:
        of_actions, of_words = (
            Sequences(lstm, values @ lstm.inputs + lstm.bias)
            for lstm, values in ((self.actions, self.table), (self.stack, encoded))
        )
        return StackMemory(of_actions, of_words, first)
