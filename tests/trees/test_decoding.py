"""Best trees: equal to those found by trying all trees; bad scores are refused by name."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import panparser as pp
from panparser.trees.enumeration import all_trees, projective_trees, random_projective_tree, random_tree

DECODERS = (pp.trees.maximum_spanning_tree, pp.trees.maximum_projective_tree)
each_decoder = pytest.mark.parametrize("decode", DECODERS)
each_root = pytest.mark.parametrize("single_root", [False, True])

small_integers = st.integers(-3, 3).map(float) | st.just(-np.inf)  # many ties, many forbidden arcs
numbers = st.floats(-1e6, 1e6) | st.just(-np.inf)


def score(heads, scores):
    return sum(scores[head, word] for word, head in enumerate(heads, start=1))


def trees_of(decode, words, single_root):
    if decode is pp.trees.maximum_projective_tree:
        return projective_trees(words, "first", single_root)
    return all_trees(words, single_root)


def check(decode, scores, single_root):
    """The tree found is one of those allowed and has the best score; or there is none and the decoder says so."""
    trees = trees_of(decode, len(scores) - 1, single_root)
    best = max(score(tree, scores) for tree in trees)
    if best == -np.inf:
        with pytest.raises(pp.errors.DecodingError, match=f"{decode.__name__}: scores: expected a .*tree"):
            decode(scores, single_root=single_root)
        return
    heads = decode(scores, single_root=single_root)
    assert heads.dtype == np.int32
    assert heads[0] == -1
    assert tuple(heads[1:]) in trees
    assert score(heads[1:], scores) == pytest.approx(best, rel=1e-9, abs=1e-6)


@each_decoder
@each_root
@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_the_tree_is_the_best_of_all(decode, single_root, words):
    rng = np.random.default_rng(words)
    for _ in range(100):
        shape = (words + 1, words + 1)
        scores = rng.integers(-4, 5, shape).astype(float) if rng.random() < 0.5 else rng.normal(size=shape)
        scores[rng.random(shape) < rng.choice([0, 0.4])] = -np.inf
        check(decode, scores, single_root)


@pytest.mark.unmeasured
@each_decoder
@each_root
@given(data=st.data(), words=st.integers(1, 4), elements=st.sampled_from([small_integers, numbers]))
def test_the_tree_is_the_best_of_all_whatever_the_scores(decode, single_root, data, words, elements):
    check(decode, data.draw(arrays(np.float64, (words + 1, words + 1), elements=elements)), single_root)


@each_root
@given(words=st.integers(1, 40), seed=st.integers(0, 2**32 - 1))
def test_a_tree_comes_back_from_its_own_arcs(single_root, words, seed):
    rng = random.Random(seed)
    for decode, tree in (
        (pp.trees.maximum_spanning_tree, random_tree(words, rng, single_root)),
        (pp.trees.maximum_projective_tree, random_projective_tree(words, rng, single_root)),
    ):
        scores = np.random.default_rng(seed).normal(size=(words + 1, words + 1))
        for word, head in enumerate(tree, start=1):
            scores[head, word] += 100
        assert tuple(decode(scores, single_root=single_root)[1:]) == tree


@each_root
@given(words=st.integers(1, 30), seed=st.integers(0, 2**32 - 1))
def test_the_best_tree_is_no_worse_than_the_best_projective_one(single_root, words, seed):
    scores = np.random.default_rng(seed).integers(-20, 20, (words + 1, words + 1)).astype(float)
    projective = pp.trees.maximum_projective_tree(scores, single_root=single_root)[1:]
    best = pp.trees.maximum_spanning_tree(scores, single_root=single_root)[1:]
    assert pp.trees.is_projective(projective)
    assert score(best, scores) >= score(projective, scores)
    assert not pp.trees.is_projective(best) or score(best, scores) == score(projective, scores)
    if single_root:
        assert list(best).count(0) == list(projective).count(0) == 1


def test_nested_cycles_are_contracted():
    scores = np.full((5, 5), -np.inf)
    for head, word, value in ((1, 2, 9), (2, 1, 9), (2, 3, 8), (3, 2, 8), (3, 4, 7), (4, 3, 7), (0, 4, 1), (0, 1, 0)):
        scores[head, word] = value
    assert pp.trees.maximum_spanning_tree(scores).tolist() == [-1, 2, 3, 4, 0]
    assert pp.trees.maximum_spanning_tree(scores, single_root=False).tolist() == [-1, 2, 3, 4, 0]


def test_one_child_of_root_costs_no_precision():
    scores = np.zeros((4, 4))
    scores[0] = 1e200  # a penalty would have to be larger, and drown the rest
    scores[0, 2] += 1e190
    scores[2, 3] = 1e-9
    scores[2, 1] = 1e-9
    for decode in DECODERS:
        assert decode(scores).tolist() == [-1, 2, 0, 2]
        assert decode(scores, single_root=False).tolist() == [-1, 0, 0, 0]


@each_decoder
def test_what_is_never_read_may_be_anything(decode):
    scores = np.full((3, 3), np.nan)
    scores[0, 1], scores[0, 2], scores[1, 2], scores[2, 1] = 1, 0, 1, 0
    assert decode(scores).tolist() == [-1, 0, 1]


@each_decoder
def test_ties_are_broken_always_the_same_way(decode):
    scores = np.zeros((6, 6))
    assert decode(scores).tolist() == decode(scores.copy()).tolist()
    assert decode(np.asfortranarray(scores)).tolist() == decode(scores).tolist()


@each_decoder
def test_views_are_decoded_as_they_look(decode):
    scores = np.random.default_rng(3).normal(size=(8, 8))
    assert decode(scores.T).tolist() == decode(scores.T.copy()).tolist()
    scores.flags.writeable = False
    assert decode(scores[::2, ::2]).tolist() == decode(scores[::2, ::2].copy()).tolist()


@each_decoder
@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([[0.0, 1.0]], "must be float64 (n+1, n+1) for n >= 1 words; got list"),
        (np.zeros((3, 3), np.float32), "got float32 (3, 3)"),
        (np.zeros((3, 3), int), "got int64 (3, 3)"),
        (np.zeros((3, 4)), "got float64 (3, 4)"),
        (np.zeros((1, 1)), "got float64 (1, 1)"),
        (np.zeros((0, 0)), "got float64 (0, 0)"),
        (np.zeros(3), "got float64 (3,)"),
        (np.array(1.0), "got float64 ()"),
        (np.array([[0, np.nan], [0, 0]]), "or -inf for a forbidden arc; head 0 of word 1 has nan"),
        (np.array([[0, np.inf], [0, 0]]), "head 0 of word 1 has inf"),
        (np.array([[0, -1e301], [0, 0]]), "head 0 of word 1 has -1"),
    ],
)
def test_bad_scores_are_refused(decode, scores, message):
    with pytest.raises(pp.errors.DecodingError) as caught:
        decode(scores)
    assert str(caught.value).startswith(f"{decode.__name__}: scores")
    assert message in str(caught.value)


def test_forbidden_trees_are_named():
    scores = np.zeros((4, 4))
    scores[:2, 2:] = -np.inf
    with pytest.raises(pp.errors.DecodingError, match=r"all arcs into \{2, 3\} are forbidden"):
        pp.trees.maximum_spanning_tree(scores)
    scores = np.full((3, 3), -np.inf)
    scores[0] = 0
    with pytest.raises(pp.errors.DecodingError, match="expected a tree with one child of Root"):
        pp.trees.maximum_spanning_tree(scores)
    assert pp.trees.maximum_spanning_tree(scores, single_root=False).tolist() == [-1, 0, 0]
    with pytest.raises(
        pp.errors.DecodingError, match="expected a projective tree without forbidden arcs; there is none"
    ):
        pp.trees.maximum_projective_tree(scores)


@each_decoder
def test_long_sentences_take_no_time(decode):
    scores = np.random.default_rng(0).normal(size=(201, 201))
    start = time.process_time()
    decode(scores)
    assert time.process_time() - start < 1.0  # milliseconds, but for sanitizers
