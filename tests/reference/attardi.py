"""The loss of Gómez-Rodríguez, Sartorio & Satta 2014, Algorithm 1, as published except for its errors.

Corrected (docs/concepts/oracles.md): what the buffer may be reduced to, the bounds of the loops, the bottom of the
stack as an end of arcs; and nothing is pruned, since that needs a tree that the system can derive. Much too slow to
train with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

BOTTOM = -1  # "$" in the paper: below the stack

Item = tuple[int, int, int]  # h1, h2, h3: a computation that finds h1 on top of the stack, and leaves h2, h3
Cell = dict[Item, int]


def tabular_loss(
    stack: Sequence[int], buffer: Sequence[int], heads: Mapping[int, int], root: int, single_root: bool = False
) -> int:
    """Minimum number of words of stack and buffer that will get a wrong head; `heads` are the known ones."""
    below = len(stack)
    tokens = [*stack, *reduced_buffer(stack, buffer, heads, root if single_root else None)]
    end = len(tokens)
    table: dict[tuple[int, int], Cell] = defaultdict(dict)
    table[0, 1] = {(BOTTOM, BOTTOM, tokens[0]): 0}
    for i in range(1, end):
        tops = [tokens[i - 1]] if i < below else tokens[:i]
        table[i, i + 1] = {(top, top, tokens[i]): 0 for top in tops}
    for length in range(2, end + 1):
        for i in range(max(0, below - length), end - length + 1):
            j = i + length
            for k in (i + 1, *range(max(i + 2, below), j)):
                for key, head, dependent, value in _joined(table[i, k], table[k, j]):
                    at_end = (i, j) == (0, end) and key[1] == BOTTOM and key[2] == root
                    if dependent in (root, BOTTOM) or head == BOTTOM or (single_root and head == root and not at_end):
                        continue
                    value += heads.get(dependent, head) != head
                    table[i, j][key] = min(value, table[i, j].get(key, value))
    return table[0, end][BOTTOM, BOTTOM, root]


def _joined(left: Cell, right: Cell) -> Iterator[tuple[Item, int, int, int]]:
    """Two computations one after the other, and one of four arcs: what is left, head and dependent, losses so far."""
    by_top = defaultdict(list)
    for (h3, h4, h5), value in right.items():
        by_top[h3].append((h4, h5, value))
    for (h1, h2, h3), first in list(left.items()):
        for h4, h5, second in by_top[h3]:
            value = first + second
            yield (h1, h2, h5), h5, h4, value
            yield (h1, h2, h4), h4, h5, value
            yield (h1, h4, h5), h5, h2, value
            yield (h1, h2, h4), h2, h5, value


def reduced_buffer(
    stack: Sequence[int], buffer: Sequence[int], heads: Mapping[int, int], kept: int | None = None
) -> list[int]:
    """The buffer with subtrees replaced by their tops where that changes no loss; none under the token `kept`."""
    left = list(buffer)
    for top in buffer:
        block = [token for token in buffer if _is_under(token, top, heads)]
        inside = [token for token in block if token != top]
        if (
            top != kept
            and all(heads[token] in buffer for token in inside)
            and not any(heads.get(word) in inside for word in stack)
            and all(_is_contiguous([t for t in block if _is_under(t, node, heads)]) for node in block)
        ):
            left = [token for token in left if token not in inside]
    return left


def _is_under(token: int, top: int, heads: Mapping[int, int]) -> bool:
    while token != top and token in heads:
        token = heads[token]
    return token == top


def _is_contiguous(tokens: list[int]) -> bool:
    return tokens == list(range(tokens[0], tokens[-1] + 1))
