"""Trees for glossed sentences, through their translations."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from panparser.errors import SpecError
from panparser.pipeline.pipeline import Pipeline
from panparser.transfer.glossed.gloss_table import GlossMeaning, GlossTable, better_tag
from panparser.transfer.glossed.sentences import GlossedSentence, GlossedWord
from panparser.transfer.projection.links import WordAlignments
from panparser.transfer.projection.projecting import project_trees
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

Link = tuple[int, int]  # a word of the sentence and one of the translation, both from 0


@dataclass(frozen=True)
class TranslationWords:
    """The words of a translation, in lower case, and how deep in its tree each is (0: the root)."""

    forms: tuple[str, ...]
    lemmas: tuple[str, ...]
    depths: tuple[int, ...]


def match(
    words: Sequence[GlossMeaning], lemmas: Mapping[str, str], translation: TranslationWords, table: GlossTable
) -> list[Link]:
    """Links of words and words of the translation, at most one for each, in the order of the words.

    Surest first: the same form, the form that is the other's lemma, the same lemma (`lemmas`: of glosses in lower
    case), a word of a gloss of several, and what the table gives for glosses. Where a word is there
    several times, the first is linked with the first, and so on; of more on one side, those in similar places.
    """
    found = GlossMatcher(len(words), len(translation.forms))
    single = {at: word.english[0].lower() for at, word in enumerate(words) if len(word.english) == 1}
    by_lemma = {at: lemmas.get(gloss, gloss) for at, gloss in single.items()}
    kinds = ((single, translation.forms), (single, translation.lemmas), (by_lemma, translation.lemmas))
    for once in (True, False):
        for own, others in kinds:
            found.link(own, others, once=once)
    several = {at: [gloss.lower() for gloss in word.english] for at, word in enumerate(words) if len(word.english) > 1}
    for at, glosses in several.items():
        either = {*glosses, *(lemmas.get(gloss, gloss) for gloss in glosses)}
        found.choose(at, partial(_has, translation, either), translation.depths)
    for at, word in enumerate(words):
        keys = table_words([gloss.lower() for gloss in word.english] or word.glosses, table)
        if at not in found.links and keys:
            found.choose(at, partial(_has, translation, keys), [0] * len(translation.forms))
    return sorted(found.links.items())


def _has(translation: TranslationWords, keys: Collection[str], there: int) -> bool:
    return translation.forms[there] in keys or translation.lemmas[there] in keys


def table_words(glosses: Sequence[str], table: GlossTable) -> tuple[str, ...]:
    """English words for glosses: those of the entry that holds most of them."""
    held = [(key.split("."), words) for key, words in table.translations.items()]
    fitting = [(len(key), words) for key, words in held if set(key) <= set(glosses)]
    return max(fitting, key=lambda entry: entry[0], default=(0, ()))[1]


class GlossMatcher:
    """Links that are found one kind after the other."""

    def __init__(self, words: int, others: int) -> None:
        self.links: dict[int, int] = {}
        self._taken: set[int] = set()
        self._words, self._others = max(words, 1), max(others, 1)

    def link(self, keys: Mapping[int, str], others: Sequence[str], *, once: bool) -> None:
        """Links words with others of the same key, in order; with `once` only keys that each side has once."""
        here: defaultdict[str, list[int]] = defaultdict(list)
        there: defaultdict[str, list[int]] = defaultdict(list)
        for at, key in keys.items():
            if at not in self.links:
                here[key].append(at)
        for at, key in enumerate(others):
            if at not in self._taken and key in here:
                there[key].append(at)
        for key, places in there.items():
            if not once or len(here[key]) == len(places) == 1:
                for pair in in_order(here[key], places, self._distance):
                    self._add(*pair)

    def choose(self, word: int, fits: Callable[[int], bool], depths: Sequence[int]) -> None:
        """Links a word with the highest of those that fit, or else the nearest."""
        open_ones = [at for at in range(len(depths)) if at not in self._taken and fits(at)]
        if open_ones:
            self._add(word, min(open_ones, key=lambda at: (depths[at], self._distance(word, at), at)))

    def _add(self, word: int, other: int) -> None:
        self.links[word] = other
        self._taken.add(other)

    def _distance(self, word: int, other: int) -> float:
        """How far a word would be from where the links of the nearest words before and after it lead to."""
        near = [at for at in (self._next(word, -1), self._next(word, 1)) if at is not None]
        if near:
            return min(abs(self.links[at] + word - at - other) for at in near)
        return abs((word + 0.5) / self._words * self._others - other - 0.5)

    def _next(self, word: int, step: int) -> int | None:
        """The nearest linked word in a direction."""
        at = word + step
        while 0 <= at < self._words:
            if at in self.links:
                return at
            at += step
        return None


def in_order(first: Sequence[int], second: Sequence[int], distance: Callable[[int, int], float]) -> list[Link]:
    """As many pairs as the shorter list has, none crossing another, with the least sum of distances."""
    if len(first) > len(second):
        return [(a, b) for b, a in in_order(second, first, lambda b, a: distance(a, b))]
    best: list[tuple[float, tuple[Link, ...]]] = [(0.0, ())] * (len(second) + 1)  # by how many of `second` are passed
    for count, a in enumerate(first, start=1):
        before, best = best, [(float("inf"), ())] * count
        for passed in range(count, len(second) - len(first) + count + 1):
            b = second[passed - 1]
            cost, pairs = before[passed - 1]
            taken = (cost + distance(a, b), (*pairs, (a, b)))
            best.append(min(best[-1], taken, key=lambda entry: entry[0]))
        best += [best[-1]] * (len(second) + 1 - len(best))
    return list(best[-1][1])


_BATCH = 256  # sentences


def annotate(
    treebank: Treebank,
    sentences: Sequence[GlossedSentence],
    meanings: Sequence[Sequence[GlossMeaning]],
    nlp: Pipeline,
    *,
    table: GlossTable,
    trees: bool,
    progress: Callable[[str, int, int], None] | None = None,
) -> None:
    """Writes tags where glosses only suggest them, and with `trees` heads and labels, into the treebank."""
    if not isinstance(nlp, Pipeline) or nlp.tokenizer is None or (trees and nlp.parser is None):
        parts = "a tokenizer, a tagger and a parser" if trees else "a tokenizer and a tagger"
        raise SpecError(f"nlp must be a pipeline with {parts}; got {nlp!r}")
    glosses = _glosses([word for words in meanings for word in words], nlp)
    for start in range(0, len(sentences), _BATCH):
        batch = range(start, min(start + _BATCH, len(sentences)))
        given = [at for at in batch if sentences[at].translation]
        translations = _translations([sentences[at].translation for at in given], nlp, trees)
        links = [_links(meanings[at], each, glosses, table) for at, each in zip(given, translations, strict=True)]
        linked = {
            at: _linked_tags(meanings[at], each, own, glosses)
            for at, each, own in zip(given, translations, links, strict=True)
        }
        for at in batch:
            words = list(zip(sentences[at].words, meanings[at], strict=True))
            _tag(treebank[at], words, linked.get(at, {}), glosses, table)
        if trees and given:
            _project(translations, treebank, given, links)
        if progress is not None:
            progress("translations", batch.stop, len(sentences))


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
    found = nlp("\n".join(texts), input_format="lines", stop_after="trees" if trees else "tags")
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
