"""StateBatch: the states of many sentences of a table, as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_range
from panparser.base.types import BoolArray, FloatArray, IntArray, KeyArray, LongArray
from panparser.batches.classifier import FinalBeams
from panparser.batches.item_states import check_bits
from panparser.errors import BatchError, NoLegalTransitionError, SpecError, TreebankError
from panparser.features.atoms import Address
from panparser.features.template_lowering import lower, lower_address
from panparser.features.templates import Templates
from panparser.learning.layers import Labels
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.treebank import Treebank, check_lengths
from panparser.trees.gold import UNKNOWN, annotated_heads

Gold = tuple[IntArray, IntArray]  # heads and numbers of labels, of all words of a treebank


class ArcLabels:
    """The labels of a parser over the words of a treebank."""

    def __init__(self, labels: Labels, gold: Gold | None, constraints: BatchConstraints | None) -> None:
        self._of_root = labels.of_root
        self._allowed = np.array([labels.of_words, labels.of_root], dtype=np.bool_)
        self.gold = gold
        self.constraints = constraints

    def legal(self, heads: IntArray, words: npt.NDArray[np.int64] | None) -> BoolArray:
        """(arcs, labels) May the arc have the label? False if there is no arc (head -1)."""
        allowed: BoolArray = self._allowed[(heads == 0).astype(np.intp)] & (heads >= 0)[:, None]
        if self.constraints is not None and words is not None and allowed.shape[1]:
            given = np.where(heads >= 0, self.constraints.labels[words], _engine.ANY_LABEL)
            allowed[given == _engine.STAYING_LABEL] &= ~self.constraints.moving
            fixed = np.flatnonzero(given >= 0)
            allowed[fixed] = False
            allowed[fixed, given[fixed]] = True
        return allowed

    def name_rest(self, heads: IntArray, labels: IntArray) -> None:
        """Gives the first label of roots to those that no arc has given one."""
        if any(self._of_root):
            labels[(heads == 0) & (labels < 0)] = self._of_root.index(True)

    def right(self, heads: IntArray, words: npt.NDArray[np.int64], gold: Gold) -> IntArray:
        """The gold label of each arc; -1 if the gold has another arc, or a constraint gives the label."""
        is_gold = (heads >= 0) & (gold[0][words] == heads)
        if self.constraints is not None:
            is_gold &= self.constraints.labels[words] < 0  # given, so never predicted
        return np.where(is_gold, gold[1][words], np.int32(-1))


AddressLike = str | Address
_MAX_HISTORY = 4  # actions that a state remembers
Numbers = Sequence[int] | npt.NDArray[np.integer[Any]]


class StateBatch:
    """States of many sentences of a treebank. Its rows are states that are not final; an array has a row for each.

    States are numbered: the initial ones 0, 1, ... in the order of the sentences, then the others as they are made.
    `start` begins with some of the sentences (by default all, or those given to the constructor), `apply` applies an
    action in each row and drops final states, `select` makes rows of any earlier states. If the focus of the system is
    free, a state has a row for each place where an action is legal; `focus` is the word at S0 there.

    Arrays of numbers are C-contiguous int32 (masks bool, keys uint64); arguments must be, too, else `BatchError` is
    raised. Matrices are written into `out`, or into memory of the batch: such an array is valid until the same method
    is called again. Actions are indices into `system.names`, labels into `labels.names`; words count 1..n, Root is 0,
    -1 is none.

    `templates` are what `keys` and `features` compute; `labels` are names, or those of a parser; `gold`: True, or
    (heads, labels) of all words of the treebank, for `costs`, `oracle` and `gold_labels`.
    """

    def __init__(
        self,
        system: TransitionSystem,
        sentences: Treebank,
        *,
        templates: Templates | None = None,
        labels: Sequence[str] | Labels = (),
        gold: bool | tuple[IntArray, IntArray] = False,
        start: Numbers | None = None,
        constraints: BatchConstraints | None = None,
    ) -> None:
        if not isinstance(system, TransitionSystem):
            raise SpecError(f"StateBatch: system must be a TransitionSystem; got {system!r}")
        if not isinstance(sentences, Treebank):
            raise TreebankError(f"StateBatch: sentences must be a Treebank; got {sentences!r}")
        check_lengths(sentences)
        if templates is not None and not isinstance(templates, Templates):
            raise SpecError(f"StateBatch: templates must be Templates; got {templates!r}")
        if not isinstance(labels, Labels | list | tuple):
            raise SpecError(f"StateBatch: labels must be names, or Labels; got {labels!r}")
        if templates is not None and any(template.is_vector for template in templates):
            raise SpecError("StateBatch: templates must not read vectors; `positions` returns the words to look up")
        self.system = system
        self.sentences = sentences
        self.templates = templates
        self.labels = labels if isinstance(labels, Labels) else Labels.anywhere(tuple(labels))
        self._attaches = np.array([transition.then[0].kind == "arc" for transition in system.transitions])
        self._gold = self._prepared(gold)
        self._program = lower(templates or Templates(())).program()
        engine = system._lowered.engine
        heads, numbers = self._gold or (None, None)
        try:
            self._corpus = _engine.Corpus(self._program, engine, sentences._store, heads, numbers)
        except ValueError as error:
            raise TreebankError(f"{sentences.path}: {error}") from None
        ties = [system.names.index(name) for name in system.ties]
        self._engine = _engine.Batch(engine, self._program, self._corpus, ties)
        self._buffers: dict[str, npt.NDArray[Any]] = {}
        self._constraints = constraints
        if constraints is not None:
            self._call("constrain", self._corpus.constrain, constraints.engine)
        self._arc_labels = ArcLabels(self.labels, self._gold, constraints)
        self.start(start)

    def _prepared(self, gold: bool | tuple[IntArray, IntArray]) -> tuple[IntArray, IntArray] | None:
        """Heads and numbers of labels for all words."""
        treebank = self.sentences
        if gold is False:
            return None
        if gold is not True:
            if not isinstance(gold, tuple) or len(gold) != 2:
                raise BatchError(f"StateBatch: gold must be a flag, or heads and labels; got {gold!r}")
            heads, numbers = gold
            _check(heads, "gold: heads", np.int32, (treebank.words,))
            self._check_labels(numbers, treebank.words, "gold")
            return heads.copy(), numbers.copy()
        treebank.check()
        heads = np.array(treebank.heads)
        if self.system.max_span is not None or self.system.partial:
            heads = annotated_heads(heads, treebank.offsets, self.system.root, self.system.max_span)
        known = {name: number for number, name in enumerate(self.labels.names)}
        table = np.array([known.get(text, -1) for text in treebank.vocabulary("deprel")], dtype=np.int32)
        return heads, table[treebank.column("deprel")]

    @property
    def gold(self) -> tuple[IntArray, IntArray] | None:
        """Heads and labels of all words of the treebank to learn from, -1 where unknown; None if there are none."""
        return self._gold

    @property
    def given_heads(self) -> IntArray | None:
        """The heads that constraints give to the words of the treebank, -1 where none; None without constraints."""
        return None if self._constraints is None else self._constraints.heads

    @cached_property
    def has_open_gold(self) -> BoolArray:
        """(sentences of the treebank) Does the gold leave a head unknown, or are there constraints?"""
        is_open = self._gold[0] == UNKNOWN if self._gold else np.zeros(self.sentences.words, dtype=np.bool_)
        if self._constraints is not None:
            is_open = is_open | self._constraints.is_constrained
        return np.isin(np.arange(len(self.sentences)), self.sentences.sentence_of_word()[np.flatnonzero(is_open)])

    @cached_property
    def label_templates(self) -> list[int]:
        """The columns of `keys` that labels of arcs are predicted from."""
        return _engine.label_templates(self.system._lowered.engine, self._program)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the actions, by number."""
        return self.system.names

    def constrain(self, constraints: BatchConstraints) -> None:
        """From the next `start` on, only actions that keep the constraints, as far as possible, are legal."""
        self._call("constrain", self._corpus.constrain, constraints.engine)
        self._constraints = self._arc_labels.constraints = constraints
        self.__dict__.pop("has_open_gold", None)

    def replace_gold(self, heads: IntArray, labels: IntArray) -> None:
        """Sets another reference for all words of the treebank; costs use it after the next `start`."""
        gold = self._prepared((heads, labels))
        self._call("replace_gold", self._corpus.replace, heads, labels)
        self._gold = gold
        self.__dict__.pop("has_open_gold", None)

    # --- Which states ---

    def start(self, sentences: Numbers | None = None) -> None:
        """Discards all states and starts with the initial ones of these sentences of the treebank, or of all."""
        chosen = np.arange(len(self.sentences)) if sentences is None else np.asarray(sentences)
        if chosen.ndim != 1 or (len(chosen) and chosen.dtype.kind not in "iu"):
            raise BatchError(f"start: sentences must be a list of numbers; got {sentences!r}")
        started = np.ascontiguousarray(chosen, dtype=np.int64)
        self._call("start", self._engine.start, started)
        self.started = started
        self.lengths = (self.sentences.offsets[self.started + 1] - self.sentences.offsets[self.started]).astype(
            np.int32
        )

    def select(self, states: IntArray, focus: IntArray | None = None) -> None:
        """Makes rows of states that are not final, in that order; with a `focus`, only of that place of each."""
        _check(states, "select: states", np.int32, (None,))
        if focus is not None:
            _check(focus, "select: focus", np.int32, (len(states),))
        self._call("select", self._engine.select, states, focus)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self._engine)

    def __repr__(self) -> str:
        return f"<StateBatch {self.system.name}: {len(self.started)} sentences, {len(self)} rows, {self.states} states>"

    @property
    def states(self) -> int:
        """Number of states made since the start; the next one gets this number."""
        return self._engine.states

    @property
    def ids(self) -> IntArray:
        """The number of each row's state."""
        return self._listed(self._engine.list_states)

    @property
    def parents(self) -> IntArray:
        """The number of the state that each row's state was made from; -1 for an initial one."""
        return self._listed(self._engine.list_parents)

    @property
    def sentence_index(self) -> IntArray:
        """The sentence of each row, as an index into `started` and `lengths`."""
        return self._listed(self._engine.list_sentences)

    @property
    def focus(self) -> IntArray:
        """The word at S0 of each row, 0 if it is Root, where the focus is free; -1 where it is fixed."""
        return self._listed(self._engine.list_focus)

    @property
    def violations(self) -> IntArray:
        """Number of constraints violated by every remaining action of each row."""
        return self._listed(self._engine.list_violations)

    @property
    def last_actions(self) -> IntArray:
        """The action that made each row's state; -1 for an initial one."""
        return self._listed(self._engine.list_actions)

    def _listed(self, method: Any) -> IntArray:
        out = np.empty(len(self._engine), dtype=np.int32)
        method(out)
        return out

    # --- What is seen of them ---

    def legal(self, out: BoolArray | None = None) -> BoolArray:
        """(rows, actions) Is the action legal?"""
        return self._filled("legal", self._engine.legal, np.bool_, len(self.system.transitions), out)

    def costs(self, out: IntArray | None = None) -> IntArray:
        """(rows, actions) What an action loses; `ILLEGAL_COST` where it is illegal."""
        return self._filled("costs", self._engine.costs, np.int32, len(self.system.transitions), out)

    def oracle(self) -> IntArray:
        """(rows) The action of the static oracle: least cost, then an arc of the gold, then `ties`.

        If the focus is free, it is that of one row of each state, and -1 in the others.
        """
        out = np.empty(len(self._engine), dtype=np.int32)
        self._call("oracle", self._engine.oracle, out)
        return out

    def positions(self, addresses: Sequence[AddressLike], out: IntArray | None = None) -> IntArray:
        """(rows, addresses) The word at each address, such as S0, B1 or S0.left[0]; 0 is Root, -1 none."""
        numbers = lower_addresses(tuple(addresses))

        def fill(matrix: IntArray) -> None:
            self._engine.positions(numbers, matrix)

        return self._filled("positions", fill, np.int32, len(numbers), out)

    def token_positions(self, addresses: Sequence[AddressLike], first: LongArray, none: int) -> LongArray:
        """(rows, addresses) The words in a table of those of all sentences, given the row of each Root; or `none`."""
        numbers = lower_addresses(tuple(addresses))
        _check(first, "places: first", np.int64, (len(self.started),))
        found = np.empty((len(self._engine), len(numbers)), dtype=np.int64)
        self._call("places", self._engine.places, numbers, first, none, found)
        return found

    def arc_positions(self, width: int) -> LongArray:
        """(rows, actions) Where the arc that an action makes, or proposes, is in a table by sentence, dependent and
        head, the latter two of this width; -1 where the action is illegal, or attaches no word."""
        found = np.empty((len(self._engine), len(self.system.transitions)), dtype=np.int64)
        self._call("arc_places", self._engine.arc_places, width, found)
        return found

    def labels_at(self, addresses: Sequence[AddressLike], out: IntArray | None = None) -> IntArray:
        """(rows, addresses) The label of the arc to the word at each address; -1 none."""
        numbers = lower_addresses(tuple(addresses))

        def fill(matrix: IntArray) -> None:
            self._engine.labels(numbers, matrix)

        return self._filled("labels_at", fill, np.int32, len(numbers), out)

    def history(self, count: int, out: IntArray | None = None) -> IntArray:
        """(rows, count) The last actions, the latest first, at most four; -1 where there were fewer."""
        check_range("history: count", count, 0, _MAX_HISTORY, BatchError)
        return self._filled("history", self._engine.history, np.int32, count, out)

    def stacks(self) -> IntArray:
        """(rows, as many as the largest has) The words on each stack, from the bottom; 0 is Root, -1 none."""
        return self._filled("stacks", self._engine.stacks, np.int32, self._engine.deepest, None)

    def last_arcs(self, out: IntArray | None = None) -> IntArray:
        """(rows, 3) Head, dependent and label of the arc that the last action made; -1 if it made none."""
        return self._filled("last_arcs", self._engine.last_arcs, np.int32, 3, out)

    def keys(self, out: KeyArray | None = None) -> KeyArray:
        """(rows, templates) The feature of each template, as a 64-bit key that is almost surely unique."""
        if self.templates is None:
            raise BatchError("StateBatch.keys: the states have no templates")
        return self._filled("keys", self._engine.keys, np.uint64, self._program.templates, out)

    def features(self, bits: int = 20, out: IntArray | None = None) -> IntArray:
        """(rows, templates) The feature of each template, as a number below 2**bits; features may collide."""
        check_bits(bits)
        keys = self.keys()
        shape = keys.shape
        numbers = (
            self._room("features", np.int32, shape) if out is None else _writable(out, "features", np.int32, shape)
        )
        np.right_shift(keys, np.uint64(64 - bits), out=numbers, casting="unsafe")
        return numbers

    # --- What is done to them ---

    def apply(self, actions: IntArray, labels: IntArray | None = None, rows: IntArray | None = None) -> IntArray:
        """Applies an action in each row, or in each of `rows`, which may repeat: numbers of the new states.

        Labels are those of the arcs that actions make; -1 is none. The new states, except final ones, become the rows.
        """
        if rows is not None:
            _check(rows, "apply: rows", np.int32, (None,))
        count = len(self._engine) if rows is None else len(rows)
        _check(actions, "apply: actions", np.int32, (count,))
        if labels is not None:
            self._check_labels(labels, count, "apply")
        out = np.empty(count, dtype=np.int32)
        self._call("apply", self._engine.apply, rows, actions, labels, out)
        return out

    def _check_labels(self, labels: IntArray, count: int, what: str) -> None:
        _check(labels, f"{what}: labels", np.int32, (count,))
        if count and not -1 <= labels.min() <= labels.max() < len(self.labels.names):
            found = labels[(labels < -1) | (labels >= len(self.labels.names))][0]
            raise BatchError(f"{what}: labels must be between -1 and {len(self.labels.names) - 1}; got {found}")

    def arcs(self, rows: IntArray, actions: IntArray) -> tuple[IntArray, IntArray]:
        """Heads and dependents of the arcs that actions would make, or propose, in these rows; -1 if none."""
        _check(rows, "arcs: rows", np.int32, (None,))
        _check(actions, "arcs: actions", np.int32, (len(rows),))
        heads, dependents = np.empty(len(rows), dtype=np.int32), np.empty(len(rows), dtype=np.int32)
        self._call("arcs", self._engine.arcs, rows, actions, heads, dependents)
        return heads, dependents

    def legal_labels(self, rows: IntArray, actions: IntArray) -> BoolArray:
        """(given rows, labels) May the arc that an action makes have the label? False if it makes none."""
        heads, dependents = self.arcs(rows, actions)
        words = None if self._constraints is None else self._words(rows, dependents)
        return self._arc_labels.legal(heads, words)

    def _words(self, rows: IntArray, dependents: IntArray) -> npt.NDArray[np.int64]:
        """The index of a dependent of each row among all words of the treebank."""
        first = self.sentences.offsets[self.started[self.sentence_index[rows]]]
        words: npt.NDArray[np.int64] = first + np.maximum(dependents, 1) - 1
        return words

    def gold_labels(self, rows: IntArray, actions: IntArray) -> IntArray:
        """The gold labels of the arcs that actions make (not those they propose); -1 if the gold does not have the
        arc."""
        if self._gold is None:
            raise BatchError("StateBatch.gold_labels: the sentences have no gold")
        heads, dependents = self.arcs(rows, actions)
        made = np.where(self._attaches[actions] & (dependents > 0), heads, np.int32(-1))
        return self._arc_labels.right(made, self._words(rows, dependents), self._gold)

    # --- Beams to learn from ---

    def start_beams(self, width: int, *, restarts: bool) -> None:
        """A beam for each sentence, from its initial state. The rows are the states of all beams, if not final.

        A search ends when its beam has lost all that is correct, or all of it is final; if it `restarts`, one that has
        lost it begins again from the best that is correct.
        """
        self._call("start_beams", self._engine.start_beams, width, restarts)

    def choose_steps(self, scores: FloatArray) -> tuple[IntArray, IntArray]:
        """The rows and actions that the beams go on with, given (rows, actions) scores of what is legal."""
        _check(scores, "choose_steps: scores", np.float64, (len(self), len(self.system.transitions)))
        found: tuple[IntArray, IntArray] = self._call("choose_steps", self._engine.choose_steps, scores)
        return found

    def take_steps(self, labels: IntArray | None = None) -> None:
        """Takes the steps that were chosen, which perhaps give arcs these labels."""
        self._call("take_steps", self._engine.take_steps, labels)

    @property
    def violated_searches(self) -> int:
        """How many have ended with another derivation on top than the best correct one."""
        found: int = self._call("wrong_searches", lambda: self._engine.wrong_searches)
        return found

    def ambiguous_steps(self) -> tuple[IntArray, FinalBeams]:
        """Derivations that searches have ended with, where some were wrong; the rows are those of the states given."""
        return _beams(self._call("contested_steps", self._engine.contested_steps))

    def gold_steps(self) -> tuple[IntArray, FinalBeams]:
        """The best correct derivation of each search."""
        return _beams(self._call("correct_steps", self._engine.correct_steps))

    # --- Where they lead ---

    def is_final(self, states: IntArray) -> BoolArray:
        """Is a derivation complete there?"""
        _check(states, "is_final: states", np.int32, (None,))
        out = np.empty(len(states), dtype=np.bool_)
        self._call("is_final", self._engine.is_final, states, out)
        return out

    def derivation(self, state: int) -> tuple[IntArray, IntArray]:
        """The derivation of a state: the numbers of the states before each step, and the steps.

        A step is an action; if the focus is free, `system.step_name` has its name.
        """
        if not 0 <= state < self.states:
            raise BatchError(f"derivation: state must be between 0 and {self.states - 1}; got {state!r}")
        found: tuple[IntArray, IntArray] = self._call("derivation", self._engine.derivation, int(state))
        return found

    def trees(self, states: IntArray | None = None) -> tuple[IntArray, IntArray]:
        """Heads and labels of the words of all started sentences, one after the other; -1 is none.

        They are those of one state for each sentence, by default the last one made.
        """
        if states is None:
            states = np.empty(len(self.started), dtype=np.int32)
            self._call("trees", self._engine.latest, states)
        _check(states, "trees: states", np.int32, (len(self.started),))
        words = int(self.lengths.sum())
        heads, labels = np.empty(words, dtype=np.int32), np.empty(words, dtype=np.int32)
        self._call("trees", self._engine.trees, states, heads, labels)
        if self.system.attaches_rest:
            self._arc_labels.name_rest(heads, labels)
        return heads, labels

    # --- Memory and checks ---

    def _filled(self, name: str, fill: Any, kind: Any, width: int, out: npt.NDArray[Any] | None) -> npt.NDArray[Any]:
        shape = (len(self._engine), width)
        matrix = self._room(name, kind, shape) if out is None else _writable(out, name, kind, shape)
        self._call(name, fill, matrix)
        return matrix

    def _room(self, name: str, kind: Any, shape: tuple[int, int]) -> npt.NDArray[Any]:
        """Memory for a matrix, kept between calls."""
        size = shape[0] * shape[1]
        kept = self._buffers.get(name)
        if kept is None or len(kept) < size:
            kept = self._buffers[name] = np.empty(max(size, 256), dtype=kind)
        return kept[:size].reshape(shape)

    def _call(self, name: str, method: Any, *arguments: Any) -> Any:
        try:
            return method(*arguments)
        except ValueError as error:
            raise BatchError(f"{name} of StateBatch: {error}") from None
        except _engine.Stuck as error:
            raise NoLegalTransitionError(f"{self.system.name}: {error}") from None


def _check(array: object, name: str, kind: Any, shape: tuple[int | None, ...]) -> None:
    """Raises BatchError unless it is a C-contiguous array of that type and shape; None is any length."""
    if (
        isinstance(array, np.ndarray)
        and array.dtype == kind
        and array.flags.c_contiguous
        and len(array.shape) == len(shape)
        and all(expected in (None, found) for expected, found in zip(shape, array.shape, strict=True))
    ):
        return
    expected = f"({', '.join('any' if size is None else str(size) for size in shape)}{',' if len(shape) == 1 else ''})"
    found = repr(array)
    if isinstance(array, np.ndarray):
        order = "" if array.flags.c_contiguous else " that is not C-contiguous"
        found = f"one of {array.dtype} and shape {array.shape}{order}"
    raise BatchError(f"{name} must be a C-contiguous {np.dtype(kind)} array of shape {expected}; got {found}")


def _writable(out: npt.NDArray[Any], name: str, kind: Any, shape: tuple[int, int]) -> npt.NDArray[Any]:
    _check(out, f"out of {name}", kind, shape)
    if not out.flags.writeable:
        raise BatchError(f"out of {name} must be writable")
    return out


def _beams(found: Any) -> tuple[IntArray, FinalBeams]:
    states, rows, actions, paths, searches, correct = found
    return states, FinalBeams(rows, actions, paths, searches, correct.view(np.bool_))


@lru_cache(maxsize=256)
def lower_addresses(addresses: tuple[AddressLike, ...]) -> IntArray:
    """The engine's numbers of addresses. Raises TemplateError if one is invalid."""
    for address in addresses:
        if not isinstance(address, str | Address):
            raise BatchError(f"positions: addresses must be texts such as S0.left[0]; got {address!r}")
    read = [Address(*address.split(".", 1)) if isinstance(address, str) else address for address in addresses]
    return np.array([lower_address(address) for address in read], dtype=np.int32)
