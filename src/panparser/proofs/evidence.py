"""True costs of short sentences, and the terms that may explain them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat

import numpy as np
import numpy.typing as npt

from panparser.proofs import system_proof as check
from panparser.proofs.interpreter import ReferenceState, ReferenceSystem
from panparser.proofs.system_proof import Golds, gold_trees
from panparser.systems import terms
from panparser.systems.state import State
from panparser.systems.terms import (
    BUFFER,
    L0,
    LIST,
    PLACES,
    POSITIONS,
    ROOT,
    ROOT_TOKEN,
    STACK,
    Loss,
    Position,
    StateCondition,
    TokenRegion,
)
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.gold import NO_HEAD, GoldTree, Head, Mark, reference_heads

MAX_GUARD = 2  # conditions in the guard of a term


@dataclass(frozen=True)
class GoldObservation:
    """What a loss depends on: one gold annotation in one state.

    A slot is twice the place of a token, plus one for Root: a bit of `TokenRegion.mask`. An annotation that is not an
    arc has no head slot. Bit i of `facts` is set if condition i holds.
    """

    dependent: int
    head: int | None
    attached: bool  # does the dependent already have a head?
    lowest: bool  # is the dependent the lowest token of the stack?
    facts: int


def slots(state: ReferenceState) -> dict[int, int]:
    """The slot of every token that is still in the state."""
    found = {}
    for depth, token in enumerate(reversed(state.stack)):
        found[token] = 2 * min(depth, 3) + (token == state.root)
    for index, token in enumerate(state.buffer):
        found[token] = 2 * (4 + min(index, 1)) + (token == state.root)
    for index, token in enumerate(state.list_tokens):
        found[token] = 2 * (6 + min(index, 1)) + (token == state.root)
    return found


def _positions(has_list: bool) -> tuple[Position, ...]:
    return POSITIONS if has_list else tuple(position for position in POSITIONS if position != L0)


def conditions(system: TransitionSystem) -> tuple[StateCondition, ...]:
    """The conditions of guards: words of the language with small numbers, and the conditions of the table itself."""
    found: list[StateCondition] = []
    has_root = system.root != "none"
    for ask in (terms.is_word, *([terms.is_root] if has_root else []), terms.is_attached, terms.is_unattached):
        found += [ask(position) for position in _positions(system.has_list)]
    sizes = (  # each with the largest number it is compared with
        (terms.size(STACK), 3),
        (terms.size(BUFFER), 3),
        *([(terms.size(LIST), 1)] if system.has_list else []),
        (terms.size(STACK, terms.unattached), 2),
        *([(terms.size(terms.children(ROOT)), 1)] if has_root else []),
    )
    for count, largest in sizes:
        bounds = range(largest + 1)
        found += [count == bound for bound in bounds]
        found += [count >= bound for bound in bounds[1:]]
        found += [count <= bound for bound in bounds[1:]]
    for transition in system.transitions:
        for condition in transition.when:
            found += condition.conditions if isinstance(condition, terms.AnyOf) else (condition,)
    return tuple(dict.fromkeys(found))


@cache
def candidates(mark: Mark | None, has_list: bool) -> tuple[Loss, ...]:
    """The losses that count annotations of a kind, arcs (None) or a mark, without guards; the simplest first."""
    positions = _positions(has_list)
    if mark is None:
        regions = _regions(has_list)
        heads: list[Position | TokenRegion] = [*positions, ROOT, *([LIST] if has_list else [])]
        found = [terms.head(x).among(region) for x in positions for region in regions]
        for flag in (None, terms.unattached):
            found += [terms.children(x).among(region, flag) for x in heads for region in regions]
    elif mark is NO_HEAD:
        found = [terms.headless(x) for x in positions]
    else:
        found = [terms.wants(x, mark) for x in positions]
        found += [terms.wanting(STACK, mark), terms.wanting(STACK, mark, terms.above_bottom)]
    return tuple(sorted(found, key=weight))


def counts(loss: Loss, sight: GoldObservation) -> bool:
    """Does the loss, without its guard, count an annotation of its kind that looks like this?"""
    if loss.region is None:
        return _is_at(loss.position, sight.dependent)
    if loss.kind == "wanting":
        return bool(loss.region.mask >> sight.dependent & 1) and not (sight.attached or (loss.flag and sight.lowest))
    assert sight.head is not None
    if loss.kind == "head":
        return _is_at(loss.position, sight.dependent) and bool(loss.region.mask >> sight.head & 1)
    if loss.flag and sight.attached:
        return False
    return _is_at(loss.position, sight.head) and bool(loss.region.mask >> sight.dependent & 1)


def _is_at(position: Position | TokenRegion | None, slot: int) -> bool:
    if isinstance(position, TokenRegion):
        return bool(position.mask >> slot & 1)
    return slot % 2 == ROOT_TOKEN if position == ROOT else PLACES[slot // 2] == str(position)


def weight(loss: Loss) -> int:
    """Simplicity of a term, less is simpler: few words and numbers; then a wide region, which assumes the least."""
    words = len(re.findall(r"\w+", str(loss)))
    return 100 * words - (loss.region.mask.bit_count() if loss.region else 0)


def _regions(has_list: bool) -> list[TokenRegion]:
    """Every part of the stack, of the buffer and of the list, with Root, without it, and Root alone.

    None is of two of them: two terms are plainer.
    """
    words = sum(1 << 2 * place for place in range(len(PLACES)))
    found = []
    for whole in (STACK, BUFFER, *([LIST] if has_list else [])):
        lowest = whole.mask & -whole.mask
        for mask in range(lowest, whole.mask + 1, lowest):
            places, roots = mask & words, mask >> 1 & words
            if not places or not roots or places == roots:
                found.append(TokenRegion(mask))
    return [*found, ROOT | ROOT]


@dataclass(frozen=True)
class Case:
    """The true cost of a transition in a state, for a gold, less what the potential counts."""

    state: State
    transition: str
    gold: GoldTree
    cost: int


class Search:
    """Every state of the sentences of one length, and the part of every gold that it can still reach."""

    def __init__(self, system: TransitionSystem, words: int, progress: check.Progress) -> None:
        self.system, self.words, self.report = system, words, progress
        self.nodes = check._explore(system, words, progress)
        check._check_outputs(system, self.nodes)
        self.order = sorted(range(len(self.nodes)), key=lambda index: len(self.nodes[index].state.derivation))

    def golds(self, kind: Golds) -> list[GoldTree]:
        return [GoldTree(heads) for heads in gold_trees(self.system, self.words, kind)]

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
            by_potential = counted.costs(node.state, node.names).T if counted and node.names else repeat(0)
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
            look = viewer.observe(state)
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

    def observe(self, state: State) -> Look:
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
    places = (state.stack, state.buffer, state.list_tokens)
    stack, buffer, aside = (tuple(token or root for token in tokens) for tokens in places)
    return ReferenceState(state.words, root, stack, buffer, heads, aside)
