"""Trees that keep constraints: the best one, the smallest conflict, the largest set that can be kept.

Exact for projective trees: Eisner's algorithm on the allowed arcs. A span that must be a subtree becomes one
word without dependents, innermost first: the arc into it scores as the best tree inside whose top takes the arc.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.errors import GoldError
from panparser.parsing.constraints import Constraint
from panparser.systems.oracles import static_derivation
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.gold import GoldTree, Span, reference_heads

Heads = list[int]  # of words 1..n
Scores = npt.NDArray[np.float64]  # (n+1, n+1), by head and dependent; Root is 0
_Decode = Callable[[Scores, bool], Any]  # of scores, and whether Root has one child
_FORBIDDEN = -np.inf
_MAX_PAIRED = 40  # constraints of which all pairs are tried
_MAX_SPANS = 8  # spans of which all subsets are tried


@dataclass(frozen=True)
class Solver:
    """The solver for one sentence and one system."""

    system: TransitionSystem
    words: int

    def tree(self, constraints: Iterable[Constraint], scores: Scores | None = None) -> Heads | None:
        """The best projective tree that keeps all constraints, by the scores of its arcs; None if no tree does.

        In systems that leave words headless, an unconstrained word may have an arc that is too long for the system:
        it means no arc.
        """
        constraints = list(constraints)
        table = np.zeros((self.words + 1, self.words + 1)) if scores is None else scores.copy()
        for constraint in constraints:
            constraint.restrict(table, self.system.root, _FORBIDDEN)
            if constraint.word and self.system.max_span is not None:
                table[self.too_long(constraint.word), constraint.word] = _FORBIDDEN
        spans = {c.allowed for c in constraints if isinstance(c.allowed, Span) and c.allowed.kind == "subtree"}
        return best_tree(table, sorted(spans, key=lambda s: (s.last - s.first, s.first)), self.system.single_root)

    def too_long(self, word: int) -> npt.NDArray[np.bool_]:
        """(n+1) Which heads of a word are too far away for the system's arcs."""
        positions = np.arange(self.words + 1)
        positions[0] = self.words + 1 if self.system.root == "last" else 0
        return np.abs(positions - word) > (self.system.max_span or self.words + 1)

    def possible_heads(self, constraint: Constraint) -> npt.NDArray[np.bool_]:
        """(n+1) Heads of its word that a constraint allows and the system can build."""
        return constraint.allowed_heads(self.words, self.system.root) & ~self.too_long(constraint.word)

    def keeps(self, constraints: Sequence[Constraint]) -> bool:
        """Does some tree of the system keep all of them?"""
        if self.tree(constraints) is not None:
            return True
        if not self.system.crosses or not all(type(c.allowed) is int for c in constraints):
            return False
        gold = self._gold(constraints)
        return gold is not None and self.system.lost_arcs(gold) == 0

    def _gold(self, constraints: Sequence[Constraint]) -> GoldTree | None:
        given = {c.word: c.allowed for c in constraints}
        try:
            return GoldTree(given.get(word) for word in range(1, self.words + 1))  # type: ignore[misc]
        except GoldError:  # a cycle
            return None

    def conflict(self, constraints: Sequence[Constraint]) -> list[Constraint]:
        """A smallest set that no tree keeps, if it has one or two members; else a minimal one."""
        for constraint in constraints:  # any one arc is part of some tree
            if not (self.possible_heads(constraint).any() if constraint.word else self.keeps([constraint])):
                return [constraint]
        given = [c for c in constraints if c.fixed_head is not None]
        if len(given) < len(constraints) and not self.keeps(given):
            return self.conflict(given)
        if len(given) == len(constraints) and (narrower := self._among_given(given)):
            return narrower
        if len(constraints) <= _MAX_PAIRED:
            for pair in combinations(constraints, 2):
                if not self.keeps(pair):
                    return list(pair)
        kept = list(constraints)
        for constraint in constraints:
            fewer = [other for other in kept if other is not constraint]
            if not self.keeps(fewer):
                kept = fewer
        return kept

    def _among_given(self, given: Sequence[Constraint]) -> list[Constraint]:
        """Two given heads that exclude each other, or the smallest conflict of a cycle; empty if it is all of them."""
        heads = {c.word: c.fixed_head for c in given}
        gold = self._gold(given)
        if gold is not None:
            codes = reference_heads(gold, self.system.root, None)
            pair = _engine.conflict(codes, self.system.root != "last", self.system.single_root)
            return [c for c in given if c.word in pair] if not self.system.crosses else []
        for start in heads:
            path = [start]
            while (head := heads.get(path[-1])) and head not in path:
                path.append(head)
            if head in path:
                cycle = [c for c in given if c.word in path[path.index(head) :]]
                return self.conflict(cycle) if len(cycle) < len(given) else []
        return []

    def largest(self, constraints: Sequence[Constraint]) -> list[Constraint]:
        """A largest set that some tree keeps (exact for up to 8 spans; more are dropped one at a time).

        If arcs may cross: given heads that a derivation of least cost keeps, if a projective tree keeps fewer.
        """
        spans = [c for c in constraints if isinstance(c.allowed, Span)]
        others = [c for c in constraints if not isinstance(c.allowed, Span)]
        best: list[Constraint] = []
        for kept in _fewer_and_fewer(spans, lambda chosen: self.tree(chosen) is not None):
            if len(kept) + len(others) <= len(best):
                break
            found = self._with_spans(kept, others)
            best = max(best, found, key=len)
        if self.system.crosses and not spans and all(type(c.allowed) is int for c in constraints):
            best = max(best, self._derivable(constraints), key=len)
        return [c for c in constraints if c in best]

    def _with_spans(self, spans: list[Constraint], others: list[Constraint]) -> list[Constraint]:
        """The most of the others that a tree keeps together with all the spans."""
        scores = np.zeros((self.words + 1, self.words + 1))
        for constraint in others:
            scores[self.possible_heads(constraint), constraint.word] += 1
        tree = self.tree(spans, scores)
        if tree is None:
            return []
        return spans + [c for c in others if self.is_satisfied(c, tree)]

    def is_satisfied(self, constraint: Constraint, heads: Sequence[int]) -> bool:
        """Does a tree keep a constraint?"""
        if constraint.word and self.too_long(constraint.word)[heads[constraint.word - 1]]:
            return False
        return constraint.is_satisfied(heads, self.system.root, self.system.partial)

    def _derivable(self, constraints: Sequence[Constraint]) -> list[Constraint]:
        """Given heads that a derivation of least cost keeps; one of each cycle is dropped first."""
        chosen: list[Constraint] = []
        for constraint in constraints:
            if self._gold([*chosen, constraint]) is not None:
                chosen.append(constraint)
        gold = self._gold(chosen)
        if gold is None:
            return []
        state = self.system.initial(self.words)
        for name in static_derivation(self.system, gold):
            state = self.system.apply(state, name)
        heads = [int(head) for head in state.heads[1:]]
        return [c for c in chosen if c.is_satisfied(heads, self.system.root, self.system.partial)]


def _fewer_and_fewer(
    constraints: list[Constraint], possible: Callable[[list[Constraint]], bool]
) -> Iterable[list[Constraint]]:
    """Subsets, larger ones first; if there are too many, one that is possible, and parts of it."""
    if len(constraints) > _MAX_SPANS:
        kept: list[Constraint] = []
        for constraint in constraints:
            if possible([*kept, constraint]):
                kept.append(constraint)
        while kept:
            yield list(kept)
            kept.pop()
        yield []
        return
    for size in range(len(constraints), -1, -1):
        yield from map(list, combinations(constraints, size))


# --- Trees with subtrees ---


@dataclass(frozen=True)
class _Block:
    """A span that became one word: for each head its best top, and for each top the tree inside."""

    top: npt.NDArray[np.intp]
    inside: dict[int, dict[int, int]]  # by top: heads of the other members


def best_tree(scores: Scores, spans: Sequence[Span], single_root: bool, *, projective: bool = True) -> Heads | None:
    """The best tree in which each span is a subtree, or None. Shorter spans come first."""
    decode = _engine.projective_tree if projective else _engine.maximum_spanning_tree
    words = len(scores) - 1
    size = words + 1 + len(spans)
    table = np.full((size, size), _FORBIDDEN)
    table[: words + 1, : words + 1] = scores
    nodes = list(range(1, words + 1))  # words, and blocks in place of theirs
    reach = {word: (word, word) for word in nodes}
    blocks: dict[int, _Block] = {}
    for number, span in enumerate(spans, start=words + 1):
        members = [node for node in nodes if span.first <= reach[node][0] and reach[node][1] <= span.last]
        if not members or (reach[members[0]][0], reach[members[-1]][1]) != (span.first, span.last):
            return None  # it crosses another one
        inside = {top: tree for top in members if (tree := _inside(table, members, top, decode)) is not None}
        if not inside:
            return None
        blocks[number] = _block(table, number, inside)
        reach[number] = (span.first, span.last)
        at = nodes.index(members[0])
        nodes[at : at + len(members)] = [number]
    chosen = [0, *nodes]
    found = _decoded(decode, table[np.ix_(chosen, chosen)], single_root)
    if found is None:
        return None
    heads = [0] * (words + 1)
    pending = [(node, chosen[head]) for node, head in zip(nodes, found, strict=True)]
    while pending:
        node, head = pending.pop()
        if node <= words:
            heads[node] = head
            continue
        top = int(blocks[node].top[head])
        pending += [(top, head), *blocks[node].inside[top].items()]
    return heads[1:]


def _inside(table: Scores, members: list[int], top: int, decode: _Decode) -> dict[int, int] | None:
    """Heads of all other members in the best tree with that top."""
    chosen = [0, *members]
    scores = table[np.ix_(chosen, chosen)]
    scores[0, :] = _FORBIDDEN
    scores[0, chosen.index(top)] = 0
    found = _decoded(decode, scores, True)
    if found is None:
        return None
    return {node: chosen[head] for node, head in zip(members, found, strict=True) if node != top}


def _block(table: Scores, number: int, inside: dict[int, dict[int, int]]) -> _Block:
    """Makes a span one word, and writes the scores of its arcs into the table."""
    tops = np.array(list(inside))
    sums = np.array([sum(table[head, node] for node, head in tree.items()) for tree in inside.values()])
    into = table[:, tops] + sums
    table[:, number] = into.max(axis=1)
    return _Block(tops[into.argmax(axis=1)], inside)


def _decoded(decode: _Decode, scores: Scores, single_root: bool) -> Heads | None:
    try:
        found: Heads = decode(np.ascontiguousarray(scores), single_root).tolist()
    except ValueError:  # every tree has a forbidden arc
        return None
    return found[1:]
