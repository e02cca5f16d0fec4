"""Batches of states of systems and of templates that are written in Python."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_range
from panparser.base.types import BoolArray, IntArray, KeyArray
from panparser.batches.classifier import Classifier, text_key
from panparser.batches.combined_classifiers import JointClassifier
from panparser.batches.item_states import PythonObjectStates, StateNode, States, hashed
from panparser.errors import BatchError, IllegalTransitionError, NoLegalTransitionError, TreebankError
from panparser.features.atoms import CALL, Atom
from panparser.features.template_lowering import lower
from panparser.features.templates import Template, Templates
from panparser.features.vectors import WordVectors
from panparser.learning.layers import Labels
from panparser.parsing.joint_states import JointActionStates
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.spec import ParserSpec
from panparser.parsing.table_states import AddressLike, ArcLabels, StateBatch, lower_addresses
from panparser.systems.python_system import PythonSteps
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank, check_lengths
from panparser.trees.gold import UNKNOWN, GoldTree, Mark, annotated_heads

DEPTH = 4  # positions of the stack and the buffer that templates can name
HISTORY = 4  # previous actions that templates can name


class PythonStates(PythonObjectStates):
    """States of many sentences of a treebank; features are those of the engine's templates, read off each state."""

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
                name = self.system.static_transition(node.state, self._golds(example))
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
            raise BatchError("keys: the states have no templates")
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


_TEMPLATE_BITS = np.uint64(511)
_ODD = np.uint64(0x9E3779B97F4A7C15)


def without_calls(templates: Templates) -> Templates:
    """The templates that the engine can read: without atoms that call functions, and without duplicates."""
    bare: dict[tuple[Atom, ...], bool] = {}  # are all templates with these atoms for actions alone?
    for template in templates:
        atoms = tuple(atom for atom in template.atoms if atom.name != CALL)
        if atoms:
            bare[atoms] = bare.get(atoms, True) and template.actions_only
    return Templates(tuple(Template(atoms, actions_only) for atoms, actions_only in bare.items()))


class PythonFeatureStates:
    """The states of a parser. A function gets a state and its sentence, and returns anything that has a `repr`."""

    def __init__(
        self, states: Any, templates: Templates, functions: Mapping[str, Callable[[Any, Sentence], Hashable]]
    ) -> None:
        self.base = states
        self.all_templates = templates
        self.functions = functions
        native = {template.atoms: column for column, template in enumerate(states.templates)}
        self._native = [
            native.get(tuple(atom for atom in template.atoms if atom.name != CALL), -1) for template in templates
        ]
        self._calls = [
            [(place, str(atom.key)) for place, atom in enumerate(template.atoms) if atom.name == CALL]
            for template in templates
        ]
        self._known: dict[int, Any] = {}  # states as functions see them, by number

    def __getattr__(self, name: str) -> Any:
        if name == "base":
            raise AttributeError(name)
        return getattr(self.base, name)

    def __len__(self) -> int:
        return len(self.base)

    def start(self, sentences: Any = None) -> None:
        self.base.start(sentences)
        self._known = {}

    @property
    def label_templates(self) -> Sequence[int]:
        """Those of the wrapped states, and all templates that call functions; none that are for actions alone."""
        native = set(self.base.label_templates)
        return [
            i
            for i, (column, template) in enumerate(zip(self._native, self.all_templates, strict=True))
            if (column in native or self._calls[i]) and not template.actions_only
        ]

    def state(self, number: int) -> Any:
        """A state as functions see it: a State of a table, a MutableState of a Python system."""
        if isinstance(self.base.system, PythonSteps):
            return self.base.nodes[number].state
        if number not in self._known:
            before, actions = self.base.derivation(number)
            if not len(before):
                self._known[number] = self.base.system.initial(int(self.base.lengths[number]))
            else:
                parent = self.state(int(before[-1]))
                self._known[number] = self.base.system.apply(parent, self.base.names[actions[-1]])
        return self._known[number]

    def keys(self, out: KeyArray | None = None) -> KeyArray:
        """(rows, templates) The features, as 64-bit keys that are almost surely unique."""
        native = self.base.keys() if self._native and max(self._native) >= 0 else np.zeros((len(self), 0), np.uint64)
        found = np.zeros((len(self), len(self._native)), dtype=np.uint64)
        values = {name: self._values(name) for name in sorted({name for calls in self._calls for _, name in calls})}
        for number, (column, calls) in enumerate(zip(self._native, self._calls, strict=True)):
            key = native[:, column].copy() if column >= 0 else np.full(len(self), number + 1, dtype=np.uint64) * _ODD
            for place, name in calls:
                key = _mixed(key + values[name] * np.uint64(2 * place + 1))
            found[:, number] = key & ~_TEMPLATE_BITS | np.uint64(number) if calls else key
        found[found == 0] = _TEMPLATE_BITS + np.uint64(1)
        if out is not None:
            out[...] = found
        return found

    def features(self, bits: int = 20) -> IntArray:
        return hashed(self.keys(), bits)

    def _values(self, name: str) -> npt.NDArray[np.uint64]:
        """A hash of the function's value for each row."""
        function, sentences = self.functions[name], self.base.sentences
        owners = self.base.started[self.base.sentence_index].tolist()
        pairs = zip(self.base.ids.tolist(), owners, strict=True)
        texts = [repr(function(self.state(state), sentences[owner])) for state, owner in pairs]
        return np.array([text_key(text) for text in texts], dtype=np.uint64)


def _mixed(x: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The finalizer of splitmix64."""
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


class ParserStates(States, Protocol):
    """States of the sentences of a treebank."""

    sentences: Treebank

    def positions(self, addresses: Sequence[AddressLike]) -> IntArray: ...
    def arcs(self, rows: IntArray, actions: IntArray) -> tuple[IntArray, IntArray]: ...
    def trees(self, states: IntArray) -> tuple[IntArray, IntArray]: ...
    def replace_gold(self, heads: IntArray, labels: IntArray) -> None: ...
    def constrain(self, constraints: BatchConstraints) -> None: ...


def with_joint_actions(states: ParserStates, classifier: Classifier) -> ParserStates:
    """The states as a classifier sees them: a Joint one sees actions with their labels or tags."""
    if not isinstance(classifier, JointClassifier):
        return states
    together: Any = JointActionStates(states, classifier.outputs, classifier.tags)
    found: ParserStates = together
    return found


def states_of(
    spec: ParserSpec,
    treebank: Treebank,
    labels: Labels,
    *,
    gold: bool | tuple[IntArray, IntArray] = False,
    constraints: BatchConstraints | None = None,
    vectors: WordVectors | None = None,
) -> ParserStates:
    """The states of a parser over a treebank; none is started yet."""
    options: dict[str, Any] = {"templates": without_calls(spec.key_templates), "labels": labels, "gold": gold}
    options |= {"start": (), "constraints": constraints}
    states: Any
    if isinstance(spec.system, PythonSteps):
        states = PythonStates(spec.system, treebank, **options)
    else:
        states = StateBatch(spec.system, treebank, **options)
    states.vectors = vectors
    if spec.calls:
        states = PythonFeatureStates(states, spec.key_templates, spec.functions)
    found: ParserStates = states
    return found
