"""Projectivity: tests, pseudo-projective transformations, and the best tree under arc scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import check_choice
from panparser.base.types import FloatArray, IntArray
from panparser.errors import DecodingError, GoldError
from panparser.trees.gold import UNKNOWN, GoldTree, Head, reference_heads

Heads: TypeAlias = Sequence[Head] | IntArray

LIFTED = "^"  # the paper's up arrow: what precedes is the label of an arc that was lifted
PATH = "|"  # the paper's down arrow: something was lifted over this arc


def is_projective(heads: Heads) -> bool:
    """Is every word between a head and its dependent a descendant of the head?"""
    return not crossing_arcs(heads)


def crossing_arcs(heads: Heads) -> list[int]:
    """The words whose arc is not projective: some word between it and its head is not a descendant of the head."""
    return _measure(_gold(heads).codes())[0]


def gap_degree(heads: Heads) -> int:
    """The largest number of gaps in a word's yield (it and its descendants); 0 if projective. Kuhlmann & Nivre 2006."""
    return _measure(_gold(heads).codes())[1]


def nonprojectivity_counts(heads: IntArray, offsets: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.bool_], IntArray]:
    """For each word of many sentences, is its arc not projective; and for each sentence its gap degree.

    `heads` (words) int32 has the sentences one after the other, `offsets` (sentences + 1) int64 where each begins and
    where the last ends. A treebank of a million words takes a fraction of a second.
    """
    for name, array, dtype in (("heads", heads, np.int32), ("offsets", offsets, np.int64)):
        if not isinstance(array, np.ndarray) or array.dtype != dtype or array.ndim != 1:
            found = f"{array.dtype} {array.shape}" if isinstance(array, np.ndarray) else type(array).__name__
            raise GoldError(
                f"nonprojectivity_counts: {name} must be a one-dimensional array of {dtype.__name__}; got {found}"
            )
    try:
        flags, degrees = _engine.nonprojectivity(np.ascontiguousarray(heads), np.ascontiguousarray(offsets))
    except ValueError as error:
        raise GoldError(str(error)) from None
    return flags.view(np.bool_), degrees


def projective_subset(heads: Heads, *, root: str = "last", single_root: bool = False) -> tuple[Head, ...]:
    """The heads with as few as possible made `None` so that some projective tree has all the rest."""
    return _gold(heads).projective_subset(root=root, single_root=single_root).heads


def conflicting_arcs(heads: Heads, *, root: str = "last", single_root: bool = False) -> list[int]:
    """Two words whose arcs cannot be in one projective tree; [] if `GoldTree.has_projective_completion`.

    Arcs that cannot be in one projective tree always include such a pair: they cross, or the arc of one covers the
    head of its head, which is the other word, or both are children of Root and `single_root`.
    """
    return _engine.conflict(reference_heads(_gold(heads), root, None), root == "first", single_root)


@dataclass(frozen=True)
class _Encoding:
    head: bool  # the label of a lifted arc includes that of its former head
    path: bool  # arcs that it was lifted over are marked


ENCODINGS = {"head": _Encoding(True, False), "path": _Encoding(False, True), "head+path": _Encoding(True, True)}


def projectivize(
    heads: Sequence[int] | IntArray, labels: Sequence[str], encoding: str = "head"
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """A projective tree, and labels that encode how to undo it (Nivre & Nilsson 2005).

    While there are non-projective arcs, the shortest (of several the leftmost dependent's) moves up to the head of its
    head. Labels d of a lifted arc, h of its former head, p of an arc that it was lifted over become

        head       d^h
        path       d^   p|
        head+path  d^h  p|

    The heads do not depend on the encoding. Labels must not contain `^` or `|`. An unknown head (`None` or -1)
    stays so, and becomes that of an arc that would have to move up to one; it is then -1.
    """
    scheme, tree, labels = _labeled_tree("projectivize", heads, labels, encoding)
    for word, label in enumerate(labels, start=1):
        if LIFTED in label or PATH in label:
            raise GoldError(f"projectivize: label of word {word} must not contain {LIFTED} or {PATH}; got {label!r}")
    lifted = list(tree)
    over: dict[int, set[int]] = {}  # by lifted word, the words whose arcs it was lifted over
    while crossing := _measure(lifted[1:])[0]:
        word = min(crossing, key=lambda word: abs(word - lifted[word]))
        over.setdefault(word, set()).add(lifted[word])
        lifted[word] = lifted[lifted[word]]
    path = {other for word, others in over.items() if lifted[word] != UNKNOWN for other in others}
    marked = []
    for word, label in enumerate(labels, start=1):
        if lifted[word] != tree[word] and lifted[word] != UNKNOWN:
            label += LIFTED + (labels[tree[word] - 1] if scheme.head else "")
        marked.append(label + PATH if scheme.path and word in path else label)
    return tuple(lifted[1:]), tuple(marked)


def deprojectivize(
    heads: Sequence[int] | IntArray, labels: Sequence[str], encoding: str = "head"
) -> tuple[tuple[int, ...], tuple[str, ...]]:
    """Undoes `projectivize`, as far as the labels allow, and removes all marks from them.

    Each lifted word, those next to Root first, is attached to the first match below its head, breadth first and from
    left to right: the first word labeled h ("head"), the last of a path of marked arcs ("path"), the first on such a
    path that is labeled h ("head+path"; failing that, the first labeled h). Without a match, it stays.
    """
    scheme, tree, labels = _labeled_tree("deprojectivize", heads, labels, encoding)
    arcs = [_Label("", None, False), *map(_Label.parse, labels)]
    pending = {word for word, arc in enumerate(arcs) if arc.former_head is not None}
    while pending:
        children = _children(tree)
        for word in _breadth_first(0, children.__getitem__):
            if word in pending and (found := _former_head(word, tree[word], arcs, children, scheme)) is not None:
                tree[word] = found
                pending.remove(word)
                break
        else:
            break
    return tuple(tree[1:]), tuple(arc.label for arc in arcs[1:])


@dataclass(frozen=True)
class _Label:
    """A label with its marks: that of the former head if the arc was lifted, and whether others were lifted over it."""

    label: str
    former_head: str | None
    path: bool

    @classmethod
    def parse(cls, text: str) -> _Label:
        label, lifted, former_head = text.rstrip(PATH).partition(LIFTED)
        return cls(label, former_head if lifted else None, text.endswith(PATH))


def _former_head(
    word: int, linear_head: int, arcs: list[_Label], children: list[list[int]], scheme: _Encoding
) -> int | None:
    """The first match below the head of a lifted word, never below the word itself."""

    def below(token: int) -> list[int]:
        return [child for child in children[token] if child != word]

    def marked(token: int) -> list[int]:
        return [child for child in below(token) if arcs[child].path]

    for search in [marked] * scheme.path + [below] * scheme.head:
        for token in _breadth_first(linear_head, search):
            matches = arcs[token].label == arcs[word].former_head if scheme.head else not marked(token)
            if matches and token != linear_head:
                return token
    return None


def _children(tree: Sequence[int]) -> list[list[int]]:
    children: list[list[int]] = [[] for _ in tree]
    for word, head in enumerate(tree[1:], start=1):
        children[head].append(word)
    return children


def _breadth_first(top: int, below: Callable[[int], list[int]]) -> Iterator[int]:
    order = [top]
    for token in order:
        yield token
        order += below(token)


def _measure(codes: Sequence[int]) -> tuple[list[int], int]:
    """Words whose arc is not projective, and the gap degree."""
    flags, degrees = nonprojectivity_counts(np.array(codes, dtype=np.int32), np.array([0, len(codes)], dtype=np.int64))
    return [int(word) for word in np.flatnonzero(flags) + 1], int(degrees[0])


def _gold(heads: Iterable[Head]) -> GoldTree:
    return GoldTree(None if head == UNKNOWN else head for head in heads)


def _labeled_tree(
    owner: str, heads: Sequence[int] | IntArray, labels: Sequence[str], encoding: str
) -> tuple[_Encoding, list[int], tuple[str, ...]]:
    """The checked arguments of both transformations; the tree by token, with Root's head as -1."""
    check_choice(f"{owner}: encoding", encoding, ENCODINGS, GoldError)
    gold = GoldTree((None if head == UNKNOWN else head for head in heads), labels)
    for word, (head, label) in enumerate(zip(gold.heads, labels, strict=True), start=1):
        is_open = head is None and owner == "projectivize"
        if not is_open and (not isinstance(head, int) or head < 0):
            raise GoldError(f"{owner}: head of word {word} must be between 0 and n; got {head!r}")
        if not isinstance(label, str):
            raise GoldError(f"{owner}: label of word {word} must be a string; got {label!r}")
    return ENCODINGS[encoding], [UNKNOWN, *gold.codes()], tuple(labels)


def maximum_spanning_tree(scores: FloatArray, *, single_root: bool = True) -> IntArray:
    """Heads of the best tree, projective or not (Chu & Liu 1965, Edmonds 1967), in O(n²).

    `scores[h, d]` (n+1, n+1) is the score of the arc from h to word d; 0 is Root, whose column is not read, nor is the
    diagonal. `-inf` forbids an arc. The heads have length n+1, index 0 is -1. The same scores give the same tree, also
    if several are best. Raises DecodingError if the scores are malformed or forbid every tree.
    """
    return _decode("maximum_spanning_tree", _engine.maximum_spanning_tree, scores, single_root)


def maximum_projective_tree(scores: FloatArray, *, single_root: bool = True) -> IntArray:
    """Heads of the best projective tree (Eisner 1996), in O(n³); arguments and errors of `maximum_spanning_tree`."""
    return _decode("maximum_projective_tree", _engine.projective_tree, scores, single_root)


def _decode(function: str, best_tree: Callable[[Any, bool], Any], scores: FloatArray, single_root: bool) -> IntArray:
    is_square = isinstance(scores, np.ndarray) and scores.ndim == 2 and scores.shape[0] == scores.shape[1] > 1
    if not is_square or scores.dtype != np.float64:
        found = f"{scores.dtype} {scores.shape}" if isinstance(scores, np.ndarray) else type(scores).__name__
        raise DecodingError(f"{function}: scores must be float64 (n+1, n+1) for n >= 1 words; got {found}")
    try:
        heads: IntArray = best_tree(np.ascontiguousarray(scores), single_root)
    except ValueError as error:
        raise DecodingError(f"{function}: scores: {error}") from None
    return heads
