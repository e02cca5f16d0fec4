"""The hidden Markov model of word alignment (Vogel, Ney & Tillmann 1996), for many sentences at a time.

The words of the target are generated from left to right; each is the translation of the source word at some position,
or of none (Och & Ney 2003: the position is kept meanwhile). How probable a position is depends on how far it is from
the last one. All arrays are padded: sentences b, target words j, source words i.
"""

from __future__ import annotations

import numpy as np

from panparser.base.types import BoolArray, FloatArray, LongArray

_LEAST = 1e-300  # instead of 0, where something is divided by it


def hmm_posteriors(
    emissions: FloatArray,
    nulls: FloatArray,
    jumps: FloatArray,
    null: float,
    source_words: BoolArray,
    target_words: BoolArray,
) -> tuple[FloatArray, FloatArray]:
    """(b, j, i) How probable each link is, given both sentences; and how often each jump is expected.

    `emissions` (b, j, i): p(target word | source word), 0 outside of sentences; `nulls` (b, j): p(target word | none);
    `jumps`: weights of the distances -k..k, those at the ends for all that are longer; `null`: how probable it is that
    a word has no link; `source_words` (b, i), `target_words` (b, j): what is no padding.
    """
    size = emissions.shape[2]
    reach = len(jumps) // 2
    distances = np.clip(np.arange(size) - np.arange(size)[:, None], -reach, reach) + reach  # from row to column
    weights = jumps[distances]
    inside = source_words.astype(float)
    leaving = (1 - null) * inside / np.maximum(inside @ weights.T, _LEAST)
    start = inside / inside.sum(axis=1, keepdims=True)
    linked, before, scales = _forward(emissions, nulls, weights, leaving, start, null)
    posteriors = np.zeros_like(emissions)
    after = np.ones_like(start)
    expected = np.zeros((size, size))
    for j in reversed(range(emissions.shape[1])):
        alive = target_words[:, j, None]
        posteriors[:, j] = alive * linked[j] * after
        ahead = alive * emissions[:, j] * after / scales[j]
        if j:
            expected += (before[j - 1] * leaving).T @ ahead
        after = np.where(alive, leaving * (ahead @ weights.T) + null * nulls[:, j, None] * after / scales[j], 1.0)
    counts: FloatArray = np.bincount(distances.ravel(), (expected * weights).ravel(), minlength=len(jumps)).astype(
        float
    )
    return posteriors, counts


def _forward(
    emissions: FloatArray, nulls: FloatArray, weights: FloatArray, leaving: FloatArray, start: FloatArray, null: float
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """By target word: how probable each position is, given what precedes: with a link, and at all; the scales."""
    sentences, length, size = emissions.shape
    linked, anyhow = np.empty((length, sentences, size)), np.empty((length, sentences, size))
    scales = np.empty((length, sentences, 1))
    for j in range(length):
        last = anyhow[j - 1] if j else start
        linked[j] = ((last * leaving) @ weights if j else (1 - null) * start) * emissions[:, j]
        anyhow[j] = linked[j] + null * last * nulls[:, j, None]
        scales[j] = np.maximum(anyhow[j].sum(axis=1, keepdims=True), _LEAST)
        linked[j] /= scales[j]
        anyhow[j] /= scales[j]
    return linked, anyhow, scales


def model1_posteriors(
    emissions: FloatArray,
    nulls: FloatArray,
    diagonal: float,
    null: float,
    source_words: BoolArray,
    target_words: BoolArray,
) -> FloatArray:
    """(b, j, i) How probable each link is if words choose theirs alone, those at about the same place preferred.

    `diagonal`: a position whose place in its sentence differs by 1/diagonal of a sentence is e times less probable.
    """
    places = [_places(words) for words in (target_words, source_words)]
    prior = np.exp(-diagonal * np.abs(places[0][:, :, None] - places[1][:, None, :])) * source_words[:, None, :]
    linked = (1 - null) * prior / prior.sum(axis=2, keepdims=True) * emissions
    total = linked.sum(axis=2) + null * nulls
    posteriors: FloatArray = linked / np.maximum(total, _LEAST)[:, :, None] * target_words[:, :, None]
    return posteriors


def _places(words: BoolArray) -> FloatArray:
    """Where each word is in its sentence, from 0 to 1."""
    lengths: LongArray = words.sum(axis=1, keepdims=True)
    places: FloatArray = (np.arange(words.shape[1]) + 0.5) / lengths
    return places
