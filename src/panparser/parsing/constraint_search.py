"""Parsing under constraints: decide what can be kept, search within it, check that it was kept.

The search alone keeps given heads. Sets, directions and spans restrict the search too, but may conflict later in ways
that no single step can see: such a sentence is parsed again, with the heads of the tree that keeps all constraints and
agrees best with the trees found.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

import numpy as np

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.types import IntArray
from panparser.errors import ConstraintError
from panparser.learning.layers import Labels
from panparser.parsing.constraint_solver import Solver
from panparser.parsing.constraints import Constraint, Constraints, DroppedConstraint, check_given, sentence_location
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.lifting import PseudoProjectiveLabels
from panparser.parsing.model_protocol import Model, RawTree, Search, SearchResult
from panparser.parsing.spec import ParserSpec
from panparser.systems.python_system import PythonSteps
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import HEAD_LEFT, HEAD_RIGHT, NO_HEAD, UNKNOWN

_MAX_VOTERS = 8  # trees that vote on the given heads when a sentence is parsed again
Tree: TypeAlias = tuple[tuple[int, ...], tuple[str, ...], float]


@dataclass
class KeptTrees:
    """The constraints that trees of a transition system can keep: `heads` and `more`, without those in `conflicting`.

    A tree may keep some of the conflicting ones anyway: a constraint is dropped if the final tree violates it.
    """

    spec: ParserSpec
    labels: Labels
    constraints: Constraints
    relax: bool
    heads: IntArray
    more: dict[int, tuple[Constraint, ...]]
    conflicting: dict[int, list[Constraint]] = field(default_factory=dict)  # by sentence

    @classmethod
    def from_constraints(
        cls,
        spec: ParserSpec,
        labels: Labels,
        treebank: Treebank,
        constraints: Constraints,
        relax: bool,
        sentences: Sequence[int] | None = None,
    ) -> KeptTrees:
        """Settle the constraints (of some sentences only). Raise ConstraintError unless they fit treebank and parser.

        Unless `relax`, raise ConstraintError as well if no tree keeps all constraints of a sentence.
        """
        check_given(constraints, treebank)
        if not spec.system.has_dynamic_oracle and spec.system.has_oracle:
            raise ConstraintError(f"{spec.system.name} has a static oracle only, which keeps no constraints")
        heads, more = constraints.heads.copy(), dict(constraints.other_constraints)
        if sentences is not None:
            chosen = np.zeros(len(heads), dtype=bool)
            for sentence in sentences:
                chosen[constraints.word_slice(sentence)] = True
            heads[~chosen] = UNKNOWN
            more = {sentence: more[sentence] for sentence in sentences if sentence in more}
        kept = cls(spec, labels, constraints, relax, heads, more)
        kept._settle()
        return kept

    @cached_property
    def label_encoding(self) -> PseudoProjectiveLabels:
        return PseudoProjectiveLabels(self.labels.names, self.spec.crossing == "pseudo")

    def _settle(self) -> None:
        """Raises ConstraintError if no tree keeps all constraints of a sentence, or drops some of them."""
        system, offsets = self.spec.system, self.constraints.offsets
        shape = (system.root != "last", system.single_root, system.max_span or 0)
        conflicts = _engine.find_conflicts(offsets, self.heads, *shape).astype(bool)
        for sentence in sorted({*np.flatnonzero(conflicts).tolist(), *self.more}):
            solver, asked = self.solver(sentence), self.requested(sentence)
            if solver.keeps(asked):
                continue
            if not self.relax:
                conflict = "; ".join(map(str, solver.conflict(asked)))
                what = "a tree" if system.crosses else "a projective tree"
                if system.single_root:
                    what += " with one child of Root"
                if system.max_span is not None:
                    what += f" with arcs of length {system.max_span} at most"
                where = sentence_location(self.constraints.treebank, sentence)
                raise ConstraintError(
                    f"{where}: no tree keeps all constraints; {system.name} builds {what}, which excludes: {conflict}"
                )
            kept = solver.largest(asked)
            self._leave_out(sentence, [constraint for constraint in asked if constraint not in kept])

    def solver(self, sentence: int) -> Solver:
        words = self.constraints.word_slice(sentence)
        return Solver(self.spec.system, words.stop - words.start)

    def requested(self, sentence: int) -> list[Constraint]:
        words = self.constraints.word_slice(sentence)
        heads = enumerate(self.heads[words].tolist(), start=1)
        return [Constraint(word, head) for word, head in heads if head != UNKNOWN] + [*self.more.get(sentence, ())]

    def _leave_out(self, sentence: int, conflicting: list[Constraint]) -> None:
        """Frees the search of constraints."""
        self.conflicting[sentence] = conflicting
        if sentence in self.more:
            self.more[sentence] = tuple(other for other in self.more[sentence] if other not in conflicting)
        heads = self.heads[self.constraints.word_slice(sentence)]  # a view
        for constraint in conflicting:
            if constraint.word and constraint.fixed_head == heads[constraint.word - 1]:
                heads[constraint.word - 1] = UNKNOWN

    def to_search(self) -> BatchConstraints:
        """Return the constraints in the form that search uses."""
        return self._to_search(self.heads, self.more)

    def with_tree(self, sentence: int, heads: Sequence[int]) -> BatchConstraints:
        """Return given heads of one sentence, without any other constraint, in the form that search uses."""
        column = np.full_like(self.heads, UNKNOWN)
        column[self.constraints.word_slice(sentence)] = heads
        return self._to_search(column, {})

    def _to_search(self, heads: IntArray, more: dict[int, tuple[Constraint, ...]]) -> BatchConstraints:
        system, offsets = self.spec.system, self.constraints.offsets
        heads = heads.copy()
        labels = self._known_labels()
        fixed = heads != UNKNOWN
        masks: dict[int, Any] = {}
        for sentence, constraints in more.items():
            words = self.constraints.word_slice(sentence)
            size = words.stop - words.start
            masks[sentence] = np.ones((size + 1, size + 1), dtype=np.uint8)
            for constraint in constraints:
                constraint.restrict(masks[sentence], system.root)
                if not constraint.word:
                    fixed[words] = True  # an arc that is moved may leave or enter the span
                    continue
                position = words.start + constraint.word - 1
                fixed[position] = True
                if heads[position] == UNKNOWN:
                    heads[position] = self._code(constraint, size)
        labels[fixed & (labels == _engine.ANY_LABEL)] = _engine.STAYING_LABEL
        moving = self.label_encoding.moving
        engine = None
        if not isinstance(system, PythonSteps):
            engine = _engine.Constraints(system._lowered.engine, offsets, heads, labels, moving.astype(np.uint8))
            for sentence, mask in masks.items():
                engine.allow(sentence, mask.ravel())
        return BatchConstraints(heads, labels, moving, masks, offsets, engine)

    def _code(self, constraint: Constraint, words: int) -> int:
        """A head for the oracle: the given one, or the side that all allowed ones are on."""
        system = self.spec.system
        if constraint.fixed_head is not None:
            return constraint.fixed_head
        if system.knows_directions:
            allowed = constraint.allowed_heads(words, system.root)
            for mark in (HEAD_LEFT, HEAD_RIGHT):
                if (Constraint(constraint.word, mark).allowed_heads(words, system.root) | ~allowed).all():
                    return int(mark)
        return UNKNOWN

    def _known_labels(self) -> IntArray:
        """Given labels as the parser's numbers; unknown ones are left open."""
        numbers = {name: number for number, name in enumerate(self.labels.names)}
        known = [numbers.get(text, _engine.ANY_LABEL) for text in self.constraints.texts]
        return np.array([*known, _engine.ANY_LABEL], dtype=np.int32)[self.constraints.labels]

    # --- Violations ---

    def violating_sentences(self, heads: IntArray) -> list[int]:
        """Return the sentences with a constraint that the heads of all words violate."""
        lost = np.flatnonzero((self.heads != UNKNOWN) & (self.heads != heads))
        sentences = set((np.searchsorted(self.constraints.offsets, lost, side="right") - 1).tolist())
        more = {number for number in self.more if self.violated(number, heads[self.constraints.word_slice(number)])}
        return sorted(sentences | more)

    def violated(self, sentence: int, heads: Sequence[int] | IntArray) -> list[Constraint]:
        """Return the settled constraints of a sentence that its tree violates."""
        return self._violated(self.requested(sentence), heads)

    def _violated(self, constraints: Iterable[Constraint], heads: Sequence[int] | IntArray) -> list[Constraint]:
        system = self.spec.system
        return [one for one in constraints if not one.is_satisfied(heads, system.root, system.partial)]

    def dropped_by(self, trees: Mapping[int, Sequence[int]]) -> tuple[DroppedConstraint, ...]:
        """Return the constraints that the trees of these sentences violate. Raise ConstraintError unless `relax`."""
        dropped = []
        for sentence, heads in trees.items():
            where, conflicting = (
                sentence_location(self.constraints.treebank, sentence),
                self.conflicting.get(sentence, ()),
            )
            lost = self._violated(self.constraints.for_sentence(sentence), heads)
            if lost and not self.relax:
                raise ConstraintError(f"{where}: {self.spec.system.name} did not keep: {'; '.join(map(str, lost))}")
            for constraint in lost:
                reason = "conflicts with others" if constraint in conflicting else "not kept by the search"
                dropped.append(DroppedConstraint(sentence, where, constraint, reason))
        return tuple(dropped)


@dataclass(frozen=True)
class ConstrainedSearch:
    """Search for trees by a model that keep constraints; it returns those that were dropped."""

    model: Model
    kept: KeptTrees

    def find(self, treebank: Treebank, search: Search) -> tuple[SearchResult, tuple[DroppedConstraint, ...]]:
        """Return trees, with lifted arcs put back, and the dropped constraints; signals are of the first search."""
        kept, constraints, encoding = self.kept, self.kept.constraints, self.kept.label_encoding
        restriction = kept.to_search()
        found = self.model.find(treebank, replace(search, constraints=restriction))
        heads, labels = encoding.put_back(treebank, found.heads, found.labels)
        numbers = {name: number for number, name in enumerate(encoding.plain)}
        violating = kept.violating_sentences(heads)
        for sentence in violating:
            words = constraints.word_slice(sentence)
            (tree, *_) = self._find_again(treebank[sentence], restriction, search.beam, 1)
            heads[words], names = encoding.put_back_one(*tree[:2])
            labels[words] = [numbers.get(name, UNKNOWN) for name in names]
        sentences = sorted({*kept.conflicting, *violating})
        dropped = kept.dropped_by({number: heads[constraints.word_slice(number)].tolist() for number in sentences})
        return found._replace(heads=heads, labels=labels), dropped

    def find_best(self, sentence: Sentence, beam: int, count: int) -> tuple[list[Tree], tuple[DroppedConstraint, ...]]:
        """Return trees of one sentence, best first, perhaps with duplicates; and what the first of them dropped."""
        number, restriction = sentence.position, self.kept.to_search()
        trees = [self._finish(number, tree) for tree in self.model.best(sentence, beam, count, restriction)]
        valid = [tree for tree in trees if not self.kept.violated(number, tree[0])]
        if trees and not valid:
            valid = [self._finish(number, tree) for tree in self._find_again(sentence, restriction, beam, count)]
        return valid, self.kept.dropped_by({number: valid[0][0]} if valid else {})

    def _finish(self, sentence: int, tree: RawTree) -> Tree:
        """Put lifted arcs back and set all given labels."""
        heads, labels = self.kept.label_encoding.put_back_one(*tree[:2])
        constraints = self.kept.constraints
        given = constraints.labels[constraints.word_slice(sentence)].tolist()
        texts = (label if g == UNKNOWN else constraints.texts[g] for label, g in zip(labels, given, strict=True))
        return heads, tuple(texts), tree[2]

    def _find_again(self, sentence: Sentence, restriction: BatchConstraints, beam: int, count: int) -> list[RawTree]:
        """Return trees that keep the constraints, found with given heads; the earlier trees if there are none."""
        width = max(beam, _MAX_VOTERS) if beam else 0
        voters = list(self.model.best(sentence, width, _MAX_VOTERS, restriction))[:_MAX_VOTERS]
        heads = self._agreed_heads([heads for heads, _, _ in voters], sentence.position)
        if heads is None:
            return voters
        return list(self.model.best(sentence, beam, count, self.kept.with_tree(sentence.position, heads)))

    def _agreed_heads(self, voters: list[list[int]], sentence: int) -> list[int] | None:
        """Return the heads to give: of the tree that keeps all constraints and agrees best with the trees found."""
        solver, asked = self.kept.solver(sentence), self.kept.requested(sentence)
        votes = np.zeros((solver.words + 1, solver.words + 1))
        for rank, heads in enumerate(voters, start=1):
            attached = np.flatnonzero(np.array(heads) >= 0)
            votes[np.array(heads)[attached], attached + 1] += 1 / rank
        tree = solver.tree(asked, votes)
        if tree is None:
            return None
        named = {constraint.word for constraint in asked}
        if 0 not in named:  # no spans: the other words are free
            return [head if word in named else UNKNOWN for word, head in enumerate(tree, start=1)]
        if not self.kept.spec.system.partial:
            return tree
        voted = [votes[head, word] > 0 for word, head in enumerate(tree, start=1)]
        return [
            head if word in named or is_voted else int(NO_HEAD)
            for word, (head, is_voted) in enumerate(zip(tree, voted, strict=True), start=1)
        ]
