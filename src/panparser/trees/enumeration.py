"""Generators of trees and partial annotations, exhaustive and random. A tree is the tuple of heads of words 1..n."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, NO_HEAD, GoldTree, Head

Tree = tuple[int, ...]


@lru_cache(maxsize=32)
def all_trees(words: int, single_root: bool = False) -> tuple[Tree, ...]:
    """Every tree over n words: (n+1)^(n-1) of them, or n^(n-1) with a single child of Root."""
    trees = []
    for heads in product(range(words + 1), repeat=words):
        if single_root and heads.count(0) != 1:
            continue
        if _reaches_root(heads):
            trees.append(heads)
    return tuple(trees)


def _reaches_root(heads: Tree) -> bool:
    for word in range(1, len(heads) + 1):
        steps = 0
        while word and steps <= len(heads):
            word, steps = heads[word - 1], steps + 1
        if word:
            return False
    return True


def is_projective(heads: Tree, root: str = "first") -> bool:
    """Does no arc cross another, those of Root included?"""
    place = len(heads) + 1 if root == "last" else 0
    arcs = [sorted((word, head or place)) for word, head in enumerate(heads, start=1)]
    return not any(a < c < b < d for a, b in arcs for c, d in arcs)


@lru_cache(maxsize=64)
def projective_trees(words: int, root: str = "first", single_root: bool = False) -> tuple[Tree, ...]:
    """Every projective tree. (They are the same wherever Root is.)"""
    return tuple(tree for tree in all_trees(words, single_root) if is_projective(tree, root))


@lru_cache(maxsize=16)
def partial_golds(words: int, root: str = "first", single_root: bool = False) -> tuple[tuple[Head, ...], ...]:
    """Every subset of the arcs of every projective tree; the other heads are unknown. Whole trees come last."""
    return tuple(tree_subsets(projective_trees(words, root, single_root)))


def tree_subsets(trees: Iterable[Tree]) -> list[tuple[Head, ...]]:
    """Every subset of the arcs of every tree, without duplicates, smallest first."""
    found: dict[tuple[Head, ...], None] = {}
    for tree in trees:
        for kept in product((False, True), repeat=len(tree)):
            found[tuple(head if keep else None for head, keep in zip(tree, kept, strict=True))] = None
    return sorted(found, key=lambda heads: -heads.count(None))


def with_empties(heads: tuple[Head, ...], mixed: bool) -> Iterator[tuple[Head, ...]]:
    """The unknown heads of a partial gold made EMPTY: all or none of them, or any number if `mixed`."""
    unknown = heads.count(None)
    choices = product((None, NO_HEAD), repeat=unknown) if mixed else ((mark,) * unknown for mark in (None, NO_HEAD))
    for marks in choices:
        rest = iter(marks)
        yield tuple(next(rest) if head is None else head for head in heads)


def direction_golds(words: int) -> Iterator[tuple[Head, ...]]:
    """Every choice of LEFT, RIGHT or unknown for each word."""
    yield from product((None, HEAD_LEFT, HEAD_RIGHT), repeat=words)


def random_projective_tree(words: int, rng: random.Random, single_root: bool = True) -> Tree:
    """A random projective tree: a random head in each span, the rest of the span cut at random among its children."""
    heads = [0] * (words + 1)
    pending = [(1, words, 0)] if single_root else list(_cut(1, words, 0, rng))
    while pending:
        low, high, head = pending.pop()
        middle = rng.randint(low, high)
        heads[middle] = head
        pending += [*_cut(low, middle - 1, middle, rng), *_cut(middle + 1, high, middle, rng)]
    return tuple(heads[1:])


def _cut(start: int, end: int, head: int, rng: random.Random) -> Iterator[tuple[int, int, int]]:
    while start <= end:
        stop = rng.randint(start, end)
        yield start, stop, head
        start = stop + 1


def random_tree(words: int, rng: random.Random, single_root: bool = True) -> Tree:
    """A random tree, projective or not: words are attached, in random order, to a random attached word."""
    order = rng.sample(range(1, words + 1), words)
    heads: dict[int, int] = {}
    for word in order:
        joined = list(heads)
        heads[word] = rng.choice(joined if single_root or rng.random() < 0.8 else [0, *joined]) if joined else 0
    return tuple(heads[word] for word in range(1, words + 1))


def random_gold(words: int, rng: random.Random, known: float = 1.0) -> GoldTree:
    """A random projective tree of which each head is known with a given probability."""
    return GoldTree(head if rng.random() < known else None for head in random_projective_tree(words, rng))
