"""A slow, obvious interpreter of tables, straight from the meaning of each word: the engine must agree with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from panparser.systems import terms
from panparser.systems.terms import B0, L0, LIST, ROOT, Position, TokenRegion
from panparser.systems.transition_system import TransitionSystem
from panparser.trees.gold import NO_HEAD, GoldTree, Head, reference_heads


@dataclass(frozen=True)
class ReferenceState:
    """Tokens are positions: words 1..n, Root 0 or n+1."""

    words: int
    root: int
    stack: tuple[int, ...]
    buffer: tuple[int, ...]
    heads: dict[int, int] = field(default_factory=dict)
    list_tokens: tuple[int, ...] = ()  # the list, from the front

    def at(self, position: Position | None) -> int | None:
        if position == ROOT:
            return self.root
        if position == B0:
            return self.buffer[0] if self.buffer else None
        if position == L0:
            return self.list_tokens[0] if self.list_tokens else None
        depth = ["S0", "S1", "S2"].index(str(position))
        return self.stack[-1 - depth] if depth < len(self.stack) else None

    def is_word(self, token: int) -> bool:
        return token != self.root

    def inside(self, region: TokenRegion) -> list[int]:
        tokens = []
        for depth, token in enumerate(reversed(self.stack)):
            place = min(depth, 3)
            if region.mask >> (2 * place + (token == self.root)) & 1:
                tokens.append(token)
        for index, token in enumerate(self.buffer):
            if region.mask >> (2 * (4 + min(index, 1)) + (token == self.root)) & 1:
                tokens.append(token)
        for index, token in enumerate(self.list_tokens):
            if region.mask >> (2 * (6 + min(index, 1)) + (token == self.root)) & 1:
                tokens.append(token)
        return tokens


class ReferenceSystem:
    """Legality, effects and costs of a table without native potentials or oracles."""

    def __init__(self, table: TransitionSystem) -> None:
        self.table = table

    def initial(self, words: int) -> ReferenceState:
        root = words + 1 if self.table.root == "last" else 0
        tokens = tuple(range(1, words + 1))
        if self.table.root == "none":
            return ReferenceState(words, root, (), tokens)
        if self.table.starts == "stack":
            return ReferenceState(words, root, (root,), tokens)
        return ReferenceState(words, root, (), (root, *tokens) if root == 0 else (*tokens, root))

    def is_final(self, state: ReferenceState) -> bool:
        if self.table.final:
            return self._hold(self.table.final, state)
        ends = (state.root,)
        places = (ends, ()) if self.table.ends == "stack" else ((), ends)
        return (state.stack, state.buffer) == places and not state.list_tokens

    def legal(self, state: ReferenceState) -> tuple[str, ...]:
        if self.is_final(state):
            return ()
        return tuple(
            f"{row.name}{mark}"
            for mark, seen in self._views(state).items()
            for row in self.table.transitions
            if self._allows(row, seen)
        )

    def _views(self, state: ReferenceState) -> dict[str, ReferenceState]:
        """The state as each step may see it, by what follows the transition's name."""
        if self.table.focus == "fixed":
            return {"": state}
        tokens = (*state.stack, *state.buffer)
        return {
            f"@{top}": replace(state, stack=tokens[:size], buffer=tokens[size:])
            for size, top in enumerate(tokens, start=1)
        }

    def _hold(self, conditions: Sequence[terms.StateCondition | terms.AnyOf], state: ReferenceState) -> bool:
        choices = [c.conditions if isinstance(c, terms.AnyOf) else (c,) for c in conditions]
        return all(any(self.holds(option, state) for option in options) for options in choices)

    def _allows(self, row: Any, state: ReferenceState) -> bool:
        if not self._hold(row.when, state):
            return False
        try:
            self._effects(row, state)
        except (IndexError, TypeError):
            return False
        return True

    def holds(self, condition: terms.StateCondition, state: ReferenceState) -> bool:
        word, _, rest = condition.fact.partition(".")
        names = [Position(name) for name in rest.split(".")] if rest else []
        tokens = [state.at(name) for name in names]
        if None in tokens:
            return False
        unattached = [t for t in state.stack if state.is_word(t) and t not in state.heads]
        if word in ("is_word", "is_attached"):
            (token,) = tokens
            if word == "is_attached" and token == state.root:
                return False
            value = int(token != state.root) if word == "is_word" else int(token in state.heads)
        elif word == "distance":
            value = tokens[1] - tokens[0]  # type: ignore[operator]
        elif word == "dominates":
            above, below = tokens
            while below is not None and below != above:
                below = state.heads.get(below)
            value = int(below == above)
        elif word in ("tree_words", "tree_open"):
            (token,) = tokens
            words = unattached if word == "tree_open" else [t for t in state.stack if state.is_word(t)]
            value = sum(self._top(state, t) == self._top(state, token) for t in words)
        else:
            value = {
                "stack_size": len(state.stack),
                "buffer_size": len(state.buffer),
                "list_size": len(state.list_tokens),
                "open_words": len(unattached),
                "open_aside": sum(state.is_word(t) and t not in state.heads for t in state.list_tokens),
                "root_children": list(state.heads.values()).count(state.root),
            }[word]
        return condition.low <= value <= condition.high

    @staticmethod
    def _top(state: ReferenceState, token: int | None) -> int | None:
        while token in state.heads:
            token = state.heads[token]
        return token

    def apply(self, state: ReferenceState, name: str) -> ReferenceState:
        row, sign, top = name.partition("@")
        after = self._effects(self.table[row], self._views(state)[sign + top])
        if self.table.focus == "fixed":
            return after
        tokens = (*after.stack, *after.buffer)
        at = 1 if self.table.starts == "stack" else 0
        return replace(after, stack=tokens[:at], buffer=tokens[at:])

    def _effects(self, row: Any, state: ReferenceState) -> ReferenceState:
        for effect in row.then:
            stack, buffer, aside, heads = [*state.stack], [*state.buffer], [*state.list_tokens], dict(state.heads)
            if effect.kind == "shift":
                stack.append(buffer.pop(0))
            elif effect.kind == "pop" and effect.positions == (B0,):
                buffer.pop(0)
            elif effect.kind == "pop":
                stack.pop(-1 - ["S0", "S1", "S2"].index(str(effect.positions[0])))
            elif effect.kind == "back":
                buffer.insert(0, stack.pop(-2))
            elif effect.kind == "aside":
                aside.insert(0, stack.pop())
            elif effect.kind == "restore":
                stack, aside = stack + aside, []
            elif effect.kind == "clear":
                aside = []
            else:
                head, dependent = (state.at(position) for position in effect.positions)
                if head is None or dependent is None:
                    raise IndexError(str(effect))
                if effect.kind == "arc":
                    heads[dependent] = head
            state = replace(state, stack=tuple(stack), buffer=tuple(buffer), list_tokens=tuple(aside), heads=heads)
        return state

    def costs(self, state: ReferenceState, gold: GoldTree | Sequence[Head]) -> dict[str, int]:
        heads = dict(
            enumerate(reference_heads(GoldTree.from_heads(gold), self.table.root, self.table.max_span), start=1)
        )
        legal = self.legal(state)
        return {
            row.name + mark: sum(self._loss(loss, seen, heads) for loss in row.loses)
            for mark, seen in self._views(state).items()
            for row in self.table.transitions
            if row.name + mark in legal
        }

    def _loss(self, loss: terms.Loss, state: ReferenceState, heads: dict[int, int]) -> int:
        if not all(self.holds(condition, state) for condition in loss.guard):
            return 0
        if loss.kind == "wanting":
            stack = state.stack[1:] if loss.flag else state.stack
            return sum(heads.get(token) == loss.direction and token not in state.heads for token in stack)
        if loss.position == LIST:
            tokens = state.inside(loss.region)  # type: ignore[arg-type]
            return sum(heads.get(child) in state.list_tokens for child in tokens)
        token = state.at(loss.position)  # type: ignore[arg-type]
        if token is None:
            return 0
        if loss.kind == "headless":
            return int(heads.get(token) == (state.root if self.table.root == "none" else NO_HEAD))
        if loss.kind == "wants":
            return int(heads.get(token) == loss.direction)
        tokens = state.inside(loss.region)  # type: ignore[arg-type]
        if loss.kind == "head":
            return int(heads.get(token) in tokens)
        return sum(heads.get(child) == token and not (loss.flag and child in state.heads) for child in tokens)
