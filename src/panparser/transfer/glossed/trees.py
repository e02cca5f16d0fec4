"""Tags and partial trees of glossed sentences through their translations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from panparser.errors import SpecError
from panparser.pipeline.pipeline import Pipeline
from panparser.transfer.glossed.matching import Link, TranslationWords, match
from panparser.transfer.glossed.meaning import GlossMeaning
from panparser.transfer.glossed.sentences import GlossedSentence, GlossedWord
from panparser.transfer.glossed.table import GlossTable
from panparser.transfer.glossed.tagging import better_tag
from panparser.transfer.links import WordAlignments
from panparser.transfer.projection import project_trees
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank

_BATCH = 256  # sentences


def annotate(
    treebank: Treebank,
    sentences: Sequence[GlossedSentence],
    said: Sequence[Sequence[GlossMeaning]],
    nlp: Pipeline,
    *,
    table: GlossTable,
    trees: bool,
    report: Callable[[str, int, int], None] | None = None,
) -> None:
    """Writes tags where glosses only suggest them, and with `trees` heads and labels, into the treebank."""
    if not isinstance(nlp, Pipeline) or nlp.tokenizer is None or (trees and nlp.parser is None):
        parts = "a tokenizer, a tagger and a parser" if trees else "a tokenizer and a tagger"
        raise SpecError(f"nlp must be a pipeline with {parts}; got {nlp!r}")
    glosses = _glosses([word for words in said for word in words], nlp)
    for start in range(0, len(sentences), _BATCH):
        batch = range(start, min(start + _BATCH, len(sentences)))
        given = [at for at in batch if sentences[at].translation]
        translations = _translations([sentences[at].translation for at in given], nlp, trees)
        links = [_links(said[at], each, glosses, table) for at, each in zip(given, translations, strict=True)]
        linked = {
            at: _linked_tags(said[at], each, own, glosses)
            for at, each, own in zip(given, translations, links, strict=True)
        }
        for at in batch:
            words = list(zip(sentences[at].words, said[at], strict=True))
            _tag(treebank[at], words, linked.get(at, {}), glosses, table)
        if trees and given:
            _project(translations, treebank, given, links)
        if report is not None:
            report("translations", batch.stop, len(sentences))


# --- What the model says ---


@dataclass(frozen=True)
class _Glosses:
    """Lemmas of the words of glosses, and tags of glosses."""

    lemmas: Mapping[str, str]
    tags: Mapping[tuple[str, ...], str]


def _glosses(words: Sequence[GlossMeaning], nlp: Pipeline) -> _Glosses:
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
        tag = sentence[heads.index(0) if 0 in heads else -1].upos
        tags[gloss] = "" if tag == "_" else tag
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


def _links(words: Sequence[GlossMeaning], translation: Sentence, glosses: _Glosses, table: GlossTable) -> list[Link]:
    lemmas = [
        (form if lemma == "_" else lemma).lower()
        for form, lemma in zip(translation.forms, translation.values("lemma"), strict=True)
    ]
    forms = tuple(form.lower() for form in translation.forms)
    return match(words, glosses.lemmas, TranslationWords(forms, tuple(lemmas), _depths(translation)), table)


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


def _linked_tags(
    words: Sequence[GlossMeaning], translation: Sentence, links: Sequence[Link], glosses: _Glosses
) -> dict[int, str]:
    """Tags of the words of the translation that glosses consist of, not of others that the table gives for them."""
    tags: dict[int, str] = {}
    for at, other in links:
        token, own = translation[other], {gloss.lower() for gloss in words[at].english}
        own |= {glosses.lemmas.get(gloss, gloss) for gloss in own}
        if token.upos != "_" and (not own or own & {token.form.lower(), token.lemma.lower()}):
            tags[at] = token.upos
    return tags


def _tag(
    target: Sentence,
    words: Sequence[tuple[GlossedWord, GlossMeaning]],
    linked: Mapping[int, str],
    glosses: _Glosses,
    table: GlossTable,
) -> None:
    """Tags words as their word in the translation, or else as their gloss, where the table is not sure."""
    for at, (token, (word, said)) in enumerate(zip(target, words, strict=True)):
        alone = glosses.tags.get(tuple(said.english), "")
        token.upos = better_tag(word, said, table, linked.get(at, ""), alone) or "_"


def _project(
    translations: Treebank, treebank: Treebank, sentences: Sequence[int], links: Sequence[Sequence[Link]]
) -> None:
    """Projects heads and labels to some sentences; a final punctuation mark belongs to the root."""
    turned = WordAlignments(tuple(tuple(sorted((other, word) for word, other in each)) for each in links))
    projected = project_trees(translations, treebank[sentences], turned, same_tag=False)
    for at, found in zip(sentences, projected, strict=True):
        target = treebank[at]
        target.heads[:], target.labels = found.heads, found.labels
        heads: list[int] = target.heads.tolist()
        last = target[-1]
        if last.upos == "PUNCT" and last.head is None and 0 in heads:
            last.head, last.label = heads.index(0) + 1, "punct"
