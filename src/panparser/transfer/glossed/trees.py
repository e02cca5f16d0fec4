"""Tags and partial trees of glossed sentences through their translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from panparser.errors import SpecError
from panparser.pipeline.pipeline import Pipeline
from panparser.transfer.glossed.matching import Link, Translated, match
from panparser.transfer.glossed.meaning import Meaning
from panparser.transfer.glossed.sentences import GlossedSentence
from panparser.transfer.glossed.table import GlossTable
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank

_BATCH = 256  # sentences


def annotate(
    treebank: Treebank,
    sentences: Sequence[GlossedSentence],
    said: Sequence[Sequence[Meaning]],
    nlp: Pipeline,
    *,
    table: GlossTable,
    trees: bool,
    report: Callable[[str, int, int], None] | None = None,
) -> None:
    """Writes tags of words without one, and with `trees` heads and labels, into the treebank of glossed sentences."""
    if not isinstance(nlp, Pipeline) or nlp.tokenizer is None or (trees and nlp.parser is None):
        parts = "a tokenizer, a tagger and a parser" if trees else "a tokenizer and a tagger"
        raise SpecError(f"nlp must be a pipeline with {parts}; got {nlp!r}")
    glosses = _glosses([word for words in said for word in words], nlp)
    for start in range(0, len(sentences), _BATCH):
        chosen = range(start, min(start + _BATCH, len(sentences)))
        translated = _translated([sentences[at].translation for at in chosen], nlp, trees)
        for at, translation in zip(chosen, translated, strict=True):
            links = [] if translation is None else _links(said[at], translation, glosses, table)
            _tag(treebank[at], said[at], translation, links, glosses)
            if trees and translation is not None:
                _project(translation, treebank[at], links)
        if report is not None:
            report("translations", chosen[-1] + 1, len(sentences))


# --- What the model says ---


@dataclass(frozen=True)
class _Glosses:
    """Lemmas of the words of glosses, and tags of glosses."""

    lemmas: Mapping[str, str]
    tags: Mapping[tuple[str, ...], str]


def _glosses(words: Sequence[Meaning], nlp: Pipeline) -> _Glosses:
    """Every gloss, annotated as if it were a sentence."""
    distinct = list(dict.fromkeys(tuple(word.english) for word in words if word.english))
    if not distinct:
        return _Glosses({}, {})
    found = nlp([list(gloss) for gloss in distinct])
    lemmas: dict[str, str] = {}
    tags: dict[tuple[str, ...], str] = {}
    for gloss, sentence in zip(distinct, found, strict=True):
        for token in sentence:
            if token.lemma != "_":
                lemmas.setdefault(token.form.lower(), token.lemma.lower())
        heads = sentence.heads.tolist()
        tags[gloss] = sentence[heads.index(0) if 0 in heads else -1].upos
    return _Glosses(lemmas, tags)


def _translated(translations: Sequence[str], nlp: Pipeline, trees: bool) -> list[Sentence | None]:
    """The translations, each as one sentence; None where there is none."""
    given = [at for at, text in enumerate(translations) if text]
    found: list[Sentence | None] = [None] * len(translations)
    if given:
        lines = "\n".join(translations[at] for at in given)
        parsed = nlp(lines, given="lines", until="trees" if trees else "tags")
        for at, sentence in zip(given, parsed, strict=True):
            found[at] = sentence
    return found


# --- What follows for the words ---


def _links(words: Sequence[Meaning], translation: Sentence, glosses: _Glosses, table: GlossTable) -> list[Link]:
    lemmas = [
        (form if lemma == "_" else lemma).lower()
        for form, lemma in zip(translation.forms, translation.values("lemma"), strict=True)
    ]
    forms = tuple(form.lower() for form in translation.forms)
    return match(words, glosses.lemmas, Translated(forms, tuple(lemmas), _depths(translation)), table)


def _depths(sentence: Sentence) -> tuple[int, ...]:
    """How many words are above each; 0 where there is no tree."""
    heads: list[int] = sentence.heads.tolist()
    depths = []
    for word in range(len(heads)):
        depth = 0
        while heads[word] > 0:
            word, depth = heads[word] - 1, depth + 1
        depths.append(depth)
    return tuple(depths)


def _tag(
    target: Sentence, words: Sequence[Meaning], translation: Sentence | None, links: Sequence[Link], glosses: _Glosses
) -> None:
    """Tags words that have none: as their word in the translation, or else as their gloss."""
    linked = {} if translation is None else {word: translation[other].upos for word, other in links}
    for at, (token, word) in enumerate(zip(target, words, strict=True)):
        if token.upos == "_":
            token.upos = linked.get(at) or glosses.tags.get(tuple(word.english), "_")


def _project(source: Sentence, target: Sentence, links: Sequence[Link]) -> None:
    """Heads and labels of linked words whose head is linked, too, or Root; a final mark belongs to the root."""
    place = {other + 1: word + 1 for word, other in links} | {0: 0}
    for word, other in links:
        token = source[other]
        head = place.get(-1 if token.head is None else token.head)
        if head is not None:
            target[word].head = head
            target[word].label = token.label.partition(":")[0]
    heads: list[int] = target.heads.tolist()
    last = target[-1]
    if last.upos == "PUNCT" and last.head is None and 0 in heads:
        last.head, last.label = heads.index(0) + 1, "punct"
