"""The states that a parser learned from, and those that it meets, against a slow count."""

from __future__ import annotations

import math
from collections import Counter

import pandas as pd
import pytest

import panparser as pp
from learners import SMALL
from panparser.inspection.derivations import Derivations
from panparser.lab import analysis
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, DEV = TREEBANK[:25], TREEBANK[30:50]
SPEC = pp.ParserSpec(templates=SMALL, beam=4)


def kind(state: pp.State, sentence: pp.Sentence) -> tuple[str, str, str]:
    stack, buffer = state.stack[-1:], state.buffer[:1]
    tags = [
        "none" if not words else "ROOT" if not words[0] else sentence[words[0] - 1].upos for words in (stack, buffer)
    ]
    if not (stack and buffer and stack[0] and buffer[0]):
        return (*tags, "")
    distance = abs(stack[0] - buffer[0])
    return (*tags, "7+" if distance >= 7 else "4-6" if distance >= 4 else str(distance))


def slowly(system, sentence: pp.Sentence, steps, since: int) -> Counter:
    state, found = system.initial(len(sentence)), Counter()
    for place, name in enumerate(steps):
        if place >= since:
            found[kind(state, sentence)] += 1
        state = system.apply(state, name)
    return found


@pytest.mark.parametrize("strategy", ["early-update", "max-violation-restart", "dynamic-explore"])
@pytest.mark.parametrize("parted", [False, True])
def test_states_that_were_learned_from(strategy, parted):
    heard = analysis.TrainingStates(TRAIN)
    spec = SPEC if strategy != "dynamic-explore" else pp.ParserSpec(templates=SMALL, beam=1)
    options = {"strategy": pp.STRATEGIES[strategy], "epochs": 2, "members": 1}
    parser = pp.train(spec, TRAIN, listeners=[heard], **options)
    assert heard.updates
    assert {update.epoch for update in heard.updates} == {2}
    expected = Counter()
    for update in heard.updates:
        same = [one == other for one, other in zip(update.positive, update.negative, strict=False)]
        since = [*same, False].index(False) if parted else update.started
        for steps in (update.positive, update.negative):
            expected += slowly(spec.system, TRAIN[update.sentence], steps, since)
    assert heard.counts(parser, by_halves=parted).to_dict() == dict(expected)


def test_states_that_are_met():
    parser = pp.train(SPEC, TRAIN, epochs=1, members=1)
    found = analysis.states_visited(parser, DEV)
    expected = Counter()
    derivations = Derivations.from_treebank(parser, DEV)
    for number, sentence in enumerate(DEV):
        steps = derivations.actions[derivations.offsets[number] : derivations.offsets[number + 1]]
        expected += slowly(SPEC.system, sentence, [SPEC.system.names[step] for step in steps], 0)
    assert found.to_dict() == dict(expected)


def series(**counts: int) -> pd.Series:
    index = pd.MultiIndex.from_tuples([(name, "X", "1") for name in counts], names=["S0", "B0", "distance"])
    return pd.Series(list(counts.values()), index=index)


def test_the_divergence_is_that_of_frequencies():
    learned, met = series(A=3, B=1), series(A=1, C=1)
    expected = 0.5 * math.log(0.5 / (4 / 7)) + 0.5 * math.log(0.5 / (1 / 7))
    assert analysis.sampling_bias(learned, met) == pytest.approx(expected)
    assert analysis.sampling_bias(series(A=10, B=10), series(A=3, B=3)) == pytest.approx(0)
    with pytest.raises(pp.SpecError, match="expected states that were learned from"):
        analysis.sampling_bias(learned, series(A=0))


def test_what_cannot_be_counted():
    with pytest.raises(pp.TreebankError, match="TrainingStates: treebank must be the one that is trained on"):
        analysis.TrainingStates("train.conllu")
    free = pp.train(
        pp.ParserSpec(system=pp.system("easy-first"), templates=pp.templates("easy"), beam=1), TRAIN, epochs=1
    )
    with pytest.raises(pp.SpecError, match="the focus of easy-first is free"):
        analysis.states_visited(free, DEV)
