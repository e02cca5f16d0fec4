"""Classes of dependents with a typological word order: their members, and the values of WALS for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label

# What typology says of a class: the share of dependents before their heads, or whether there are such words at all.
Value: TypeAlias = float | Literal["present", "absent"]
NOMINAL = ("NOUN", "PROPN")
BEFORE, AFTER, BOTH = 1.0, 0.0, 0.5
PRESENT: Literal["present"] = "present"
ABSENT: Literal["absent"] = "absent"
NO_CLASS = -1  # the class of words that are in none


@dataclass(frozen=True, kw_only=True)
class Dependents:
    """A class of dependents.

    A word belongs to it if its label without subtype, its tag, its head's tag (empty: any) and its features fit. A
    value of WALS that is not listed says nothing.
    """

    name: str
    feature: str  # of WALS
    labels: tuple[str, ...]
    tags: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()  # features of which it has one
    none_of: tuple[str, ...] = ()
    values: Mapping[int, Value] = field(hash=False)
    at_edge: bool = False  # it stands at the edge of what its head heads, not next to the head

    @property
    def title(self) -> str:
        return self.name.replace("_", " ")

    @property
    def is_article(self) -> bool:
        """Does typology say only whether there are such words, and not where?"""
        return PRESENT in self.values.values()

    @property
    def may_be_absent(self) -> bool:
        """Are there languages without such words?"""
        return ABSENT in self.values.values()


_ORDER = {1: BEFORE, 2: AFTER, 3: BOTH}
_ARTICLE: Mapping[int, Value] = {1: PRESENT, 2: PRESENT, 3: ABSENT, 4: ABSENT, 5: ABSENT}
CLASSES = (
    Dependents(
        name="adposition",
        feature="85A",
        labels=("case",),
        tags=("ADP",),
        values={1: AFTER, 2: BEFORE, 4: BOTH},
        at_edge=True,
    ),
    Dependents(
        name="genitive",
        feature="86A",
        labels=("nmod", "compound"),
        tags=(*NOMINAL, "PRON"),
        heads=NOMINAL,
        values=_ORDER,
    ),
    Dependents(name="adjective", feature="87A", labels=("amod",), tags=("ADJ",), heads=NOMINAL, values=_ORDER),
    Dependents(
        name="demonstrative",
        feature="88A",
        labels=("det",),
        tags=("DET",),
        heads=NOMINAL,
        any_of=("PronType=Dem",),
        values={1: BEFORE, 2: AFTER, 3: ABSENT, 4: ABSENT, 5: BOTH, 6: BOTH},  # affixes
    ),
    Dependents(name="numeral", feature="89A", labels=("nummod",), tags=("NUM",), heads=NOMINAL, values=_ORDER),
    Dependents(
        name="relative_clause",
        feature="90A",
        labels=("acl",),
        heads=NOMINAL,
        values={1: AFTER, 2: BEFORE, 7: BOTH},
    ),
    Dependents(name="degree_word", feature="91A", labels=("advmod",), tags=("ADV",), heads=("ADJ",), values=_ORDER),
    Dependents(
        name="subordinator",
        feature="94A",
        labels=("mark",),
        tags=("SCONJ",),
        heads=("VERB",),
        values={1: BEFORE, 2: AFTER, 4: ABSENT, 5: BOTH},  # a suffix
        at_edge=True,
    ),
    Dependents(name="subject", feature="82A", labels=("nsubj", "csubj"), heads=("VERB",), values=_ORDER),
    Dependents(name="object", feature="83A", labels=("obj",), heads=("VERB",), values=_ORDER),
    Dependents(
        name="definite_article",
        feature="37A",
        labels=("det",),
        tags=("DET",),
        any_of=("Definite=Def", "PronType=Art"),
        none_of=("Definite=Ind", "PronType=Dem"),
        values=_ARTICLE,
    ),
    Dependents(
        name="indefinite_article",
        feature="38A",
        labels=("det",),
        tags=("DET",),
        any_of=("Definite=Ind",),
        none_of=("PronType=Dem",),
        values=_ARTICLE,
    ),
)
NAMES = tuple(each.name for each in CLASSES)


def classes_of(treebank: Treebank) -> npt.NDArray[np.int8]:
    """For each word the number of its class in CLASSES; NONE if it has none, or no head that is a word."""
    found = np.full(treebank.words, NO_CLASS, dtype=np.int8)
    if not treebank.words:
        return found
    heads, tags = treebank.heads, treebank.vocabulary("upos")
    head_tag = treebank.column("upos")[np.maximum(heads - 1, 0) + treebank.offsets[treebank.sentence_of_word()]]
    labels = [base_label(label) for label in treebank.vocabulary("deprel")]
    features = [_features(cell) for cell in treebank.vocabulary("feats")]
    for number, each in enumerate(CLASSES):
        fits = (heads > 0) & _among(labels, each.labels)[treebank.labels]
        if each.tags:
            fits &= _among(tags, each.tags)[treebank.column("upos")]
        if each.heads:
            fits &= _among(tags, each.heads)[head_tag]
        if each.any_of:
            chosen = [not has.isdisjoint(each.any_of) and has.isdisjoint(each.none_of) for has in features]
            fits &= np.array(chosen)[treebank.column("feats")]
        found[fits] = number
    return found


def _among(names: Sequence[str], chosen: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    return np.array([name in chosen for name in names])


def _features(cell: str) -> set[str]:
    """Pairs such as Definite=Def; of several values of a key, a pair for each."""
    pairs = (item.partition("=") for item in cell.split("|"))
    return {f"{key}={value}" for key, _, values in pairs for value in values.split(",")}
