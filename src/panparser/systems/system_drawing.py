"""Plain-text drawings: a state with its costs, a table as a paper prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

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
