"""Torch, where networks learn, and numpy, where they parse, compute the same."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from nets import KINDS, TREEBANK, VECTORS, walk
from panparser.networks.network_inputs import InputReader
from panparser.networks.network_scoring import StateInputs
from reference.networks import random_network_parser

torch = pytest.importorskip("torch")
CLOSE = 1e-4
SENTENCES = np.array([3, 7, 0, 5, 2])


def made(kind: str, system: str, seed: int):
    """The same network twice."""
    network = KINDS[kind]
    spec = pp.ParserSpec(system=pp.system(system), beam=1)
    vectors = VECTORS if "vector" in network.columns else None
    parser = random_network_parser(spec, network, TREEBANK[:5], seed=seed, vectors=vectors)
    weights = parser.classifier._known_weights
    from panparser.neural.torch_network import NetworkModule

    module = NetworkModule(
        network, weights.vocabulary, weights.classes, vectors, weights.actions, weights.labels
    ).eval()
    module.load_state_dict({name: torch.from_numpy(array) for name, array in weights.arrays.items()}, strict=True)
    return parser, module


def close(found, expected):
    assert found.shape == tuple(expected.shape)
    assert np.abs(found - expected.detach().numpy()).max(initial=0) < CLOSE


@pytest.mark.unmeasured
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("system", ["arc-hybrid", "arc-eager", "swap-standard", "arc-standard"])
def test_the_same_scores(kind, system):
    parser, module = made(kind, system, seed=len(kind) + len(system))
    classifier, states = parser.classifier, parser.model.states(TREEBANK)
    weights = classifier._known_weights
    states.start(SENTENCES)
    classifier.start_batch(states)
    words = classifier._current_batch.words
    batch = InputReader(classifier.network, weights.vocabulary, TREEBANK, parser.vectors).read(SENTENCES)
    encoded = module.encode(batch)
    close(weights.encoder(batch), encoded)
    of_tags, expected = weights.encoder.read(batch)[1], module.read(batch)[1]
    for place, column in enumerate(classifier.network.tags):
        close(weights.tags.scores(of_tags)[place], module.score_tags(column, expected))
    seen = module.positions_of(encoded)
    close(words.seen, seen)
    arcs = module.arcs_of(encoded, batch) if classifier.network.arcs else None
    labels = module.labels_of_words(encoded) if classifier.network.labels else None
    for _ in walk(states, np.random.default_rng(1), 15):
        own = StateInputs.of(classifier.network, states, words)
        numbers = (torch.from_numpy(array) for array in (own.words, own.labels, own.history))
        hidden = module.hidden(seen, *numbers, remembered(module, words.memory, encoded, own))
        scores = module.score(hidden, arcs, torch.from_numpy(own.arcs))
        expected = scores.masked_fill(~torch.from_numpy(own.legal), -torch.inf).log_softmax(dim=1)
        found = classifier.score(states)
        close(found[own.legal], expected[torch.from_numpy(own.legal)])
        compare_labels(classifier, module, states, own, hidden, labels)


def remembered(module, memory, encoded, seen):
    if memory is None:
        return None
    tables = module.remembered(memory, encoded)
    for own, table in zip((memory.actions, memory.stacks), tables, strict=True):
        close(own.hidden[: len(table)], table)
    return torch.cat([table[torch.from_numpy(read)] for table, read in zip(tables, seen.read.T, strict=True)], dim=1)


def compare_labels(classifier, module, states, own, hidden, labels):
    rows, actions = (array.astype(np.int32) for array in np.nonzero(own.legal & (own.arcs >= 0)))
    if not classifier.network.arcs:
        rows, actions = (array.astype(np.int32) for array in np.nonzero(own.legal))
        makes = states.arcs(rows, actions)[1] > 0
        rows, actions = rows[makes], actions[makes]
    found = classifier.score_labels(states, rows, actions)
    if labels is not None:
        heads, dependents = (torch.from_numpy(array) for array in classifier._current_batch.arcs(states, rows, actions))
        expected = module.score_labels(labels[0][heads], labels[1][dependents])
    else:
        every = module.labels(hidden[torch.from_numpy(rows.astype(np.int64))])
        every = every.view(len(rows), len(states.names), len(states.labels.names))
        expected = every[torch.arange(len(rows)), torch.from_numpy(actions.astype(np.int64))]
    close(found, expected)
