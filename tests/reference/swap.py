"""The loss of SwapStandard by its definition: every derivation from a state is followed. For a few tokens only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

Tokens = tuple[int, ...]
Step = tuple[Tokens, Tokens, int | None, int | None]  # stack and buffer, head and dependent of the arc


def exhaustive_loss(
    stack: Tokens, buffer: Tokens, heads: Mapping[int, int], root: int, single_root: bool = False
) -> int:
    """Minimum number of words of stack and buffer that will get a wrong head; `heads` are the known ones.

    Root is 0, at the bottom of the stack, or a token behind all words.
    """

    @cache
    def loss(stack: Tokens, buffer: Tokens) -> int:
        if (stack, buffer) == ((root,), ()):
            return 0
        return min(
            loss(after, rest) + (dependent is not None and heads.get(dependent, head) != head)
            for after, rest, head, dependent in _steps(stack, buffer, root, single_root)
        )

    return loss(tuple(stack), tuple(buffer))


def _steps(stack: Tokens, buffer: Tokens, root: int, single_root: bool) -> Iterator[Step]:
    at_end = not buffer and len(stack) == 2
    if buffer and (not single_root or buffer[0] != root or len(stack) == 1):
        yield (*stack, buffer[0]), buffer[1:], None, None
    if len(stack) < 2:
        return
    *below, second, top = stack
    if second != root:
        yield (*below, top), buffer, top, second
    if top != root and (not single_root or second != root or at_end):
        yield (*below, second), buffer, second, top
    if root not in (second, top) and second < top:
        yield (*below, top), (second, *buffer), None, None
