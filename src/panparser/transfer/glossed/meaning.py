"""What the glosses of a word say: its stem in English, its features, and what the table does not know."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from panparser.transfer.glossed.sentences import GlossedWord, Morpheme
from panparser.transfer.glossed.table import GlossTable

_ELEMENT = re.compile(r"[^\s.:;_/\\()\[\]{},|<>]+")  # what stands between the signs of the Leipzig rules 4 and 6 to 8
_AGREEMENT = ("Person", "Number", "Gender", "Animacy", "Clusivity")  # features that can be somebody else's


@dataclass
class GlossMeaning:
    """What is said of a word."""

    english: list[str] = field(default_factory=list)  # the words that its stems are glossed with
    glosses: list[str] = field(default_factory=list)  # entries of the table
    features: dict[str, set[str]] = field(default_factory=dict)
    unknown: list[str] = field(default_factory=list)

    @property
    def feats(self) -> str:
        """The features as FEATS: in alphabetical order, with all values of each."""
        names = sorted(self.features, key=lambda name: (name.lower(), name))
        cells = [f"{name}={','.join(sorted(self.features[name], key=str.lower))}" for name in names]
        return "|".join(cells) or "_"


def meaning(word: GlossedWord, table: GlossTable) -> GlossMeaning:
    """What the glosses of a word's morphemes say; without any, what that of the whole word does."""
    found = GlossMeaning()
    parts = word.morphemes if any(part.gloss for part in word.morphemes) else (Morpheme(gloss=word.gloss),)
    layered: list[tuple[list[str], str]] = []
    for part in parts:
        sides = part.gloss.split(">") if part.gloss.count(">") == 1 else [part.gloss]
        groups = [_entries(side, part, table, found) for side in sides]
        layered += zip(groups, _layers(groups, table), strict=True)
    own = bool(found.english)  # only beside a stem a person can be another's
    for entries, layer in layered:
        found.glosses += entries
        _add(found, entries, layer if own or layer in ("subj", "obj") else "", table)
    return found


def _entries(gloss: str, part: Morpheme, table: GlossTable, found: GlossMeaning) -> list[str]:
    """The entries of a gloss; other words of it go to `found`."""
    entries: list[str] = []
    for element in _ELEMENT.findall(gloss):
        known = table.known(element)
        if known is None and part.is_stem is False:
            known = table.known(element.upper())  # many write pl, pst for affixes
        if known is not None:
            entries += known
        elif _is_abbreviation(element) or part.is_stem is False:
            found.unknown.append(element)
        else:
            found.english.append(element)
    return entries


def _is_abbreviation(element: str) -> bool:
    """Capitals and digits; but English `I`, and numbers that are no person."""
    if element == "I" or (element.isdigit() and len(element) > 2):
        return False
    return element == element.upper() and any(sign.isupper() or sign.isdigit() for sign in element)


def _layers(groups: Sequence[Sequence[str]], table: GlossTable) -> list[str]:
    """Whose features each group of glosses has: nobody else's, or a layer's."""
    if len(groups) == 2 and all(any("Person=" in table.features[entry] for entry in group) for group in groups):
        return ["subj", "obj"]  # 3SG>1SG
    return [next((table.layers[entry] for entry in group if table.layers.get(entry)), "") for group in groups]


def _add(found: GlossMeaning, entries: Sequence[str], layer: str, table: GlossTable) -> None:
    """Adds the features of entries."""
    pairs = [pair.split("=") for entry in entries for pair in table.features[entry].split("|") if pair]
    others = layer if any(name == "Person" for name, _ in pairs) else ""
    for name, value in pairs:
        if others and name in _AGREEMENT:
            name = f"{name}[{others}]"
        elif others == "psor" and name == "Poss":
            continue  # a possessor is marked, the word itself is none
        found.features.setdefault(name, set()).add(value)
