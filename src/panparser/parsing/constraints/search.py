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
from panparser._arrays import IntArray
from panparser.errors import ConstraintError
from panparser.parsing.batch.kept import KeptConstraints
from panparser.parsing.constraints.constraints import Constraint, Constraints, Dropped, check_given, place
from panparser.parsing.constraints.solver import Solver
from panparser.parsing.models.protocol import Found, ParserLike, RawTree, Search
from panparser.systems.python import PythonSteps
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import EMPTY, LEFT, RIGHT, UNKNOWN

_MAX_VOTERS = 8  # trees that vote on the given heads when a sentence is parsed again
Tree: TypeAlias = tuple[tuple[int, ...], tuple[str, ...], float]


@dataclass
class Constrained:
    """Constraints for one parser: `heads` and `more` without those that conflict, which are in `conflicting`.

    A tree may keep some of these all the same: what was dropped is what the tree lacks in the end.
    """

    parser: ParserLike
    constraints: Constraints
    relax: bool
    heads: IntArray
    more: dict[int, tuple[Constraint, ...]]
    conflicting: dict[int, list[Constraint]] = field(default_factory=dict)  # by sentence

    @classmethod
    def of(
        cls,
        parser: ParserLike,
        treebank: Treebank,
        constraints: Constraints,
        relax: bool,
        sentences: Sequence[int] | None = None,
    ) -> Constrained:
        """The constraints (of some sentences only). Raises ConstraintError unless they fit treebank and parser."""
        check_given(constraints, treebank)
        if not parser.spec.system.has_dynamic_oracle and parser.spec.system.has_oracle:
            raise ConstraintError(f"{parser.spec.system.name} has a static oracle only, which keeps no constraints")
        heads, more = constraints.heads.copy(), dict(constraints.more)
        if sentences is not None:
            chosen = np.zeros(len(heads), dtype=bool)
            for sentence in sentences:
                chosen[constraints.words_of(sentence)] = True
            heads[~chosen] = UNKNOWN
            more = {sentence: more[sentence] for sentence in sentences if sentence in more}
        found = cls(parser, constraints, relax, heads, more)
        found._settle()
        return found

    # --- What can be kept ---

    def _settle(self) -> None:
        """Raises ConstraintError if no tree keeps all constraints of a sentence, or drops some of them."""
        system, offsets = self.parser.spec.system, self.constraints.offsets
        shape = (system.root != "last", system.single_root, system.max_span or 0)
        conflicts = _engine.find_conflicts(offsets, self.heads, *shape).astype(bool)
        for sentence in sorted({*np.flatnonzero(conflicts).tolist(), *self.more}):
            solver, asked = self._solver(sentence), self._asked(sentence)
            if solver.keeps(asked):
                continue
            if not self.relax:
                conflict = "; ".join(map(str, solver.conflict(asked)))
                what = "a tree" if system.crosses else "a projective tree"
                if system.single_root:
                    what += " with one child of Root"
                if system.max_span is not None:
                    what += f" with arcs of length {system.max_span} at most"
                raise ConstraintError(
                    f"{place(self.constraints.treebank, sentence)}: no tree keeps all constraints; {system.name} "
                    f"builds {what}, which excludes: {conflict}"
                )
            kept = solver.largest(asked)
            self._leave_out(sentence, [constraint for constraint in asked if constraint not in kept])

    def _solver(self, sentence: int) -> Solver:
        words = self.constraints.words_of(sentence)
        return Solver(self.parser.spec.system, words.stop - words.start)

    def _asked(self, sentence: int) -> list[Constraint]:
        words = self.constraints.words_of(sentence)
        heads = enumerate(self.heads[words].tolist(), start=1)
        return [Constraint(word, head) for word, head in heads if head != UNKNOWN] + [*self.more.get(sentence, ())]

    def _leave_out(self, sentence: int, conflicting: list[Constraint]) -> None:
        """Frees the search of constraints."""
        self.conflicting[sentence] = conflicting
        if sentence in self.more:
            self.more[sentence] = tuple(other for other in self.more[sentence] if other not in conflicting)
        heads = self.heads[self.constraints.words_of(sentence)]  # a view
        for constraint in conflicting:
            if constraint.word and constraint.fixes == heads[constraint.word - 1]:
                heads[constraint.word - 1] = UNKNOWN

    # --- Constraints of the search ---

    def kept(self, heads: IntArray, more: dict[int, tuple[Constraint, ...]]) -> KeptConstraints:
        """The constraints in the form that search uses."""
        system, offsets = self.parser.spec.system, self.constraints.offsets
        heads = heads.copy()
        labels = self._known_labels()
        fixed = heads != UNKNOWN
        masks: dict[int, Any] = {}
        for sentence, constraints in more.items():
            words = self.constraints.words_of(sentence)
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
        moving = self.parser.lifted.moving
        engine = None
        if not isinstance(system, PythonSteps):
            engine = _engine.Constraints(system._lowered.engine, offsets, heads, labels, moving.astype(np.uint8))
            for sentence, mask in masks.items():
                engine.allow(sentence, mask.ravel())
        return KeptConstraints(heads, labels, moving, masks, offsets, engine)

    def _code(self, constraint: Constraint, words: int) -> int:
        """A head for the oracle: the given one, or the side that all allowed ones are on."""
        system = self.parser.spec.system
        if constraint.fixes is not None:
            return constraint.fixes
        if system.knows_directions:
            allowed = constraint.allowed_heads(words, system.root)
            for mark in (LEFT, RIGHT):
                if (Constraint(constraint.word, mark).allowed_heads(words, system.root) | ~allowed).all():
                    return int(mark)
        return UNKNOWN

    def _known_labels(self) -> IntArray:
        """Given labels as the parser's numbers; unknown ones are left open."""
        numbers = {name: number for number, name in enumerate(self.parser.labels.names)}
        known = [numbers.get(text, _engine.ANY_LABEL) for text in self.constraints.texts]
        return np.array([*known, _engine.ANY_LABEL], dtype=np.int32)[self.constraints.labels]

    # --- Parsing ---

    def predict(self, treebank: Treebank, search: Search) -> tuple[IntArray, IntArray, IntArray | None]:
        """Heads, labels and tags as in `Parser.found`."""
        found = self.find(treebank, search)
        return found.heads, found.labels, found.tags

    def find(self, treebank: Treebank, search: Search) -> Found:
        """The trees, with lifted arcs put back; signals are those of the first search."""
        parser = self.parser
        kept = self.kept(self.heads, self.more)
        search = replace(search, constraints=kept)
        found = parser.scoring(search).find(treebank, search)
        heads, labels = parser.lowered(treebank, found.heads, found.labels)
        numbers = {name: number for number, name in enumerate(parser.plain_labels)}
        broken = self._broken(heads)
        for sentence in broken:
            words = self.constraints.words_of(sentence)
            (tree, *_) = self._again(treebank[sentence], kept, search.beam, 1)
            heads[words], chosen = parser.lifted.put_back_one(*tree[:2])
            labels[words] = [numbers.get(label, UNKNOWN) for label in chosen]
        sentences = sorted({*self.conflicting, *broken})
        self._report({sentence: heads[self.constraints.words_of(sentence)].tolist() for sentence in sentences})
        return found._replace(heads=heads, labels=labels)

    def best(self, sentence: Sentence, beam: int, wanted: int) -> Iterable[Tree]:
        """Trees of one sentence as in `Parser.best`, perhaps with duplicates."""
        number = sentence.position
        kept_here = self.kept(self.heads, self.more)
        trees = [self._finished(number, tree) for tree in self.parser.model.best(sentence, beam, wanted, kept_here)]
        kept = [tree for tree in trees if not self._lost(number, tree[0])]
        if trees and not kept:
            kept = [self._finished(number, tree) for tree in self._again(sentence, kept_here, beam, wanted)]
        self._report({number: kept[0][0]} if kept else {})
        return kept

    def _finished(self, sentence: int, tree: RawTree) -> Tree:
        """A tree with arcs put back and all given labels."""
        heads, labels = self.parser.lifted.put_back_one(*tree[:2])
        given = self.constraints.labels[self.constraints.words_of(sentence)].tolist()
        texts = (label if g == UNKNOWN else self.constraints.texts[g] for label, g in zip(labels, given, strict=True))
        return heads, tuple(texts), tree[2]

    def _again(self, sentence: Sentence, kept: KeptConstraints, beam: int, wanted: int) -> list[RawTree]:
        """Trees that keep the constraints, found with given heads; the earlier trees if that is impossible."""
        width = max(beam, _MAX_VOTERS) if beam else 0
        voters = list(self.parser.model.best(sentence, width, _MAX_VOTERS, kept))[:_MAX_VOTERS]
        tree = self._agreed([heads for heads, _, _ in voters], sentence.position)
        if tree is None:
            return voters
        heads = np.full_like(self.heads, UNKNOWN)
        heads[self.constraints.words_of(sentence.position)] = tree
        return list(self.parser.model.best(sentence, beam, wanted, self.kept(heads, {})))

    def _agreed(self, voters: list[list[int]], sentence: int) -> list[int] | None:
        """Heads to give: those of the tree that keeps all constraints and agrees best with the trees found."""
        solver, asked = self._solver(sentence), self._asked(sentence)
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
        if not self.parser.spec.system.partial:
            return tree
        voted = [votes[head, word] > 0 for word, head in enumerate(tree, start=1)]
        return [
            head if word in named or is_voted else int(EMPTY)
            for word, (head, is_voted) in enumerate(zip(tree, voted, strict=True), start=1)
        ]

    # --- Whether it was kept ---

    def _broken(self, heads: IntArray) -> list[int]:
        """Sentences with a constraint that the heads violate."""
        lost = np.flatnonzero((self.heads != UNKNOWN) & (self.heads != heads))
        sentences = set((np.searchsorted(self.constraints.offsets, lost, side="right") - 1).tolist())
        more = {number for number in self.more if self._lost(number, heads[self.constraints.words_of(number)])}
        return sorted(sentences | more)

    def _lost(self, sentence: int, heads: Sequence[int] | IntArray) -> list[Constraint]:
        """The constraints of a sentence that a tree violates."""
        system = self.parser.spec.system
        return [c for c in self._asked(sentence) if not c.is_kept(heads, system.root, system.partial)]

    def _report(self, trees: Mapping[int, Sequence[int]]) -> None:
        """Lists what the trees of these sentences lack as dropped. Raises ConstraintError instead unless `relax`."""
        system, dropped = self.parser.spec.system, []
        for sentence, heads in trees.items():
            where, conflicting = place(self.constraints.treebank, sentence), self.conflicting.get(sentence, ())
            asked = self.constraints.of_sentence(sentence)
            lost = [c for c in asked if not c.is_kept(heads, system.root, system.partial)]
            if lost and not self.relax:
                raise ConstraintError(f"{where}: {system.name} did not keep: {'; '.join(map(str, lost))}")
            for constraint in lost:
                reason = "conflicts with others" if constraint in conflicting else "not kept by the search"
                dropped.append(Dropped(sentence, where, constraint, reason))
        self.constraints.dropped = dropped  # at once: other threads may read it
