"""The aligner: it finds the words of a made-up language; the same links for the same sentences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import SpecError, TreebankError
from panparser.transfer.projection.alignment import _digamma, _greedy
from parallel import parallel, treebank_of


def quality(found, wanted):
    """Precision and recall."""
    right = (found & wanted).count
    return right / found.count, right / wanted.count


@pytest.mark.parametrize("tags", [True, False])
def test_words_of_another_language_are_found(tags):
    source, target, links = parallel(150, tags=tags)
    found = pp.transfer.projection.align_words(source, target)
    precision, recall = quality(found, links)
    assert precision > 0.97
    assert recall > 0.97
    assert found.one_to_one() == found
    found.check(source, target)
    assert all(
        value >= pp.transfer.projection.AlignerConfig().min_probability
        for each in found.probabilities
        for value in each
    )


def test_lists_of_tokens_are_as_good_as_treebanks():
    source, target, _ = parallel(60, tags=False)
    source.heads[:] = -1
    lists = [[sentence.forms for sentence in side] for side in (source, target)]
    assert pp.transfer.projection.align_words(*lists) == pp.transfer.projection.align_words(source, target)
    assert (
        pp.transfer.projection.align_words(lists[0], target).pairs
        == pp.transfer.projection.align_words(source, target).pairs
    )
    assert pp.transfer.projection.align_words([], []) == pp.transfer.projection.WordAlignments((), ())


def test_the_same_links_whatever_comes_first_and_how_batches_are_cut(monkeypatch):
    source, target, _ = parallel(80)
    found = pp.transfer.projection.align_words(source, target)
    assert pp.transfer.projection.align_words(source, target) == found
    backward = list(reversed(range(80)))
    assert pp.transfer.projection.align_words(source[backward], target[backward]).pairs == tuple(reversed(found.pairs))
    monkeypatch.setattr("panparser.transfer.projection.alignment._MAX_SENTENCES", 7)
    assert pp.transfer.projection.align_words(source, target).pairs == found.pairs
    turned = pp.transfer.projection.align_words(target, source)
    assert quality(turned.reversed(), found) > (0.95, 0.95)


def test_tags_and_cognates_tell_words_apart_that_always_come_together():
    source = treebank_of([[("one", "NOUN", 0, "root"), ("two", "VERB", 1, "dep")]] * 4)
    target = treebank_of([[("iki", "VERB", 0, "root"), ("bir", "NOUN", 1, "dep")]] * 4)
    tagged = replace(pp.transfer.projection.AlignerConfig(), diagonal=0.0)
    other = treebank_of([[("sun", "NOUN", 0, "root")], [("go", "VERB", 0, "root")]] * 4)
    translated = treebank_of([[("gun", "NOUN", 0, "root")], [("git", "VERB", 0, "root")]] * 4)
    both = (source + other, target + translated)
    numbered = [treebank_of([[(t.form, t.upos, t.head, t.label) for t in s] for s in side]) for side in both]
    assert pp.transfer.projection.align_words(*numbered, aligner=tagged)[0] == ((0, 1), (1, 0))
    alike = pp.transfer.projection.align_words([["nation", "river"]] * 3, [["fluss", "nationen"]] * 3)
    assert alike[0] == ((0, 1), (1, 0))
    equal = pp.transfer.projection.align_words([["1", "x"]] * 3, [["y", "1"]] * 3)
    assert (0, 1) in equal[0]


def test_a_higher_threshold_leaves_fewer_links():
    source, target, _ = parallel(40)
    low, high = (
        pp.transfer.projection.align_words(
            source, target, aligner=pp.transfer.projection.AlignerConfig(min_probability=value)
        )
        for value in (0.01, 0.995)
    )
    assert high.count < low.count
    assert high == low.at_least(0.995)


def test_model_1_alone_works():
    source, target, links = parallel(100)
    assert (
        quality(
            pp.transfer.projection.align_words(
                source, target, aligner=pp.transfer.projection.AlignerConfig(hmm=0, trees=0)
            ),
            links,
        )[0]
        > 0.6
    )


def test_heads_of_the_source_help_and_those_of_the_target_are_not_looked_at():
    source, target, _ = parallel(60)
    found = pp.transfer.projection.align_words(source, target)
    other = target.copy()
    other.heads[:] = -1
    assert pp.transfer.projection.align_words(source, other) == found
    bare = source.copy()
    bare.heads[:] = -1
    assert pp.transfer.projection.align_words(bare, target) != found
    plain = pp.transfer.projection.AlignerConfig(
        hmm=pp.transfer.projection.AlignerConfig().hmm + pp.transfer.projection.AlignerConfig().trees, trees=0
    )
    assert pp.transfer.projection.align_words(bare, target) == pp.transfer.projection.align_words(
        source, target, aligner=plain
    )


def test_progress():
    source, target, _ = parallel(5)
    seen = []
    pp.transfer.projection.align_words(
        source,
        target,
        aligner=pp.transfer.projection.AlignerConfig(model1=1, hmm=1, trees=1),
        progress=lambda *done: seen.append(done),
    )
    assert seen == [(1, 3), (2, 3), (3, 3)]


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 4))
def test_links_are_chosen_by_probability(seed, rows, columns):
    probable = np.random.default_rng(seed).integers(0, 5, (rows, columns)) / 4
    found = dict(_greedy(probable, 0.5))
    left = {(i, j) for i in range(rows) for j in range(columns) if probable[i, j] >= 0.5}
    slow = []
    while left:
        best = min(left, key=lambda pair: (-probable[pair], pair))
        slow.append(best)
        left = {pair for pair in left if pair[0] != best[0] and pair[1] != best[1]}
    assert list(found) == slow
    assert all(probable[pair] == value for pair, value in found.items())


def test_digamma():
    known = {0.1: -10.423754940411076, 0.5: -1.9635100260214235, 1.0: -0.5772156649015329, 100.0: 4.600161852738087}
    assert _digamma(np.array(list(known))) == pytest.approx(list(known.values()), abs=1e-6)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"model1": 0}, "AlignerConfig: model1 must be an integer >= 1; got 0"),
        ({"hmm": -1}, "AlignerConfig: hmm"),
        ({"trees": -1}, "AlignerConfig: trees"),
        ({"null_probability": 1}, "AlignerConfig: null_probability must be in"),
        ({"min_probability": 0}, r"AlignerConfig: min_probability must be in \(0, 1\]"),
        ({"cognates": -1}, "AlignerConfig: cognates must be >= 0"),
    ],
)
def test_options_that_are_refused(options, said):
    with pytest.raises(SpecError, match=said):
        pp.transfer.projection.AlignerConfig(**options)


def test_sides_that_do_not_match_are_refused():
    source, target, _ = parallel(5)
    with pytest.raises(TreebankError, match=r"no more sentences \(5 and 4 sentences\)"):
        pp.transfer.projection.align_words(source, target[:4])
    with pytest.raises(TreebankError, match=r"<text>:7: expected sentence 1 \(sent_id s1\) as in .*\(sent_id s2\)"):
        pp.transfer.projection.align_words(source[:4], target[1:])
    with pytest.raises(TreebankError, match="expected a list of tokens"):
        pp.transfer.projection.align_words([["a"]], [[]])
    with pytest.raises(SpecError, match="aligner must be an Aligner"):
        pp.transfer.projection.align_words(source, target, aligner=5)  # type: ignore[arg-type]
