"""Actions joined with the labels of their arcs, or with the tags of the words that they shift."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.types import BoolArray, IntArray, KeyArray
from panparser.errors import SpecError
from panparser.learning.layers import Labels
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.table_states import AddressLike
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.treebank import Treebank


class JointActionStates:
    """The states of a parser; an action is one of the system with a label, a tag, both or none.

    Costs add up: a wrong label, or a wrong tag, costs 1 in addition to the loss of the transition.
    """

    def __init__(self, states: Any, outputs: Sequence[str], tags: Sequence[str] = ()) -> None:
        self.base = states
        self.outputs = tuple(outputs)
        self.tags = tuple(tags)
        self.sentences: Treebank = states.sentences
        self.labels = Labels() if "label" in self.outputs else states.labels
        self._made: dict[int, tuple[int, int]] = {}  # by state: the joint action that made it, and its parent
        self._actions, self._labels, self._tags = self._triples()

    def _triples(self) -> tuple[IntArray, IntArray, IntArray]:
        """Action, label and tag of each joint action; -1 means none."""
        names, system = self.base.names, self.base.system
        if "tag" in self.outputs and not isinstance(system, TransitionSystem):
            raise SpecError(f"tags are predicted when a table shifts a word; {system.name} is not a table")
        found = []
        for action, _ in enumerate(names):
            effects = {effect.kind for effect in system.transitions[action].then} if self._is_table else {"arc"}
            labels = range(len(self.base.labels.names)) if "label" in self.outputs and "arc" in effects else ()
            tags = range(len(self.tags)) if "tag" in self.outputs and "shift" in effects else ()
            # Whether an action makes an arc, or shifts a word and not Root, can depend on the state.
            found += [(action, label, tag) for label in (-1, *labels) for tag in (-1, *tags)]
        found.sort(key=lambda triple: triple[1])  # what new labels bring comes last
        columns = np.array(found, dtype=np.int32).reshape(-1, 3)
        actions, labels_of, tags_of = (np.ascontiguousarray(columns[:, i]) for i in range(3))
        return actions, labels_of, tags_of

    @property
    def _is_table(self) -> bool:
        return isinstance(self.base.system, TransitionSystem)

    @cached_property
    def names(self) -> tuple[str, ...]:
        base, labels = self.base.names, self.base.labels.names
        parts = zip(self._actions.tolist(), self._labels.tolist(), self._tags.tolist(), strict=True)
        return tuple(
            ":".join([base[a], *([labels[label]] if label >= 0 else []), *([self.tags[tag]] if tag >= 0 else [])])
            for a, label, tag in parts
        )

    def __getattr__(self, name: str) -> Any:
        if name == "base":
            raise AttributeError(name)
        return getattr(self.base, name)

    def __len__(self) -> int:
        return len(self.base)

    def start(self, sentences: Any = None) -> None:
        self.base.start(sentences)
        self._made = {}

    @property
    def last_actions(self) -> IntArray:
        return np.array([self._made.get(int(state), (-1, -1))[0] for state in self.base.ids], dtype=np.int32)

    # --- What is seen of them ---

    @cached_property
    def _label_places(self) -> dict[int, Any]:
        """By action of the system: the joint actions that have a label."""
        return {a: np.flatnonzero((self._actions == a) & (self._labels >= 0)) for a in range(len(self.base.names))}

    def legal(self, out: BoolArray | None = None) -> BoolArray:
        """(rows, joint actions) Only arcs have labels, and only shifted words have tags."""
        base = self.base.legal().copy()
        legal: BoolArray = base[:, self._actions]
        for action, places in self._label_places.items():
            rows = np.flatnonzero(base[:, action]).astype(np.int32)
            if len(places) and len(rows):
                fits = self.base.legal_labels(rows, np.full(len(rows), action, dtype=np.int32))
                bare = np.flatnonzero((self._actions == action) & (self._labels < 0))
                legal[np.ix_(rows, bare)] &= ~fits.any(axis=1)[:, None]
                legal[np.ix_(rows, places)] &= fits[:, self._labels[places]]
        if "tag" in self.outputs:
            is_word = self.base.positions(("B0",))[:, 0] > 0
            shifts = np.isin(self._actions, self._actions[self._tags >= 0])
            legal[:, shifts & (self._tags < 0)] &= ~is_word[:, None]
            legal[:, self._tags >= 0] &= is_word[:, None]
        if out is not None:
            out[...] = legal
        return legal

    def costs(self, out: IntArray | None = None) -> IntArray:
        """(rows, joint actions) The loss in attachments, labels of gold arcs, and tags."""
        legal = self.legal()
        costs = self.base.costs()[:, self._actions].astype(np.int64)
        base = self.base.legal().copy()
        for action, places in self._label_places.items():
            rows = np.flatnonzero(base[:, action]).astype(np.int32)
            if len(places) and len(rows):
                right = self.base.gold_labels(rows, np.full(len(rows), action, dtype=np.int32))
                costs[np.ix_(rows, places)] += (right[:, None] >= 0) & (right[:, None] != self._labels[places])
        if "tag" in self.outputs:
            right = self._right_tags()
            costs += (right[:, None] >= 0) & (self._tags >= 0) & (right[:, None] != self._tags)
        found: IntArray = np.where(legal, costs, _engine.ILLEGAL_COST).astype(np.int32)
        if out is not None:
            out[...] = found
        return found

    @cached_property
    def _gold_tags(self) -> IntArray:
        known = {tag: number for number, tag in enumerate(self.tags)}
        table = np.array([known.get(text, -1) for text in self.sentences.vocabulary("upos")], dtype=np.int32)
        return table[self.sentences.column("upos")]

    def _right_tags(self) -> IntArray:
        """The tag of each row's front word."""
        front = self.base.positions(("B0",))[:, 0]
        first = self.sentences.offsets[self.base.started[self.base.sentence_index]]
        right: IntArray = np.where(front > 0, self._gold_tags[first + np.maximum(front, 1) - 1], np.int32(-1))
        return right

    def oracle(self) -> IntArray:
        """(rows) The transition of the static oracle, with the correct label and tag."""
        chosen, costs = self.base.oracle(), self.costs()
        costs = np.where(self._actions == chosen[:, None], costs, _engine.ILLEGAL_COST)
        best: IntArray = costs.argmin(axis=1).astype(np.int32)
        return best

    @property
    def has_open_gold(self) -> BoolArray:
        found: BoolArray = self.base.has_open_gold
        return found

    def keys(self, out: KeyArray | None = None) -> KeyArray:
        found: KeyArray = self.base.keys(out) if out is not None else self.base.keys()
        return found

    # --- What is done to them ---

    def apply(self, actions: IntArray, labels: IntArray | None = None, rows: IntArray | None = None) -> IntArray:
        """Applies a joint action in each row, or in each of `rows`: numbers of the new states."""
        before = self.base.ids if rows is None else self.base.ids[rows]
        given = self._labels[actions] if "label" in self.outputs else labels
        made: IntArray = self.base.apply(self._actions[actions], given, rows)
        for state, action, parent in zip(made.tolist(), actions.tolist(), before.tolist(), strict=True):
            self._made[state] = (action, parent)
        return made

    def derivation(self, state: int) -> tuple[IntArray, IntArray]:
        """The derivation of a state: the numbers of the states before each joint action, and the actions."""
        before, actions = [], []
        while state in self._made:
            action, state = self._made[state]
            before.append(state)
            actions.append(action)
        return np.array(before[::-1], dtype=np.int32), np.array(actions[::-1], dtype=np.int32)

    def arcs(self, rows: IntArray, actions: IntArray) -> tuple[IntArray, IntArray]:
        found: tuple[IntArray, IntArray] = self.base.arcs(rows, self._actions[actions])
        return found

    def legal_labels(self, rows: IntArray, actions: IntArray) -> BoolArray:
        found: BoolArray = self.base.legal_labels(rows, self._actions[actions])
        return found

    def gold_labels(self, rows: IntArray, actions: IntArray) -> IntArray:
        found: IntArray = self.base.gold_labels(rows, self._actions[actions])
        return found

    def positions(self, addresses: Sequence[AddressLike]) -> IntArray:
        found: IntArray = self.base.positions(addresses)
        return found

    def labels_at(self, addresses: Sequence[AddressLike]) -> IntArray:
        if "label" in self.outputs:
            raise SpecError(
                "JointClassifier: the network must not have label inputs, since labels are parts of actions"
            )
        found: IntArray = self.base.labels_at(addresses)
        return found

    def constrain(self, constraints: BatchConstraints) -> None:
        self.base.constrain(constraints)

    def tags_of(self, states: IntArray) -> IntArray:
        """The tags of the words of all started sentences, in one state of each; -1 if a word was not shifted."""
        offsets = np.concatenate([[0], np.cumsum(self.base.lengths)])
        tags = np.full(int(offsets[-1]), -1, dtype=np.int32)
        for sentence, state in enumerate(states.tolist()):
            before, actions = self.derivation(state)
            chosen = np.flatnonzero(self._tags[actions] >= 0)
            if len(chosen):
                self.base.select(before[chosen])
                words = self.base.positions(("B0",))[:, 0]
                tags[offsets[sentence] + words - 1] = self._tags[actions[chosen]]
        return tags
