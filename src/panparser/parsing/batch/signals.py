"""Signals of confidence read off a search through a batch of states: the margins of each arc of a tree."""

from __future__ import annotations

import numpy as np

from panparser import _engine
from panparser._arrays import FloatArray, IntArray
from panparser.learning.search import BatchSearch, Hypotheses
from panparser.parsing.batch.states import ParserStates

NO_RIVAL = float(_engine.NO_RIVAL)
ARC, LEAST, LABEL, RIVAL, TREE = map(int, _engine.Signal)  # defined in confidence.hpp of the engine


def signals_of(search: BatchSearch, states: ParserStates, beams: list[Hypotheses], final: IntArray) -> FloatArray:
    """(words of the started sentences, signals) `final` are the states that won, one for each sentence."""
    offsets = np.concatenate([[0], np.cumsum(states.lengths)])
    signals = np.full((int(offsets[-1]), len(_engine.Signal)), NO_RIVAL)
    arcs = _made_arcs(states, beams)
    for sentence, state in enumerate(final.tolist()):
        own = signals[offsets[sentence] : offsets[sentence + 1]]
        before, actions = states.derivation(state)
        if len(before):
            path = [*before.tolist()[1:], state]
            heads = _heads(arcs, path)
            _read_actions(search, states, before, actions, own)
            _read_beams(states, beams, sentence, path, heads, arcs, own)
            own[[word - 1 for word in range(1, len(own) + 1) if word not in heads]] = NO_RIVAL
    return signals


def _made_arcs(states: ParserStates, beams: list[Hypotheses]) -> dict[int, tuple[int, int]]:
    """By state: head and dependent of the arc that its last action made."""
    numbers = np.unique(np.concatenate([beam.state for beam in beams]))
    made = {}
    for number in numbers.tolist():
        before, actions = states.derivation(number)
        if len(before):
            made[number] = (int(before[-1]), int(actions[-1]))
    parents = np.array([parent for parent, _ in made.values()], dtype=np.int32)
    taken = np.array([action for _, action in made.values()], dtype=np.int32)
    if not len(parents):
        return {}
    states.select(parents)
    heads, dependents = states.arcs(np.arange(len(parents), dtype=np.int32), taken)
    found = zip(made, heads.tolist(), dependents.tolist(), strict=True)
    return {number: (head, dependent) for number, head, dependent in found if head >= 0 and dependent > 0}


def _heads(arcs: dict[int, tuple[int, int]], path: list[int]) -> dict[int, int]:
    """By word, the head that the states of a derivation gave it."""
    return {arcs[state][1]: arcs[state][0] for state in path if state in arcs}


def _read_actions(
    search: BatchSearch, states: ParserStates, before: IntArray, actions: IntArray, own: FloatArray
) -> None:
    """Margins of the action that made each arc, of the actions while its word waited, and of its label."""
    states.select(before)
    rows = np.arange(len(before), dtype=np.int32)
    scores = search.scores()
    won = scores[rows, actions]
    others = scores.copy()
    others[rows, actions] = -np.inf
    best = others.max(axis=1)
    margins = np.where(np.isfinite(best), won - np.where(np.isfinite(best), best, 0), NO_RIVAL)
    looked = states.positions(("S0", "B0")).copy()
    heads, dependents = states.arcs(rows, actions)
    labels = _label_margins(search, states, rows, actions, heads)
    last = {int(word): row for row, word in enumerate(dependents) if heads[row] >= 0 and word > 0}
    for word, row in last.items():
        waited = [margins[step] for step in range(row) if word in looked[step]]
        own[word - 1, ARC] = margins[row]
        own[word - 1, LEAST] = min([*waited, margins[row]])
        own[word - 1, LABEL] = labels[row]


def _label_margins(
    search: BatchSearch, states: ParserStates, rows: IntArray, actions: IntArray, heads: IntArray
) -> FloatArray:
    margins = np.full(len(rows), NO_RIVAL)
    if not states.labels.names:
        return margins
    made = np.flatnonzero(heads >= 0)
    if len(made):
        legal = states.legal_labels(rows[made], actions[made])
        scores = np.where(legal, search.classifier.score_labels(states, rows[made], actions[made]), -np.inf)
        ordered = np.sort(scores, axis=1)
        two = (legal.sum(axis=1) > 1) & (scores.shape[1] > 1)
        margins[made[two]] = ordered[two, -1] - ordered[two, -2]
    return margins


def _read_beams(
    states: ParserStates,
    beams: list[Hypotheses],
    sentence: int,
    path: list[int],
    heads: dict[int, int],
    arcs: dict[int, tuple[int, int]],
    own: FloatArray,
) -> None:
    """Margins over hypotheses that gave a word another head at any time, and over final trees with another head."""
    score_of = {int(s): float(x) for beam in beams for s, x in zip(beam.state, beam.score, strict=True)}
    winning = [0.0, *(score_of[state] for state in path)]
    seen: set[int] = set()
    for number, beam in enumerate(beams):
        for state, score in _of_sentence(beam, sentence):
            if state in seen:
                continue
            seen.add(state)
            gap = winning[min(number, len(path))] - score
            for ancestor in [*states.derivation(state)[0].tolist(), state]:
                arc = arcs.get(ancestor)
                if arc is not None and heads.get(arc[1], arc[0]) != arc[0]:
                    own[arc[1] - 1, RIVAL] = min(own[arc[1] - 1, RIVAL], gap)
    for state, score in _of_sentence(beams[-1], sentence):
        theirs = _heads(arcs, [*states.derivation(state)[0].tolist(), state])
        for word, head in heads.items():
            if theirs.get(word) != head:
                own[word - 1, TREE] = min(own[word - 1, TREE], winning[-1] - score)


def _of_sentence(beam: Hypotheses, sentence: int) -> list[tuple[int, float]]:
    chosen = beam.sentence == sentence
    return list(zip(beam.state[chosen].tolist(), beam.score[chosen].tolist(), strict=True))
