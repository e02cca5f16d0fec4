"""GoldTree: the known heads, labels and spans of a correct tree, against which costs are counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from enum import IntEnum
from operator import index
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import check_choice
from panparser.errors import GoldError


class Mark(IntEnum):
    """Marks used in place of a head. The numbers are the engine's."""

    EMPTY = _engine.EMPTY_HEAD
    LEFT = _engine.LEFTWARD_HEAD
    RIGHT = _engine.RIGHTWARD_HEAD

    def __repr__(self) -> str:
        return self.name


NO_HEAD = Mark.EMPTY  # annotated as headless
HEAD_LEFT = Mark.LEFT  # the head is somewhere to the left (as is Root, if it is first)
HEAD_RIGHT = Mark.RIGHT  # the head is somewhere to the right (as is Root, if it is last)
Root: TypeAlias = Literal["first", "last", "none"]  # where Root stands; none: no token stands for it
ROOTS: tuple[Root, ...] = get_args(Root)
UNKNOWN = _engine.UNKNOWN_HEAD  # the engine's number for None

Head: TypeAlias = int | Mark | frozenset[int] | None
SPAN_KINDS = ("subtree", "closed")


@dataclass(frozen=True)
class Span:
    """Words first..last that belong together.

    "subtree": exactly one of them has its head outside (at most one, if words may be headless), and no word outside
    has its head inside. "closed": no arc joins a word inside with one outside; arcs of Root are free.
    """

    first: int
    last: int
    kind: str = "subtree"

    def __post_init__(self) -> None:
        check_choice("Span: kind", self.kind, SPAN_KINDS, GoldError)
        if not all(isinstance(end, int) and not isinstance(end, bool) for end in (self.first, self.last)):
            raise GoldError(f"Span: first and last must be integers >= 1; got {self.first!r} and {self.last!r}")
        if not 1 <= self.first <= self.last:
            raise GoldError(f"Span: last must be >= first; got {self.first} and {self.last}")


@dataclass(frozen=True)
class GoldTree:
    """For each word its head (0 is Root), `None` (unknown), `NO_HEAD`, `HEAD_LEFT`, `HEAD_RIGHT` or a set; and labels.

    Annotations may be partial: a word whose head is unknown costs nothing. One word of a set must be the head: an arc
    from another word costs 1 when it is made, not before. `spans` cost nothing; they are constraints for parsing.
    Raises GoldError, which names the word, if a head is out of range, the word itself, or on a cycle.
    """

    heads: tuple[Head, ...]
    labels: tuple[str | None, ...] | None = None
    spans: tuple[Span, ...] = ()

    def __init__(
        self, heads: Iterable[Head | Set[int]], labels: Iterable[str | None] | None = None, spans: Iterable[Span] = ()
    ) -> None:
        if not isinstance(heads, Iterable) or isinstance(heads, str):
            raise GoldError(f"GoldTree: heads must be a sequence with one head per word; got {heads!r}")
        object.__setattr__(self, "heads", tuple(_head(word, head) for word, head in enumerate(heads, start=1)))
        object.__setattr__(self, "labels", None if labels is None else tuple(labels))
        if self.labels is not None and len(self.labels) != len(self.heads):
            raise GoldError(f"GoldTree: labels must be {len(self.heads)} values, one per head; got {len(self.labels)}")
        try:
            _engine.check_heads(self.codes())
        except ValueError as error:
            raise GoldError(f"GoldTree: heads: {error}; got {list(self.heads)}") from None
        object.__setattr__(self, "spans", tuple(spans))
        self._check_sets_and_spans()

    def _check_sets_and_spans(self) -> None:
        for word, head in enumerate(self.heads, start=1):
            if isinstance(head, frozenset) and (max(head) > len(self) or word in head):
                raise GoldError(f"head of word {word}: expected some of 0..{len(self)} but {word}; got {sorted(head)}")
        for span in self.spans:
            if not isinstance(span, Span) or span.last > len(self):
                raise GoldError(f"GoldTree: spans must be Spans of words 1..{len(self)}; got {span!r}")

    @classmethod
    def from_heads(cls, gold: GoldTree | Sequence[Head]) -> GoldTree:
        """A Gold as it is, or one made from the heads of words 1..n."""
        return gold if isinstance(gold, GoldTree) else cls(gold)

    def __len__(self) -> int:
        return len(self.heads)

    def codes(self) -> list[int]:
        """Heads as the engine's integers, Root as 0; sets as unknown."""
        return [UNKNOWN if head is None or isinstance(head, frozenset) else int(head) for head in self.heads]

    @property
    def is_directed(self) -> bool:
        """Does any word have only a direction?"""
        return HEAD_LEFT in self.heads or HEAD_RIGHT in self.heads

    @property
    def has_sets(self) -> bool:
        """Does any word have several allowed heads?"""
        return any(isinstance(head, frozenset) for head in self.heads)

    def has_projective_completion(self, *, root: str = "last", single_root: bool = False) -> bool:
        """Is there a projective tree with all these arcs (with one child of Root, if `single_root`)? Not of sets."""
        return not _engine.conflict(_placed(self.codes(), root), root != "last", single_root)

    def projective_subset(self, *, root: str = "last", single_root: bool = False) -> GoldTree:
        """The largest subset of the arcs that a projective tree contains; the rest is unknown, marks and sets too."""
        subset = _engine.projective_subset(_placed(self.codes(), root), root != "last", single_root)
        heads = [None if kept == UNKNOWN else head for kept, head in zip(subset, self.heads, strict=True)]
        return GoldTree(heads, self.labels)


def _head(word: int, head: object) -> Head:
    if head is None or isinstance(head, Mark):
        return head
    if isinstance(head, Set):
        values = {_head(word, value) for value in head}
        if not values or not all(type(value) is int for value in values):
            raise GoldError(f"head of word {word}: expected a set of some of 0..n; got {set(head)!r}")
        return frozenset(values) if len(values) > 1 else values.pop()  # type: ignore[arg-type]
    try:
        value = index(head)  # type: ignore[arg-type]
    except TypeError:
        value = -1
    if not 0 <= value < 2**31 or isinstance(head, bool):
        raise GoldError(
            f"head of word {word}: expected 0..n, None, NO_HEAD, HEAD_LEFT, HEAD_RIGHT or a set of heads; got {head!r}"
        )
    return value


def _placed(codes: list[int], root: str) -> list[int]:
    """Heads with Root at its position: 0 if it is first, n+1 if it is last; without Root, 0 for EMPTY too."""
    check_choice("root", root, ROOTS, GoldError)
    if root == "none":
        return [0 if head == NO_HEAD else head for head in codes]
    return codes if root == "first" else [len(codes) + 1 if head == 0 else head for head in codes]


def reference_heads(gold: GoldTree, root: str, max_span: int | None) -> list[int]:
    """The heads that a system's costs count: Root in place, arcs longer than `max_span` made EMPTY."""
    heads = _placed(gold.codes(), root)
    if max_span is None:
        return heads
    return [
        Mark.EMPTY if head >= 0 and abs(word - head) > max_span else head for word, head in enumerate(heads, start=1)
    ]


def annotated_heads(
    heads: npt.NDArray[np.int32], offsets: npt.NDArray[Any], root: str, max_span: int | None
) -> npt.NDArray[np.int32]:
    """Heads of a treebank (Root as 0) for systems that leave words headless: unknown and too long ones made EMPTY."""
    lengths = np.diff(offsets)
    numbers = np.arange(len(heads)) - np.repeat(offsets[:-1], lengths) + 1
    placed = np.where((heads == 0) & (root == "last"), np.repeat(lengths, lengths) + 1, heads)
    far = np.abs(numbers - placed) > (max_span or len(heads) + 1)
    return np.where((heads == UNKNOWN) | ((heads >= 0) & far), np.int32(Mark.EMPTY), heads)
