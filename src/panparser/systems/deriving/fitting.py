"""The smallest sum of losses that explains the costs of one transition for one kind of annotation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TypeVar

from panparser.systems.deriving.candidates import MAX_GUARD, GoldObservation, candidates, counts, weight
from panparser.systems.deriving.cover import smallest_cover
from panparser.systems.deriving.evidence import Case, Seen
from panparser.systems.terms import Loss, StateCondition
from panparser.trees.gold import Mark

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
