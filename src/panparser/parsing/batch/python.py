"""PythonStates: states of a system written in Python, with the interface of a `StateBatch`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser._arrays import BoolArray, IntArray, KeyArray
from panparser._caching import cached_property
from panparser._checks import check_range
from panparser.errors import BatchError, IllegalTransitionError, NoLegalTransitionError, TreebankError
from panparser.features.lowering import lower
from panparser.features.templates import Templates
from panparser.learning.labels import Labels
from panparser.learning.states import PythonObjectStates, StateNode
from panparser.parsing.batch.arc_labels import ArcLabels
from panparser.parsing.batch.kept import BatchConstraints
from panparser.parsing.batch.tables import AddressLike, lower_addresses
from panparser.systems.python import PythonSteps
from panparser.treebank.treebank import Treebank, check_lengths
from panparser.trees.gold import UNKNOWN, GoldTree, Mark, annotated_heads

DEPTH = 4  # positions of the stack and the buffer that templates can name
HISTORY = 4  # previous actions that templates can name


class PythonStates(PythonObjectStates):
    """States of many sentences of a treebank; features are those of the engine's templates, read off `MutableState`s."""

    def __init__(
        self,
        system: PythonSteps,
        sentences: Treebank,
        *,
        templates: Templates | None = None,
        labels: Labels | None = None,
        gold: bool | tuple[IntArray, IntArray] = False,
        start: Any = None,
        constraints: BatchConstraints | None = None,
    ) -> None:
        check_lengths(sentences)
        self.system = system
        self.sentences = sentences
        self.templates = templates
        self.constraints = constraints
        self._gold = self._prepared(gold, labels or Labels())
        lowered = lower(templates or Templates(()))
        self._program, self._actions_only = lowered.program(), set(lowered.actions_only)
        self._numbers: dict[str | None, int] = {name: i for i, name in enumerate((labels or Labels()).names)}
        self._numbers[None] = -1
        self._arc_labels = ArcLabels(labels or Labels(), self._gold, constraints)
        super().__init__(system.names, len(sentences), labels)
        self.start(start)

    def _prepared(self, gold: bool | tuple[IntArray, IntArray], labels: Labels) -> tuple[IntArray, IntArray] | None:
        """Heads and numbers of labels for all words."""
        if gold is False:
            return None
        if gold is not True:
            return gold[0].copy(), gold[1].copy()
        self.sentences.check()
        heads = np.array(self.sentences.heads)
        if self.system.partial:
            heads = annotated_heads(heads, self.sentences.offsets, self.system.root, None)
        known = {name: number for number, name in enumerate(labels.names)}
        table = np.array([known.get(text, -1) for text in self.sentences.vocabulary("deprel")], dtype=np.int32)
        return heads, table[self.sentences.column("deprel")]

    @cached_property
    def _described(self) -> _engine.DescribedStates:
        given = None
        if self.constraints is not None:
            given = (self.constraints.heads, self.constraints.labels)
        return _engine.DescribedStates(self._program, self.sentences._store, self.system.root != "last", given)

    @property
    def gold(self) -> tuple[IntArray, IntArray] | None:
        """Heads and labels of all words of the treebank to learn from, -1 where unknown; None if there are none."""
        return self._gold

    @property
    def given_heads(self) -> IntArray | None:
        """The heads that constraints give to the words of the treebank, -1 where none; None without constraints."""
        return None if self.constraints is None else self.constraints.heads

    def replace_gold(self, heads: IntArray, labels: IntArray) -> None:
        """Sets another reference for all words of the treebank."""
        self._gold = (heads.copy(), labels.copy())
        self._arc_labels.gold = self._gold
        self._golds.cache_clear()
        self.__dict__.pop("has_open_gold", None)

    def constrain(self, constraints: BatchConstraints) -> None:
        """From the next `start` on, only actions that keep the constraints, as far as possible, are legal."""
        self.constraints = self._arc_labels.constraints = constraints
        self._asked.cache_clear()
        for name in ("has_open_gold", "_described"):
            self.__dict__.pop(name, None)

    # --- References ---

    def _words(self, example: int) -> slice:
        return slice(int(self.sentences.offsets[example]), int(self.sentences.offsets[example + 1]))

    @cached_property
    def _golds(self) -> Any:
        @lru_cache(maxsize=1024)
        def gold_of(example: int) -> GoldTree:
            if self._gold is None:
                raise BatchError("costs: the sentences have no gold")
            return _gold(self._gold[0][self._words(example)])

        return gold_of

    @cached_property
    def _asked(self) -> Any:
        @lru_cache(maxsize=1024)
        def asked_of(example: int) -> tuple[GoldTree, npt.NDArray[np.uint8] | None] | None:
            """The constraints of a sentence: heads, and which arcs it may have."""
            if self.constraints is None:
                return None
            heads, allowed = self.constraints.heads[self._words(example)], self.constraints.allowed.get(example)
            if allowed is None and (heads == UNKNOWN).all():
                return None
            return _gold(heads), allowed

        return asked_of

    @cached_property
    def has_open_gold(self) -> BoolArray:
        """(sentences of the treebank) Does the gold leave a head unknown, or are there constraints?"""
        is_open = self._gold[0] == UNKNOWN if self._gold else np.zeros(self.sentences.words, dtype=np.bool_)
        if self.constraints is not None:
            is_open = is_open | self.constraints.is_constrained
        return np.isin(np.arange(len(self.sentences)), self.sentences.sentence_of_word()[np.flatnonzero(is_open)])

    @cached_property
    def label_templates(self) -> list[int]:
        """Labels of Python systems see every template but those for actions alone."""
        return [number for number in range(self._program.templates) if number not in self._actions_only]

    # --- What a kind of state does ---

    def length_of(self, example: int) -> int:
        return int(self.sentences.offsets[example + 1] - self.sentences.offsets[example])

    def make_initial(self, example: int) -> Any:
        words = self.length_of(example)
        return self.system.initial(words) if words else None

    def find_legal(self, state: Any, example: int) -> tuple[Sequence[int], int]:
        if state is None or self.system.is_final(state):
            return (), 0
        declared = self.system.declared
        legal = [number for number, name in enumerate(self.names) if declared.legal(state, name)]
        if not legal:
            raise NoLegalTransitionError(
                f"{self.system.name} is stuck in {state}: no transition is legal, and it is not final"
            )
        asked = self._asked(example)
        if asked is None or len(legal) == 1:
            return legal, 0
        gold, allowed = asked
        costs = self._costs_of(state, legal, gold)
        if allowed is not None:
            for i, action in enumerate(legal):
                costs[i] += any(not allowed[head, word] for head, word in self._arcs_of(state, action))
        return [action for action, cost in zip(legal, costs, strict=True) if cost == min(costs)], min(costs)

    def _costs_of(self, state: Any, actions: Sequence[int], gold: GoldTree) -> list[int]:
        return [self.system.cost(state, self.names[action], gold) for action in actions]

    def make_next(self, state: Any, action: int, label: int, example: int) -> Any:
        after = self.system.after(state, self.names[action])
        if label >= 0:
            for _, word in self.system.new_arcs(state, after):
                after.labels[word] = self.labels.names[label]
        return after

    def find_costs(self, node: StateNode, example: int) -> Sequence[int]:
        if not self.system.has_dynamic_oracle:
            chosen = self._static(node, example)
            return [int(action != chosen) for action in node.legal]
        costs = self.system.costs(node.state, self._golds(example))
        return [costs[self.names[action]] for action in node.legal]

    def choose_static(self, node: StateNode, costs: Sequence[int], example: int) -> int:
        """Chooses as `static_derivation` does: least cost, then an arc of the gold, then `ties`."""
        gold = self._golds(example)
        if self.system.static_oracle:
            return self._static(node, example)
        ties = {name: place for place, name in enumerate(self.system.ties)}
        best = [action for action, cost in zip(node.legal, costs, strict=True) if cost == min(costs)]

        def rank(action: int) -> tuple[bool, int]:
            arcs = self._arcs_of(node.state, action)
            return not any(gold.heads[word - 1] == head for head, word in arcs), ties[self.names[action]]

        return min(best, key=rank)

    def _static(self, node: StateNode, example: int) -> int:
        """The action of the system's own static oracle; elsewhere than on its derivation it may have none to offer."""
        if "static" not in node.known:
            try:
                name = self.system.static(node.state, self._golds(example))
                node.known["static"] = self.names.index(name)
            except IllegalTransitionError:
                if self._is_static(node, example):
                    raise
                node.known["static"] = node.legal[0]
        action: int = node.known["static"]
        return action

    def _is_static(self, node: StateNode, example: int) -> bool:
        """Is a state one of the derivation that the static oracle makes?"""
        while node.parent >= 0:
            parent = self.nodes[node.parent]
            if self._static(parent, example) != node.action:
                return False
            node = parent
        return True

    def _arcs_of(self, state: Any, action: int) -> list[tuple[int, int]]:
        return self.system.new_arcs(state, self.system.after(state, self.names[action]))

    # --- Features ---

    def _description(self, rows: Sequence[StateNode]) -> tuple[npt.NDArray[Any], ...]:
        stack, buffer = (np.full((len(rows), DEPTH), -1, dtype=np.int32) for _ in range(2))
        heads: list[int] = []
        labels: list[int] = []
        history = np.zeros(len(rows), dtype=np.uint32)
        codes = {name: number + 1 for number, name in enumerate(self.names)}
        for i, node in enumerate(rows):
            state = node.state
            top, front = list(state.stack)[-DEPTH:][::-1], list(state.buffer)[:DEPTH]
            stack[i, : len(top)] = top
            buffer[i, : len(front)] = front
            heads += state.heads[1:]
            labels += [self._numbers.get(label, -1) for label in state.labels[1:]]
            for name in state.derivation[-HISTORY:]:
                history[i] = history[i] << np.uint32(8) | np.uint32(codes[name])
        sentences = np.array([self.started[node.example] for node in rows], dtype=np.int64)
        numbers = np.array(heads, dtype=np.int32), np.array(labels, dtype=np.int32)
        return sentences, stack, buffer, *numbers, history

    def make_keys(self, rows: Sequence[StateNode]) -> KeyArray:
        if self.templates is None:
            raise BatchError("keys: the states were made without templates")
        out = np.empty((len(rows), self._program.templates), dtype=np.uint64)
        self._call(self._described.keys, *self._description(rows), out)
        return out

    def positions(self, addresses: Sequence[AddressLike], out: IntArray | None = None) -> IntArray:
        """(rows, addresses) The word at each address, such as S0, B1 or S0.left[0]; 0 is Root, -1 is none."""
        numbers = lower_addresses(tuple(addresses))
        found = np.empty((len(self), len(numbers)), dtype=np.int32) if out is None else out
        self._call(self._described.positions, *self._description(self.rows), numbers, found)
        return found

    def labels_at(self, addresses: Sequence[AddressLike]) -> IntArray:
        """(rows, addresses) The label of the arc to the word at each address; -1 none.

        As in templates, heads have one if they are among the words that addresses can name.
        """
        words = self.positions(addresses)
        is_of_head = np.array([".head" in str(address) for address in addresses])
        found = np.full(words.shape, -1, dtype=np.int32)
        for row, (node, own) in enumerate(zip(self.rows, words.tolist(), strict=True)):
            state = node.state
            found[row] = [self._numbers.get(state.labels[word], -1) if word > 0 else -1 for word in own]
            found[row, is_of_head & ~np.isin(own, [*list(state.stack)[-DEPTH:], *list(state.buffer)[:1]])] = -1
        return found

    def history(self, count: int) -> IntArray:
        """(rows, count) The last actions, the latest first, at most four; -1 where there were fewer."""
        check_range("history: count", count, 0, HISTORY, error=BatchError)
        codes = {name: number for number, name in enumerate(self.names)}
        found = np.full((len(self), count), -1, dtype=np.int32)
        for row, node in enumerate(self.rows):
            last = node.state.derivation[::-1][:count]
            found[row, : len(last)] = [codes[name] for name in last]
        return found

    def stacks(self) -> IntArray:
        """(rows, as many as the largest has) The words on each stack, from the bottom; 0 is Root, -1 none."""
        stacks = [list(node.state.stack) for node in self.rows]
        found = np.full((len(stacks), max(map(len, stacks), default=0)), -1, dtype=np.int32)
        for row, stack in enumerate(stacks):
            found[row, : len(stack)] = stack
        return found

    def _call(self, method: Any, *arguments: Any) -> None:
        try:
            method(*arguments)
        except ValueError as error:
            raise TreebankError(f"{self.system.name}: {error}") from None

    # --- Arcs and trees ---

    def arcs(self, rows: IntArray, actions: IntArray) -> tuple[IntArray, IntArray]:
        """Heads and dependents of the (first) arcs that actions would make in these rows; -1 if none."""
        found = []
        for row, action in zip(rows.tolist(), actions.tolist(), strict=True):
            node = self.nodes[self._rows[row]]
            if ("arc", action) not in node.known:
                made = self._arcs_of(node.state, action)
                node.known["arc", action] = made[0] if made else (-1, -1)
            found.append(node.known["arc", action])
        both = np.array(found, dtype=np.int32).reshape(len(found), 2)
        return np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])

    def _places(self, rows: IntArray, dependents: IntArray) -> npt.NDArray[np.int64]:
        first = self.sentences.offsets[self.started[self.sentence_index[rows]]]
        places: npt.NDArray[np.int64] = first + np.maximum(dependents, 1) - 1
        return places

    def legal_labels(self, rows: IntArray, actions: IntArray) -> BoolArray:
        heads, dependents = self.arcs(rows, actions)
        return self._arc_labels.legal(heads, self._places(rows, dependents))

    def gold_labels(self, rows: IntArray, actions: IntArray) -> IntArray:
        if self._gold is None:
            raise BatchError("gold_labels: the sentences have no gold")
        heads, dependents = self.arcs(rows, actions)
        return self._arc_labels.right(heads, self._places(rows, dependents), self._gold)

    def trees(self, states: IntArray) -> tuple[IntArray, IntArray]:
        """Heads and labels of the words of all started sentences, in one state of each; -1 is none."""
        found: list[int] = []
        numbers: list[int] = []
        for number in states.tolist():
            state = self.nodes[number].state
            if state is not None:
                found += state.heads[1:]
                numbers += [self._numbers.get(label, -1) for label in state.labels[1:]]
        heads, labels = np.array(found, dtype=np.int32), np.array(numbers, dtype=np.int32)
        if self.system.attaches_rest:
            self._arc_labels.name_rest(heads, labels)
        return heads, labels


def _gold(codes: IntArray) -> GoldTree:
    marks = {int(mark): mark for mark in Mark}
    return GoldTree([None if head == UNKNOWN else marks.get(head, head) for head in codes.tolist()])
