"""Tags and relations of Universal Dependencies, and the subtypes that languages add."""

from __future__ import annotations

UPOS = frozenset("ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X".split())
RELATIONS = frozenset(
    "acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det discourse dislocated expl "
    "fixed flat goeswith iobj list mark nmod nsubj nummod obj obl orphan parataxis punct reparandum root "
    "vocative xcomp".split()
)
# https://universaldependencies.org/u/feat: those of version 2; a layer such as Number[psor] is a language's own.
FEATURES = frozenset(
    "PronType NumType Poss Reflex Abbr Typo Foreign ExtPos Gender Animacy NounClass Number Case Definite Deixis "
    "DeixisRef Degree VerbForm Mood Tense Aspect Voice Evident Polarity Person Polite Clusivity".split()
)


def base_label(label: str) -> str:
    """A label without its subtype: `nmod` of `nmod:poss`."""
    return label.partition(":")[0]
