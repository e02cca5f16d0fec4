"""TagModel: how probable sequences of tags (UPOS) are in a language; which sentences of another are most like it.

Selection is after Søgaard (2011), "Data point selection for cross-language adaptation of dependency parsers".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from panparser._arrays import FloatArray, LongArray
from panparser._checks import check_share
from panparser.errors import SpecError, TreebankError
from panparser.transfer.tag_trigrams import TagTrigramCounts
from panparser.treebank.treebank import Treebank


@dataclass(frozen=True, eq=False)
class TagLanguageModel:
    """Probabilities of a tag after the two before it, by interpolated Witten-Bell smoothing of their counts.

    `logs[before, last, next]` are natural logarithms. 0 is the boundary of a sentence (twice before its first word),
    1 the first of `tags`, and the last number stands for all tags that the language was not seen with, `_` among them.
    """

    tags: tuple[str, ...]
    logs: FloatArray

    @classmethod
    def of(cls, treebank: Treebank | TagTrigramCounts) -> TagLanguageModel:
        """That of tagged sentences, which need no trees. Raises TreebankError if they have no tags."""
        trigrams = treebank if isinstance(treebank, TagTrigramCounts) else TagTrigramCounts.of(treebank)
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
    check_share("select_similar_sentences: share", share)
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
