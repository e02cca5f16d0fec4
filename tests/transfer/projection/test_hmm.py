"""The hidden Markov model of alignment, compared with the sum over all alignments."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from panparser.transfer.projection.alignment import hmm_posteriors, model1_posteriors

NULL = 0.2


def of_all_alignments(emissions, nulls, jumps, null):
    """(target word, source word) Posteriors and expected jumps, by enumeration; the last position is kept by none."""
    targets, sources = emissions.shape
    reach = len(jumps) // 2

    def jump(start, end):
        return jumps[np.clip(end - start, -reach, reach) + reach]

    total, links, counts = 0.0, np.zeros((targets, sources)), np.zeros(len(jumps))
    for start in range(sources):  # the position before the first word, which only words without a link keep
        for choice in itertools.product([None, *range(sources)], repeat=targets):
            weight, place, first, made = 1.0 / sources, start, True, []
            for j, i in enumerate(choice):
                if i is None:
                    weight *= null * nulls[j]
                elif first and j == 0:
                    weight *= (1 - null) * emissions[j, i] * (i == start)
                    place = i
                else:
                    weight *= (
                        (1 - null) * emissions[j, i] * jump(place, i) / sum(jump(place, k) for k in range(sources))
                    )
                    made.append(np.clip(i - place, -reach, reach) + reach)
                    place = i
                first = False
            total += weight
            for j, i in enumerate(choice):
                if i is not None:
                    links[j, i] += weight
            for index in made:
                counts[index] += weight
    return links / total, counts / total


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3))
def test_posteriors_and_jumps_are_those_of_all_alignments(seed, lengths):
    rng = np.random.default_rng(seed)
    targets, sources = (max(column) for column in zip(*lengths, strict=True))
    emissions = np.zeros((len(lengths), targets, sources))
    nulls, jumps = rng.random((len(lengths), targets)), rng.random(5)
    for number, (j, i) in enumerate(lengths):
        emissions[number, :j, :i] = rng.random((j, i))
    inside = [np.arange(size) < np.array(lengths)[:, k, None] for size, k in ((sources, 1), (targets, 0))]
    found, counts = hmm_posteriors(emissions, nulls, jumps, NULL, *inside)
    expected = np.zeros(5)
    for number, (j, i) in enumerate(lengths):
        links, made = of_all_alignments(emissions[number, :j, :i], nulls[number], jumps, NULL)
        assert found[number, :j, :i] == pytest.approx(links)
        assert found[number].sum() == pytest.approx(links.sum())  # nothing on padding
        expected += made
    assert counts == pytest.approx(expected)


def test_model_1_by_hand():
    emissions = np.array([[[0.5, 0.1], [0.2, 0.2], [0.0, 0.0]]])
    nulls = np.array([[0.3, 0.1, 1.0]])
    inside = np.array([[True, True]]), np.array([[True, True, False]])
    found = model1_posteriors(emissions, nulls, 0.0, 0.25, *inside)
    linked = 0.75 / 2 * emissions[0, 0]
    assert found[0, 0] == pytest.approx(linked / (linked.sum() + 0.25 * 0.3))
    assert not found[0, 2].any()
    nearer = model1_posteriors(emissions, nulls, 2.0, 0.25, *inside)
    assert nearer[0, 1, 1] > found[0, 1, 1] > nearer[0, 1, 0]
