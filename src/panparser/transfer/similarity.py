"""Similarity of languages by their tags: KL divergence of trigrams, and tag language models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from panparser.base.checks import SHARE, Interval, check_number
from panparser.base.types import BoolArray, FloatArray, LongArray
from panparser.errors import SpecError, TreebankError
from panparser.treebank.treebank import Treebank

MIN_PROBABILITY = 1e-6  # nats: a divergence below that weighs as much as this
MIN_RELIABLE_WORDS = 1000  # of a source: trigrams that it lacks are too many, and count too much, to tell how far it is
_UNTAGGED = "_"


@dataclass(frozen=True, eq=False)
class TagTrigramCounts:
    """How often each sequence of three tags (UPOS) occurs in the sentences of a treebank.

    A sentence begins and ends with one boundary, so that each of its words is the middle of one trigram. Words without
    a tag are left out, as if they were not there. `codes` are distinct numbers of trigrams, rising: those of three
    tags, digits in the base of `len(tags) + 1`, in which 0 is the boundary and 1 the first of `tags`.
    """

    tags: tuple[str, ...]
    codes: LongArray
    counts: LongArray
    path: str
    sentences: int
    untagged: int

    @classmethod
    def from_treebank(cls, treebank: Treebank) -> TagTrigramCounts:
        """Those of a treebank. Raises TreebankError if it has no tags."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        treebank.check()
        names, column = treebank.vocabulary("upos"), treebank.column("upos")
        used = np.unique(column)
        tags = tuple(sorted({names[number] for number in used.tolist()} - {_UNTAGGED}))
        if not tags:
            raise TreebankError(f"{treebank.path}: expected words with tags (UPOS), found none")
        place = {tag: number for number, tag in enumerate(tags, start=1)}
        middle = np.array([place.get(name, -1) for name in names], dtype=np.int64)[column]
        tagged = middle >= 0
        sentence, middle = treebank.sentence_of_word()[tagged], middle[tagged]
        same = np.append(sentence[1:] == sentence[:-1], False)  # the next word is of the same sentence
        after = np.where(same, np.append(middle[1:], 0), 0)
        before = np.append(0, np.where(same, middle, 0)[:-1])
        base = len(tags) + 1
        codes, counts = np.unique((before * base + middle) * base + after, return_counts=True)
        return cls(tags, codes, counts, treebank.path, len(treebank), int((~tagged).sum()))

    def renumbered(self, tags: Sequence[str]) -> LongArray:
        """The codes of the trigrams in terms of other tags, which must have all of these."""
        places = {tag: number for number, tag in enumerate(tags, start=1)}
        to = np.array([0, *(places[tag] for tag in self.tags)], dtype=np.int64)
        base, other = len(self.tags) + 1, len(tags) + 1
        first, rest = np.divmod(self.codes, base * base)
        second, third = np.divmod(rest, base)
        return (to[first] * other + to[second]) * other + to[third]


@dataclass(frozen=True)
class SourceSimilarity:
    """A source by its similarity to a target: `number` among the sources, divergence, and weight.

    `is_small`: it has too few words to tell, and its divergence is less than that of a larger one would be.
    """

    index: int
    path: str
    divergence: float
    weight: float
    sentences: int
    untagged: int
    has_too_few_words: bool = False


def measure_similarity(target: Treebank | TagTrigramCounts, source: Treebank | TagTrigramCounts) -> float:
    """KLcpos3 of two treebanks, in nats: 0 where tags follow each other equally often, and larger the less alike.

    The divergence of the trigrams of tags (UPOS) in the source from those in the target: the sum over all trigrams of
    the target of f ln(f / g), where f and g are their relative frequencies there and in the source; those that the
    source lacks count once. It is not symmetric. Only tags are read; 20 sentences of a target are enough to rank
    sources. `TagTrigramCounts.of(treebank)` in place of a treebank saves counting it again.
    """
    wanted, given = _counted(target), _counted(source)
    _, _, counts, lacking = _aligned(wanted, given)
    return _divergence(wanted.counts, counts, int(given.counts.sum()) + int(lacking.sum()))


def measure_similarity_by_tag(
    target: Treebank | TagTrigramCounts, source: Treebank | TagTrigramCounts
) -> dict[str, float]:
    """The same for each tag of the target that the source has: of the trigrams that it is in the middle of alone."""
    wanted, given = _counted(target), _counted(source)
    tags, own, counts, lacking = _aligned(wanted, given)
    base = len(tags) + 1
    middle, of_source = (codes // base % base for codes in (own, given.renumbered(tags)))
    found = {}
    for number, tag in enumerate(tags, start=1):
        chosen, size = middle == number, int(given.counts[of_source == number].sum())
        if chosen.any() and size:
            total = size + int(lacking[chosen].sum())
            found[tag] = _divergence(wanted.counts[chosen], counts[chosen], total)
    return found


def _counted(treebank: Treebank | TagTrigramCounts) -> TagTrigramCounts:
    return treebank if isinstance(treebank, TagTrigramCounts) else TagTrigramCounts.from_treebank(treebank)


def _aligned(wanted: TagTrigramCounts, given: TagTrigramCounts) -> tuple[list[str], LongArray, LongArray, BoolArray]:
    """The tags of both; codes of the trigrams of the first, their counts in the second, and whether it lacks them."""
    tags = sorted({*wanted.tags, *given.tags})
    own, others = wanted.renumbered(tags), given.renumbered(tags)
    place = np.minimum(np.searchsorted(others, own), len(others) - 1)
    found = others[place] == own
    return tags, own, np.where(found, given.counts[place], 1), ~found


def _divergence(wanted: LongArray, given: LongArray, total: int) -> float:
    f, g = wanted / wanted.sum(), given / total
    return max(0.0, float((f * np.log(f / g)).sum()))


def rank_sources(
    target: Treebank | TagTrigramCounts, sources: Sequence[Treebank | TagTrigramCounts], *, exponent: float = 1.0
) -> list[SourceSimilarity]:
    """The sources of a target, the most similar first; equal ones in their order.

    Those of less than 1,000 words come behind all others, as far as the last of these at least. Weights, as for
    `combine`, are divergence ** -exponent; R&Ž 2015 have a power of 4.
    """
    check_number("rank_sources: exponent", exponent, Interval(0, 100))
    if isinstance(sources, Treebank) or not isinstance(sources, Sequence) or not sources:
        raise SpecError(f"rank_sources: sources must be a list of treebanks, at least one; got {sources!r}")
    wanted, counted = _counted(target), [_counted(source) for source in sources]
    divergences = [measure_similarity(wanted, given) for given in counted]
    large = [own for own, given in zip(divergences, counted, strict=True) if given.counts.sum() >= MIN_RELIABLE_WORDS]
    found = []
    for number, (given, divergence) in enumerate(zip(counted, divergences, strict=True)):
        is_small = bool(large) and given.counts.sum() < MIN_RELIABLE_WORDS
        told = max(divergence, *large) if is_small else divergence
        weight = max(told, MIN_PROBABILITY) ** -exponent
        found.append(SourceSimilarity(number, given.path, told, weight, given.sentences, given.untagged, is_small))
    return sorted(found, key=lambda each: (each.has_too_few_words, each.divergence))


@dataclass(frozen=True, eq=False)
class TagLanguageModel:
    """Probabilities of a tag after the two before it, by interpolated Witten-Bell smoothing of their counts.

    `logs[before, last, next]` are natural logarithms. 0 is the boundary of a sentence (twice before its first word),
    1 the first of `tags`, and the last number stands for all tags that the language was not seen with, `_` among them.
    """

    tags: tuple[str, ...]
    logs: FloatArray

    @classmethod
    def from_treebank(cls, treebank: Treebank | TagTrigramCounts) -> TagLanguageModel:
        """That of tagged sentences, which need no trees. Raises TreebankError if they have no tags."""
        trigrams = treebank if isinstance(treebank, TagTrigramCounts) else TagTrigramCounts.from_treebank(treebank)
        base = len(trigrams.tags) + 1
        counts = np.zeros((base + 1,) * 3)
        before, rest = np.divmod(trigrams.codes, base * base)
        last, following = np.divmod(rest, base)
        counts[before, last, following] = trigrams.counts
        counts[0, 0] = counts[0].sum(axis=1)  # first words
        counts[0, 0, 0] = 0
        found: FloatArray = np.full(base + 1, 1 / (base + 1))
        for axes in ((0, 1), (0,), ()):
            found = _smoothed(counts.sum(axis=axes), found)
        return cls(trigrams.tags, np.log(found))

    def numbers(self, treebank: Treebank) -> LongArray:
        """The number of each word's tag."""
        places = {tag: number for number, tag in enumerate(self.tags, start=1)}
        table = [places.get(tag, len(self.tags) + 1) for tag in treebank.vocabulary("upos")]
        return np.array(table, dtype=np.int64)[treebank.column("upos")]

    def perplexities(self, treebank: Treebank) -> FloatArray:
        """The perplexity of each sentence: e to the mean of minus the logarithms of its words and of its end."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        if not treebank.words:
            return np.zeros(0)
        numbers, sentence = self.numbers(treebank), treebank.sentence_of_word()
        place = np.arange(treebank.words) - treebank.offsets[sentence]
        last = np.where(place >= 1, np.roll(numbers, 1), 0)
        before = np.where(place >= 2, np.roll(numbers, 2), 0)
        sums = np.bincount(sentence, weights=self.logs[before, last, numbers], minlength=len(treebank))
        final = treebank.offsets[1:] - 1
        sums += self.logs[last[final], numbers[final], 0]
        found: FloatArray = np.exp(-sums / (np.diff(treebank.offsets) + 1))
        return found

    def perplexity(self, treebank: Treebank) -> float:
        """The perplexity of all sentences together."""
        lengths = np.diff(treebank.offsets) + 1
        return float(np.exp(np.average(np.log(self.perplexities(treebank)), weights=lengths)))


def select_similar_sentences(treebank: Treebank, model: TagLanguageModel, *, share: float = 0.9) -> Treebank:
    """The share of the sentences that a model of tags finds most probable, by their perplexity, in their order."""
    if not isinstance(model, TagLanguageModel):
        raise SpecError(f"select_similar_sentences: model must be a TagModel; got {model!r}")
    check_number("select_similar_sentences: share", share, SHARE)
    order = np.argsort(model.perplexities(treebank), kind="stable")[: round(share * len(treebank))]
    return treebank[sorted(order.tolist())]


def _smoothed(counts: FloatArray, shorter: FloatArray) -> FloatArray:
    """Relative frequencies, with as much weight for those of the shorter history as different tags were seen after it.

    Where nothing was seen, they are those of the shorter history.
    """
    total, kinds = counts.sum(axis=-1, keepdims=True), (counts > 0).sum(axis=-1, keepdims=True)
    smoothed = (counts + kinds * shorter) / np.maximum(total + kinds, 1)
    found: FloatArray = np.where(total > 0, smoothed, shorter)
    return found
