"""Small networks of many kinds, and states to score."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import panparser as pp
from learners import short_sentences
from panparser.networks.network import BILSTM, FEED_FORWARD, NetworkInput, NetworkSpec, NetworkTraining
from reference.networks import Situation

TREEBANK = short_sentences(8, words=14)
FORMS = sorted({form for sentence in TREEBANK[:6] for form in sentence.forms})
VECTORS = pp.WordVectors.from_dict(
    {form: np.random.default_rng(number).normal(size=3).tolist() for number, form in enumerate(["<UNK>", *FORMS])}
)
LEARNING = NetworkTraining(batch=60, warmup_updates=4, dropout=0.1, word_dropout=0.05, learning_rate=0.01)
TINY = replace(
    BILSTM,
    inputs=tuple(replace(one, size=8, min_count=1) for one in BILSTM.inputs),
    **{"num_layers": 1, "hidden_size": 12, "hidden": 16, "arcs": 12, "labels": 8, "training": LEARNING},
)
ALONE = replace(
    FEED_FORWARD,
    inputs=tuple(replace(one, size=8, min_count=1) for one in FEED_FORWARD.inputs),
    hidden=24,
    training=replace(LEARNING, arc_loss=0.0),
)
REMEMBERING = replace(
    ALONE, num_layers=1, hidden_size=8, positions=("S0", "B0"), label_inputs=(), action_history=0, stack_lstm=8
)
_EVERY = (*("form", "lower", "characters", "lemma", "upos", "xpos", "feats", "vector", "given_head"),)


def _network(columns: str, **more: object) -> NetworkSpec:
    inputs = tuple(NetworkInput(column=column, size=4) for column in columns.split())
    return NetworkSpec(**{"inputs": inputs, "positions": ("S1", "S0", "B0"), "hidden": 5, "training": LEARNING, **more})


KINDS = {
    "words alone": _network("form upos"),
    "every input": _network(" ".join(_EVERY), num_layers=1, hidden_size=3, arcs=3, labels=2),
    "characters by a BiLSTM": replace(
        _network("characters upos", num_layers=1, hidden_size=4, arcs=2),
        inputs=(NetworkInput(column="characters", size=6, encoder="lstm"), NetworkInput(column="upos", size=2)),
    ),
    "three layers": _network("lower feats", num_layers=3, hidden_size=3, labels=3, positions=("S2", "S0", "B0", "B1")),
    "labels and history": _network(
        "form",
        label_inputs=("S0.left[0]", "S0", "B0.left[0]"),
        action_history=4,
        positions=("S0", "S0.left[0]", "B0.head"),
    ),
    "all of it": _network(
        "form characters feats vector given_head",
        **{
            "num_layers": 2,
            "hidden_size": 4,
            "label_inputs": ("S0", "S0.right[0]"),
            "action_history": 2,
            "stack_lstm": 3,
        },
        **{"arcs": 4, "labels": 3},
    ),
    "tags of the last layer": _network(
        "form characters", num_layers=2, hidden_size=3, tags=("upos", "feats"), tag_hidden=5
    ),
    "tags of the first layer": _network(
        "lower", num_layers=2, hidden_size=4, tags=("lemma", "xpos", "upos"), tag_hidden=3, tag_layer=1, arcs=2
    ),
    "tags of words alone": _network("form", tags=("upos",), tag_hidden=4),
    "memory": _network("form", stack_lstm=3),
    "one position": _network("xpos given_head", positions=("B0",), arcs=1, labels=1),
}


def walk(states, rng: np.random.Generator, steps: int = 6):
    """Random steps: yields after each, so that what is seen of the rows can be compared."""
    for _ in range(steps):
        if not len(states):
            return
        yield
        legal = np.array(states.legal())
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in legal], dtype=np.int32)
        rows = np.arange(len(actions), dtype=np.int32)
        fits = states.legal_labels(rows, actions)
        chosen = [int(rng.choice(np.flatnonzero(row))) if row.any() else -1 for row in fits]
        states.apply(actions, np.array(chosen, dtype=np.int32))


def situation(network: NetworkSpec, states, row: int) -> Situation:
    def listed(numbers):
        return [None if number < 0 else int(number) for number in numbers]

    return Situation(
        listed(states.positions(network.positions)[row]),
        listed(states.labels_at(network.label_inputs)[row]) if network.label_inputs else [],
        listed(states.history(network.action_history)[row]) if network.action_history else [],
        states.derivation(int(states.ids[row]))[1].tolist(),
        [int(word) for word in states.stacks()[row] if word >= 0],
    )
