"""A slow, obvious labeling of sequences, as a task in Python: the engine must learn the same weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from panparser.features.atoms import CLASS, CLASSES, Atom
from panparser.sequences.model import Items, Window

BOUNDARY = "<boundary>"


class Labeled(NamedTuple):
    """A sequence by number, and the classes given so far."""

    sequence: int
    given: tuple[str, ...] = ()


@dataclass(frozen=True)
class Labeling:
    """The sequences of some items; classes are their numbers, as texts. A gold is a list of numbers, -1 for unknown."""

    window: Window
    items: Items
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
        return [
            f"{template}: {[self.value(state, atom) for atom in template.atoms]}" for template in self.window.templates
        ]

    def value(self, state: Labeled, atom: Atom) -> str:
        base = atom.addresses[0].base
        if base in CLASSES:
            ago = int(base[2:])
            if ago > len(state.given):
                return BOUNDARY
            given = state.given[-ago]
            return given if atom.name == CLASS else str(self.parts[atom.name][int(given)])
        first, end = self.items.offsets[state.sequence], self.items.offsets[state.sequence + 1]
        at = int(first) + len(state.given) + int(base[1:])
        if not first <= at < end:
            return BOUNDARY
        if atom.name in self.items.columns:
            return str(self.items.columns[atom.name][at])
        return self.text(at, atom)

    def text(self, word: int, atom: Atom) -> str:
        """An attribute that comes from the treebank."""
        treebank = self.items.treebank
        assert treebank is not None
        of_form = atom.name in ("lower", "prefix", "suffix", "shape", "lower_prefix", "lower_suffix")
        column = "form" if of_form else atom.name
        text: str = treebank.vocabulary(column)[treebank.column(column)[word]]
        if atom.name == "shape":
            return shape(text)
        if atom.name.startswith("lower"):
            text = text.lower()
        number = int(atom.key) if isinstance(atom.key, int) else 0
        if atom.name.endswith("prefix"):
            return text[:number]
        return text[-number:] if atom.name.endswith("suffix") else text


def shape(text: str) -> str:
    """Kinds of characters, each once where it is repeated: X capital, x other letters, d digits; the rest is itself."""
    kinds = ["X" if c != c.lower() else "d" if c in "0123456789" else "x" if c.isalpha() else c for c in text]
    return "".join(kind for kind, _ in groupby(kinds))
