"""Weights of arcs: how much each analysis counts where several are combined."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)


def noisy(gold: pp.Treebank, share: float, seed: int) -> pp.Treebank:
    found = gold.copy()
    wrong = np.random.default_rng(seed).random(gold.words) < share
    found.heads[wrong] = (found.heads[wrong] + 1) % 2
    return found


def test_weights_of_arcs_rise_with_accuracy_on_the_gold_file():
    analyses = [noisy(TREEBANK, share, seed) for seed, share in enumerate((0.4, 0.05, 0.2))]
    right = [float(np.mean(each.heads == TREEBANK.heads)) for each in analyses]
    weights = pp.ensembles.estimate_arc_weights(TREEBANK, analyses).default
    assert np.argsort(weights).tolist() == np.argsort(right).tolist() == [0, 2, 1]
    for weight, share in zip(weights, right, strict=True):
        assert weight == pytest.approx(np.log(share / (1 - share)), abs=0.02)


def test_a_tag_that_one_analysis_gets_wrong_counts_less_there():
    one, two = TREEBANK.copy(), TREEBANK.copy()
    tags = np.array([tag for sentence in TREEBANK for tag in sentence.values("upos")])
    one.heads[(tags == "NOUN") & (np.arange(TREEBANK.words) % 2 == 0)] = 0
    two.heads[(tags == "VERB") & (np.arange(TREEBANK.words) % 2 == 0)] = 0
    weights = pp.ensembles.estimate_arc_weights(TREEBANK, [one, two], column="upos")
    assert weights.tags["NOUN"][0] < weights.tags["NOUN"][1]
    assert weights.tags["VERB"][0] > weights.tags["VERB"][1]
    swapped = pp.ensembles.ArcWeights(
        weights.default, "upos", {tag: numbers[::-1] for tag, numbers in weights.tags.items()}
    )
    right = [
        np.mean(pp.combine_trees([one, two], weights=each, single_root=False).heads == TREEBANK.heads)
        for each in (weights, swapped)
    ]
    assert right[0] > 0.99 > right[1]


def test_the_heavier_analyses_win(parsed):
    one, two = parsed
    assert (one.heads != two.heads).any()
    for weights, winner in (([2, 1], one), ([1, 2], two)):
        found = pp.combine_trees([one, two], weights=weights)
        assert (found.heads == winner.heads).all()
        assert [s.labels for s in found] == [s.labels for s in winner]
    assert (pp.combine_trees([one, one, two]).heads == one.heads).all()
    assert (pp.combine_trees([one, two, two], weights=[3, 1, 1]).heads == one.heads).all()
    assert (pp.combine_trees([one, two, two], weights=[1.5, 1, 1]).heads == two.heads).all()


def test_rare_tags_count_about_as_all_words_do_and_frequent_ones_by_their_own_accuracy():
    """Twenty words of a tag weigh as much as the accuracy over all words."""
    found = noisy(TREEBANK, 0.2, 1)
    tags = np.array([tag for sentence in TREEBANK for tag in sentence.values("upos")])
    found.heads[tags == "NOUN"] = TREEBANK.heads[tags == "NOUN"]
    weights = pp.ensembles.estimate_arc_weights(TREEBANK, [found], column="upos")
    overall = float(np.mean(found.heads == TREEBANK.heads))
    for tag in set(tags.tolist()):
        right, total = int((found.heads == TREEBANK.heads)[tags == tag].sum()), int((tags == tag).sum())
        share = (right + 20 * overall) / (total + 20)
        assert weights.tags[tag][0] == pytest.approx(np.log(share / (1 - share)), abs=0.02)
    assert weights.tags["NOUN"][0] > weights.default[0] + 1


def test_words_whose_head_the_gold_file_does_not_know_do_not_count():
    found, partial = noisy(TREEBANK, 0.2, 1), TREEBANK.copy()
    unknown = np.arange(TREEBANK.words) % 2 == 0
    partial.heads[unknown] = -1
    found.heads[unknown] = -1  # which would be right if it counted
    right = np.mean((found.heads == TREEBANK.heads)[~unknown])
    assert pp.ensembles.estimate_arc_weights(partial, [found]).default[0] == pytest.approx(
        np.log(right / (1 - right)), abs=0.02
    )


def test_labels_are_voted_on_by_the_analyses_that_have_the_arc():
    """Two of three have the arc, with labels x and y; the third has another arc and label y, which does not count."""
    rows = ["1\ta\t_\tX\t_\t_\t{}\t{}\t_\t_\n2\tb\t_\tX\t_\t_\t{}\tr\t_\t_\n\n".format(*row)
            for row in ((2, "x", 0), (2, "y", 0), (0, "y", 1))]  # fmt: skip
    analyses = [pp.parse_conllu(row) for row in rows]
    for weights, label in (((2, 1, 2), "x"), ((1, 2, 2), "y"), ((1, 1, 1), "x")):
        combined = pp.combine_trees(analyses, weights=weights)
        assert combined.heads.tolist() == [2, 0]
        assert combined[0].labels[0] == label
