"""TransitionSystem: a declared table that the engine runs, step by step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, cast

from panparser import _engine
from panparser._caching import cached_property
from panparser.errors import GoldError, IllegalTransitionError
from panparser.systems.declaration import SEARCHED_LOSSES, Declaration
from panparser.systems.interfaces import ROWS
from panparser.systems.lowering import Lowered
from panparser.systems.states import State
from panparser.trees.gold import GoldTree, Head


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
            raise GoldError(f"{self.name}: words must be 1 to {_engine.MAX_WORDS}; got {words!r}")
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
        gold = GoldTree.of(gold)
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

    def lost(self, gold: GoldTree | Sequence[Head]) -> int | None:
        """Number of gold attachments unreachable by any derivation: 0 if the tree can be built; None if unknown.

        May underestimate if the loss is approximate (see docs/concepts/oracles.md).
        """
        return self.reference(GoldTree.of(gold)).lost

    def arc(self, state: State, transition: str, *, proposed: bool = False) -> tuple[int, int] | None:
        """(head, dependent) that a legal transition would make (or propose, if asked), or None."""
        self._check_legal(state, transition)
        head, dependent = state.engine_states.made_arc(state.index, self.step_number(transition), proposed)
        return None if dependent < 0 else (state.outside(head), state.outside(dependent))

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
