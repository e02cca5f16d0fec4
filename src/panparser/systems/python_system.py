"""PythonSystem: transition systems written in Python, for states that tables cannot express."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from operator import index
from typing import Any, Self

from panparser.base.checks import check_choice
from panparser.errors import DeclarationError, GoldError, IllegalTransitionError, NoLegalTransitionError
from panparser.systems.state import draw_state
from panparser.trees.gold import ROOTS, GoldTree, Head

FUNCTION = "static"  # the static oracle of a system that defines a function of that name
_PLAIN = frozenset((int, str, bool, float, type(None)))


class MutableState:
    """A state that Python systems change in place: lists, with Root always as 0.

    A system that needs more (a second list, an index) sets more attributes; copies and `key` include them.
    """

    def __init__(self, words: int, stack: list[int], buffer: list[int]) -> None:
        self.words = words
        self.stack = stack
        self.buffer = buffer
        self.heads = [-1] * (words + 1)
        self.labels: list[str | None] = [None] * (words + 1)
        self.derivation: tuple[str, ...] = ()

    def attach(self, head: int, dependent: int, label: str | None = None) -> None:
        """Adds an arc."""
        self.heads[dependent] = head
        self.labels[dependent] = label

    def copy(self) -> Self:
        """A copy that can be changed independently."""
        twin = object.__new__(type(self))
        for name, value in vars(self).items():
            setattr(twin, name, _copied(value))
        return twin

    def key(self) -> Any:
        values = (item for item in sorted(vars(self).items()) if item[0] != "derivation")
        return tuple((name, _frozen(value)) for name, value in values)

    def __repr__(self) -> str:
        return f"[{' '.join(map(str, self.stack))} | {' '.join(map(str, self.buffer))}]"

    def draw(self, forms: Sequence[str] | None = None) -> str:
        """A drawing of arcs, stack and buffer; `systems.drawing.draw_state(system, state, gold)` adds the costs."""
        return draw_state(None, self, forms=forms)


def _copied(value: Any) -> Any:
    """A copy; with a fast path for lists, sets and dictionaries of plain values."""
    kind = type(value)
    if kind in _PLAIN or kind is tuple:
        return value
    if kind in (list, set) and _PLAIN.issuperset(map(type, value)):
        return value.copy()
    return copy.deepcopy(value)


def _frozen(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    if isinstance(value, set | frozenset):
        return frozenset(map(_frozen, value))
    if isinstance(value, dict):
        return frozenset((key, _frozen(item)) for key, item in value.items())
    return value


class PythonSystem:
    """Base of transition systems written in Python: subclass it, then pass it to `pp.system` or `check_system`.

    The class defines `transitions` and the methods `legal`, `apply`, and `cost` or `static_oracle`; it may also
    override `initial` and `is_final`. `cost` may be relaxed (too high by the same number in every transition of a
    state). With `static_oracle`, costs are 0 for its transition and 1 for the others.
    """

    transitions: tuple[str, ...] = ()
    root: str = "last"
    single_root: bool = False
    allows_headless: bool = False
    is_nonprojective: bool = True  # may its arcs cross? If not, training can lift those that do

    @property
    def name(self) -> str:
        return type(self).__name__

    def initial(self, words: int) -> MutableState:
        """Root first: ([0], [1..n]); Root last: ([], [1..n, 0]); no Root: ([], [1..n])."""
        numbers = list(range(1, words + 1))
        before, behind = ([0] if self.root == place else [] for place in ("first", "last"))
        return MutableState(words, before, [*numbers, *behind])

    def is_final(self, state: MutableState) -> bool:
        """Root first: ([0], []); Root last: ([], [0]); no Root: one word at most on the stack, none in the buffer."""
        if self.root == "none":
            return len(state.stack) <= 1 and not state.buffer
        left = (state.stack, state.buffer) if self.root == "first" else (state.buffer, state.stack)
        return left == ([0], [])

    def legal(self, state: Any, transition: str) -> bool:
        """May the transition be applied?"""
        raise NotImplementedError(f"{self.name} must define legal(state, transition)")

    def apply(self, state: Any, transition: str) -> None:
        """Changes the state."""
        raise NotImplementedError(f"{self.name} must define apply(state, transition)")

    def cost(self, state: Any, transition: str, gold: GoldTree) -> int:
        """Number of gold attachments that the best outcome loses by the transition."""
        raise NotImplementedError(
            f"{self.name} must define cost(state, transition, gold), or static_oracle(state, gold)"
        )

    def static_oracle(self, state: Any, gold: GoldTree) -> str:
        """The transition of the static oracle, in states of the derivation that it makes."""
        raise NotImplementedError(f"{self.name} has no static oracle: it does not define static_oracle(state, gold)")


def _check_declaration(declared: PythonSystem) -> None:
    names = declared.transitions
    if isinstance(names, str) or not names or not all(isinstance(name, str) for name in names):
        raise DeclarationError(
            f'{declared.name}: transitions must name its transitions, like ("SHIFT",); got {names!r}'
        )
    if len(set(names)) < len(names):
        raise DeclarationError(f"{declared.name}: transitions must differ; got {', '.join(names)}")
    check_choice(f"{declared.name}: root", declared.root, ROOTS, DeclarationError)
    if declared.root == "none" and declared.allows_headless:
        raise DeclarationError(
            f"{declared.name}: root must be first or last: it leaves words headless (allows_headless), and "
            "without Root these would be roots; got 'none'"
        )


def most_steps(words: int) -> int:
    """Transitions after which a derivation is taken for one that never ends; as in the engine."""
    return 2 * (words + 2) ** 2


class PythonSteps:
    """A PythonSystem behind the interface of tables: immutable states, legal transitions and costs by name."""

    def __init__(self, declared: PythonSystem) -> None:
        _check_declaration(declared)
        self.declared = declared
        self.name = declared.name
        self.names = self.ties = tuple(declared.transitions)
        self.root, self.single_root, self.partial = declared.root, declared.single_root, declared.allows_headless
        self.static_oracle = None if type(declared).static_oracle is PythonSystem.static_oracle else FUNCTION
        self.has_dynamic_oracle = type(declared).cost is not PythonSystem.cost
        self.has_oracle = self.has_dynamic_oracle or self.static_oracle is not None
        self.crosses = declared.is_nonprojective
        self.max_span = self.potential = None  # only tables have these
        self.joins_stack = self.joins_front = self.knows_directions = self.reorders = False
        self.has_list, self.attaches_rest = False, declared.root == "none"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PythonSteps):
            return NotImplemented
        same = type(self.declared) is type(other.declared)
        return same and vars(self.declared) == vars(other.declared)

    def __hash__(self) -> int:
        return hash((type(self.declared), self.name))

    def __repr__(self) -> str:
        return f"<{self.name}, Root {self.root}>"

    def to_values(self) -> dict[str, Any]:
        """Its entry in a model file: a name, since code is not stored."""
        return {"python": self.name, "transitions": list(self.names)}

    def initial(self, words: int) -> Any:
        if not isinstance(words, int) or words < 1:
            raise GoldError(f"{self.name}: words must be an integer >= 1; got {words!r}")
        return self.declared.initial(words)

    def is_final(self, state: Any) -> bool:
        return bool(self.declared.is_final(state))

    def legal(self, state: Any) -> tuple[str, ...]:
        if self.is_final(state):
            return ()
        return tuple(name for name in self.names if self.declared.legal(state, name))

    def apply(self, state: Any, transition: str, label: str | None = None) -> Any:
        if transition not in self.legal(state):
            legal = ", ".join(self.legal(state)) or "nothing, the state is final"
            raise IllegalTransitionError(f"{transition} is illegal in {state}; legal: {legal}")
        after = self.after(state, transition)
        if label is not None:
            made = self.new_arcs(state, after)
            if not made:
                raise IllegalTransitionError(f"{transition} of {self.name} makes no arc; got the label {label!r}")
            after.labels[made[0][1]] = label
        return after

    def costs(self, state: Any, gold: GoldTree | Sequence[Head]) -> dict[str, int]:
        gold = GoldTree.from_heads(gold)
        if len(gold) != state.words:
            raise GoldError(f"expected {state.words} heads, one for each word of the state; got {len(gold)}")
        if not self.has_dynamic_oracle and not self.is_final(state):
            chosen = self.static_transition(state, gold)
            return {name: int(name != chosen) for name in self.legal(state)}
        return {name: self.cost(state, name, gold) for name in self.legal(state)}

    def after(self, state: Any, transition: str) -> Any:
        """The state after a transition, which must be legal."""
        if len(state.derivation) > most_steps(state.words):
            raise NoLegalTransitionError(
                f"{self.name} does not end: after {len(state.derivation)} transitions, it is in {state}"
            )
        after = _copy_of(state)
        self.declared.apply(after, transition)
        after.derivation = (*state.derivation, transition)
        if self.attaches_rest and self.is_final(after):
            after.heads[1:] = [max(head, 0) for head in after.heads[1:]]
        return after

    def new_arcs(self, before: Any, after: Any) -> list[tuple[int, int]]:
        """(head, dependent) of the arcs that a transition made; words that it left over as roots have none."""
        pairs = zip(before.heads, after.heads, strict=True)
        found = [(new, word) for word, (old, new) in enumerate(pairs) if old != new]
        return [arc for arc in found if arc[0] or not self.attaches_rest]

    def static_transition(self, state: Any, gold: GoldTree) -> str:
        """The transition of the system's own static oracle."""
        chosen = self.declared.static_oracle(_copy_of(state), gold)
        if chosen not in self.legal(state):
            legal = ", ".join(self.legal(state)) or "nothing"
            raise IllegalTransitionError(f"{self.name}: static_oracle returned {chosen!r} in {state}; legal: {legal}")
        return chosen

    def cost(self, state: Any, name: str, gold: GoldTree) -> int:
        """What a legal transition loses."""
        cost = self.declared.cost(_copy_of(state), name, gold)
        try:
            return index(cost)
        except TypeError:
            raise DeclarationError(f"{self.name}: cost of {name} must be an integer; got {cost!r}") from None

    def lost_arcs(self, gold: GoldTree | Sequence[Head]) -> int:
        """Number of known heads that the derivation of least cost does not give: with exact costs, that none gives."""
        gold = GoldTree.from_heads(gold)
        state = self.initial(len(gold))
        while not self.is_final(state):
            costs = self.costs(state, gold)
            if not costs:
                raise NoLegalTransitionError(f"{self.name} does not end: it is stuck in {state}")
            state = self.after(state, min(costs, key=lambda name: costs[name]))
        known = zip(gold.heads, state.heads[1:], strict=True)
        return sum(isinstance(head, int) and head >= 0 and head != found for head, found in known)

    def arc(self, state: Any, transition: str, *, proposed: bool = False) -> tuple[int, int] | None:
        made = [] if proposed else self.new_arcs(state, self.apply(state, transition))
        return made[0] if made else None


def _copy_of(state: Any) -> Any:
    return state.copy() if isinstance(state, MutableState) else copy.deepcopy(state)
