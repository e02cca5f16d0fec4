"""Where translations of words stand, as seen from those of their heads: what the trees of the source tell an aligner.

A hidden Markov model knows how far a link is from that of the word before. In another order of words, that of the head
is a better guide: an adposition stands beside its noun, on one side or the other, wherever both have gone. How far and
on which side is learned by tag. All arrays are padded: sentences b, source words i, target words j.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from panparser._arrays import BoolArray, FloatArray, LongArray

_SEEN = 1.0  # of each distance, before anything is learned
_FAR = 5.0  # distances that the last one stands for
_MOST = 8.0  # logarithm of what all dependents of a word together can change
_LEAST = 1e-9  # instead of 0, where a logarithm is taken


class DependencyJumps:
    """Distances between the translations of words and those of their heads, by the words' tags."""

    def __init__(self, tags: int, reach: int) -> None:
        self.reach = reach
        self.counts = np.full((tags, 2 * reach + 1), _SEEN)
        self.weights = np.zeros_like(self.counts)

    def count(self, links: FloatArray, heads: LongArray, tags: LongArray) -> None:
        """Counts what probable links, (b, i, j), show; `heads` (b, i): positions, -1 for Root, none and padding."""
        above = _of_heads(links, heads)
        for number, near in enumerate(_near(above, self.reach)):
            self.counts[:, number] += np.bincount(tags.ravel(), (links * near).sum(axis=2).ravel(), len(self.counts))

    def learn(self) -> None:
        """Makes probabilities of what was counted. No word has the translation of its head."""
        self.counts[:, self.reach] = 0.0
        self.weights = self.counts / self.counts.sum(axis=1, keepdims=True)
        self.weights[:, [0, -1]] /= _FAR
        self.counts = np.full_like(self.counts, _SEEN)

    def support(self, links: FloatArray, heads: LongArray, tags: LongArray, target_words: BoolArray) -> FloatArray:
        """(b, i, j) How much more probable each link is, given those of head and dependents, than without them.

        A head, or a dependent, tells nothing as far as it has no link.
        """
        lengths = target_words.sum(axis=1)[:, None, None]
        has_head = (heads >= 0)[:, :, None]
        above = _of_heads(links, heads)
        weights = self.weights[tags][:, :, :, None]  # (b, i, distance, 1)
        from_head = lengths * sum(weights[:, :, d] * near for d, near in enumerate(_near(above, self.reach)))
        from_head += np.maximum(1 - above.sum(axis=2, keepdims=True), 0.0)
        last = 2 * self.reach
        from_word = lengths * sum(weights[:, :, last - d] * near for d, near in enumerate(_near(links, self.reach)))
        from_word += np.maximum(1 - links.sum(axis=2, keepdims=True), 0.0)
        from_dependents = np.zeros_like(links)
        sentence, word = np.nonzero(heads >= 0)
        told = np.log(np.maximum(from_word[sentence, word], _LEAST))
        np.add.at(from_dependents, (sentence, heads[sentence, word]), told)
        support: FloatArray = np.where(has_head, from_head, 1.0) * np.exp(np.clip(from_dependents, -_MOST, _MOST))
        return support


def _of_heads(links: FloatArray, heads: LongArray) -> FloatArray:
    """(b, i, j) The links of the head of each word; none if it has none."""
    found: FloatArray = np.take_along_axis(links, np.maximum(heads, 0)[:, :, None], axis=1) * (heads >= 0)[:, :, None]
    return found


def _near(values: FloatArray, reach: int) -> Iterator[FloatArray]:
    """By distance d from -reach to reach: at j, the value at j - d; at both ends, the sum of all farther ones."""
    size = values.shape[2]
    sums = np.concatenate([np.zeros_like(values[:, :, :1]), np.cumsum(values, axis=2)], axis=2)
    places = np.arange(size)
    yield sums[:, :, -1:] - sums[:, :, np.minimum(places + reach, size)]
    for distance in range(1 - reach, reach):
        near = np.zeros_like(values)
        start, end = max(distance, 0), min(size + distance, size)
        if start < end:
            near[:, :, start:end] = values[:, :, start - distance : end - distance]
        yield near
    yield sums[:, :, np.maximum(places - reach + 1, 0)]
