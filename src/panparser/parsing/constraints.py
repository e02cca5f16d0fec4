"""Constraints: what is known about the trees of a treebank before it is parsed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from panparser.base.types import IntArray
from panparser.errors import ConstraintError
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, NO_HEAD, SPAN_KINDS, UNKNOWN, GoldTree, Mark, Span

KEEP = ("heads", "labels", "constraints")  # columns of a file: HEAD, DEPREL, and the key Constraint in MISC
KEY = "Constraint"  # in MISC
AllowedHeads: TypeAlias = int | Mark | frozenset[int] | Span


@dataclass(frozen=True)
class Constraint:
    """One requirement on a tree: a head, some allowed heads or a direction of a word; or a Span, whose `word` is 0."""

    word: int
    allowed: AllowedHeads

    def __str__(self) -> str:
        wanted = self.allowed
        if isinstance(wanted, Span):
            words = f"words {wanted.first}-{wanted.last}"
            return f"{words} are a subtree" if wanted.kind == "subtree" else f"no arc leaves or enters {words}"
        if isinstance(wanted, Mark):
            return f"the head of word {self.word} is on the {'left' if wanted is HEAD_LEFT else 'right'}"
        if isinstance(wanted, frozenset):
            return f"the head of word {self.word} is one of {', '.join(map(_named, sorted(wanted)))}"
        return f"the head of word {self.word} is {_named(wanted)}"

    def restrict(self, arcs: npt.NDArray[Any], root: str, forbidden: Any = False) -> None:
        """Marks all arcs that it forbids, in a table (n+1, n+1) by head and dependent (Root is 0)."""
        if not isinstance(self.allowed, Span):
            arcs[~self.allowed_heads(len(arcs) - 1, root), self.word] = forbidden
            return
        span = slice(self.allowed.first, self.allowed.last + 1)
        arcs[span, : span.start] = forbidden
        arcs[span, span.stop :] = forbidden
        if self.allowed.kind == "closed":
            arcs[1 : span.start, span] = forbidden
            arcs[span.stop :, span] = forbidden

    def allowed_heads(self, words: int, root: str) -> npt.NDArray[np.bool_]:
        """(n+1) Which heads its word may have; Root is 0."""
        heads = np.arange(words + 1)
        if isinstance(self.allowed, Mark):
            left = (heads < self.word) & ((heads > 0) | (root == "first"))
            chosen = left if self.allowed is HEAD_LEFT else ~left & ((heads > 0) | (root == "last"))
        else:
            chosen = (
                np.isin(heads, list(self.allowed)) if isinstance(self.allowed, frozenset) else heads == self.allowed
            )
        chosen[self.word] = False
        return chosen

    def is_satisfied(self, heads: Sequence[int] | IntArray, root: str, partial: bool) -> bool:
        """Does a tree keep it? A head of -1 means that the word is headless."""
        tree, span = np.asarray(heads), self.allowed
        if not isinstance(span, Span):
            head = int(tree[self.word - 1])
            return head >= 0 and bool(self.allowed_heads(len(tree), root)[head])
        within = (tree >= span.first) & (tree <= span.last)  # is the head inside?
        inside = np.zeros(len(tree), dtype=bool)
        inside[span.first - 1 : span.last] = True
        entering = inside & (tree >= 0) & ~within
        if (within & ~inside).any():
            return False
        if span.kind == "closed":
            return not (entering & (tree > 0)).any()
        return int(entering.sum()) == 1 or (partial and not entering.any())

    @property
    def fixed_head(self) -> int | None:
        """The head that it fixes, if any."""
        return self.allowed if type(self.allowed) is int else None


def _named(head: int) -> str:
    return "0 (Root)" if head == 0 else str(head)


@dataclass(frozen=True)
class DroppedConstraint:
    """A constraint that a tree does not keep, and in which sentence."""

    sentence: int
    location: str  # for messages: file, line, sent_id if there is one
    constraint: Constraint
    reason: str

    def __str__(self) -> str:
        return f"{self.location}: {self.constraint}: {self.reason}"


@dataclass
class Constraints:
    """What is known about the trees of a treebank, as columns over all words; made by `of`.

    `heads`: -1 is unknown, 0 is Root. `labels`: indices into `texts`, -1 is unknown. `more`: by sentence, what columns
    do not hold: directions, sets of heads, spans.
    """

    treebank: Treebank
    heads: IntArray
    labels: IntArray
    texts: tuple[str, ...]
    other_constraints: dict[int, tuple[Constraint, ...]] = field(default_factory=dict)

    @classmethod
    def from_treebank(
        cls,
        treebank: Treebank,
        *,
        keep: Iterable[str] | None = None,
        golds: Sequence[GoldTree | None] | None = None,
    ) -> Constraints:
        """The annotations of a treebank that parsing must keep, or a Gold for each sentence (None: no constraints).

        `keep` names what is taken from the file: "heads" (HEAD), "labels" (DEPREL), "constraints" (MISC). Everything is
        copied: parsing may write into the same treebank.
        """
        if not isinstance(treebank, Treebank):
            raise ConstraintError(f"Constraints.from_treebank: treebank must be a Treebank; got {treebank!r}")
        if (keep is None) == (golds is None):
            raise ConstraintError("Constraints.from_treebank: expected either keep or golds")
        return cls._of_golds(treebank, golds) if golds is not None else cls._of_file(treebank, keep_names(keep or ()))

    @classmethod
    def _of_file(cls, treebank: Treebank, keep: frozenset[str]) -> Constraints:
        if "constraints" in keep and treebank.format == "conllx":
            raise ConstraintError(f"{treebank.path}: constraints are in MISC, which CoNLL-X does not have")
        nothing = np.full(treebank.words, UNKNOWN, dtype=np.int32)
        heads = np.array(treebank.heads) if "heads" in keep else nothing.copy()
        labels = nothing
        if "labels" in keep:
            ids = treebank.column("deprel")
            labels = np.where(ids == treebank.id_of("deprel", "_"), np.int32(UNKNOWN), ids)
        more = _in_misc(treebank) if "constraints" in keep else {}
        return cls(treebank, heads, labels, tuple(treebank.vocabulary("deprel")), more)

    @classmethod
    def _of_golds(cls, treebank: Treebank, golds: Sequence[GoldTree | None]) -> Constraints:
        if len(golds) != len(treebank):
            raise ConstraintError(f"golds: expected {len(treebank)}, one for each sentence; got {len(golds)}")
        found = cls._of_file(treebank, frozenset())
        texts: dict[str, int] = {}
        for number, gold in enumerate(golds):
            if gold is None:
                continue
            words = found.word_slice(number)
            where = f"{sentence_location(treebank, number)}: "
            if not isinstance(gold, GoldTree) or len(gold) != words.stop - words.start:
                raise ConstraintError(f"{where}expected a Gold of {words.stop - words.start} words; got {gold!r}")
            if NO_HEAD in gold.heads:
                raise ConstraintError(f"{where}NO_HEAD is not a constraint; use None for words without constraints")
            codes = np.array(gold.codes())
            found.heads[words] = np.where(codes < 0, UNKNOWN, codes)
            marked = (
                (word, head) for word, head in enumerate(gold.heads, start=1) if isinstance(head, Mark | frozenset)
            )
            if more := [Constraint(*pair) for pair in marked] + [Constraint(0, span) for span in gold.spans]:
                found.other_constraints[number] = tuple(more)
            if gold.labels is not None:
                ids = [UNKNOWN if text is None else texts.setdefault(text, len(texts)) for text in gold.labels]
                found.labels[words] = ids
        found.texts = tuple(texts)
        return found

    def __len__(self) -> int:
        """Number of constraints, including labels."""
        given = int((self.heads != UNKNOWN).sum() + (self.labels != UNKNOWN).sum())
        return given + sum(map(len, self.other_constraints.values()))

    @property
    def offsets(self) -> npt.NDArray[np.int64]:
        """Of the first word of each sentence, and the end."""
        return self.treebank.offsets

    def word_slice(self, sentence: int) -> slice:
        """Where the words of a sentence are in the columns."""
        return slice(int(self.offsets[sentence]), int(self.offsets[sentence + 1]))

    def for_sentence(self, sentence: int) -> list[Constraint]:
        """The constraints on the heads of a sentence."""
        heads = enumerate(self.heads[self.word_slice(sentence)].tolist(), start=1)
        return [Constraint(word, head) for word, head in heads if head != UNKNOWN] + [
            *self.other_constraints.get(sentence, ())
        ]

    def write_labels(self, treebank: Treebank) -> None:
        """Writes all given labels into a treebank."""
        given = self.labels != UNKNOWN
        if given.any():
            ids = np.array([treebank.id_of("deprel", text) for text in self.texts], dtype=np.int32)
            treebank.column("deprel")[given] = ids[self.labels[given]]


def keep_names(names: Iterable[str], available: Sequence[str] = KEEP) -> frozenset[str]:
    """What to keep from a file. Raises ConstraintError for an unknown name."""
    chosen = [names] if isinstance(names, str) else list(names)
    for name in chosen:
        if name not in available:
            raise ConstraintError(f"keep: expected some of {', '.join(available)}; got {name!r}")
    return frozenset(chosen)


def check_given(constraints: Constraints, treebank: Treebank) -> None:
    """Raises ConstraintError unless they are constraints of the treebank: users may have changed the columns.

    Heads out of range are not checked here: no tree keeps them.
    """
    if not isinstance(constraints, Constraints):
        raise ConstraintError(f"parse: constraints must be Constraints; got {constraints!r}")
    if not np.array_equal(constraints.offsets, treebank.offsets):
        raise ConstraintError("parse: constraints are for another treebank: its sentences have other lengths")
    for name, column in (("heads", constraints.heads), ("labels", constraints.labels)):
        if not isinstance(column, np.ndarray) or column.dtype != np.int32 or column.shape != (treebank.words,):
            raise ConstraintError(f"Constraints: {name} must be {treebank.words} numbers (int32); got {column!r:.80}")
    wrong = (constraints.labels < UNKNOWN) | (constraints.labels >= len(constraints.texts))
    if wrong.any():
        found = constraints.labels[wrong][0]
        raise ConstraintError(f"Constraints: labels must be indices of its {len(constraints.texts)} texts; got {found}")


def sentence_location(treebank: Treebank, sentence: int) -> str:
    """Where a sentence is, for messages."""
    found = treebank[sentence]
    return f"{treebank.path}:{found.line}" + (f" (sent_id {found.sent_id})" if found.sent_id else "")


# --- Constraints in MISC ---


def _in_misc(treebank: Treebank) -> dict[int, tuple[Constraint, ...]]:
    """The constraints that MISC holds, by sentence."""
    cells = treebank.vocabulary("misc")
    values = {number: texts for number, cell in enumerate(cells) if (texts := _texts(cell))}
    found: dict[int, list[Constraint]] = {}
    ids = treebank.column("misc")
    for position in np.flatnonzero(np.isin(ids, list(values))).tolist():
        sentence = int(np.searchsorted(treebank.offsets, position, side="right")) - 1
        words = int(treebank.offsets[sentence + 1] - treebank.offsets[sentence])
        word = position - int(treebank.offsets[sentence]) + 1
        for text in values[int(ids[position])]:
            try:
                constraint = parse_constraint(text, word, words)
            except ConstraintError as error:
                raise ConstraintError(f"{sentence_location(treebank, sentence)}, word {word}: {error}") from None
            if constraint not in found.setdefault(sentence, []):
                found[sentence].append(constraint)
    return {sentence: tuple(constraints) for sentence, constraints in found.items()}


def _texts(cell: str) -> list[str]:
    """All constraints in a cell, even if the key is repeated; a key without a value is an empty one."""
    items = (item.partition("=") for item in cell.split("|"))
    return [text for key, _, value in items if key == KEY for text in value.split(";")]


def parse_constraint(text: str, word: int, words: int) -> Constraint:
    """A constraint as MISC of a word has it: left, right, 3,5 (allowed heads), subtree:2-5, closed:2-5."""
    text = text.strip()
    if text in ("left", "right"):
        return Constraint(word, HEAD_LEFT if text == "left" else HEAD_RIGHT)
    kind, colon, ends = text.partition(":")
    first, dash, last = ends.partition("-")
    if colon and dash and kind in SPAN_KINDS and _are_tokens(first, last) and 1 <= int(first) <= int(last) <= words:
        return Constraint(0, Span(int(first), int(last), kind))
    heads = [head.strip() for head in text.split(",")]
    if _are_tokens(*heads) and all(int(head) <= words and int(head) != word for head in heads):
        wanted = frozenset(map(int, heads))
        return Constraint(word, wanted if len(wanted) > 1 else next(iter(wanted)))
    raise ConstraintError(
        f"{KEY}: expected left, right, other words among 0..{words} (such as 3,5), subtree:2-5 or closed:2-5 "
        f"within 1..{words}; got {text!r}"
    )


def _are_tokens(*texts: str) -> bool:
    return all(text.isascii() and text.isdigit() and len(text) < 10 for text in texts)
