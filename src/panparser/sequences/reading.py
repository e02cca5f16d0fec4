"""The values that templates over sequences read: slow and obvious, a reference that the engine must agree with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from panparser.features.atoms import CLASS, CLASSES, Atom
from panparser.features.templates import Template
from panparser.sequences.model import SequenceFeatures, SequenceItems

BOUNDARY = "<boundary>"


@dataclass(frozen=True)
class ItemReader:
    """Reads features of items; `given` are the classes of the items before, as texts of their numbers."""

    window: SequenceFeatures
    items: SequenceItems
    parts: Mapping[str, Sequence[int]]

    def feature(self, template: Template, sequence: int, given: Sequence[str]) -> str:
        return f"{template}: {[self.value(atom, sequence, given) for atom in template.atoms]}"

    def value(self, atom: Atom, sequence: int, given: Sequence[str]) -> str:
        base = atom.addresses[0].base
        if base in CLASSES:
            ago = int(base[2:])
            if ago > len(given):
                return BOUNDARY
            return given[-ago] if atom.name == CLASS else str(self.parts[atom.name][int(given[-ago])])
        first, end = self.items.offsets[sequence], self.items.offsets[sequence + 1]
        at = int(first) + len(given) + int(base[1:])
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
    """Kinds of characters, with repeats collapsed: X capitals, x other letters, d digits, others unchanged."""
    kinds = ["X" if c != c.lower() else "d" if c in "0123456789" else "x" if c.isalpha() else c for c in text]
    return "".join(kind for kind, _ in groupby(kinds))
