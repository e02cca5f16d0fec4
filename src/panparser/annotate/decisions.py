"""Decisions of a draft as constraints on its tree, and the conflicts that exclude every tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.annotate.sentence_draft import SentenceDraft
from panparser.parsing.constraint_solver import best_tree
from panparser.parsing.constraints import Constraint
from panparser.trees.gold import Span

Scores = npt.NDArray[np.float64]  # (n+1, n+1), by head and dependent; Root is 0
MAX_PAIRWISE_DECISIONS = 60  # decisions of which all pairs are tried


def decisions(draft: SentenceDraft) -> list[Constraint]:
    """What was decided about the tree: heads, heads that are forbidden, subtrees."""
    found: list[Constraint] = []
    everything = frozenset(range(len(draft.words) + 1))
    for number, word in enumerate(draft.words, start=1):
        if word.head is not None:
            found.append(Constraint(number, word.head))
        elif word.forbidden:
            found.append(Constraint(number, everything - {number, *word.forbidden}))
    spans = (span for span in draft.spans if span[0] < span[1])
    return found + [Constraint(0, Span(first, last)) for first, last in spans]


def tree_of(words: int, asked: Iterable[Constraint], scores: Scores | None = None) -> list[int] | None:
    """The best tree with one root that keeps all decisions, crossing arcs or not; None if no tree does."""
    table = np.zeros((words + 1, words + 1)) if scores is None else scores.copy()
    asked = list(asked)
    for constraint in asked:
        constraint.restrict(table, "first", -np.inf)
    spans = sorted({c.allowed for c in asked if isinstance(c.allowed, Span)}, key=lambda s: (s.last - s.first, s.first))
    return best_tree(table, spans, single_root=True, projective=False)


def is_tree(heads: Sequence[int]) -> bool:
    """Are these the heads of a tree with one root?"""
    return min(heads) >= 0 and may_be_tree(heads)


def may_be_tree(heads: Sequence[int]) -> bool:
    """Are these the heads of a tree with one root, as far as they are known (not below 0)?"""
    if list(heads).count(0) > 1:
        return False
    safe = {0}
    for word in range(1, len(heads) + 1):
        path, at = set(), word
        while at not in safe and at > 0:
            if at in path:
                return False
            path.add(at)
            at = heads[at - 1]
        safe |= path
    return True


@dataclass(frozen=True)
class Conflict:
    """Decisions that exclude each other: the smallest set, if it has one or two members; else a minimal one."""

    decisions: tuple[Constraint, ...]

    @property
    def words(self) -> list[int]:
        """The words that they are about."""
        found: set[int] = set()
        for each in self.decisions:
            span = each.allowed
            found |= set(range(span.first, span.last + 1)) if isinstance(span, Span) else {each.word}
        return sorted(found)

    def message(self, draft: SentenceDraft) -> str:
        """In words."""
        heads = {each.word: each.fixed_head for each in self.decisions if each.fixed_head is not None}
        said = [f"{number} ({draft.words[number - 1].form})" for number in sorted(heads)]
        if len(heads) == len(self.decisions) > 1:
            if not any(heads.values()):
                return f"a sentence has one root; words {_listed(said)} are both decided to be"
            if _is_cycle(heads):
                return f"the heads of words {_listed(said)} go round in a circle"
        if len(self.decisions) == 1 and self.decisions[0].allowed == frozenset():
            word = self.decisions[0].word
            return f"word {word} ({draft.words[word - 1].form}) has no head left: all others are forbidden"
        return "these decisions exclude each other: " + "; ".join(_described(each, draft) for each in self.decisions)

    def to_value(self, draft: SentenceDraft) -> dict[str, Any]:
        described = [_described(each, draft) for each in self.decisions]
        return {"words": self.words, "message": self.message(draft), "decisions": described}


def _described(constraint: Constraint, draft: SentenceDraft) -> str:
    if isinstance(constraint.allowed, frozenset):
        heads = ", ".join(map(str, draft.words[constraint.word - 1].forbidden))
        return f"the head of word {constraint.word} is none of {heads}"
    return str(constraint)


def _listed(items: Sequence[str]) -> str:
    return " and ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else items[0]


def _is_cycle(heads: dict[int, int]) -> bool:
    start = at = next(iter(heads))
    for _ in heads:
        at = heads.get(at, 0)
    return at == start


def find_conflict(words: int, asked: Sequence[Constraint]) -> Conflict | None:
    """Why no tree keeps all decisions; None if one does."""

    def keeps(some: Sequence[Constraint]) -> bool:
        return tree_of(words, some) is not None

    if keeps(asked):
        return None
    for one in asked:
        if not keeps([one]):
            return Conflict((one,))
    given = [each for each in asked if each.fixed_head is not None]
    roots = [each for each in given if each.fixed_head == 0]
    if len(roots) > 1:
        return Conflict(tuple(roots[:2]))
    if cycle := _cycle(given):
        return Conflict(tuple(cycle))
    if len(asked) <= MAX_PAIRWISE_DECISIONS:
        for pair in combinations(asked, 2):
            if not keeps(pair):
                return Conflict(pair)
    kept = list(asked)
    for each in asked:
        fewer = [other for other in kept if other is not each]
        if not keeps(fewer):
            kept = fewer
    return Conflict(tuple(kept))


def _cycle(given: Sequence[Constraint]) -> list[Constraint]:
    heads = {each.word: each for each in given}
    for start in heads:
        path, at = [], start
        while at in heads and heads[at] not in path:
            path.append(heads[at])
            at = heads[at].fixed_head or 0
        if at in heads:
            return path[path.index(heads[at]) :]
    return []


def consistent(words: int, asked: Sequence[Constraint]) -> tuple[list[Constraint], Conflict | None]:
    """Decisions that a tree keeps, without those that conflict; and the first conflict, if there is one."""
    first = conflict = find_conflict(words, asked)
    kept = list(asked)
    while conflict is not None:
        left_out = conflict.decisions[-1]
        kept = [each for each in kept if each is not left_out]
        conflict = find_conflict(words, kept)
    return kept, first
