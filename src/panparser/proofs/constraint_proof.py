"""The proof that parsing under constraints is safe: transitions of least cost never lose a given head."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from panparser import _engine
from panparser.base.checks import MAX_PROVEN_WORDS, check_range
from panparser.errors import ConstraintError, ProofError
from panparser.proofs import system_proof as check
from panparser.systems.oracles import gold_transitions
from panparser.systems.registry import system as as_system
from panparser.systems.state import State
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.drawing import draw_tree
from panparser.trees.enumeration import partial_golds, tree_subsets
from panparser.trees.gold import UNKNOWN, GoldTree, Head

_BATCH = 2000  # sets of constraints checked together
_COLUMNS = {"words": 5, "states": 9, "constraint sets": 17, "trees within them": 19}  # widths


@dataclass(frozen=True)
class ConstraintRow:
    """What was proven for sentences of one length."""

    words: int
    states: int
    sets: int
    outputs: int  # final states that a filtered search can end in, for all sets together

    @property
    def work(self) -> int:
        """What the time grows with."""
        return self.states * self.sets

    def __str__(self) -> str:
        values = (self.words, self.states, self.sets, self.outputs)
        return "".join(f"{value:>{width}}" for value, width in zip(values, _COLUMNS.values(), strict=True))


@dataclass(frozen=True)
class ConstraintReport:
    """What `check_constraints` proved; a failure raises instead."""

    system: str
    rows: tuple[ConstraintRow, ...]

    @staticmethod
    def header() -> str:
        return "".join(f"{name:>{width}}" for name, width in _COLUMNS.items())

    def __str__(self) -> str:
        return "\n".join([self.header(), *map(str, self.rows)])


def check_constraints(
    system: Any,
    max_words: int = 4,
    *,
    progress: check.Progress | None = None,
    proven: Callable[[ConstraintRow], None] | None = None,
) -> ConstraintReport:
    """Proves that parsing with given heads keeps all of them, or raises `ProofError`.

    For all sentences up to a number of words, and every set of heads that occurs in a tree of the system: whatever the
    scores, the search never gets stuck, and every tree that it can return has all the given heads.
    """
    system = as_system(system)
    if not isinstance(system, TransitionSystem) or (system.has_oracle and not system.has_dynamic_oracle):
        raise ConstraintError(f"{system.name} keeps no constraints: it is not a table with costs")
    check_range("max_words", max_words, 1, MAX_PROVEN_WORDS)
    report = progress or (lambda *_: None)
    rows = []
    for words in range(1, max_words + 1):
        nodes = check._explore(system, words, report)
        sets = completable_sets(system, words, nodes)
        outputs = 0
        for first in range(0, len(sets), _BATCH):
            report(f"{words} words: constraint sets", first, len(sets))
            outputs += _check(system, nodes, sets[first : first + _BATCH])
        rows.append(ConstraintRow(words, len(nodes), len(sets), outputs))
        if proven:
            proven(rows[-1])
    return ConstraintReport(f"{system.name}, Root {system.root}", tuple(rows))


def completable_sets(
    system: TransitionSystem, words: int, nodes: list[check._Node] | None = None
) -> list[tuple[Head, ...]]:
    """All sets of heads that occur in a tree of the system; None if a head is not given. `nodes`: all its states."""
    if system.crosses:
        every = check._explore(system, words, lambda *_: None) if nodes is None else nodes
        return tree_subsets(sorted({tuple(node.state.heads[1:]) for node in every if not node.names}))
    root = words + 1 if system.root == "last" else 0
    longest = system.max_span or words + 1
    return [
        heads
        for heads in partial_golds(words, system.root, system.single_root)
        if all(abs(word - (head or root)) <= longest for word, head in enumerate(heads, start=1) if head is not None)  # type: ignore[operator]
    ]


def _check(system: TransitionSystem, nodes: list[check._Node], sets: list[tuple[Head, ...]]) -> int:
    golds = [GoldTree(heads) for heads in sets]
    filters = engine_filters(system, golds)
    given = np.array([gold.codes() for gold in golds])
    within = np.zeros((len(nodes), len(golds)), dtype=bool)  # can a filtered search reach the node?
    within[-1] = True
    outputs = 0
    for number in range(len(nodes) - 1, -1, -1):  # every node before those that follow it
        node, here = nodes[number], within[number]
        if not here.any():
            continue
        if not node.names:
            kept = (given == UNKNOWN) | (given == np.array(node.state.heads[1:]))
            if lost := np.flatnonzero(here & ~kept.all(axis=1)).tolist():
                raise ProofError(_lost(system, node, golds[lost[0]]))
            outputs += int(here.sum())
            continue
        passes = node.state.engine_states.filtered(node.state.index, filters)
        for column, successor in enumerate(node.after):
            within[successor] |= here & passes[:, column]
    return outputs


def filtered_transitions(system: TransitionSystem, state: State, given: GoldTree) -> tuple[str, ...]:
    """The transitions that are left if heads are given: those of least cost.

    If arcs join words of the stack, a given arc to the left is made as soon as it costs nothing.
    """
    if system.is_static_dynamic:  # words may change places wherever that loses no given head
        exact, derivation = replace(system, static_oracle=None), state.derivation
        system, state = exact, exact.initial(state.words)
        for name in derivation:
            state = system.apply(state, name)
    least = gold_transitions(system, state, given)
    if system.potential not in ("arc-standard-loss", "attardi-loss"):
        return least
    if not system.crosses and not given.has_projective_completion(root=system.root, single_root=system.single_root):
        return least
    for name in least:
        head, word = system.arc(state, name) or (0, 0)
        is_left = word < head or (head == 0 and system.root == "last")
        if word and is_left and given.heads[word - 1] == head:
            return (name,)
    return least


def engine_filters(system: TransitionSystem, golds: list[GoldTree]) -> _engine.Constraints:
    """Given heads as the filter of the search, for a treebank with a sentence for each gold."""
    heads = np.array([gold.codes() for gold in golds], dtype=np.int32)
    offsets = np.arange(len(golds) + 1, dtype=np.int64) * heads.shape[1]
    labels = np.full(heads.size, _engine.ANY_LABEL, dtype=np.int32)
    return _engine.Constraints(system._lowered.engine, offsets, heads.ravel(), labels, np.zeros(0, dtype=np.uint8))


def _lost(system: TransitionSystem, node: check._Node, gold: GoldTree) -> str:
    drawn = draw_tree(gold.heads, system.root)
    return check._failure(system, node.state, f"ends without all given heads, which are\n\n{drawn}")
