"""Sampling bias: the divergence of the states in training from those in parsing, after Aufrant's thesis.

A state is described by the tags at S0 and B0 and the distance between them; the description, and what counts as a state
that was learned from, are ours: the slides of the thesis print divergences alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from panparser.base.checks import check_count
from panparser.base.types import IntArray, LongArray
from panparser.errors import SpecError, TreebankError
from panparser.inspection.derivations import Derivations
from panparser.learning.listeners import Listener, Update
from panparser.parsing.parser import Parser
from panparser.parsing.table_states import StateBatch
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.treebank import Treebank

DISTANCES = (1, 2, 3, 4, 7)  # the first of each class
_NAMES = ("", "1", "2", "3", "4-6", "7+")  # of distances; none if one of the two words is missing
_ADDRESSES = ("S0", "B0")
BATCH_DERIVATIONS = 2000  # derivations that are followed at once


class TrainingStates(Listener):
    """Listens to training, and keeps what the last epoch was updated on: pairs of derivations.

    `treebank` is the one that is trained on, in one piece.
    """

    def __init__(self, treebank: Treebank) -> None:
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"TrainingStates: treebank must be the one that is trained on; got {treebank!r}")
        self.treebank = treebank
        self.updates: list[Update] = []

    def before_epoch(self, epoch: int) -> None:
        self.updates = []

    def after_update(self, update: Update) -> None:
        self.updates.append(update)

    def counts(self, parser: Parser, *, by_halves: bool = False) -> pd.Series:
        """How often the last epoch learned from each kind of state; `parser` is any parser of the same system.

        States of both derivations count from where their search had started; if `parted`, only from the place where
        they part: the weights of what they have in common do not change.
        """
        system = _checked(parser)
        pairs = [(update, steps) for update in self.updates for steps in (update.positive, update.negative)]
        numbers = {name: system.step_number(name) for _, steps in pairs for name in set(steps)}
        actions = [numbers[name] for _, steps in pairs for name in steps]
        return _counted(
            parser,
            self.treebank,
            SampledDerivations(
                np.array([update.sentence for update, _ in pairs], dtype=np.int64),
                np.concatenate([[0], np.cumsum([len(steps) for _, steps in pairs], dtype=np.int64)]),
                np.array(actions, dtype=np.int32),
                np.array([_parting(update) if by_halves else update.started for update, _ in pairs], dtype=np.int64),
            ),
        )


def states_visited(parser: Parser, treebank: Treebank, *, beam: int | None = None) -> pd.Series:
    """How often a parser meets each kind of state, by tags at S0 and B0 and distance, on its way to its trees."""
    _checked(parser)
    found = Derivations.from_treebank(parser, treebank, beam=beam)
    every = np.arange(len(treebank), dtype=np.int64)
    return _counted(
        parser, treebank, SampledDerivations(every, found.offsets, found.actions, np.zeros(len(every), np.int64))
    )


def sampling_bias(learned: pd.Series, visited: pd.Series, *, smoothing: int = 1) -> float:
    """The divergence (Kullback-Leibler, in nats) of the states that were learned from to those that are met.

    The sum over kinds of states of f ln(f / g), where f and g are their relative frequencies among those met and those
    learned from; each kind that occurs counts `smoothing` times more in the latter.
    """
    check_count("sampling_bias: smoothing", smoothing)
    if not visited.sum() or not learned.sum():
        raise SpecError("expected states that were learned from, and states that are met, to compare; found none")
    g = learned.reindex(learned.index.union(visited.index), fill_value=0) + smoothing
    f = visited[visited > 0] / visited.sum()
    return float((f * np.log(f / (g / g.sum())[f.index])).sum())


def _checked(parser: Parser) -> TransitionSystem:
    system = parser.spec.system
    if not isinstance(system, TransitionSystem):
        raise SpecError(f"states are counted for systems that are tables; {system.name} is a system in Python")
    if system.focus == "free":
        raise SpecError(f"the focus of {system.name} is free: states are counted where it is fixed")
    return system


def _parting(update: Update) -> int:
    """The place of the first step in which the two derivations of an update differ."""
    pairs = enumerate(zip(update.positive, update.negative, strict=False))
    shorter = min(len(update.positive), len(update.negative))
    return next((place for place, (one, other) in pairs if one != other), shorter)


@dataclass(frozen=True)
class SampledDerivations:
    """Derivations of some sentences: their actions from `offsets[i]` on, and the first state of each that counts."""

    sentences: LongArray
    offsets: LongArray
    actions: IntArray
    counted_from: LongArray

    def words(self, parser: Parser, treebank: Treebank) -> Iterator[tuple[LongArray, IntArray]]:
        """For the states that count: the first word of their sentence, and the words at S0 and B0."""
        for start in range(0, len(self.sentences), BATCH_DERIVATIONS):
            chosen = slice(start, start + BATCH_DERIVATIONS)
            sources = self.sentences[chosen]
            own = treebank[sources.tolist()]
            batch = StateBatch(parser.spec.system, own, labels=parser.labels)
            first, lengths = self.offsets[:-1][chosen], np.diff(self.offsets)[chosen]
            step = 0
            while len(batch):
                going = lengths[batch.sentence_index] > step
                if not going.all():
                    batch.select(batch.ids[going])
                    continue
                here = self.counted_from[chosen][batch.sentence_index] <= step
                places = batch.positions(_ADDRESSES)[here].copy()
                yield treebank.offsets[sources[batch.sentence_index[here]]], places
                actions = self.actions[first[batch.sentence_index] + step]
                batch.apply(actions, np.full(len(actions), -1, dtype=np.int32))
                step += 1


def _counted(parser: Parser, treebank: Treebank, followed: SampledDerivations) -> pd.Series:
    tags = [*treebank.vocabulary("upos"), "ROOT", "none"]
    codes = [_codes(treebank, len(tags), *each) for each in followed.words(parser, treebank)]
    found, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *codes]), return_counts=True)
    rest, distance = np.divmod(found, len(_NAMES))
    names: Sequence[npt.NDArray[np.object_]] = (np.array(tags, dtype=object), np.array(_NAMES, dtype=object))
    first, second = np.divmod(rest, len(tags))
    levels = [names[0][first], names[0][second], names[1][distance]]
    index = pd.MultiIndex.from_arrays(levels, names=["S0", "B0", "distance"])
    return pd.Series(counts, index=index, name="states").groupby(level=[0, 1, 2]).sum()


def _codes(treebank: Treebank, tags: int, first: LongArray, places: IntArray) -> LongArray:
    """A number for tags and distance."""
    words = np.maximum(first[:, None] + places - 1, 0)
    own = np.where(places > 0, treebank.column("upos")[words], np.where(places == 0, tags - 2, tags - 1))
    both = (places > 0).all(axis=1)
    bins = np.searchsorted(DISTANCES, np.abs(places[:, 0] - places[:, 1]), side="right")
    codes: LongArray = (own[:, 0].astype(np.int64) * tags + own[:, 1]) * len(_NAMES) + np.where(both, bins, 0)
    return codes
