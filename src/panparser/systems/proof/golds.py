"""The golds that costs are proven against, by kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, TypeGuard

from panparser.systems.interfaces import System
from panparser.systems.table import TransitionSystem
from panparser.trees.enumeration import (
    all_trees,
    direction_golds,
    partial_golds,
    projective_trees,
    tree_subsets,
    with_empties,
)
from panparser.trees.gold import NO_HEAD, GoldTree, Head, reference_heads

Golds = Literal["partial", "projective", "all", "any", "derivable", "directions"]
GOLD_NOUNS: dict[str, str] = {
    "partial": "subset of a projective tree",
    "projective": "projective tree",
    "all": "tree",
    "any": "subset of a tree",
    "derivable": "gold that it can build",
    "directions": "choice of head directions",
}

WHOLE_TREES = ("projective", "all", "derivable")  # the golds of static oracles
_MIXED_WORDS = 4  # up to this length, unknown and headless words are mixed in every way


def is_static_dynamic(system: System) -> TypeGuard[TransitionSystem]:
    """Does a static oracle choose between transitions of its loss that make no arc?"""
    return isinstance(system, TransitionSystem) and system.is_static_dynamic


def default_golds(system: System) -> Golds:
    """The golds that costs must be exact for: all parts of its possible trees; or those that its oracle reproduces."""
    crosses = isinstance(system, TransitionSystem) and system.crosses
    if system.static_oracle is not None and not is_static_dynamic(system):
        return "all" if crosses else "projective"
    counted = isinstance(system, TransitionSystem) and system.potential == "crossing-arcs"  # for golds that cross, too
    return "any" if crosses or counted else "partial"


def golds_of(system: System, words: int, kind: Golds) -> Iterator[tuple[Head, ...]]:
    """All golds of a kind, for sentences of a length."""
    root, single = system.root, system.single_root
    if kind == "all":
        yield from all_trees(words, single)
    elif kind == "any":
        yield from tree_subsets(all_trees(words, single))
    elif kind == "projective":
        yield from projective_trees(words, root, single)
    elif kind == "directions":
        yield from direction_golds(words)
    elif kind == "derivable":  # those of them that it can build
        whole = system.static_oracle is not None and not is_static_dynamic(system)
        yield from golds_of(system, words, "all" if whole else "partial" if system.partial else "any")
    elif system.partial:
        span = getattr(system, "max_span", None)
        for heads in partial_golds(words, root):
            if not span or NO_HEAD not in reference_heads(GoldTree(heads), root, span):
                yield from with_empties(heads, mixed=words <= _MIXED_WORDS)
    else:
        yield from partial_golds(words, root, single)
