"""Voting in slow, obvious Python: each parser scores each state by itself, from the arrays of its file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.inspection.naive_features import seen_by_labels
from panparser.learning.layers import Labels, Layer
from panparser.parsing.parser import Parser
from panparser.parsing.table_states import StateBatch
from panparser.treebank.treebank import Treebank

Scores = npt.NDArray[np.float64]
Derivation = tuple[tuple[int, str], ...]  # actions, with the label of the arc that each makes, if any
UNKNOWN = "<unknown>"  # a label that a parser never saw
_TEMPLATE_BITS, _LINE = 9, 64


@dataclass
class SlowVoter:
    """One parser, with its own states of every sentence; each query replays the derivation."""

    parser: Parser
    treebank: Treebank

    def __post_init__(self) -> None:
        spec = self.parser.spec
        self.names = (*self.parser.labels.names, UNKNOWN)
        self.states = StateBatch(
            spec.system, self.treebank, templates=spec.used_templates, labels=Labels.anywhere(self.names), start=()
        )
        named = {str(p) for row in spec.system.transitions for e in row.then if e.kind == "arc" for p in e.positions}
        self.for_labels = [
            number
            for number, template in enumerate(spec.used_templates)
            if "S2" in named or seen_by_labels(template, "S1" in named)
        ]

    def _follow(self, sentence: int, derivation: Derivation) -> bool:
        """Moves to the state after a derivation; is it not final?"""
        self.states.start([sentence])
        for action, label in derivation:
            number = self.names.index(label if label in self.names else UNKNOWN) if label else -1
            self.states.apply(np.array([action], dtype=np.int32), np.array([number], dtype=np.int32))
        return len(self.states) > 0

    def legal(self, sentence: int, derivation: Derivation) -> list[int]:
        """The actions of a state; none of a final one."""
        return np.flatnonzero(self.states.legal()[0]).tolist() if self._follow(sentence, derivation) else []

    def actions(self, sentence: int, derivation: Derivation) -> Scores:
        """Scores of actions, in updates."""
        self._follow(sentence, derivation)
        scores = np.zeros(len(self.parser.spec.system.names))
        for layer in self.parser.layers:
            table = layer.tables[: len(layer.tables) // 2]
            for key in self.states.keys()[0].tolist():
                row = find_row(layer.lines, table, _row_width(len(scores)), key)
                if row is not None:
                    scores += row[: len(scores)].view(np.int8) / layer.action_scale
        return scores

    def labels(self, sentence: int, derivation: Derivation, action: int) -> dict[str, float]:
        """Scores by label, in updates."""
        self._follow(sentence, derivation)
        scores = np.zeros(len(self.parser.labels.names))
        keys = [_engine.label_key(int(key), action) for key in self.states.keys()[0][self.for_labels]]
        for layer in self.parser.layers:
            table = layer.tables[len(layer.tables) // 2 :]
            for key in keys:
                place = find_row(layer.label_lines, table, 4, key)
                if place is not None:
                    scores[: layer.labels] += label_row(layer, int(place.view("<u4")[0])) / layer.label_scale
        return dict(zip(self.parser.labels.names, scores.tolist(), strict=True))

    def makes_arc(self, sentence: int, derivation: Derivation, action: int) -> tuple[bool, bool]:
        """Does an action make or propose an arc, and is it one from Root?"""
        self._follow(sentence, derivation)
        heads, _ = self.states.arcs(np.array([0], dtype=np.int32), np.array([action], dtype=np.int32))
        return bool(heads[0] >= 0), bool(heads[0] == 0)


def slow_vote(voters: Sequence[SlowVoter], weights: Sequence[float], labels: Labels, sentence: int, beam: int) -> Any:
    """The derivation found by beam search with weighted sums of scores."""
    hypotheses: list[tuple[float, Derivation]] = [(0.0, ())]
    while True:
        candidates = []
        for score, derivation in hypotheses:
            legal = voters[0].legal(sentence, derivation)
            if not legal:
                candidates.append((score, derivation, -1))
                continue
            each = [w * v.actions(sentence, derivation) for v, w in zip(voters, weights, strict=True)]
            sums = np.sum(each, axis=0)
            candidates += [(score + float(sums[action]), derivation, action) for action in legal]
        if all(action < 0 for *_, action in candidates):
            return hypotheses[0][1]
        best = sorted(candidates, key=lambda candidate: -candidate[0])[:beam]
        hypotheses = [
            (score, derivation)
            if action < 0
            else (score, (*derivation, (action, _best_label(voters, weights, labels, sentence, derivation, action))))
            for score, derivation, action in best
        ]


def _best_label(
    voters: Sequence[SlowVoter],
    weights: Sequence[float],
    labels: Labels,
    sentence: int,
    derivation: Derivation,
    action: int,
) -> str:
    is_arc, from_root = voters[0].makes_arc(sentence, derivation, action)
    if not is_arc or not labels.names:
        return ""
    sums = dict.fromkeys(labels.names, 0.0)
    for voter, weight in zip(voters, weights, strict=True):
        for name, score in voter.labels(sentence, derivation, action).items():
            sums[name] += weight * score
    allowed = labels.of_root if from_root else labels.of_words
    return max((name for name, may in zip(labels.names, allowed, strict=True) if may), key=lambda name: sums[name])


def find_row(lines: npt.NDArray[np.uint8], table: npt.NDArray[np.uint32], width: int, key: int) -> Any:
    """The bytes of a feature's row, as engine/lines.hpp lays them out; None if it has none."""
    template = key & ((1 << _TEMPLATE_BITS) - 1)
    first, size = int(table[template]), int(table[template + 1]) - int(table[template])
    slots = (_LINE - 1) // (2 + width)
    tag = (key >> _TEMPLATE_BITS) & 0xFFFF or 1
    kind = 1 << (key >> (_TEMPLATE_BITS + 16) & 7)
    at = (key >> 32) * size >> 32
    for _ in range(size):
        line = lines[(first + at) * _LINE : (first + at + 1) * _LINE]
        tags = line[: 2 * slots].view("<u2")
        if (found := np.flatnonzero(tags == tag)).size:
            start = 2 * slots + int(found[0]) * width
            return line[start : start + width]
        if not line[_LINE - 1] & kind:
            return None
        at = (at + 1) % size
    return None


def label_row(layer: Layer, at: int) -> Scores:
    """The weights of a row of labels, as engine/model.hpp lays them out."""
    wide = 2 if layer.labels > 256 else 1
    numbers = "<u2" if wide == 2 else "u1"
    cells = int(layer.label_rows[at : at + wide].view(numbers)[0])
    at += wide
    weights = np.zeros(layer.labels)
    if not cells:
        return layer.label_rows[at : at + layer.labels].view(np.int8).astype(np.float64)
    for _ in range(cells):
        label = int(layer.label_rows[at : at + wide].view(numbers)[0])
        weights[label] = int(layer.label_rows[at + wide : at + wide + 1].view(np.int8)[0])
        at += wide + 1
    return weights


def _row_width(classes: int) -> int:
    return 4 if classes <= 4 else (classes + 7) // 8 * 8
