"""Regions of arcs: what they hold, and how they are estimated."""

from __future__ import annotations

import numpy as np
import pytest

import panparser as pp
from learners import ENGLISH, treebank_of
from panparser.treebank.arc_regions import LENGTHS, Arcs, in_regions

TREEBANK = treebank_of(
    "the/DET/2/det dog/NOUN/3/nsubj:pass was/VERB/0/root seen/ADV/3/advmod ./PUNCT/_/_", "a/X/0/root"
)


@pytest.mark.parametrize(
    ("region", "words"),
    [
        (pp.ArcRegion(), [0, 1, 2, 3, 5]),
        (pp.ArcRegion(upos="DET"), [0]),
        (pp.ArcRegion(upos=("DET", "ADV")), [0, 3]),
        (pp.ArcRegion(head_upos="VERB"), [1, 3]),
        (pp.ArcRegion(head_upos="ROOT"), [2, 5]),
        (pp.ArcRegion(direction="right"), [0, 1]),
        (pp.ArcRegion(direction="left"), [3]),
        (pp.ArcRegion(direction="root"), [2, 5]),
        (pp.ArcRegion(label="nsubj"), [1]),
        (pp.ArcRegion(label="nsubj:pass"), [1]),
        (pp.ArcRegion(label="pass"), []),
        (pp.ArcRegion(max_length=1), [0, 1, 3]),
        (pp.ArcRegion(min_length=2), []),
        (pp.ArcRegion(upos="DET", direction="left"), []),
    ],
)
def test_a_region_holds_the_arcs_for_which_all_that_it_says_is_true(region, words):
    assert np.flatnonzero(region.matches(Arcs.from_treebank(TREEBANK))).tolist() == words
    assert pp.ArcRegion.from_values(region.to_values()) == region


def test_the_regions_hold_what_a_loop_over_tokens_finds():
    """A slow reference, over a whole treebank."""
    regions = [
        pp.ArcRegion(upos="NOUN", direction="right", max_length=3),
        pp.ArcRegion(head_upos=("NOUN",), label=("det", "amod")),
    ]
    expected = []
    for sentence in ENGLISH:
        for token in sentence:
            head, position = int(sentence.heads[token.id - 1]), token.id
            near = token.upos == "NOUN" and head > position and head - position <= 3
            tag = sentence[head - 1].upos if head > 0 else "ROOT"
            expected.append(near or (tag == "NOUN" and token.label.partition(":")[0] in ("det", "amod")))
    assert in_regions(regions, Arcs.from_treebank(ENGLISH)).tolist() == expected


def test_estimated_regions_are_those_of_sufficient_precision():
    options = {"folds": 3, "epochs": 2, "min_count": 15}
    found = pp.ensembles.estimate_regions(ENGLISH, precision=0.85, group_by=("upos", "direction"), **options)
    assert 0 < len(found) < 34
    assert pp.ensembles.estimate_regions(ENGLISH, precision=0.85, group_by=("upos", "direction"), **options) == found
    spec = pp.ParserSpec(templates=pp.templates("fast"), beam=1, labeled=False)
    parsed = pp.lab.jackknife(spec, ENGLISH, 3, epochs=2, seed=1, members=1)
    arcs = Arcs.from_treebank(parsed)
    for region in found:
        inside = region.matches(arcs)
        assert inside.sum() >= 15
        assert (parsed.heads == ENGLISH.heads)[inside].mean() >= 0.85
    stricter = pp.ensembles.estimate_regions(ENGLISH, precision=0.95, group_by=("upos", "direction"), **options)
    assert set(stricter) <= set(found)


def test_classes_by_length_say_how_long_arcs_are():
    found = pp.ensembles.estimate_regions(ENGLISH, precision=0.5, group_by=("length",), folds=2, epochs=1, min_count=1)
    lengths = {(region.min_length, region.max_length) for region in found if region.direction is None}
    assert (1, 1) in lengths <= set(LENGTHS)
    assert all(region.min_length is None for region in found if region.direction == "root")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tag": "X"}, "ArcRegion: expected a table with some of upos, head_upos, label"),
        ({"upos": []}, "ArcRegion: upos must be a name or a collection of names; got []"),
        ({"upos": [1]}, "ArcRegion: upos must be a name or a collection of names"),
        ({"direction": "up"}, "ArcRegion: direction must be one of left, right, root; got 'up'"),
        ({"direction": "root", "max_length": 2}, "min_length and max_length are not supported with direction root"),
        ({"max_length": 0}, "ArcRegion: max_length must be an integer >= 1; got 0"),
    ],
)
def test_regions_that_cannot_be_are_refused(values, message):
    with pytest.raises(pp.SpecError) as caught:
        pp.ArcRegion.from_values(values)
    assert message in str(caught.value)


def test_estimates_that_cannot_be_are_refused():
    with pytest.raises(pp.SpecError, match="estimate_regions: group_by must be some of upos, head_upos"):
        pp.ensembles.estimate_regions(ENGLISH, group_by=("form",))
    with pytest.raises(pp.SpecError, match=r"estimate_regions: precision must be in \(0, 1\]; got 90"):
        pp.ensembles.estimate_regions(ENGLISH, precision=90)
