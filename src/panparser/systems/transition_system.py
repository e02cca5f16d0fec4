"""TransitionSystem: a table of transitions as a value, lowered to the engine's program."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, cast

from panparser import _engine
from panparser._engine import MAX_ROWS
from panparser.base.caching import cached_property
from panparser.base.checks import check_choice, check_range
from panparser.base.kinds import parse_json, read_values
from panparser.errors import DeclarationError, GoldError, IllegalTransitionError
from panparser.storage.atomic import write_whole
from panparser.storage.toml_text import to_toml
from panparser.systems import terms
from panparser.systems.state import State
from panparser.systems.system_protocol import ROWS
from panparser.systems.table_syntax import parse_term
from panparser.systems.terms import BUFFER, STACK, Position, TokenRegion
from panparser.trees.gold import ROOTS, GoldTree, Head, Root, reference_heads

FORMAT = 1  # of the JSON and TOML files
SEARCHED_LOSSES = ("arc-standard-loss", "attardi-loss", "swap-loss")  # in place of the losses of rows
POTENTIALS = ("blocked-chain-1", "blocked-chain-2", "crossing-arcs", *SEARCHED_LOSSES, "cycles")
STATIC_ORACLES = (ROWS, "swap-eager", "swap-lazy")
_ASKS_FOR_ROOT = re.compile(r"is_root\(|size\(children\(ROOT|among\(ROOT\)")


_KINDS: dict[str, tuple[Any, str]] = {  # of the terms in a column, and what they are called
    "when": (terms.StateCondition | terms.AnyOf, "conditions"),
    "then": (terms.Effect, "effects"),
    "loses": (terms.Loss, "losses"),
    "final": (terms.StateCondition | terms.AnyOf, "conditions"),
}


def read_terms(values: Any, column: str, owner: str) -> tuple[Any, ...]:
    """The terms of a column, given as values or as text."""
    kind, nouns = _KINDS[column]
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise DeclarationError(
            f"{owner}: {column} must be a tuple or list of {nouns}; got {values!r} (a comma missing?)"
        )
    read = []
    for number, value in enumerate(values, start=1):
        try:
            term = parse_term(value) if isinstance(value, str) else value
        except DeclarationError as error:
            raise DeclarationError(f"{column} of {owner}, term {number}: {error}") from None
        if not isinstance(term, kind):
            raise DeclarationError(f"{column} of {owner}, term {number}: expected {nouns}; got {value!r}")
        read.append(term)
    return tuple(read)


@dataclass(frozen=True)
class Transition:
    """A row of a table: conditions (all must hold), effects (in order), and losses (what it costs, summed).

    Terms may be written as values or as text: `when=(is_word(B0),)` or `when=("is_word(B0)",)`. A token that an effect
    names must exist for the transition to be legal; other conditions are in `when`.
    """

    name: str
    when: tuple[terms.StateCondition | terms.AnyOf, ...] = ()
    then: tuple[terms.Effect, ...] = ()
    loses: tuple[terms.Loss, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier():
            raise DeclarationError(
                f"Transition: name must be a word of letters, digits and _, such as NO_ARC; got {self.name!r}"
            )
        for column in ("when", "then", "loses"):
            object.__setattr__(self, column, read_terms(getattr(self, column), column, self.name))
        self._check_effects()

    def _check_effects(self) -> None:
        kinds = [effect.kind for effect in self.then]
        arcs = [kind for kind in kinds if kind in ("arc", "propose")]
        if not self.then:
            raise DeclarationError(f"{self.name}: then is empty: a transition must do something")
        if len(arcs) > 1:
            raise DeclarationError(f"{self.name}: then must have at most one arc; got {len(arcs)}")
        if arcs and kinds[0] != arcs[0]:
            raise DeclarationError(
                f"then of {self.name}: {self.then[kinds.index(arcs[0])]} must come before {self.then[0]}"
            )
        if kinds == arcs:
            raise DeclarationError(f"then of {self.name}: {self.then[0]} moves no token, so it could repeat forever")

    @property
    def labeled(self) -> bool:
        """Does it make (or propose) an arc, and so take a label?"""
        return self.then[0].kind in ("arc", "propose")


@dataclass(frozen=True)
class Declaration:
    """The declaration of a transition system: a table, the place of Root, and where derivations start and end.

    `starts` and `ends`: where Root is ("stack" or "buffer") in the initial and the final state; the other tokens are in
    the buffer at first, and gone at the end. `partial`: words may end headless. `max_span`: longer gold arcs are EMPTY.
    `final`: conditions of a final state, in place of `ends`; words that it leaves without a head are headless if the
    system is `partial`, else children of Root. With the root "none" no token stands for Root: words that are without a
    head at the end are roots; `final` is an empty buffer and at most one word on the stack, unless given.
    `focus`: the border between stack and buffer is where transitions left it ("fixed"), or may be put behind any token
    before each transition ("free"); a step then names the token too, as in LEFT@3.
    `potential` names a native loss that is added to the losses of every row. `ties` orders transitions of equal cost
    for static derivations (by default as in the table). `static_oracle`: there are no exact costs, but one correct
    derivation for each tree: that of a native oracle ("swap-eager", "swap-lazy"), or of the losses as they stand
    ("rows"): in each state the first of `ties` among the legal rows that lose least, those that make a gold arc before
    the others. Beside the potential "swap-loss", a native oracle only chooses between SHIFT and SWAP.
    """

    name: str
    transitions: tuple[Transition, ...]
    root: Root = "last"
    single_root: bool = False
    starts: Literal["stack", "buffer"] | None = None
    ends: Literal["stack", "buffer"] | None = None
    partial: bool = False
    max_span: int | None = None
    potential: str | None = None
    static_oracle: str | None = None
    ties: tuple[str, ...] = field(default=())
    final: tuple[terms.StateCondition | terms.AnyOf, ...] = field(default=())
    focus: Literal["fixed", "free"] = "fixed"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise DeclarationError(f"TransitionSystem: name must be a text; got {self.name!r}")
        check_choice(f"{self.name}: root", self.root, ROOTS, DeclarationError)
        for column in ("transitions", "ties"):
            if isinstance(getattr(self, column), str) or not isinstance(getattr(self, column), Sequence):
                raise DeclarationError(f"{self.name}: {column} must be a list; got {getattr(self, column)!r}")
        object.__setattr__(self, "transitions", tuple(self.transitions))
        if not self.transitions or not all(isinstance(t, Transition) for t in self.transitions):
            raise DeclarationError(f"{self.name}: transitions must be one or more Transitions")
        object.__setattr__(self, "ties", tuple(self.ties) or self.names)
        object.__setattr__(self, "final", read_terms(self.final, "final", self.name))
        if self.root == "none":
            self._check_rootless()
            object.__setattr__(self, "final", self.final or _reduced(self.focus))
        else:
            place = "stack" if self.root == "first" else "buffer"
            object.__setattr__(self, "starts", self.starts or place)
            object.__setattr__(self, "ends", self.ends or place)
        self._check_fields()
        self._check_oracle()

    def _check_fields(self) -> None:
        names = self.names
        for name in names:
            if names.count(name) > 1:
                raise DeclarationError(f"transitions of {self.name}: {name} appears twice")
        if sorted(map(str, self.ties)) != sorted(names):
            raise DeclarationError(
                f"{self.name}: ties must order {', '.join(names)}; got {', '.join(map(str, self.ties))}"
            )
        for column in ("starts", "ends") if self.root != "none" else ():
            if getattr(self, column) not in ("stack", "buffer"):
                raise DeclarationError(f"{self.name}: {column} must be stack or buffer; got {getattr(self, column)!r}")
        if self.focus not in ("fixed", "free"):
            raise DeclarationError(f"{self.name}: focus must be fixed or free; got {self.focus!r}")
        moving = [t.name for t in self.transitions if self.focus == "free" and {terms.shift, terms.back} & {*t.then}]
        if moving:
            raise DeclarationError(f"{self.name}: a free focus is moved by no effect; got shift or back in {moving[0]}")
        if self.root == "last" and self.starts == "stack":
            raise DeclarationError(f"{self.name}: starts must be buffer, since Root is last; got 'stack'")
        for column in ("single_root", "partial"):
            if not isinstance(getattr(self, column), bool):
                raise DeclarationError(f"{self.name}: {column} must be true or false; got {getattr(self, column)!r}")
        if self.max_span is not None:
            check_range(f"{self.name}: max_span", self.max_span, 1, (1 << 31) - 1, DeclarationError)

    def _check_rootless(self) -> None:
        for column in ("starts", "ends"):
            if getattr(self, column) is not None:
                raise DeclarationError(
                    f"{self.name}: {column} must be None, since root is none; got {getattr(self, column)!r}"
                )
        for column in ("partial", "max_span"):
            if getattr(self, column):
                raise DeclarationError(
                    f"{self.name}: root must be first or last: it leaves words headless ({column}), and without Root "
                    "these would be roots; got 'none'"
                )
        rows = (term for t in self.transitions for term in (*t.when, *t.loses))
        for term in (*self.final, *rows):
            if _ASKS_FOR_ROOT.search(str(term)):
                raise DeclarationError(
                    f"{self.name}: {term} asks for a token that is not there, as root is none; "
                    "headless(x) counts words that are roots in the gold tree"
                )

    def _check_oracle(self) -> None:
        for column, known in (("potential", POTENTIALS), ("static_oracle", STATIC_ORACLES)):
            if getattr(self, column) is not None:
                check_choice(f"{self.name}: {column}", getattr(self, column), known, DeclarationError)
        returns = [t.name for t in self.transitions if terms.back in t.then]
        losing = [t.name for t in self.transitions if t.loses]
        native = self.static_oracle is not None and self.static_oracle != ROWS
        if returns and not native and (self.static_oracle or self.potential != "swap-loss"):
            found = f"{self.static_oracle!r}" if self.static_oracle else "none"
            expected = "a static_oracle, swap-eager or swap-lazy, or the potential swap-loss"
            raise DeclarationError(f"{self.name}: {returns[0]} uses back, so costs need {expected}; got {found}")
        if self.focus == "free" and (self.static_oracle or self.potential not in (None, "crossing-arcs")):
            named = self.static_oracle or self.potential
            raise DeclarationError(f"{self.name}: with a free focus, costs are losses and crossing-arcs; got {named}")
        if self.focus == "fixed" and self.potential == "crossing-arcs":
            raise DeclarationError(f"{self.name}: crossing-arcs are counted where the focus is free; it is fixed")
        if native and (losing or self.potential not in (None, "swap-loss")):
            found = f"loses in {losing[0]}" if losing else f"the potential {self.potential}"
            raise DeclarationError(f"{self.name}: a static_oracle replaces all costs; got {found} as well")
        if self.potential in SEARCHED_LOSSES and losing:
            raise DeclarationError(f"{self.name}: {self.potential} replaces all losses; got some in {losing[0]}")

    # --- Plain values ---

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The transitions' names; a transition's index here is its action."""
        return tuple(transition.name for transition in self.transitions)

    def __getitem__(self, name: str) -> Transition:
        """The transition of a name, or of a step's."""
        row = name.partition("@")[0] if self.focus == "free" else name
        if row not in self.names:
            raise IllegalTransitionError(f"{self.name} has {', '.join(self.names)}; got {name!r}")
        return self.transitions[self.names.index(row)]

    def step_name(self, step: int) -> str:
        """The name of a step of the engine: that of the transition; with a free focus, and of the token at S0."""
        token, action = divmod(step, MAX_ROWS)
        return f"{self.names[action]}@{token}" if self.focus == "free" else self.names[action]

    def step_number(self, name: str) -> int:
        """The step of the engine that has this name."""
        action, token = self.names.index(self[name].name), name.partition("@")[2]
        if self.focus == "fixed":
            return action
        if not token.isdecimal():
            raise IllegalTransitionError(f"{self.name} has a free focus: a step names the token at S0; got {name!r}")
        return int(token) * MAX_ROWS + action

    @property
    def attaches_rest(self) -> bool:
        """Do words that a final state leaves without a head become children of Root?"""
        return bool(self.final) and not self.partial

    @property
    def knows_directions(self) -> bool:
        """Are there costs for words with only the direction of the head known?"""
        return any(loss.kind in loss.IS_DIRECTED for t in self.transitions for loss in t.loses)

    @property
    def has_oracle(self) -> bool:
        """Do costs distinguish its transitions? Not without losses, potential or static oracle."""
        return bool(self.static_oracle or self.potential or any(t.loses for t in self.transitions))

    @property
    def has_dynamic_oracle(self) -> bool:
        """Are there costs for every state, rather than one derivation for each tree?"""
        return self.has_oracle and (self.static_oracle is None or self.is_static_dynamic)

    @property
    def is_static_dynamic(self) -> bool:
        """Are there costs for every state, though a static oracle chooses between SHIFT and SWAP?"""
        return self.static_oracle is not None and self.potential == "swap-loss"

    @property
    def reorders(self) -> bool:
        """Can words return to the buffer, so that every tree can be built?"""
        return any(terms.back in t.then for t in self.transitions)

    @property
    def crosses(self) -> bool:
        """Can arcs of its trees cross?

        Yes if words can return to the buffer, or an arc passes over tokens that stay: of the stack, or put aside.
        """
        comes_back = any(terms.restore in t.then for t in self.transitions)
        return self.reorders or any(
            _passes(t) or (comes_back and terms.clear not in t.then) for t in self.transitions if t.labeled
        )

    @property
    def has_list(self) -> bool:
        """Are words put aside?"""
        return any(terms.aside in t.then for t in self.transitions)

    @property
    def joins_stack(self) -> bool:
        """Do all arcs join two words of the stack?"""
        return bool(self._arcs) and not any(terms.B0 in arc.positions for arc in self._arcs)

    @property
    def joins_front(self) -> bool:
        """Do all arcs join S0 and B0?"""
        return bool(self._arcs) and all(set(arc.positions) == {terms.S0, terms.B0} for arc in self._arcs)

    @property
    def _arcs(self) -> list[terms.Effect]:
        return [t.then[0] for t in self.transitions if t.labeled]

    def adding(self, *transitions: Transition) -> Self:
        """The table with more rows."""
        ties = (*self.ties, *(t.name for t in transitions))
        return replace(self, transitions=(*self.transitions, *transitions), ties=ties)

    def also_losing(self, names: str | Iterable[str], *losses: terms.Loss) -> Self:
        """The table with more losses in the named rows."""
        chosen = {self[name].name for name in ([names] if isinstance(names, str) else names)}
        rows = (replace(t, loses=(*t.loses, *losses)) if t.name in chosen else t for t in self.transitions)
        return replace(self, transitions=tuple(rows))

    def to_values(self) -> dict[str, Any]:
        """The declaration in plain values; terms are text."""
        values: dict[str, Any] = {"format": FORMAT}
        apart = ("transitions", "final", "focus")
        values |= {f.name: getattr(self, f.name) for f in fields(self) if f.name not in apart}
        if self.final:
            values["final"] = [str(term) for term in self.final]
        if self.focus == "free":
            values["focus"] = self.focus
        values["transitions"] = [
            {"name": t.name}
            | {column: [str(term) for term in getattr(t, column)] for column in ("when", "then", "loses")}
            for t in self.transitions
        ]
        return values

    def to_json(self) -> str:
        """The declaration as JSON; terms are text."""
        return json.dumps(self.to_values(), indent=2)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The declaration that `to_json` wrote, or one written by hand."""
        return cls.from_values(parse_json(text, "", DeclarationError))

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the declaration to a .toml or .json file, which `load` reads."""
        path = Path(path)
        if path.suffix.lower() not in (".toml", ".json"):
            raise DeclarationError(f"{path}: a table's file ends in .toml or .json")
        text = to_toml(self.to_values()) if path.suffix.lower() == ".toml" else self.to_json() + "\n"
        write_whole(path, text.encode(), DeclarationError)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """A declaration from a .toml or .json file."""
        path = Path(path)
        values = read_values(path, "TOML" if path.suffix.lower() == ".toml" else "JSON", DeclarationError)
        try:
            return cls.from_values(values)
        except DeclarationError as error:
            raise DeclarationError(f"{path}: {error}") from None

    @classmethod
    def from_values(cls, values: Any) -> Self:
        """The declaration in plain values, as a JSON or TOML file holds it."""
        if not isinstance(values, dict) or not values:
            found = type(values).__name__ if values else "nothing"
            raise DeclarationError(f"expected a table with name and transitions; got {found}")
        values = dict(values)
        if values.pop("format", FORMAT) != FORMAT:
            raise DeclarationError(f"expected format {FORMAT}; a newer version of panparser wrote this")
        rows = _known(values, [f.name for f in fields(cls)], "the table").pop("transitions", None)
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise DeclarationError("transitions must be a list of tables, each with name, when, then, loses")
        columns = [f.name for f in fields(Transition)]
        for row in rows:
            _known(row, columns, f"transition {row.get('name')}")
        try:
            return cls(**values, transitions=tuple(Transition(**row) for row in rows))
        except TypeError as error:
            missing = str(error).rpartition("argument")[2].strip(": s") or str(error)
            raise DeclarationError(f"missing {missing}") from None


def _reduced(focus: str) -> tuple[terms.StateCondition, ...]:
    """One word at most is left: on the stack, or, between the steps of a free focus, in the buffer."""
    empty, other = (STACK, BUFFER) if focus == "free" else (BUFFER, STACK)
    return (terms.size(empty) == 0, terms.size(other) <= 1)


def _known(values: dict[str, Any], names: list[str], owner: str) -> dict[str, Any]:
    for name in values:
        if name not in names:
            raise DeclarationError(f"{owner} has no field {name!r}; it has {', '.join(names)}")
    return values


def _passes(transition: Transition) -> bool:
    """May its arc pass over a token that does not leave with it?"""
    line, joined = (terms.S2, terms.S1, terms.S0, terms.B0), transition.then[0].positions
    if terms.L0 in joined:
        return True
    head, dependent = map(line.index, joined)
    popped = sum(effect.kind == "pop" and effect.positions[0] != terms.B0 for effect in transition.then)
    others = max(0, popped - (joined[1] != terms.B0))
    return abs(head - dependent) - 1 > others


POTENTIAL_CODES: dict[str | None, tuple[_engine.Potential, int]] = {  # and its limit
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
STATIC_ORACLE_CODES: dict[str | None, _engine.StaticOracle] = {
    None: _engine.StaticOracle.ABSENT,
    ROWS: _engine.StaticOracle.ABSENT,
    "swap-eager": _engine.StaticOracle.SWAP_EAGER,
    "swap-lazy": _engine.StaticOracle.SWAP_LAZY,
}
_KEPT_REFERENCES = 512


class LoweredLiteral(NamedTuple):
    """Of the engine's LoweredLiteral."""

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
        self.literals: dict[LoweredLiteral, int] = {}
        self.probes: dict[Probe, int] = {}

    def mask(self, conditions: Iterable[terms.StateCondition]) -> int:
        mask = 0
        for condition in conditions:
            fact = _engine.Fact[condition.fact.upper().replace(".", "_")]  # such as distance.S0.B0
            literal = LoweredLiteral(fact, condition.low, condition.high)
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
        potential, limit = POTENTIAL_CODES[system.potential]
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
                static_oracle=STATIC_ORACLE_CODES[system.static_oracle],
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


@dataclass(frozen=True)
class TransitionSystem(Declaration):
    """A transition system: a table that the engine runs; the fields are those of `Declaration`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._lowered  # noqa: B018 - a table that the engine cannot take is refused here, not when it is used

    def __str__(self) -> str:
        return _table_text(self)

    @cached_property
    def _lowered(self) -> Lowered:
        return Lowered(self)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # copies create their own engine

    def initial(self, words: int) -> State:
        """The initial state of a sentence of this many words."""
        if not isinstance(words, int) or not 1 <= words <= _engine.MAX_WORDS:
            raise GoldError(f"{self.name}: words must be an integer between 1 and {_engine.MAX_WORDS}; got {words!r}")
        return State(self, _engine.LinkedStates(self._lowered.engine, words), 0, [], self.attaches_rest)

    def is_final(self, state: State) -> bool:
        """Has the derivation ended?"""
        return self._own(state).engine_states.is_final(state.index)

    def legal(self, state: State) -> tuple[str, ...]:
        """The transitions that the state allows; none in a final state."""
        return tuple(map(self.step_name, self._own(state).engine_states.legal(state.index)))

    def apply(self, state: State, transition: str, label: str | None = None) -> State:
        """The state after a legal transition; the label is that of the arc it makes."""
        row = self[transition]
        if label is not None and not row.labeled:
            raise IllegalTransitionError(f"{transition} of {self.name} makes no arc; got the label {label!r}")
        self._check_legal(state, transition)
        return state.after(self.step_number(transition), label)

    def costs(self, state: State, gold: GoldTree | Sequence[Head], label: str | None = None) -> dict[str, int]:
        """The cost of each legal transition: number of gold attachments that the best outcome loses by it.

        With a `label`, the cost if the transition's arc gets it: 1 more if the arc is gold and the label is not.
        There is no look-ahead for sets of heads: an arc from outside the set costs 1 more when it is made.
        """
        gold = GoldTree.from_heads(gold)
        states = self._own(state).engine_states
        self._check_length(state, gold)
        owner = cast(TransitionSystem, state.system)  # the state may come from an equal system
        row = states.costs(state.index, [owner.reference(gold)])[0]
        costs = dict(zip(self.legal(state), map(int, row), strict=True))
        if gold.has_sets:
            for name in costs:
                arc = self.arc(state, name)
                allowed = gold.heads[arc[1] - 1] if arc and arc[1] else None
                costs[name] += isinstance(allowed, frozenset) and arc is not None and arc[0] not in allowed
        if label is not None and gold.labels is not None:
            for name in costs:
                arc = self.arc(state, name)
                if arc and arc[1] and gold.heads[arc[1] - 1] == arc[0] and gold.labels[arc[1] - 1] not in (None, label):
                    costs[name] += 1
        return costs

    def reference(self, gold: GoldTree) -> _engine.Reference:
        """The gold in the engine's form, for this system's costs."""
        return self._lowered.reference(gold)

    def lost_arcs(self, gold: GoldTree | Sequence[Head]) -> int | None:
        """Number of gold attachments unreachable by any derivation: 0 if the tree can be built; None if unknown.

        May underestimate if the loss is approximate (see docs/concepts/oracles.md).
        """
        return self.reference(GoldTree.from_heads(gold)).lost

    def arc(self, state: State, transition: str, *, proposed: bool = False) -> tuple[int, int] | None:
        """(head, dependent) that a legal transition would make (or propose, if asked), or None."""
        self._check_legal(state, transition)
        head, dependent = state.engine_states.made_arc(state.index, self.step_number(transition), proposed)
        return None if dependent < 0 else (state.to_token(head), state.to_token(dependent))

    def _check_legal(self, state: State, transition: str) -> None:
        if self.step_number(transition) not in self._own(state).engine_states.legal(state.index):
            legal = ", ".join(self.legal(state)) or "nothing, the state is final"
            raise IllegalTransitionError(f"{transition} is illegal in {state}; legal: {legal}")

    def _own(self, state: State) -> State:
        if not isinstance(state, State):
            raise IllegalTransitionError(f"expected a state of {self.name}; got {state!r}")
        if state.system is not self and state.system != self:
            raise IllegalTransitionError(f"the state belongs to {state.system.name}, not to {self.name}")
        return state

    @staticmethod
    def _check_length(state: State, gold: GoldTree) -> None:
        if len(gold) != state.words:
            raise GoldError(f"expected {state.words} heads, one for each word of the state; got {len(gold)}")


def _table_text(system: Declaration) -> str:
    """The table as aligned text: a line for the system, then transition, when, then, loses."""
    kind = ", single root" if system.single_root else ""
    kind += ", free focus" if system.focus == "free" else ""
    ends = "([R], [])" if system.ends == "stack" else "([], [R])"
    if system.final:
        rest = "headless" if system.partial else "roots" if system.root == "none" else "children of Root"
        ends = f"{' and '.join(map(str, system.final))}; words left without a head are {rest}"
    if system.starts == "stack":
        starts = "([R], [1..n])"
    else:
        starts = {"first": "([], [R, 1..n])", "last": "([], [1..n, R])", "none": "([], [1..n])"}[system.root]
    lines = [f"{system.name}, Root {system.root}{kind}: {starts} to {ends}"]
    header = ["transition", "when", "then", "loses"]
    blocks = [[[name] for name in header]]
    for t in system.transitions:
        blocks.append([[t.name], *([str(term) for term in column] for column in (t.when, t.then, t.loses))])
    widths = [max(len(cell) for block in blocks for cell in block[column]) if column < 3 else 0 for column in range(4)]
    for block in blocks:
        for i in range(max(map(len, block))):
            cells = [(column[i] if i < len(column) else "") for column in block]
            lines.append("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    if system.potential in SEARCHED_LOSSES:
        lines.append(f"costs: {system.potential}")
    elif system.potential:
        lines.append(f"every row: + {system.potential} after - before")
    if system.static_oracle == ROWS:
        lines.append("static oracle: the row that loses least, one that makes a gold arc before the others")
    elif system.is_static_dynamic:
        lines.append(
            f"SHIFT and SWAP cost at least 1 where the static oracle {system.static_oracle} loses nothing otherwise"
        )
    elif system.static_oracle:
        lines.append(f"costs: 0 for the transition of the static oracle {system.static_oracle}, 1 for the others")
    return "\n".join(lines)
