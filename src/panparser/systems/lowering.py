"""Lowers a declaration to the flat table that the engine interprets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from panparser import _engine
from panparser.errors import DeclarationError, GoldError
from panparser.systems import terms
from panparser.systems.declaration import Declaration, Transition
from panparser.systems.interfaces import ROWS
from panparser.systems.positions import Position, TokenRegion
from panparser.trees.gold import GoldTree, reference_heads

POTENTIALS: dict[str | None, tuple[_engine.Potential, int]] = {  # and its limit
    None: (_engine.Potential.ZERO, 0),
    "blocked-chain-1": (_engine.Potential.BLOCKED_CHAIN, 1),
    "blocked-chain-2": (_engine.Potential.BLOCKED_CHAIN, 2),
    "crossing-arcs": (_engine.Potential.CROSSING_ARCS, 0),
    "arc-standard-loss": (_engine.Potential.ARC_STANDARD, 0),
    "attardi-loss": (_engine.Potential.ATTARDI, 0),
    "cycles": (_engine.Potential.CYCLES, 0),
    "swap-loss": (_engine.Potential.SWAP, 16),  # 2^16 tokens visited
}
# To the engine, the losses followed by "rows" are ordinary costs.
STATIC_ORACLES: dict[str | None, _engine.StaticOracle] = {
    None: _engine.StaticOracle.ABSENT,
    ROWS: _engine.StaticOracle.ABSENT,
    "swap-eager": _engine.StaticOracle.SWAP_EAGER,
    "swap-lazy": _engine.StaticOracle.SWAP_LAZY,
}
_KEPT_REFERENCES = 512


class Literal(NamedTuple):
    """Of the engine's Literal."""

    fact: _engine.Fact
    low: int
    high: int


class Probe(NamedTuple):
    """Of the engine's Probe."""

    kind: _engine.ProbeKind
    position: int
    region: int
    flag: bool
    direction: int


class _Numbering:
    """Numbers literals and probes, without duplicates."""

    def __init__(self) -> None:
        self.literals: dict[Literal, int] = {}
        self.probes: dict[Probe, int] = {}

    def mask(self, conditions: Iterable[terms.StateCondition]) -> int:
        mask = 0
        for condition in conditions:
            fact = _engine.Fact[condition.fact.upper().replace(".", "_")]  # such as distance.S0.B0
            literal = Literal(fact, condition.low, condition.high)
            mask |= 1 << self.literals.setdefault(literal, len(self.literals))
        return mask

    def conditions(self, conditions: Iterable[terms.StateCondition | terms.AnyOf]) -> tuple[int, list[int]]:
        """The conditions that must all hold, and sets of which at least one must."""
        conditions = tuple(conditions)
        return (
            self.mask(c for c in conditions if isinstance(c, terms.StateCondition)),
            [self.mask(c.conditions) for c in conditions if isinstance(c, terms.AnyOf)],
        )

    def term(self, loss: terms.Loss) -> _engine.Term:
        probe = Probe(
            kind=_engine.ProbeKind[loss.kind.upper()],
            position=_position(loss.position) if loss.position else 0,
            region=loss.region.mask if loss.region else 0,
            flag=bool(loss.flag),
            direction=0 if loss.direction is None else int(loss.direction),
        )
        return _engine.Term(probe=self.probes.setdefault(probe, len(self.probes)), guard=self.mask(loss.guard))

    def plain_first(self, transitions: Iterable[Transition]) -> None:
        """Numbers the probes that every reference needs before those for directions, which the engine can then skip."""
        losses = [loss for transition in transitions for loss in transition.loses]
        for loss in sorted(losses, key=lambda loss: loss.kind in loss.IS_DIRECTED):
            self.term(loss)

    def row(self, transition: Transition) -> _engine.Row:
        all_, clauses = self.conditions(transition.when)
        return _engine.Row(
            all=all_,
            clauses=clauses,
            effects=[_effect(effect) for effect in transition.then],
            terms=[self.term(loss) for loss in transition.loses if loss.kind not in loss.IS_DIRECTED],
            directed_terms=[self.term(loss) for loss in transition.loses if loss.kind in loss.IS_DIRECTED],
        )


def _position(position: Position | TokenRegion) -> int:
    return _engine.Position[str(position)]


def _effect(effect: terms.Effect) -> _engine.Effect:
    if effect == terms.pop(terms.B0):
        return _engine.Effect(kind=_engine.EffectKind.DROP)
    first, second, *_ = [*map(_position, effect.positions), 0, 0]
    return _engine.Effect(kind=_engine.EffectKind[effect.kind.upper()], first=first, second=second)


def _in_words(message: str, system: Declaration) -> str:
    """A message of the engine, which knows rows by their numbers, with the name and the effects of the row."""

    def row(number: re.Match[str]) -> str:
        transition = system.transitions[int(number[1]) - 1]
        return f"{transition.name} ({', '.join(map(str, transition.then))})"

    return re.sub(r"row (\d+)", row, message).replace("the potential", f"the potential {system.potential}")


class Lowered:
    """A system in the engine's form, with a cache of its latest references."""

    def __init__(self, system: Declaration) -> None:
        numbering = _Numbering()
        numbering.plain_first(system.transitions)
        rows = [numbering.row(transition) for transition in system.transitions]
        final, clauses = numbering.conditions(system.final)
        potential, limit = POTENTIALS[system.potential]
        try:
            self.engine = _engine.System(
                has_root=system.root != "none",
                root_first=system.root == "first",
                starts_on_stack=system.starts == "stack",
                ends_on_stack=system.ends == "stack",
                free_focus=system.focus == "free",
                single_root=system.single_root,
                potential=potential,
                limit=limit,
                static_oracle=STATIC_ORACLES[system.static_oracle],
                literals=[_engine.Literal(**literal._asdict()) for literal in numbering.literals],
                probes=[_engine.Probe(**probe._asdict()) for probe in numbering.probes],
                rows=rows,
                final=_engine.Final(all=final, clauses=clauses, rest_to_root=system.attaches_rest),
            )
        except ValueError as error:
            raise DeclarationError(f"{system.name}: {_in_words(str(error), system)}") from None
        self._system = system
        self._references: dict[GoldTree, _engine.Reference] = {}  # oldest first

    def reference(self, gold: GoldTree) -> _engine.Reference:
        """The gold prepared for this system's costs."""
        if (kept := self._references.get(gold)) is not None:
            return kept
        system = self._system
        if gold.is_directed and not system.knows_directions:
            raise GoldError(f"{system.name} has no costs for head directions (LEFT, RIGHT); got {list(gold.heads)}")
        heads = reference_heads(gold, system.root, system.max_span)
        try:
            reference = _engine.Reference(self.engine, heads)
        except ValueError as error:
            raise GoldError(f"{system.name}: {error}; got {list(gold.heads)}") from None
        self._references[gold] = reference
        while len(self._references) > _KEPT_REFERENCES:
            self._references.pop(next(iter(self._references)), None)
        return reference
