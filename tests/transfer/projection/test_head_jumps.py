"""Distances from the links of heads, compared with sums over all pairs of links."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panparser.transfer.projection.alignment import DependencyJumps

REACH, TAGS = 2, 3


@st.composite
def batches(draw):
    """(b, i, j) links, (b, i) heads and tags, (b, j) words."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    sentences, sources, targets = draw(st.integers(1, 2)), draw(st.integers(1, 4)), draw(st.integers(1, 6))
    words = np.arange(targets) < rng.integers(1, targets + 1, (sentences, 1))
    links = rng.random((sentences, sources, targets)) * words[:, None, :] / (2 * targets)
    heads = rng.integers(-1, sources, (sentences, sources))
    heads[heads == np.arange(sources)] = -1
    return links, heads, rng.integers(0, TAGS, (sentences, sources)), words


def bin_of(distance):
    return max(-REACH, min(REACH, distance)) + REACH


def weights_by_hand(links, heads, tags):
    counts = np.ones((TAGS, 2 * REACH + 1))
    for b, i in np.ndindex(heads.shape):
        if heads[b, i] >= 0:
            for j, k in np.ndindex(links.shape[2], links.shape[2]):
                counts[tags[b, i], bin_of(j - k)] += links[b, i, j] * links[b, heads[b, i], k]
    counts[:, REACH] = 0
    weights = counts / counts.sum(axis=1, keepdims=True)
    weights[:, [0, -1]] /= 5
    return weights


@settings(max_examples=30)
@given(batches())
def test_support_is_the_sum_over_links_of_heads_and_dependents(drawn):
    links, heads, tags, words = drawn
    model = DependencyJumps(TAGS, REACH)
    model.count(links, heads, tags)
    model.learn()
    weights = weights_by_hand(links, heads, tags)
    assert model.weights == pytest.approx(weights)
    found = model.support(links, heads, tags, words)
    targets = range(links.shape[2])
    for b, i, j in np.ndindex(links.shape):
        length, own = int(words[b].sum()), heads[b, i]
        expected = 1.0
        if own >= 0:
            near = sum(weights[tags[b, i], bin_of(j - k)] * links[b, own, k] for k in targets)
            expected = length * near + 1 - links[b, own].sum()
        told = 0.0
        for d in np.flatnonzero(heads[b] == i):
            near = sum(weights[tags[b, d], bin_of(k - j)] * links[b, d, k] for k in targets)
            told += math.log(length * near + 1 - links[b, d].sum())
        assert found[b, i, j] == pytest.approx(expected * math.exp(max(-8, min(8, told))))


def test_a_word_is_sought_beside_its_head():
    """A tag whose words follow their heads at once; the head is linked with word 2, and the word perhaps with any."""
    model = DependencyJumps(1, REACH)
    links = np.zeros((1, 2, 4))
    links[0, 0, 1] = links[0, 1, 2] = 1.0
    heads, tags = np.array([[-1, 0]]), np.zeros((1, 2), np.int64)
    for _ in range(20):
        model.count(links, heads, tags)
    model.learn()
    unsure = np.array([[[0, 0, 1.0, 0], [0.25, 0.25, 0.25, 0.25]]])
    support = model.support(unsure, heads, tags, np.ones((1, 4), bool))
    assert support[0, 1].argmax() == 3
    assert support[0, 1, 2] == 0
    assert support[0, 0].argmax() != 3
