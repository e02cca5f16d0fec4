"""Slow, obvious sequence labeling, as a task in Python: the engine must learn the same weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from panparser.tagging.sequences import ItemReader, SequenceFeatures, SequenceItems


class Labeled(NamedTuple):
    """A sequence by number, and the classes given so far."""

    sequence: int
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labeling:
    """The sequences of some items; classes are their numbers, as texts. A gold is a list of numbers, -1 for unknown."""

    window: SequenceFeatures
    items: SequenceItems
    classes: int
    parts: dict[str, Sequence[int]]

    def initial(self, sequence: int) -> Labeled:
        return Labeled(sequence)

    def legal(self, state: Labeled) -> list[str]:
        at = int(self.items.offsets[state.sequence]) + len(state.given)
        if at == self.items.offsets[state.sequence + 1]:
            return []
        allowed = self.items.allowed
        number = -1 if allowed is None else int(allowed.sets_of_items[at])
        chosen = range(self.classes) if allowed is None or number < 0 else sorted(allowed.sets[number])
        return [str(c) for c in chosen]

    def apply(self, state: Labeled, action: str) -> Labeled:
        return Labeled(state.sequence, (*state.given, action))

    def cost(self, state: Labeled, action: str, gold: Sequence[int]) -> int:
        right = gold[len(state.given)]
        return int(right >= 0 and action != str(right))

    def features(self, state: Labeled) -> list[str]:
        reader = ItemReader(self.window, self.items, self.parts)
        return [reader.feature(template, state.sequence, state.given) for template in self.window.templates]
