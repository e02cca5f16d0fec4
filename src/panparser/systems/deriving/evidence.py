"""The evidence: the true cost of every transition in every state, for every single gold annotation.

Every loss counts the annotations of a gold one by one, and so does every sum of losses. So a table can be exact only if
the true costs add up in the same way; if they do, only the costs of single annotations have to be explained, and each
of them is 0 or 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np
import numpy.typing as npt

from panparser.systems.deriving.candidates import GoldObservation, slots
from panparser.systems.proof import check
from panparser.systems.proof.golds import Golds, golds_of
from panparser.systems.proof.reference import ReferenceState, ReferenceSystem
from panparser.systems.states import State
from panparser.systems.table import TransitionSystem
from panparser.systems.terms import StateCondition
from panparser.trees.gold import GoldTree, Head, Mark, reference_heads


@dataclass(frozen=True)
class Case:
    """The true cost of a transition in a state, for a gold, less what the potential counts."""

    state: State
    transition: str
    gold: GoldTree
    cost: int


class Search:
    """Every state of the sentences of one length, and the part of every gold that it can still reach."""

    def __init__(self, system: TransitionSystem, words: int, report: check.Progress) -> None:
        self.system, self.words, self.report = system, words, report
        self.nodes = check._explore(system, words, report)
        check._check_outputs(system, self.nodes)
        self.order = sorted(range(len(self.nodes)), key=lambda index: len(self.nodes[index].state.derivation))

    def golds(self, kind: Golds) -> list[GoldTree]:
        return [GoldTree(heads) for heads in golds_of(self.system, self.words, kind)]

    def costs(self, golds: list[GoldTree]) -> Iterator[tuple[State, str, npt.NDArray[np.int8]]]:
        """The cost of every transition in every state for each gold; the shortest derivations come first.

        What the potential of the system counts, if it has one, is not left to losses. It counts arcs, not directions.
        """
        reachable = check._reachable(self.system, self.nodes, golds)
        has_arcs = not any(gold.is_directed for gold in golds)
        counted = check._Costs(self.system, golds) if self.system.potential and has_arcs else None
        for number, index in enumerate(self.order):
            if number % 256 == 0:
                self.report(f"{self.words} words: true costs", number, len(self.order))
            node = self.nodes[index]
            by_potential = counted.of(node.state, node.names).T if counted and node.names else repeat(0)
            for name, after, known in zip(node.names, node.after, by_potential, strict=False):
                yield node.state, name, (reachable[index] - reachable[after] - known).astype(np.int8)

    def clash(self, kind: Golds) -> tuple[Case, ...]:
        """The smallest gold whose cost is not the sum of the costs of its annotations: that case, then theirs.

        Smallest means the fewest transitions, then the fewest annotations.
        """
        golds = self.golds(kind)
        alone = sorted(
            (gold for gold in golds if len(_annotations(gold)) == 1), key=lambda gold: _annotations(gold)[0][0]
        )
        place = {_annotations(gold)[0]: number for number, gold in enumerate(alone)}
        size = max(1, check._MAX_CELLS // len(self.nodes))
        found: list[tuple[int, int, tuple[Case, ...]]] = []
        for start in range(0, len(golds), size):
            chunk = alone + golds[start : start + size]
            parts = np.zeros((len(chunk), len(alone)), dtype=np.float32)  # small integers: a float product is fast
            for row, gold in enumerate(chunk):
                parts[row, [place[annotation] for annotation in _annotations(gold)]] = 1
            found += self._smallest_clash(chunk, parts)
        return min(found, key=lambda clash: clash[:2])[2] if found else ()

    def _smallest_clash(
        self, golds: list[GoldTree], parts: npt.NDArray[np.float32]
    ) -> list[tuple[int, int, tuple[Case, ...]]]:
        """(transitions, annotations, cases) of the smallest, if there is one."""
        counts = parts.sum(axis=1).astype(int)
        smallest: tuple[int, int, tuple[Case, ...]] | None = None
        for state, name, costs in self.costs(golds):
            depth = len(state.derivation)
            if smallest and smallest[0] < depth:
                break
            wrong = np.flatnonzero(parts @ costs[: parts.shape[1]].astype(np.float32) != costs)
            if not wrong.size:
                continue
            row = wrong[np.argmin(counts[wrong])]
            if smallest is None or counts[row] < smallest[1]:
                rows = (row, *np.flatnonzero(parts[row]))
                cases = tuple(Case(state, name, golds[i], int(costs[i])) for i in rows)
                smallest = (depth, int(counts[row]), cases)
        return [smallest] if smallest else []


def _annotations(gold: GoldTree) -> list[tuple[int, Head]]:
    return [(word, head) for word, head in enumerate(gold.heads, start=1) if head is not None]


Seen = dict[GoldObservation, dict[int, Case]]  # by sight: its costs, each with the first, smallest case


@dataclass
class Evidence:
    """The costs of single annotations, by transition and kind (an arc, which is None, or a mark)."""

    conditions: tuple[StateCondition, ...]
    seen: dict[tuple[str, Mark | None], Seen] = field(default_factory=dict)
    odd: Case | None = None  # the first whose cost is no loss's, neither 0 nor 1: the potential does not fit

    def gather(self, search: Search, kind: Golds) -> None:
        """Adds the evidence of the sentences of one length."""
        golds = [gold for gold in search.golds(kind) if len(_annotations(gold)) == 1]
        asked = []
        for gold in golds:
            ((word, head),) = _annotations(gold)
            placed = reference_heads(gold, search.system.root, search.system.max_span)[word - 1]
            is_root = head == 0 and search.system.root == "none"
            mark = Mark.EMPTY if is_root else head if isinstance(head, Mark) else None
            asked.append((gold, word, mark, placed))
        viewer = ObservationCache(search.system, self.conditions)
        for state, name, costs in search.costs(golds):
            look = viewer.of(state)
            for (gold, word, mark, placed), cost in zip(asked, costs.tolist(), strict=True):
                if cost not in (0, 1) and self.odd is None:
                    self.odd = Case(state, name, gold, cost)
                sight = look(word, None if mark is not None else placed)
                if sight is None:
                    continue
                cases = self.seen.setdefault((name, mark), {}).setdefault(sight, {})
                if cost not in cases:
                    cases[cost] = Case(state, name, gold, cost)


Look = Callable[[int, int | None], GoldObservation | None]


class ObservationCache:
    """Sights of annotations in states; the last state is cached, since it is used for each of its transitions."""

    def __init__(self, system: TransitionSystem, conditions: tuple[StateCondition, ...]) -> None:
        self.reference = ReferenceSystem(system)
        self.conditions = conditions
        self.last: tuple[State, Look] | None = None

    def of(self, state: State) -> Look:
        """A function from a word and its gold head (Root in its place) to the sight; None if a token is gone."""
        if self.last is None or self.last[0] is not state:
            self.last = (state, self._look(state))
        return self.last[1]

    def _look(self, state: State) -> Look:
        seen = reference_state(self.reference, state)
        where = slots(seen)
        facts = sum(1 << i for i, condition in enumerate(self.conditions) if self.reference.holds(condition, seen))
        lowest = seen.stack[0] if seen.stack else None

        def look(word: int, head: int | None) -> GoldObservation | None:
            if word not in where or (head is not None and head not in where):
                return None  # no loss sees it, and it costs nothing: it is already decided
            slot = None if head is None else where[head]
            return GoldObservation(where[word], slot, word in seen.heads, word == lowest, facts)

        return look


def reference_state(reference: ReferenceSystem, state: State) -> ReferenceState:
    """The state in the form of the slow reference."""
    root = reference.initial(state.words).root
    heads = {word: int(head) or root for word, head in enumerate(state.heads) if word and head >= 0}
    places = (state.stack, state.buffer, state.aside)
    stack, buffer, aside = (tuple(token or root for token in tokens) for tokens in places)
    return ReferenceState(state.words, root, stack, buffer, heads, aside)
