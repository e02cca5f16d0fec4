"""What glosses mean: a table from glosses to tags and features, and the tags of words by their glosses."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

from panparser.base.caching import cached_property
from panparser.base.kinds import Kind, ListOf, Table, TableOf, check, one_of, read_values, text
from panparser.errors import SpecError
from panparser.transfer.glossed.sentences import GlossedWord, Morpheme
from panparser.treebank.universal import UPOS

_SHIPPED = Path(__file__).with_name("glosses.toml")
_MAX_JOINED = 12  # letters of a gloss that is divided into parts
_FEATURE = r"[A-Z][A-Za-z0-9]*(?:\[[a-z0-9]+\])?=[A-Z0-9][A-Za-z0-9]*"
_FEATURES = re.compile(rf"(?:{_FEATURE}(?:\|{_FEATURE})*)?")
_TAG = re.compile(r"[^\W\d_]+")

_features = Kind(
    "features such as Person=3|Number=Sing, or an empty text",
    lambda value: isinstance(value, str) and len(value) < 1000 and _FEATURES.fullmatch(value) is not None,
)
_texts = ListOf(text("a text that is not empty", minimum=1, maximum=100), minimum=1)
_tag = one_of(*sorted(UPOS), "")
_lines: dict[str, Kind] = dict.fromkeys(  # that a file of Toolbox may have
    ("document", "sentence", "words", "morphemes", "glosses", "tags", "translation"), _texts
)
_VALUES = Table(
    {},
    {
        "features": TableOf(_features),
        "joined": Table({"parts": _texts}, closed=True),
        "layers": TableOf(Kind("a layer such as psor", lambda value: isinstance(value, str) and _is_layer(value))),
        **dict.fromkeys(("words", "derivations", "kinds", "tags", "english"), TableOf(_tag)),
        "translations": TableOf(_texts),
        "markers": Table({}, _lines, closed=True),
    },
    closed=True,
)


def _is_layer(value: str) -> bool:
    return re.fullmatch("[a-z0-9]{0,20}", value) is not None


@dataclass(frozen=True, kw_only=True)
class GlossTable:
    """What glosses mean; `GlossTable.read(path)` extends or overrules what panparser ships. An entry "" says nothing.

    `features` of glosses; `joined`, glosses that are written together (3SG); `layers`, glosses that say whose person
    and number stand with them; tags (UPOS) by gloss for `words` without a stem, for `derivations`, by feature of an
    affix (`kinds`), by part of speech (`tags`) and by `english` word; `translations`, English words for words without
    a stem; `markers` of the lines of Toolbox.
    """

    features: Mapping[str, str]
    joined: tuple[str, ...]
    layers: Mapping[str, str]
    words: Mapping[str, str]
    derivations: Mapping[str, str]
    kinds: Mapping[str, str]
    tags: Mapping[str, str]
    english: Mapping[str, str]
    translations: Mapping[str, tuple[str, ...]]
    markers: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> GlossTable:
        """The shipped table with the entries of a TOML file. Raises SpecError if the file is not valid."""
        values = read_values(path, "TOML", SpecError)
        try:
            return shipped_table().extend(values)
        except SpecError as error:
            raise SpecError(f"{os.fspath(path)}: {error}") from None

    def extend(self, values: Mapping[str, Any]) -> GlossTable:
        """A table with other entries, as in a file, before its own."""
        check(values, _VALUES, "", SpecError)
        parts = values.get("joined", {}).get("parts", ())
        new: dict[str, Any] = {"joined": (*parts, *(part for part in self.joined if part not in parts))}
        for each in fields(self):
            if each.name not in new:
                own = values.get(each.name, {})
                rest = {key: value for key, value in getattr(self, each.name).items() if key not in own}
                new[each.name] = {key: _frozen(value) for key, value in (own | rest).items()}
        return GlossTable(**new)

    def lookup(self, gloss: str) -> tuple[str, ...] | None:
        """The entries that a gloss consists of: itself, or those that are written together in it; None if unknown."""
        if gloss in self.features:
            return (gloss,)
        if len(gloss) > _MAX_JOINED or not self._joined.fullmatch(gloss):
            return None
        parts = tuple(self._part.findall(gloss))
        return parts if all(part in self.features for part in parts) else None

    def tag(self, part_of_speech: str) -> str:
        """UPOS of a part of speech; empty if unknown."""
        if part_of_speech in UPOS:
            return part_of_speech
        lower = part_of_speech.lower().strip(" .")
        if lower in self.tags:
            return self.tags[lower]
        start = _TAG.match(lower)
        return self.tags.get(start[0], "") if start else ""

    @cached_property
    def _part(self) -> re.Pattern[str]:
        return re.compile("|".join(re.escape(part) for part in sorted(self.joined, key=len, reverse=True)) or "(?!)")

    @cached_property
    def _joined(self) -> re.Pattern[str]:
        return re.compile(f"(?:{self._part.pattern})+")


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


@cache
def shipped_table() -> GlossTable:
    """The table that panparser ships."""
    empty: dict[str, Any] = {each.name: {} for each in fields(GlossTable)}
    return GlossTable(**{**empty, "joined": ()}).extend(read_values(_SHIPPED, "TOML", SpecError))


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
        known = table.lookup(element)
        if known is None and part.is_stem is False:
            known = table.lookup(element.upper())  # many write pl, pst for affixes
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


# Tags of words that have such features as well.
_LIKE = {
    "NOUN": frozenset(("NOUN", "PROPN", "ADJ", "PRON", "DET", "NUM")),
    "VERB": frozenset(("VERB", "AUX")),
    "ADJ": frozenset(("ADJ", "ADV")),
}


def stems(word: GlossedWord) -> list[Morpheme]:
    """The morphemes that are no affixes: by their kind, else by glosses not all in capitals, else the first."""
    if any(part.is_stem for part in word.morphemes):
        return [part for part in word.morphemes if part.is_stem]
    own = [part for part in word.morphemes if part.is_stem is None]
    lexical = [part for part in own if any(map(str.islower, part.gloss)) or part.gloss == "I"]
    return lexical or own[:1] or list(word.morphemes[:1])


def tag_of(word: GlossedWord, meaning: GlossMeaning, table: GlossTable) -> str:
    """UPOS of a word; empty if nothing tells.

    By part of speech, then by glosses: those of a word without a stem, affixes that make a word of another kind, the
    English word of a closed class or a name, features that only some kinds have.
    """
    return _sure_tag(word, meaning, table) or _by_english(word, meaning, table) or kind_of(meaning, table)


def better_tag(word: GlossedWord, meaning: GlossMeaning, table: GlossTable, linked: str, alone: str) -> str:
    """UPOS of a word where a model tags its gloss in the translation (`linked`), and without context (`alone`).

    Its tags go before what glosses only suggest, but not before features that words with such tags do not have.
    """
    if found := _sure_tag(word, meaning, table):
        return found
    if closed := _by_english(word, meaning, table):
        return linked or closed
    kind = kind_of(meaning, table)
    return next((tag for tag in (linked, alone) if tag and tag in _LIKE.get(kind, (tag,))), kind)


def _sure_tag(word: GlossedWord, said: GlossMeaning, table: GlossTable) -> str:
    """By what is no guess: part of speech, glosses of a word without a stem, derivation."""
    if word.is_punctuation:
        return "PUNCT"
    if found := table.tag(word.tag):
        return found
    derived = next((table.derivations[gloss] for gloss in said.glosses if table.derivations.get(gloss)), "")
    for stem in reversed(stems(word)):
        if found := table.tag(stem.tag):
            return derived or found
    if not said.english:
        return next((tag for gloss, tag in table.words.items() if tag and gloss in said.glosses), "")
    return derived


def _by_english(word: GlossedWord, said: GlossMeaning, table: GlossTable) -> str:
    """By the word that the stem is glossed with, if that is one of a closed class, a number or a name."""
    if not said.english:
        return ""
    if len(said.english) == 1 and (found := table.english.get(said.english[0].lower())):
        return found
    if all(each.isdigit() for each in said.english):
        return "NUM"
    if all(each[0].isupper() for each in said.english) and word.form[0].isupper():
        return "PROPN"
    return ""


def kind_of(meaning: GlossMeaning, table: GlossTable) -> str:
    """By features that only some kinds of words have."""
    return next((tag for name, tag in table.kinds.items() if tag and name in meaning.features), "")


def lemma_of(word: GlossedWord) -> str:
    """The citation form of the stem, or else its form; empty if the word is not segmented, and more than its stem."""
    if word.is_punctuation or not word.morphemes:
        return word.form if word.is_punctuation else ""
    found = stems(word)
    forms = [part.lemma or part.form for part in found]
    return "".join(forms) if all(forms) else ""
