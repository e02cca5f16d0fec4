"""Numpy computes what the definition of a network says: sentence by sentence, state by state."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS, situation, walk
from panparser.networks.network_inputs import InputReader
from reference.networks import ReferenceNetwork, random_network_parser

SYSTEMS = ("arc-hybrid", "arc-eager", "arc-standard", "swap-standard", "attardi", "arc-eager-partial")
pytestmark = pytest.mark.parametrize("kind", KINDS)


def made(kind: str, system: str = "arc-hybrid", seed: int = 1):
    """A parser that knows the words of some sentences only, and the slow network."""
    network = KINDS[kind]
    spec = pp.ParserSpec(system=pp.system(system), beam=1)
    vectors = VECTORS if "vector" in network.columns else None
    parser = random_network_parser(spec, network, TREEBANK[:5], seed=seed, vectors=vectors)
    arrays, values = parser.classifier.to_arrays(), parser.classifier.to_values()
    return parser, ReferenceNetwork(network, values["vocabulary"], arrays, vectors)


def test_the_encoder(kind):
    parser, slow = made(kind)
    weights = parser.classifier._known_weights
    weights.connect(parser.vectors)
    given = np.where(np.arange(TREEBANK.words) % 3, TREEBANK.heads, -1).astype(np.int32)
    reader = InputReader(parser.classifier.network, weights.vocabulary, TREEBANK, parser.vectors)
    for heads in (None, given):
        batch = reader.read(np.array([6, 1, 7, 4]), heads)
        found = weights.encoder(batch)
        for first, length, number in zip(batch.first, batch.lengths, (6, 1, 7, 4), strict=True):
            start = TREEBANK.offsets[number]
            own = None
            if heads is not None:
                own = [None if head < 0 else int(head) for head in heads[start : start + length - 1]]
            expected = slow.encode(TREEBANK[number], own)
            assert found[first : first + length] == pytest.approx(np.array(expected), abs=1e-5)


def test_the_tags(kind):
    parser, slow = made(kind)
    network, weights = parser.classifier.network, parser.classifier._known_weights
    if not network.tags:
        return
    numbers = np.array([6, 1, 7])
    batch = InputReader(network, weights.vocabulary, TREEBANK).read(numbers)
    scores = weights.tags.scores(weights.encoder.read(batch)[1][batch.is_word])
    chosen = parser.classifier.tag(TREEBANK)[batch.words]
    for place, column in enumerate(network.tags):
        expected = [word for number in numbers for word in slow.tags(TREEBANK[int(number)], column)]
        assert scores[place] == pytest.approx(np.array(expected), abs=1e-5)
        assert (chosen[:, place] == np.argmax(expected, axis=1)).all()


@pytest.mark.unmeasured
@pytest.mark.parametrize("system", SYSTEMS)
def test_the_scores(kind, system):
    parser, slow = made(kind, system, seed=len(system))
    states = parser.model.states(TREEBANK)
    sentences = np.array([7, 2, 5])
    encoded = [slow.encode(TREEBANK[int(number)]) for number in sentences]
    states.start(sentences)
    parser.classifier.start_batch(states)
    for _ in walk(states, np.random.default_rng(3), 12):
        scores, legal = parser.classifier.score(states), np.array(states.legal())
        for row, sentence in enumerate(states.sentence_index.tolist()):
            compare(parser.classifier, slow, states, row, encoded[sentence], scores[row], legal[row])


def compare(classifier, slow, states, row, encoded, scores, legal):
    seen = situation(classifier.network, states, row)
    actions = np.flatnonzero(legal).astype(np.int32)
    heads, dependents = states.arcs(np.full(len(actions), row, dtype=np.int32), actions)
    pairs = zip(actions.tolist(), heads.tolist(), dependents.tolist(), strict=True)
    arcs = {action: (head, word) if head >= 0 and word > 0 else None for action, head, word in pairs}
    expected = slow.actions(encoded, seen, arcs)
    assert scores[actions] == pytest.approx([expected[action] for action in arcs], abs=1e-4)
    for action, arc in arcs.items():
        if arc:
            one, other = np.array([row], dtype=np.int32), np.array([action], dtype=np.int32)
            (found,) = classifier.score_labels(states, one, other)
            assert found == pytest.approx(slow.labels(encoded, seen, action, *arc), abs=1e-4)
