"""Plain-text drawings: a state with its costs, a table as a paper prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from panparser.systems.declaration import ROWS, SEARCHED_LOSSES, Declaration
from panparser.systems.interfaces import System
from panparser.trees.drawing import checked_forms, draw_with_root
from panparser.trees.gold import Gold, Head


def draw_state(
    system: System | None,
    state: Any,
    gold: Gold | Sequence[Head] | None = None,
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
        *([f"list    {show(state.aside)}"] if getattr(state, "aside", ()) else []),
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


def table_text(system: Declaration) -> str:
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
