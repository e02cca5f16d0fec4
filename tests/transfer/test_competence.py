"""Regions of competence: which parser is the best for what."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import panparser as pp
from languages import language
from panparser.errors import SpecError, TreebankError
from panparser.treebank.arc_regions import Arcs, in_regions

GOLD = language("own", 60)


def spoiled(treebank, tag, share=1.0, seed=1):
    """A copy in which words of a tag have wrong heads: they depend on Root."""
    found = treebank.copy()
    rng = np.random.default_rng(seed)
    tags = np.array(found.vocabulary("upos"))[found.column("upos")]
    found.heads[(tags == tag) & (rng.random(found.words) < share)] = 0
    return found


def tags_in(regions, treebank=GOLD):
    inside = in_regions(regions, Arcs.from_treebank(treebank))
    return Counter(np.array(treebank.vocabulary("upos"))[treebank.column("upos")][inside].tolist())


def test_each_class_goes_to_the_candidate_that_is_right():
    no_adjectives, no_determiners = spoiled(GOLD, "ADJ"), spoiled(GOLD, "DET")
    first, second = pp.transfer.competent_regions(GOLD, [no_adjectives, no_determiners])
    assert "ADJ" not in tags_in(first.regions)
    assert tags_in(first.regions)["DET"] == tags_in([pp.ArcRegion()])["DET"]
    assert tags_in(second.regions)["ADJ"] == tags_in([pp.ArcRegion()])["ADJ"]
    assert "DET" not in tags_in(second.regions)
    assert 0 < second.precision < 1


def test_precision_is_shrunk_towards_that_of_all_arcs():
    """Against a slow count of one class."""
    candidates = [spoiled(GOLD, "ADJ"), spoiled(GOLD, "DET", 0.9)]
    found = pp.transfer.competent_regions(GOLD, candidates, prior=20, min_split_count=10**6, divergences=[1.0, 2.0])
    for own, parsed in zip(found, candidates, strict=True):
        right = parsed.heads == GOLD.heads
        overall = right.mean()
        arcs = Arcs.from_treebank(parsed)
        names, *others = (
            list(zip(each.names("upos"), each.names("direction"), strict=True))
            for each in (arcs, *map(Arcs.from_treebank, (GOLD, *candidates)))
        )
        expected = []
        for upos, direction in {name for each in others for name in each}:
            if in_regions(own.regions, Arcs.from_treebank(_one(upos, direction)))[1]:
                chosen = np.array([name == (upos, direction) for name in names])
                expected.append((right[chosen].sum() + 20 * overall) / (chosen.sum() + 20))
        assert own.precision == pytest.approx(np.mean(expected))


def _one(upos, direction):
    """A sentence of a word with this tag and this direction, between two others."""
    head = {"right": 3, "root": 0, "left": 1}[direction]
    rows = "".join(f"{i}\ta\ta\t{t}\t_\t_\t{h}\tx\t_\t_\n" for i, t, h in ((1, "X", 3), (2, upos, head), (3, "X", 0)))
    return pp.parse_conllu(rows + "\n")


def test_small_classes_and_ties_go_to_the_nearest():
    same = [GOLD.copy(), GOLD.copy(), GOLD.copy()]
    own, far, near = pp.transfer.competent_regions(GOLD, same, divergences=[None, 2.0, 1.0])
    assert (own.regions, far.regions) == ((), ())
    assert (own.precision, far.precision) == (None, None)
    assert in_regions(near.regions, Arcs.from_treebank(GOLD)).all()
    few = GOLD[:3]
    first, second = pp.transfer.competent_regions(
        few, [few.copy(), spoiled(few, "NOUN")], min_count=100, divergences=[2.0, 1.0]
    )
    assert first.regions == ()
    assert second.regions


def test_frequent_classes_are_divided_by_the_tag_of_the_head():
    first, second = pp.transfer.competent_regions(GOLD, [spoiled(GOLD, "ADJ"), spoiled(GOLD, "DET")], min_split_count=5)
    every = in_regions((*first.regions, *second.regions), Arcs.from_treebank(GOLD))
    assert every.all()
    both = in_regions(first.regions, Arcs.from_treebank(GOLD)) & in_regions(second.regions, Arcs.from_treebank(GOLD))
    assert not both.any()
    assert any(region.head_upos == ("NOUN",) for region in (*first.regions, *second.regions))
    rest = [region for region in (*first.regions, *second.regions) if region.head_upos and len(region.head_upos) > 1]
    assert all("NOUN" not in region.head_upos or "VERB" not in region.head_upos for region in rest)


def test_by_similarity_each_tag_goes_to_the_source_with_the_same_neighbors():
    target = language("own", 200, adjective_first=False, verb_last=True)
    adjectives = language("a", 200, adjective_first=False, verb_last=False)
    verbs = language("b", 200, adjective_first=True, verb_last=True)
    first, second = pp.transfer.similar_regions(target, [adjectives, verbs])
    assert "ADJ" in first.regions[0].upos
    assert "VERB" in second.regions[0].upos
    assert first.divergence >= 0
    assert pp.transfer.similar_regions(target, [target, verbs])[0].divergence == 0
    assert pp.transfer.similar_regions(target, [target, verbs])[1] == pp.transfer.CompetenceRegions(())


def test_what_cannot_be_compared():
    with pytest.raises(TreebankError, match="competent_regions: gold"):
        pp.transfer.competent_regions("x", [GOLD])
    with pytest.raises(SpecError, match="competent_regions: predictions must be a list"):
        pp.transfer.competent_regions(GOLD, GOLD)
    with pytest.raises(TreebankError, match="competent_regions: predictions must be the sentences"):
        pp.transfer.competent_regions(GOLD, [GOLD[:2]])
    with pytest.raises(SpecError, match="competent_regions: divergences must be 1"):
        pp.transfer.competent_regions(GOLD, [GOLD], divergences=[1.0, 2.0])
    with pytest.raises(SpecError, match="similar_regions: sources"):
        pp.transfer.similar_regions(GOLD, [])
