"""Scores on one scale: layers on top of each other, votes, labels beside actions, means of members."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import panparser as pp
from learners import SMALL
from panparser.learning.layers import as_multiplied, multiplied
from panparser.parsing.engine_model import PerceptronModel
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)
TRAIN, OTHER, DEV = TREEBANK[:40], TREEBANK[40:80], TREEBANK[80:110]
SPEC = pp.ParserSpec(templates=SMALL, beam=2, nonprojective="reduce")
QUICK = {"epochs": 3, "members": 1}


@pytest.fixture(scope="module")
def stacked():
    """A parser, and one on top of it that learned from other sentences."""
    base = pp.train(SPEC, TRAIN, **QUICK)
    return base, pp.train(SPEC, OTHER, init=base, **QUICK)


def layered(parser, layers):
    """A parser with other layers."""
    return pp.Parser(model=PerceptronModel(parser.spec, parser.labels, layers))


def trees(parser: pp.Parser, treebank: pp.Treebank = DEV):
    heads, labels = parser.predict(treebank)
    return heads, np.array([*parser.label_names, "_"])[labels]


def test_layers_are_brought_to_one_scale_actions_and_labels_each_by_their_own(stacked, monkeypatch):
    layers = [
        replace(layer, action_scale=actions, label_scale=labels)
        for layer, actions, labels in zip(stacked[1].layers, (2.0, 8.0), (32.0, 4.0), strict=True)
    ]
    monkeypatch.setattr("panparser._engine.ScaledLayer", lambda **given: (given["actions"], given["labels"]))
    assert multiplied(layers, SPEC.system, 256) == [(128, 8), (32, 64)]
    assert [(layer.action_scale, layer.label_scale) for layer in as_multiplied(layers, 256)] == [(2, 32), (8, 4)]


@pytest.mark.parametrize("factor", [1 / 30, 1 / 5, 1])
def test_labels_of_a_stack_are_those_of_the_sum_of_its_layers(stacked, factor):
    """As a vote of single layers gives it, which is proven elsewhere; label weights of one layer are rescaled."""
    lower, upper = stacked[1].layers
    upper = replace(upper, label_scale=upper.label_scale * factor)
    both = layered(stacked[1], [lower, upper])
    apart = [layered(both, [layer]) for layer in (lower, upper)]
    found, wanted = trees(both), trees(pp.make_voting_parser(apart))
    assert np.mean(found[0] == wanted[0]) > 0.99
    assert np.mean(found[1] == wanted[1]) > 0.99


def test_training_goes_on_from_what_the_lower_layers_score(stacked):
    """Where there is nothing to correct, nothing is learned: labels and heads are scored as the parser parses."""
    events = []

    class Note(pp.Listener):
        def before_update(self, update):
            events.append(update)

    start = pp.train(replace(stacked[0].spec, beam=1), TRAIN, **QUICK)
    parsed = start.parse(OTHER)
    again = pp.train(start.spec, parsed, init=start, epochs=1, members=1, strategy=pp.STRATEGIES["dynamic"],
                     listeners=[Note()])  # fmt: skip
    assert len(events) < 0.01 * OTHER.words
    for one, other in zip(trees(again), trees(start), strict=True):
        assert np.mean(one == other) > 0.98


def test_scores_of_trees_are_in_updates_whatever_the_scale(stacked):
    base = stacked[0]
    (layer,) = base.layers
    doubled = layered(base, [replace(layer, action_scale=2 * layer.action_scale)])
    for sentence in list(DEV)[:5]:
        assert doubled.k_best(sentence, 1)[0].score == pytest.approx(base.k_best(sentence, 1)[0].score / 2)
        assert stacked[1].k_best(sentence, 1)[0].heads == tuple(
            trees(stacked[1], sentence.treebank[[sentence.position]])[0]
        )


@pytest.mark.parametrize("weights", [(1, 1), (2, 1), (1, 3), (0.5, 0.25)])
def test_weights_of_a_vote_multiply_scores(stacked, weights):
    one = stacked[0]
    alone = [one.k_best(sentence, 1)[0].score for sentence in list(DEV)[:5]]
    vote = pp.make_voting_parser([one, one], weights=weights)
    assert [vote.k_best(sentence, 1)[0].score for sentence in list(DEV)[:5]] == pytest.approx(
        [sum(weights) * score for score in alone], rel=0.02
    )


def test_the_mean_of_members_has_the_scale_of_one(stacked):
    """Members that learn the same are the same parser as one of them, with the scores of one."""
    treebank = TRAIN[:1]
    one, three = (pp.train(SPEC, treebank, epochs=2, members=members) for members in (1, 3))
    scores = [parser.k_best(DEV[0], 1)[0].score for parser in (one, three)]
    assert scores[1] == pytest.approx(scores[0], rel=0.05)


def test_margins_of_votes_are_sums_in_updates():
    parsers = [pp.train(replace(SPEC, beam=4), TRAIN, dev=DEV, seed=seed, **QUICK) for seed in (1, 2)]
    margins = [parser.pruning_margin / parser.update_size for parser in parsers]
    vote = pp.make_voting_parser(parsers, weights=[2, 1])
    assert vote.pruning_margin / vote.update_size == pytest.approx(2 * margins[0] + margins[1], rel=0.01)


def test_bytes_hold_what_floats_held():
    """What rounding weights to bytes changes is little."""
    parser = pp.train(SPEC, TREEBANK[:80], dev=DEV, epochs=4, members=2)
    rounding = parser.training["rounding"]
    assert abs(rounding["before"]["uas"] - rounding["after"]["uas"]) < 1.5
    assert abs(rounding["before"]["las"] - rounding["after"]["las"]) < 1.5
