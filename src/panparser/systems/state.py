"""State: an immutable view of a derivation, and its drawing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from panparser import _engine
from panparser.base.checks import check_choice
from panparser.base.types import IntArray
from panparser.errors import IllegalTransitionError
from panparser.systems.system_protocol import ROWS, System
from panparser.trees.drawing import checked_forms, draw_with_root
from panparser.trees.gold import GoldTree, Head


def draw_state(
    system: System | None,
    state: Any,
    gold: GoldTree | Sequence[Head] | None = None,
    forms: Sequence[str] | None = None,
) -> str:
    """Arcs so far, stack, buffer, and the legal transitions with their costs; `*` marks those of minimum cost.

    Where a static oracle follows the losses of the table as they stand, these are shown as what they are.
    """
    root = system.root if system else "first"
    words = checked_forms(forms, state.words)
    names = ["ROOT", *words]

    def show(tokens: Sequence[int]) -> str:
        return " ".join(names[token] for token in tokens) or "(empty)"

    lines = [
        draw_with_root(words, [int(head) for head in state.heads[1:]], root),
        "",
        f"stack   {show(state.stack)}",
        *([f"list    {show(state.list_tokens)}"] if getattr(state, "list_tokens", ()) else []),
        f"buffer  {show(state.buffer)}",
    ]
    if system is None:
        return "\n".join(lines)
    if system.is_final(state):
        lines.append("final")
    elif gold is None:
        lines.append(f"legal   {'  '.join(system.legal(state)) or '(nothing: stuck)'}")
    else:
        costs = system.costs(state, gold)
        best = min(costs.values(), default=0)
        marked = [f"{name} {cost}{'*' if cost == best else ''}" for name, cost in costs.items()]
        noun = "losses" if system.static_oracle == ROWS else "costs"
        lines.append(f"{noun:8}{'  '.join(marked) or '(nothing: stuck)'}")
    return "\n".join(lines)


class State:
    """Stack, buffer, list and arcs of a table's derivation. Immutable; states of one sentence share structure.

    Words are 1..n and Root is always 0. `heads` has length n+1, index 0 unused, -1 is headless.
    """

    __slots__ = ("_attaches_rest", "_labels", "engine_states", "index", "system")

    def __init__(
        self,
        system: System,
        engine_states: _engine.LinkedStates,
        index: int,
        labels: list[str],
        attaches_rest: bool = False,
    ) -> None:
        self.system: Any = system  # a TransitionSystem
        self.engine_states = engine_states
        self.index = index
        self._attaches_rest = attaches_rest  # to Root, at the end
        self._labels = labels  # shared by all states of the sentence; the engine stores labels as numbers

    def after(self, step: int, label: str | None) -> State:
        """The state after a legal step; `system.apply` takes its name and explains why it is illegal."""
        number = -1
        if label is not None:
            if label not in self._labels:
                self._labels.append(label)
            number = self._labels.index(label)
        index = self.engine_states.apply(self.index, step, number)
        return State(self.system, self.engine_states, index, self._labels, self._attaches_rest)

    def to_token(self, token: int) -> int:
        """The number in the API, where Root is 0, of a token of the engine."""
        return 0 if token == self.words + 1 else token

    @property
    def words(self) -> int:
        return self.engine_states.words

    @property
    def stack(self) -> tuple[int, ...]:
        return tuple(map(self.to_token, self.engine_states.tokens(self.index)[0]))

    @property
    def buffer(self) -> tuple[int, ...]:
        return tuple(map(self.to_token, self.engine_states.tokens(self.index)[1]))

    @property
    def list_tokens(self) -> tuple[int, ...]:
        """The tokens that were put aside, from the front."""
        return tuple(map(self.to_token, self.engine_states.tokens(self.index)[2]))

    @property
    def heads(self) -> IntArray:
        heads = np.full(self.words + 1, -1, dtype=np.int32)
        for head, dependent, _ in self.engine_states.arcs(self.index):
            heads[self.to_token(dependent)] = self.to_token(head)
        if self._attaches_rest and self.engine_states.is_final(self.index):
            heads[1:][heads[1:] < 0] = 0
        return heads

    @property
    def labels(self) -> tuple[str | None, ...]:
        """Labels of the arcs, by word as in `heads`."""
        labels: list[str | None] = [None] * (self.words + 1)
        for _, dependent, label in self.engine_states.arcs(self.index):
            if label >= 0:
                labels[self.to_token(dependent)] = self._labels[label]
        return tuple(labels)

    @property
    def derivation(self) -> tuple[str, ...]:
        """The transitions from the initial state to here."""
        return tuple(map(self.system.step_name, self.engine_states.derivation(self.index)))

    def proposed_head(self, position: str = "S0") -> int | None:
        """The provisional head of the token at S0, S1, S2, B0 or L0, if it has one."""
        names = ("S0", "S1", "S2", "B0", "L0")
        check_choice("position", position, names, IllegalTransitionError)
        record = self.engine_states.record(self.index, names.index(position))
        return None if record["proposed"] < 0 else self.to_token(record["proposed"])

    def key(self) -> tuple[Any, ...]:
        return (self.stack, self.buffer, self.list_tokens, self.heads.tobytes())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, State):
            return NotImplemented
        return (self.system, self.words, self.key(), self.labels) == (
            other.system,
            other.words,
            other.key(),
            other.labels,
        )

    def __hash__(self) -> int:
        return hash((self.words, self.key()))

    def __repr__(self) -> str:
        aside = f" ({' '.join(map(str, self.list_tokens))})" if self.list_tokens else ""
        return f"[{' '.join(map(str, self.stack))}{aside} | {' '.join(map(str, self.buffer))}]"

    def draw(self, gold: GoldTree | Sequence[Head] | None = None, forms: Sequence[str] | None = None) -> str:
        """A drawing of stack, buffer, arcs and legal transitions, with their costs against a gold tree."""
        return draw_state(self.system, self, gold, forms)
