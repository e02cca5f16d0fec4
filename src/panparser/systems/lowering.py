"""Lowers a declaration to the flat numbers that the engine interprets. The codes are those of engine/*.hpp."""

from __future__ import annotations

from collections.abc import Iterable

from panparser import _engine
from panparser.errors import GoldError, TableError
from panparser.systems import terms
from panparser.systems.declaration import ROWS, Declaration, Transition
from panparser.systems.positions import POSITIONS
from panparser.trees.gold import Gold, reference_heads

_POSITIONS = [str(position) for position in POSITIONS]  # Root follows them
FACTS = [
    *("stack_size", "buffer_size", "open_words", "root_children"),
    *(f"is_word.{position}" for position in _POSITIONS),
    *(f"is_attached.{position}" for position in _POSITIONS),
    *("distance.S0.B0", "distance.S1.S0", "distance.S2.S0"),
]
EFFECTS = ["shift", "pop", "back", "arc", "propose"]
PROBES = ["head", "children", "headless", "wants", "wanting"]
# name: (the engine's potential, its limit)
POTENTIALS: dict[str | None, tuple[int, int]] = {
    None: (0, 0),
    "blocked-chain-1": (1, 1),
    "blocked-chain-2": (1, 2),
    "arc-standard-loss": (2, 0),
    "attardi-loss": (3, 0),
}
# To the engine, the losses that "rows" follows are costs like others.
STATIC_ORACLES: dict[str | None, int] = {None: 0, ROWS: 0, "swap-eager": 1, "swap-lazy": 2}
_KEPT_REFERENCES = 512

Literal = tuple[int, int, int]
Probe = tuple[int, int, int, bool, int]
Term = tuple[int, int]
Row = tuple[int, list[int], list[tuple[int, int, int]], list[Term], list[Term]]


class _Numbering:
    """Numbers literals and probes, each once however often it is used."""

    def __init__(self) -> None:
        self.literals: dict[Literal, int] = {}
        self.probes: dict[Probe, int] = {}

    def mask(self, conditions: Iterable[terms.Condition]) -> int:
        mask = 0
        for condition in conditions:
            literal = (FACTS.index(condition.fact), condition.low, condition.high)
            mask |= 1 << self.literals.setdefault(literal, len(self.literals))
        return mask

    def conditions(self, conditions: Iterable[terms.Condition | terms.AnyOf]) -> tuple[int, list[int]]:
        """What must all hold, and sets of which one must."""
        conditions = tuple(conditions)
        return (
            self.mask(c for c in conditions if isinstance(c, terms.Condition)),
            [self.mask(c.conditions) for c in conditions if isinstance(c, terms.AnyOf)],
        )

    def term(self, loss: terms.Loss) -> Term:
        position = len(_POSITIONS) if loss.position == terms.ROOT else 0
        if loss.position in POSITIONS:
            position = _POSITIONS.index(str(loss.position))
        region = loss.region.mask if loss.region else 0
        direction = 0 if loss.direction is None else int(loss.direction)
        probe = (PROBES.index(loss.kind), position, region, bool(loss.flag), direction)
        return self.probes.setdefault(probe, len(self.probes)), self.mask(loss.guard)

    def plain_first(self, transitions: Iterable[Transition]) -> None:
        """Numbers the probes that every reference needs before those for directions, which the engine can then skip."""
        losses = [loss for transition in transitions for loss in transition.loses]
        for loss in sorted(losses, key=lambda loss: loss.kind in loss.IS_DIRECTED):
            self.term(loss)

    def row(self, transition: Transition) -> Row:
        effects = []
        for effect in transition.then:
            first, second, *_ = [*(_POSITIONS.index(str(position)) for position in effect.positions), 0, 0]
            effects.append((EFFECTS.index(effect.kind), first, second))
        return (
            *self.conditions(transition.when),
            effects,
            [self.term(loss) for loss in transition.loses if loss.kind not in loss.IS_DIRECTED],
            [self.term(loss) for loss in transition.loses if loss.kind in loss.IS_DIRECTED],
        )


class Lowered:
    """A system as the engine has it, with the references that it prepared last."""

    def __init__(self, system: Declaration) -> None:
        numbering = _Numbering()
        numbering.plain_first(system.transitions)
        rows = [numbering.row(transition) for transition in system.transitions]
        final = numbering.conditions(system.final)
        potential, limit = POTENTIALS[system.potential]
        try:
            self.engine = _engine.System(
                shape=[system.root == "first", system.starts == "stack", system.ends == "stack"],
                single_root=system.single_root,
                potential=potential,
                limit=limit,
                static_oracle=STATIC_ORACLES[system.static_oracle],
                literals=list(numbering.literals),
                probes=list(numbering.probes),
                rows=rows,
                final=final,
                rest_to_root=system.attaches_rest,
            )
        except ValueError as error:
            raise TableError(f"{system.name}: {error}") from None
        self._system = system
        self._references: dict[Gold, _engine.Reference] = {}  # the oldest come first

    def reference(self, gold: Gold) -> _engine.Reference:
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
