"""Scores of states by a network, in numpy, and the memory of its stack LSTM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser.base.types import BoolArray, IntArray, LongArray
from panparser.networks.encoding import ACTION_SIZE, LABEL_SIZE, Arrays, Floats, Lstm, activated, taken
from panparser.networks.network import NetworkSpec
from panparser.networks.network_inputs import Batch
from panparser.systems.transition_system import TransitionSystem


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
        self.actions = Lstm.of(arrays, "memory.actions", ACTION_SIZE, network.stack_lstm)
        self.stack = Lstm.of(arrays, "memory.stack", network.width, network.stack_lstm)
        self.table = taken(arrays, "memory.table.weight", actions, ACTION_SIZE)

    def __call__(self, encoded: Floats, first: LongArray) -> StackMemory:
        of_actions, of_words = (
            Sequences(lstm, values @ lstm.inputs + lstm.bias)
            for lstm, values in ((self.actions, self.table), (self.stack, encoded))
        )
        return StackMemory(of_actions, of_words, first)


AT_EACH_STEP = (  # how the names of the arrays begin that Scorer and MemoryLayers need
    *("positions.bias", "labels_of", "history", "memory", "actions", "arc_scale", "labels"),
)
_AT_ONCE = 1 << 22  # scores of arcs of a sentence that are made together
LEAST = np.float32(-30.0)  # of the logarithm of a probability


@dataclass(frozen=True)
class StateInputs:
    """What a network sees of states, a row each.

    `words`: rows of the words at its positions; `labels`: of arcs, 0 where none; `history`: actions, 0 where none;
    `read`: sequences in its memory; `arcs`: (rows, actions) where the score of the arc is that an action makes, -1 if
    it makes none; `legal`.
    """

    words: LongArray
    labels: LongArray
    history: LongArray
    read: LongArray
    arcs: LongArray
    legal: BoolArray

    @classmethod
    def of(cls, network: NetworkSpec, states: Any, words: EncodedWords) -> StateInputs:
        count = len(states)
        legal = np.array(states.legal())
        labels = np.zeros((count, len(network.label_inputs)), dtype=np.int64)
        if network.label_inputs:
            labels = states.labels_at(network.label_inputs).astype(np.int64) + 1
        history = np.zeros((count, network.action_history), dtype=np.int64)
        if network.action_history:
            history = states.history(network.action_history).astype(np.int64) + 1
        read = words.memory.read(states) if words.memory else np.zeros((count, 0), dtype=np.int64)
        if hasattr(type(states), "token_positions"):
            at = states.token_positions(network.positions, words.first, len(words.seen) - 1)
            arcs = states.arc_positions(words.longest) if network.arcs else np.full(legal.shape, -1, dtype=np.int64)
        else:
            at, arcs = _found(network, states, words, legal)
        return cls(at, labels, history, read, arcs, legal)

    def take(self, rows: IntArray) -> StateInputs:
        return StateInputs(**{name: array[rows] for name, array in vars(self).items()})


@dataclass(frozen=True)
class EncodedWords:
    """What was computed for the words of sentences: rows as in a Batch, and one more for what is absent.

    `seen`: (rows, positions, hidden) what a word adds to the scorer's hidden layer at each position. `arcs`:
    (sentences, longest, longest) logarithms of the probabilities of heads, by dependent and head.
    """

    first: LongArray
    longest: int
    seen: Floats
    arcs: Floats | None
    heads: Floats | None  # of labels
    dependents: Floats | None
    memory: StackMemory | None

    def at(self, sentences: LongArray, words: IntArray) -> LongArray:
        """Rows of words of sentences; that of absence where a word is -1."""
        rows = self.first[sentences][:, None] + words
        return np.where(words >= 0, rows, len(self.seen) - 1)

    def place(self, sentences: LongArray, heads: LongArray, dependents: LongArray) -> LongArray:
        """Where the score of an arc is."""
        found: LongArray = (sentences * self.longest + dependents) * self.longest + heads
        return found


def _found(network: NetworkSpec, states: Any, words: EncodedWords, legal: BoolArray) -> tuple[LongArray, LongArray]:
    """Rows of words at positions, and places of arcs, of states that do not know them."""
    sentence = states.sentence_index.astype(np.int64)
    arcs = np.full(legal.shape, -1, dtype=np.int64)
    if network.arcs:
        rows, actions = np.nonzero(legal)
        heads, dependents = states.arcs(rows.astype(np.int32), actions.astype(np.int32))
        place = words.place(sentence[rows], heads.astype(np.int64), dependents.astype(np.int64))
        arcs[rows, actions] = np.where((heads >= 0) & (dependents > 0), place, -1)
    return words.at(sentence, states.positions(network.positions)), arcs


class WordLayers:
    """Weights that prepare words for scoring, once for each batch of sentences."""

    def __init__(self, network: NetworkSpec, arrays: Arrays, actions: int, labels: int) -> None:
        self.network, self.labels = network, labels
        width, hidden, count = network.width, network.hidden, len(network.positions)
        self.absent = taken(arrays, "absent", width)
        weights = taken(arrays, "positions.weight", hidden, count * width)
        # one product for all positions: (width, positions * hidden)
        self.positions = np.ascontiguousarray(weights.T.reshape(count, width, hidden).transpose(1, 0, 2))
        self.positions = self.positions.reshape(width, count * hidden)
        if network.arcs:
            self.arc_heads = _layer(arrays, "arc_heads", network.arcs, width)
            self.arc_dependents = _layer(arrays, "arc_dependents", network.arcs, width)
            self.arcs = taken(arrays, "arcs", network.arcs + 1, network.arcs)
        if labels and network.labels:
            self.label_heads = _layer(arrays, "label_heads", network.labels, width)
            self.label_dependents = _layer(arrays, "label_dependents", network.labels, width)
        self.memory = StackLstmLayers(network, arrays, actions) if network.stack_lstm else None

    def __call__(self, encoded: Floats, batch: Batch) -> EncodedWords:
        """What scores need of words, from what is seen of them."""
        network = self.network
        rows = np.concatenate([encoded, self.absent[None]])
        seen = (rows @ self.positions).reshape(len(rows), len(network.positions), network.hidden)
        arcs = heads = dependents = None
        if network.arcs:
            arcs = self._arcs(encoded, batch)
        if self.labels and network.labels:
            heads, dependents = (
                _with_one(_through(layer, encoded)) for layer in (self.label_heads, self.label_dependents)
            )
        memory = self.memory(encoded, batch.first) if self.memory else None
        return EncodedWords(batch.first, int(batch.lengths.max(initial=0)), seen, arcs, heads, dependents, memory)

    def _arcs(self, encoded: Floats, batch: Batch) -> Floats:
        heads = _through(self.arc_heads, encoded)
        dependents = _with_one(_through(self.arc_dependents, encoded)) @ self.arcs
        longest = int(batch.lengths.max(initial=0))
        found = np.full((len(batch.first), longest, longest), LEAST, dtype=np.float32)
        for number, (first, length) in enumerate(zip(batch.first.tolist(), batch.lengths.tolist(), strict=True)):
            step = max(1, _AT_ONCE // length)
            for start in range(1, length, step):
                end = min(start + step, length)
                scores: Any = dependents[first + start : first + end] @ heads[first : first + length].T
                np.fill_diagonal(scores[:, start:], -np.inf)
                found[number, start:end, :length] = np.maximum(_log_softmax(scores), LEAST)
        return found


class Scorer:
    """Weights that score actions and labels, at each step."""

    def __init__(self, network: NetworkSpec, arrays: Arrays, actions: int, labels: int) -> None:
        self.network, self.actions, self.labels = network, actions, labels
        hidden = network.hidden
        self.bias = taken(arrays, "positions.bias", hidden)
        self.of_labels = self._tables(arrays, "labels_of", labels, len(network.label_inputs), LABEL_SIZE)
        self.of_history = self._tables(arrays, "history", actions, network.action_history, ACTION_SIZE)
        if network.stack_lstm:
            self.of_memory = np.ascontiguousarray(
                taken(arrays, "memory.layer.weight", hidden, 2 * network.stack_lstm).T
            )
        self.out = np.ascontiguousarray(taken(arrays, "actions.weight", actions, hidden).T)
        self.out_bias = taken(arrays, "actions.bias", actions)
        if network.arcs:
            self.arc_scale = taken(arrays, "arc_scale", actions)
        if labels and network.labels:
            matrix = taken(arrays, "labels", labels, network.labels + 1, network.labels + 1)
            self.label_matrix = np.ascontiguousarray(matrix.transpose(1, 0, 2)).reshape(network.labels + 1, -1)
        elif labels:
            weights = taken(arrays, "labels.weight", actions * labels, hidden).reshape(actions, labels, hidden)
            self.label_out = np.ascontiguousarray(weights.transpose(0, 2, 1))
            self.label_bias = taken(arrays, "labels.bias", actions * labels).reshape(actions, labels)

    def _tables(self, arrays: Arrays, name: str, values: int, count: int, size: int) -> list[Floats]:
        """What each value adds to the hidden layer, at each of some places."""
        if not count:
            return []
        table = taken(arrays, f"{name}.weight", values + 1, size)
        layer = taken(arrays, f"{name}_layer.weight", self.network.hidden, count * size)
        return [table @ layer[:, place * size : (place + 1) * size].T for place in range(count)]

    def hidden(self, seen: StateInputs, words: EncodedWords) -> Floats:
        """(rows, hidden) The hidden layer of the scorer."""
        found = np.tile(self.bias, (len(seen.words), 1))
        for place in range(seen.words.shape[1]):
            found += words.seen[seen.words[:, place], place]
        for table, numbers in zip(self.of_labels, seen.labels.T, strict=True):
            found += table[numbers]
        for table, numbers in zip(self.of_history, seen.history.T, strict=True):
            found += table[numbers]
        if words.memory is not None:
            found += words.memory.remembered(seen.read) @ self.of_memory
        return activated(found)

    def score(self, seen: StateInputs, words: EncodedWords, *, is_local: bool) -> Floats:
        """(rows, actions) Scores; logarithms of probabilities among the legal actions if the network is local."""
        scores = self.hidden(seen, words) @ self.out
        scores += self.out_bias
        if words.arcs is not None:
            makes = seen.arcs >= 0
            scores += np.where(makes, words.arcs.reshape(-1)[np.maximum(seen.arcs, 0)], 0) * self.arc_scale
        if is_local:
            scores[~seen.legal] = -np.inf
            scores = _log_softmax(scores)
            scores[~seen.legal] = 0
        return scores

    def score_labels(
        self, seen: StateInputs | None, words: EncodedWords, heads: LongArray, dependents: LongArray, actions: LongArray
    ) -> Floats:
        """(arcs, labels) Scores of the labels of arcs, given by rows of words and by the actions that make them."""
        if self.network.labels:
            assert words.heads is not None
            assert words.dependents is not None
            through = words.dependents[dependents] @ self.label_matrix
            through = through.reshape(len(heads), self.labels, self.network.labels + 1)
            found: Floats = np.matmul(through, words.heads[heads][:, :, None])[:, :, 0]
            return found
        assert seen is not None
        hidden = self.hidden(seen, words)
        found = np.empty((len(hidden), self.labels), dtype=np.float32)
        for action in np.unique(actions).tolist():
            own = actions == action
            with np.errstate(invalid="ignore"):  # some BLAS raise it for numbers that they read and do not use
                found[own] = hidden[own] @ self.label_out[action] + self.label_bias[action]
        return found


def _layer(arrays: Arrays, name: str, size: int, inputs: int) -> tuple[Floats, Floats]:
    weights = np.ascontiguousarray(taken(arrays, f"{name}.weight", size, inputs).T)
    return weights, taken(arrays, f"{name}.bias", size)


def _through(layer: tuple[Floats, Floats], values: Floats) -> Floats:
    return activated(values @ layer[0] + layer[1])


def _with_one(values: Floats) -> Floats:
    return np.concatenate([values, np.ones((len(values), 1), dtype=np.float32)], axis=1)


def _log_softmax(scores: Floats) -> Floats:
    shifted = scores - scores.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
