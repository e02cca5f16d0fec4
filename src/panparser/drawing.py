"""Plain-text drawings for people: arcs over words, a state with its costs, a table as a paper prints it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from panparser.gold import EMPTY, Gold, Head

if TYPE_CHECKING:
    from panparser.states import System
    from panparser.transitions import TransitionSystem

_UP, _DOWN, _LEFT, _RIGHT = 1, 2, 4, 8
_BOXES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"  # by the sum of the directions in which lines leave a cell


def draw_arcs(forms: Sequence[str], heads: Sequence[int]) -> str:
    """Words on a line with their arcs above, an arrow at each dependent.

    `heads[i]` is the index into `forms` of the head of form i, negative where it has none.
    """
    arcs = sorted(
        ((head, dependent) for dependent, head in enumerate(heads) if head >= 0),
        key=lambda a: abs(a[0] - a[1]),
    )
    centers, line, width = [], "", 0
    for form in forms:
        cells = cell_len(form)
        centers.append(width + max(1, cells // 2))
        line += form + " " * (max(0, 3 - cells) + 2)
        width += max(3, cells) + 2
    levels: dict[tuple[int, int], int] = {}
    for head, dependent in arcs:
        low, high = sorted((head, dependent))
        below = [level for (h, d), level in levels.items() if min(h, d) < high and max(h, d) > low]
        levels[head, dependent] = 1 + max(below, default=0)
    height = max(levels.values(), default=0)
    grid = [[0] * width for _ in range(height)]
    for (head, dependent), level in levels.items():
        # Arcs leave a head beside its middle and enter a dependent at its middle, so that the two are never confused.
        start = centers[head] + (1 if dependent > head else -1)
        _bend(grid, height - level, start, centers[dependent])
    rows = ["".join(_BOXES[cell] for cell in row).rstrip() for row in grid]
    feet = [" "] * width
    for (head, dependent), _ in levels.items():
        feet[centers[head] + (1 if dependent > head else -1)] = "│"
    for _, dependent in levels:
        feet[centers[dependent]] = "▼"
    if arcs:
        rows.append("".join(feet).rstrip())
    return "\n".join([*rows, line.rstrip()])


def _bend(grid: list[list[int]], row: int, start: int, end: int) -> None:
    low, high = sorted((start, end))
    for column in range(low, high + 1):
        grid[row][column] |= (_LEFT if column > low else 0) | (_RIGHT if column < high else 0)
    for column in (low, high):
        grid[row][column] |= _DOWN
        for below in grid[row + 1 :]:
            below[column] |= _UP | _DOWN


def draw_tree(heads: Sequence[Head], root: str, forms: Sequence[str] | None = None) -> str:
    """A tree over words 1..n, Root at its end. Unknown heads have no arc; marks are listed below."""
    words = list(forms) if forms is not None else [str(word) for word in range(1, len(heads) + 1)]
    arcs = [head if isinstance(head, int) and head >= 0 else -1 for head in heads]
    drawing = _with_root(words, arcs, root)
    marks = [
        f"{words[i]}: {'headless' if head is EMPTY else f'head to the {head.name.lower()}'}"
        for i, head in enumerate(heads)
        if isinstance(head, int) and head < 0 and hasattr(head, "name")
    ]
    return "\n".join([drawing, *(["   ".join(marks)] if marks else [])])


def _with_root(words: list[str], heads: Sequence[int], root: str) -> str:
    if root == "first":
        return draw_arcs(["ROOT", *words], [-1, *heads])
    last = len(words)
    return draw_arcs([*words, "ROOT"], [*(last if head == 0 else head - 1 for head in heads), -1])


def draw_state(
    system: System | None,
    state: Any,
    gold: Gold | Sequence[Head] | None = None,
    forms: Sequence[str] | None = None,
) -> str:
    """Arcs so far, stack, buffer, and the legal transitions with their costs; `*` marks those of minimum cost."""
    root = system.root if system else "first"
    words = list(forms) if forms is not None else [str(word) for word in range(1, state.words + 1)]
    names = ["ROOT", *words]

    def show(tokens: Sequence[int]) -> str:
        return " ".join(names[token] for token in tokens) or "(empty)"

    lines = [
        _with_root(words, [int(head) for head in state.heads[1:]], root),
        "",
        f"stack   {show(state.stack)}",
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
        shown = [f"{name} {cost}{'*' if cost == best else ''}" for name, cost in costs.items()]
        lines.append(f"costs   {'  '.join(shown) or '(nothing: stuck)'}")
    return "\n".join(lines)


def table_text(system: TransitionSystem) -> str:
    """The table as aligned text: a line for the system, then transition, when, then, loses."""
    kind = ", single root" if system.single_root else ""
    ends = {"stack": "([R], [])", "buffer": "([], [R])"}[str(system.ends)]
    if system.starts == "stack":
        starts = "([R], [1..n])"
    else:
        starts = "([], [R, 1..n])" if system.root == "first" else "([], [1..n, R])"
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
    if system.potential == "arc-standard-loss":
        lines.append(f"costs: {system.potential}")
    elif system.potential:
        lines.append(f"every row: + {system.potential} after - before")
    if system.static_oracle:
        lines.append(f"costs: 0 for the transition of the static oracle {system.static_oracle}, 1 for the others")
    return "\n".join(lines)
