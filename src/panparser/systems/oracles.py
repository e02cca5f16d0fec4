"""Oracles: transitions of minimum cost, and their derivations."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

from panparser.errors import IllegalTransitionError, NoLegalTransitionError
from panparser.systems.registry import system as as_system
from panparser.systems.system_protocol import System
from panparser.trees.gold import GoldTree, Head


def gold_transitions(system: System, state: Any, gold: GoldTree) -> tuple[str, ...]:
    """All transitions of minimum cost, which need not be zero, in the table's order."""
    costs = system.costs(state, gold)
    if not costs:
        raise NoLegalTransitionError(
            f"{system.name} is stuck in {state}: no transition is legal and the state is not final"
        )
    best = min(costs.values())
    return tuple(name for name, cost in costs.items() if cost == best)


def static_derivation(
    system: Any, gold: GoldTree | Sequence[Head], *, ties: Sequence[str] | None = None, seed: int | None = None
) -> tuple[str, ...]:
    """The derivation of a static oracle: a transition of minimum cost at every step.

    Ties go to a transition that makes (or proposes) an arc of the gold, then to the first of `ties` (by default the
    system's own, as in the papers: arc-eager shifts before it reduces); or, with a `seed`, to a random one. A
    system written in Python that defines `static` leaves no ties.
    """
    system, gold = as_system(system), GoldTree.from_heads(gold)
    if ties is not None and seed is not None:
        raise ValueError("oracle_derivations: ties and seed exclude each other; got both")
    order = tuple(ties or system.ties)
    if sorted(order) != sorted(system.names):
        raise IllegalTransitionError(f"ties must order {', '.join(system.names)}; got {', '.join(map(str, order))}")
    draw = random.Random(seed)
    state = system.initial(len(gold))
    limit = 2 * (len(gold) + 2) ** 2  # no sound system takes more steps
    while not system.is_final(state):
        if (limit := limit - 1) < 0:
            raise NoLegalTransitionError(f"{system.name} does not end: a derivation over {len(gold)} words never stops")
        best = gold_transitions(system, state, gold)
        if seed is not None:
            chosen = draw.choice(best)
        else:
            chosen = min(best, key=lambda name: (not _makes_gold_arc(system, state, name, gold), _rank(name, order)))
        state = system.apply(state, chosen)
    return tuple(state.derivation)


def _rank(name: str, order: Sequence[str]) -> int:
    return order.index(name if name in order else name.partition("@")[0])  # with a free focus: LEFT@3


def _makes_gold_arc(system: System, state: Any, name: str, gold: GoldTree) -> bool:
    arc = system.arc(state, name) or system.arc(state, name, proposed=True)
    return arc is not None and arc[1] > 0 and gold.heads[arc[1] - 1] == arc[0]


def oracle_derivations(system: Any, gold: GoldTree | Sequence[Head]) -> Iterator[tuple[str, ...]]:
    """All derivations of minimum-cost transitions: what a dynamic oracle accepts from the initial state."""
    system, gold = as_system(system), GoldTree.from_heads(gold)
    pending = [system.initial(len(gold))]
    while pending:
        state = pending.pop()
        if system.is_final(state):
            yield tuple(state.derivation)
        else:
            pending += [system.apply(state, name) for name in reversed(gold_transitions(system, state, gold))]
