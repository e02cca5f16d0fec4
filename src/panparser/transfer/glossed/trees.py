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
from panparser.transfer.links import Links
from panparser.transfer.projection import project
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
        batch = range(start, min(start + _BATCH, len(sentences)))
        given = [at for at in batch if sentences[at].translation]
        translations = _translations([sentences[at].translation for at in given], nlp, trees)
        found = {at: _links(said[at], each, glosses, table) for at, each in zip(given, translations, strict=True)}
        tags = {at: each.values("upos") for at, each in zip(given, translations, strict=True)}
        for at in batch:
            linked = {word: tags[at][other] for word, other in found.get(at, ())}
            _tag(treebank[at], said[at], linked, glosses)
        if trees and given:
            _project(translations, treebank, given, [found[at] for at in given])
        if report is not None:
            report("translations", batch.stop, len(sentences))


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


def _translations(texts: Sequence[str], nlp: Pipeline, trees: bool) -> Treebank:
    """The translations, each as one sentence."""
    if not texts:
        return Treebank(b"")
    found = nlp("\n".join(texts), given="lines", until="trees" if trees else "tags")
    for sentence in found:
        sentence.comments = []  # its sent_id is not that of the sentence that it translates
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


def _tag(target: Sentence, words: Sequence[Meaning], linked: Mapping[int, str], glosses: _Glosses) -> None:
    """Tags words that have none: as their word in the translation, or else as their gloss."""
    for at, (token, word) in enumerate(zip(target, words, strict=True)):
        if token.upos == "_":
            token.upos = linked.get(at) or glosses.tags.get(tuple(word.english), "_")


def _project(
    translations: Treebank, treebank: Treebank, sentences: Sequence[int], links: Sequence[Sequence[Link]]
) -> None:
    """Projects heads and labels to some sentences; a final punctuation mark belongs to the root."""
    turned = Links(tuple(tuple(sorted((other, word) for word, other in each)) for each in links))
    projected = project(translations, treebank[sentences], turned, same_tag=False)
    for at, found in zip(sentences, projected, strict=True):
        target = treebank[at]
        target.heads[:], target.labels = found.heads, found.labels
        heads: list[int] = target.heads.tolist()
        last = target[-1]
        if last.upos == "PUNCT" and last.head is None and 0 in heads:
            last.head, last.label = heads.index(0) + 1, "punct"
