"""`derive_losses`: finds the exact losses of a table, or a reason why there are none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, TypeVar, get_args

import numpy as np

from panparser.base.checks import MAX_PROVEN_WORDS, check_choice, check_range
from panparser.errors import DeclarationError, ProofError
from panparser.proofs.evidence import (
    MAX_GUARD,
    Case,
    Evidence,
    GoldObservation,
    Search,
    Seen,
    candidates,
    conditions,
    counts,
    weight,
)
from panparser.proofs.system_proof import GOLD_NOUNS, CheckReport, Golds, Progress, check_system, default_golds
from panparser.systems.registry import system as as_system
from panparser.systems.state import draw_state
from panparser.systems.terms import Loss, StateCondition, back
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.drawing import draw_tree
from panparser.trees.gold import GoldTree, Mark


def smallest_cover(elements: int, sets: Sequence[int], weights: Sequence[int]) -> tuple[int, ...] | None:
    """Indices of the chosen sets: as few as possible, then the least weight, then the earliest; None if nothing covers.

    `elements` is their number; bit i of a set is set if it contains element i. Weights are not
    negative.
    """
    names = _lightest(sets, weights)
    holders = _holders(elements, [sets[index] for index in names])
    alive = (1 << len(names)) - 1
    chosen = []
    while True:  # forced: an element that only one set covers
        if not all(holders):
            return None
        forced = next((holder for holder in holders if holder.bit_count() == 1), 0)
        if not forced:
            break
        chosen.append(names[forced.bit_length() - 1])
        for holder in holders:
            if holder & forced:
                alive &= ~holder
        holders = [holder & alive for holder in holders if not holder & forced]
    for part in _parts(holders):
        members = sorted({index for holder in part for index in _bits(holder)})
        found = _Search(part, members, [weights[names[index]] for index in members]).best
        if found is None:
            return None
        chosen += [names[index] for index in found]
    return tuple(sorted(chosen))


def _lightest(sets: Sequence[int], weights: Sequence[int]) -> list[int]:
    """The lightest of equal sets, in order of weight, without empty ones."""
    kept: dict[int, int] = {}
    for index in sorted(range(len(sets)), key=lambda index: (weights[index], index)):
        if sets[index]:
            kept.setdefault(sets[index], index)
    return list(kept.values())


def _holders(elements: int, sets: list[int]) -> list[int]:
    """For each element the sets that contain it, as a mask over the sets; elements in the same sets are merged."""
    size = (elements + 7) // 8
    rows = np.frombuffer(b"".join(members.to_bytes(size, "little") for members in sets), dtype=np.uint8)
    bits = np.unpackbits(rows.reshape(len(sets), size), axis=1, count=elements, bitorder="little")
    columns = np.packbits(bits.T, axis=1, bitorder="little")
    return list(dict.fromkeys(int.from_bytes(column.tobytes(), "little") for column in columns))


def _parts(holders: list[int]) -> list[list[int]]:
    """The elements in groups that have no set in common."""
    parts: list[tuple[int, list[int]]] = []
    for holder in holders:
        sets, members = holder, [holder]
        apart = []
        for other in parts:
            if other[0] & holder:
                sets, members = sets | other[0], other[1] + members
            else:
                apart.append(other)
        parts = [*apart, (sets, members)]
    return [members for _, members in parts]


class _Search:
    """Branch and bound over one part; `best` is the solution, as a list of sets."""

    def __init__(self, holders: list[int], members: list[int], weights: list[int]) -> None:
        # Choices are ordered by one number: count, then weight, then position of the sets.
        late = 1 + sum(range(len(members)))
        one = (1 + sum(weights)) * late
        self.price = {
            index: one + weight * late + number
            for number, (index, weight) in enumerate(zip(members, weights, strict=True))
        }
        self.rivals = dict.fromkeys(members, 0)  # number of sets that share an element, including itself
        for holder in holders:
            for index in _bits(holder):
                self.rivals[index] |= holder
        self.best: list[int] | None = None
        for count in range(1, len(holders) + 1):
            self.limit = (count + 1) * one  # upper bound of a choice
            self.is_cut = False  # did the limit prune anything?
            self._cover(holders, 0, [])
            if self.best is not None or not self.is_cut:
                return

    def _cover(self, holders: list[int], spent: int, chosen: list[int]) -> None:
        """`holders`: for each open element, the sets that share no element with those chosen."""
        if not holders:
            self.best, self.limit = list(chosen), spent
            return
        holders = sorted(holders, key=int.bit_count)
        if not holders[0]:
            return
        if spent + self._at_least(holders) >= self.limit:
            self.is_cut = True
            return
        for index in _bits(holders[0]):
            out = self.rivals[index]
            chosen.append(index)
            left = [holder & ~out for holder in holders if not holder >> index & 1]
            self._cover(left, spent + self.price[index], chosen)
            chosen.pop()

    def _at_least(self, holders: list[int]) -> int:
        """A lower bound of the remaining cost: elements that share no set need one each, at least the cheapest."""
        seen = bound = 0
        for holder in holders:
            if not holder & seen:
                seen |= holder
                bound += self.price[(holder & -holder).bit_length() - 1]
        return bound


def _bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


_KINDS = ("headless", "head", "children", "wants", "wanting")  # the order of a table's terms
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class LossMismatch:
    """Why no sum of losses fits: `loss` is the simplest that counts the first case; it also counts the second."""

    problem: str
    cases: tuple[Case, ...]
    loss: Loss | None = None


def fit(
    seen: Seen, mark: Mark | None, conditions: tuple[StateCondition, ...], has_list: bool = False
) -> tuple[Loss, ...] | LossMismatch:
    """Losses whose sum is the cost of all evidence. Guards are used only if nothing fits without, and kept short.

    Costs are sums of non-negative terms. So a loss that counts anything of cost 0 is excluded, and from the others a
    choice is made that counts everything of cost 1 exactly once.
    """
    alike = [(cases[1], cases[0]) for cases in seen.values() if len(cases) > 1]
    if alike:
        return LossMismatch("alike", min(alike, key=lambda pair: max(map(_size, pair))))
    sights = list(seen)
    problem = FittingProblem(sights, _where(sights, lambda sight: 1 in seen[sight]))
    if not problem.costly:
        return ()
    views: dict[GoldObservation, int] = {}  # what a loss depends on, and the bits where it occurs
    for number, sight in enumerate(sights):
        view = replace(sight, facts=0)
        views[view] = views.get(view, 0) | 1 << number
    plain = _distinct(
        (loss, sum(where for view, where in views.items() if counts(loss, view))) for loss in candidates(mark, has_list)
    )
    asked = _distinct((asks, _where(sights, _holds(number))) for number, asks in enumerate(conditions))
    options: dict[int, Loss] = {}
    for size in range(MAX_GUARD + 1):
        problem.add(options, plain, asked, size)
        chosen = problem.solve(options)
        if chosen is not None:
            return tuple(sorted(chosen, key=_order))
    return problem.misfit(seen, options, plain)


class FittingProblem:
    """Sights as bits: `costly` are those that cost 1."""

    def __init__(self, sights: list[GoldObservation], costly: int) -> None:
        self.sights, self.costly = sights, costly
        self.free = (1 << len(sights)) - 1 & ~costly
        self.elements = [number for number in range(len(sights)) if costly >> number & 1]

    def add(
        self, options: dict[int, Loss], plain: dict[int, Loss], asked: dict[int, StateCondition], size: int
    ) -> None:
        """Adds the losses with `size` conditions that count nothing of cost 0; keeps the simplest of equal ones."""
        for guard in combinations(asked.items(), size):
            holds = -1
            for where, _ in guard:
                holds &= where
            if not holds & self.costly:
                continue
            for counted, loss in plain.items():
                both = counted & holds
                if both and not both & self.free:
                    guarded = loss.when(*(condition for _, condition in guard)) if guard else loss
                    if both not in options or weight(guarded) < weight(options[both]):
                        options[both] = guarded

    def solve(self, options: dict[int, Loss]) -> list[Loss] | None:
        losses = list(options.values())
        sets = [self._compact(counted) for counted in options]
        chosen = smallest_cover(len(self.elements), sets, [weight(loss) for loss in losses])
        return None if chosen is None else [losses[index] for index in chosen]

    def _compact(self, counted: int) -> int:
        return sum(1 << number for number, element in enumerate(self.elements) if counted >> element & 1)

    def misfit(self, seen: Seen, options: dict[int, Loss], plain: dict[int, Loss]) -> LossMismatch:
        """The smallest case that no loss can count, or else the one that the fewest losses can."""
        tried = [sum(counted >> element & 1 for counted in options) for element in self.elements]
        fewest = min(tried)
        element = self.elements[tried.index(fewest)]
        case = seen[self.sights[element]][1]
        if fewest:
            return LossMismatch("cover", (case,))
        for counted, loss in plain.items():
            if counted >> element & 1:
                facts = self.sights[element].facts
                free = [sight for number, sight in enumerate(self.sights) if counted & self.free & 1 << number]
                closest = min(free, key=lambda sight: (sight.facts ^ facts).bit_count())
                return LossMismatch("wide", (case, seen[closest][0]), loss)
        return LossMismatch("unseen", (case,))


def _size(case: Case) -> tuple[int, int]:
    return case.state.words, len(case.state.derivation)


def _where(sights: list[GoldObservation], test: Callable[[GoldObservation], bool]) -> int:
    return sum(1 << number for number, sight in enumerate(sights) if test(sight))


def _holds(number: int) -> Callable[[GoldObservation], bool]:
    return lambda sight: bool(sight.facts >> number & 1)


def _distinct(found: Iterable[tuple[_Value, int]]) -> dict[int, _Value]:
    """The first of values that hold in the same places; those that hold nowhere are left out."""
    kept: dict[int, _Value] = {}
    for value, where in found:
        if where:
            kept.setdefault(where, value)
    return kept


def _order(loss: Loss) -> tuple[int, str, int]:
    return _KINDS.index(loss.kind), str(loss.position), loss.region.mask if loss.region else 0


_NUMBERS = {1: "one", 2: "two", 3: "three"}


@dataclass(frozen=True)
class Counterexample:
    """The smallest cases that no table of losses explains together. Its `str` draws them.

    `problem` is the reason:

    - "sum": the cost of the first case is not the sum of the others, which are its annotations one by one;
    - "alike": the first costs 1 and the second 0, and no loss or condition distinguishes them;
    - "wide": every loss that counts the first, with any guard, counts a case that costs 0: `loss`, the simplest,
      counts the second;
    - "unseen": no loss counts the first;
    - "cover": no choice of losses counts every case once, the first among them;
    - "potential": the potential leaves a cost that no loss has, below 0 or above 1.

    Costs are those that the potential, if there is one, leaves to losses.
    """

    system: TransitionSystem
    problem: str
    cases: tuple[Case, ...]
    loss: Loss | None = None

    @classmethod
    def from_mismatch(cls, system: TransitionSystem, misfit: LossMismatch) -> Counterexample:
        return cls(system, misfit.problem, misfit.cases, misfit.loss)

    @property
    def summary(self) -> str:
        """One line: a transition, its cost, the state, and the gold."""
        case = self.cases[0]
        known = ", ".join(_annotations(case.gold))
        costs = f"{case.transition} costs {case.cost} in {case.state} for the gold {known}"
        if self.problem != "sum":
            return costs
        return f"{costs}, and {' + '.join(str(part.cost) for part in self.cases[1:])} for {_each(len(self.cases) - 1)}"

    def __str__(self) -> str:
        first, *others = self.cases
        directed = " for head directions" if first.gold.is_directed else ""
        lines = [
            f"{self.system.name}, Root {self.system.root}: no table of losses is exact{directed}",
            "",
            f"{first.transition} costs {first.cost} here:",
            "",
            self._drawing(first),
            "",
        ]
        if self.problem == "sum":
            lines += _sum(others)
        elif others:
            lines += [f"and {others[0].cost} here:", "", self._drawing(others[0]), "", *self._apart()]
        elif self.problem == "potential":
            lines += [f"That is what {self.system.potential} leaves to losses, and none is like that: it does not fit."]
        elif self.problem == "unseen":
            lines += ["No loss sees what is lost: losses look at S0, S1, S2, B0 and Root, and at what hangs from them."]
        else:
            lines += [f"{_with_guards()} count it, but no choice of them counts every case once."]
        return "\n".join(lines)

    def _apart(self) -> list[str]:
        if self.problem == "alike":
            return ["No loss, with any of the conditions that were tried, tells the two cases apart."]
        return [
            f"{_with_guards()} that count the first case also count cases that cost 0.",
            f"The simplest, {self.loss}, counts the second one.",
        ]

    def _drawing(self, case: Case) -> str:
        path = " ".join(case.state.derivation) or "(none: this is the initial state)"
        tree = draw_tree(case.gold.heads, self.system.root)
        return f"gold tree\n{tree}\n\nstate\n{draw_state(self.system, case.state)}\nafter   {path}"


def _with_guards() -> str:
    return f"Losses with up to {_NUMBERS[MAX_GUARD]} conditions"


def _sum(parts: list[Case]) -> list[str]:
    shown = [" and ".join(_annotations(part.gold)) for part in parts]
    width = max(map(len, shown))
    total = sum(part.cost for part in parts)
    return [
        "but if one thing alone is known of the gold:",
        "",
        *(f"{text:<{width}}   {part.transition} costs {part.cost}" for text, part in zip(shown, parts, strict=True)),
        "",
        f"A loss counts what is known of the gold one by one, so any sum of losses gives {total}.",
    ]


def _annotations(gold: GoldTree) -> list[str]:
    found = []
    for word, head in enumerate(gold.heads, start=1):
        if isinstance(head, Mark):
            found.append(f"{word}: {'headless' if head is Mark.EMPTY else f'head to the {head.name.lower()}'}")
        elif head is not None:
            found.append(f"{word} <- {head or 'ROOT'}")
    return found


def _each(count: int) -> str:
    return "each of the two alone" if count == 2 else f"each of the {count} alone"


_BESIDE_LOSSES = ("blocked-chain-1", "blocked-chain-2", "cycles")  # potentials that are added to losses


@dataclass(frozen=True)
class DerivedLosses:
    """What `derive` found: the system with its losses, or a witness that no table of losses is exact.

    `learned` is the length of the longest sentences that the losses were found on, and `proofs` what they were proven
    on. If there are no losses for head directions, `directions` is the witness of that, and the table has no costs for
    them.
    """

    system: TransitionSystem | None
    witness: Counterexample | None = None
    directions: Counterexample | None = None
    learned: int = 0
    proofs: tuple[CheckReport, ...] = ()

    def __str__(self) -> str:
        if self.system is None:
            return str(self.witness)
        golds = " and every ".join(GOLD_NOUNS[str(proof.golds)] for proof in self.proofs)
        lines = [
            str(self.system),
            "",
            f"found on sentences of up to {self.learned} words; proven up to {self.proofs[0].rows[-1].words}: "
            "the cost of every transition",
            f"equals the exhaustive definition, for every {golds}",
        ]
        if self.directions:
            lines.append(f"no losses are exact for head directions: {self.directions.summary}")
        return "\n".join(lines)


def derive_losses(
    system: Any,
    max_words: int = 5,
    *,
    golds: Golds | None = None,
    directions: bool = True,
    potential: str | None = None,
    progress: Progress | None = None,
) -> DerivedLosses:
    """Finds the losses of a transition system from its conditions and effects alone.

    The system is a name, a file or a table; losses, potential and static oracle that it has are ignored. True costs
    come from exhaustive search. The losses are found on sentences of fewer than `max_words` words (on all, if
    necessary), and proven by `check_system` up to `max_words`, for the golds that it takes (or other `golds`); so are
    those for head `directions`. Guards are used only if nothing fits without; then the fewest terms win, then those of
    the fewest words. With a `potential` (one that losses can stand beside: blocked-chain-1, blocked-chain-2, cycles),
    losses are found for what it leaves.

    Raises CheckFailed, with a drawing, if the system is unsound (gets stuck, never ends, or its output is not a tree).
    """
    bare = without_costs(system, potential)
    check_range("max_words", max_words, 1, MAX_PROVEN_WORDS)
    if golds is not None:
        check_choice("golds", golds, get_args(Golds), ValueError)
    work = LossSearch(bare, max_words, progress or (lambda *_: None))
    found = work.table(golds or default_golds(bare), bare)
    if isinstance(found, Counterexample):
        return DerivedLosses(None, found)
    table, learned, proof = found
    if not directions:
        return DerivedLosses(table, None, None, learned, (proof,))
    directed = work.table("directions", table)
    if isinstance(directed, Counterexample):
        return DerivedLosses(table, None, directed, learned, (proof,))
    proofs = tuple(each for each in (proof, directed[2]) if each.rows)
    return DerivedLosses(directed[0], None, None, max(learned, directed[1]), proofs)


def without_costs(system: Any, potential: str | None = None) -> TransitionSystem:
    """The conditions and effects of a system, by name, file or value. Raises TableError if it cannot have losses."""
    if potential is not None and potential not in _BESIDE_LOSSES:
        raise DeclarationError(
            f"losses are derived beside {', '.join(_BESIDE_LOSSES)}; got the potential {potential!r}"
        )
    table = as_system(system)
    if not isinstance(table, TransitionSystem):
        raise DeclarationError(f"{table.name} is written in Python; losses can be derived for tables")
    if table.focus == "free":
        raise DeclarationError(f"the focus of {table.name} is free; losses are found where it is fixed")
    for row in table.transitions:
        if back in row.then:
            raise DeclarationError(
                f"{table.name}: {row.name} uses back, so costs need a static oracle: there are no losses"
            )
    rows = tuple(replace(row, loses=()) for row in table.transitions)
    return replace(table, transitions=rows, potential=potential, static_oracle=None)


class LossSearch:
    """The search for a table, first for arcs, then for directions; states are explored only once for each length."""

    def __init__(self, bare: TransitionSystem, max_words: int, progress: Progress) -> None:
        self.bare, self.max_words, self.report = bare, max_words, progress
        self.searches: dict[int, Search] = {}

    def table(self, kind: Golds, table: TransitionSystem) -> tuple[TransitionSystem, int, CheckReport] | Counterexample:
        """The table with the losses for a kind of golds, the longest sentences they were found on, and the proof."""
        evidence = Evidence(conditions(self.bare))
        for words in range(1, self.max_words + 1):
            if words == self.max_words > 1:
                found = self._fitted(evidence, table)
                if isinstance(found, Counterexample):
                    return found
                try:
                    proof = self._proof(found, kind)
                    if not any(row.relaxed for row in proof.rows):
                        return found, words - 1, proof
                except ProofError:
                    pass  # the longest sentences show something new
            search = self._search(words)
            clash = search.clash(kind)
            if clash:
                return Counterexample(self.bare, "sum", clash)
            evidence.gather(search, kind)
            if evidence.odd:
                return Counterexample(self.bare, "potential", (evidence.odd,))
        found = self._fitted(evidence, table)
        return found if isinstance(found, Counterexample) else (found, self.max_words, self._proof(found, kind))

    def _search(self, words: int) -> Search:
        if words not in self.searches:
            self.searches[words] = Search(self.bare, words, self.report)
        return self.searches[words]

    def _proof(self, table: TransitionSystem, kind: Golds) -> CheckReport:
        if kind == "directions" and not table.knows_directions:
            return CheckReport(table.name, kind)  # nothing has a cost; the engine rejects them, so nothing is claimed
        return check_system(table, self.max_words, golds=kind, progress=self.report)

    def _fitted(self, evidence: Evidence, table: TransitionSystem) -> TransitionSystem | Counterexample:
        losses: dict[str, tuple[Loss, ...]] = {}
        for number, ((name, mark), seen) in enumerate(evidence.seen.items()):
            self.report(f"losses of {name}", number, len(evidence.seen))
            fitted = fit(seen, mark, evidence.conditions, table.has_list)
            if isinstance(fitted, LossMismatch):
                return Counterexample.from_mismatch(self.bare, fitted)
            losses[name] = losses.get(name, ()) + fitted
        for name, added in losses.items():
            table = table.also_losing(name, *added)
        return table
