"""Tags of words by their parts of speech and glosses."""

from __future__ import annotations

from panparser.transfer.glossed.gloss_table import GlossMeaning, GlossTable
from panparser.transfer.glossed.sentences import GlossedWord, Morpheme

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
