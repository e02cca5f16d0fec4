"""Gold: what it takes, what it refuses, and what it knows of trees."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.trees.enumeration import all_trees, partial_golds, projective_trees
from panparser.trees.gold import reference_heads


def test_golds_are_values():
    gold = pp.GoldTree([2, 0, None, pp.NO_HEAD, pp.HEAD_LEFT], ["a", "b", None, None, None])
    assert gold == pp.GoldTree(iter([2, 0, None, pp.NO_HEAD, pp.HEAD_LEFT]), ("a", "b", None, None, None))
    assert len({gold, pp.GoldTree.from_heads(gold), pp.GoldTree(gold.heads)}) == 2
    assert len(gold) == 5
    assert gold.is_directed
    assert not pp.GoldTree([0]).is_directed
    assert "EMPTY" in repr(gold)


def test_numpy_heads_are_heads():
    assert pp.GoldTree(np.array([2, 0])).heads == (2, 0)


@pytest.mark.parametrize(
    ("heads", "message"),
    [
        ([], "expected at least one word, found none"),
        ([2, 5], "head of word 2 is out of range; got [2, 5]"),
        ([1], "word 1 is its own head"),
        ([2, 3, 1, 0], "the heads form a cycle: 1 <- 2 <- 3 <- 1; got [2, 3, 1, 0]"),
        ([0, 3, 2], "the heads form a cycle: 2 <- 3 <- 2"),
        ([-1], "head of word 1: expected 0..n, None, NO_HEAD, HEAD_LEFT, HEAD_RIGHT or a set of heads; got -1"),
        ([0, "1"], "head of word 2: expected 0..n, None, NO_HEAD, HEAD_LEFT, HEAD_RIGHT or a set of heads; got '1'"),
        ([2**31], "got 2147483648"),
        ([True], "got True"),
        ([1.0], "got 1.0"),
    ],
)
def test_malformed_heads_are_refused(heads, message):
    with pytest.raises(pp.errors.GoldError) as caught:
        pp.GoldTree(heads)
    assert message in str(caught.value)


def test_labels_must_match_the_heads():
    with pytest.raises(pp.errors.GoldError, match="must be 2 values, one per head; got 1"):
        pp.GoldTree([2, 0], ["x"])


@given(
    st.lists(st.integers(-5, 12) | st.none() | st.sampled_from([pp.NO_HEAD, pp.HEAD_LEFT, pp.HEAD_RIGHT]), max_size=10)
)
def test_any_heads_are_taken_or_refused(heads):
    try:
        gold = pp.GoldTree(heads)
    except pp.errors.GoldError:
        return
    assert gold.heads == tuple(heads)


@pytest.mark.parametrize("root", ["first", "last"])
@pytest.mark.parametrize("single_root", [False, True])
@pytest.mark.parametrize("words", [1, 2, 3, 4])
def test_completable_means_that_a_projective_tree_has_all_arcs(words, root, single_root):
    completable = set(partial_golds(words, root, single_root))
    for tree in all_trees(words):
        for kept in range(2**words):
            heads = tuple(head if kept >> i & 1 else None for i, head in enumerate(tree))
            assert pp.GoldTree(heads).has_projective_completion(root=root, single_root=single_root) == (
                heads in completable
            )


@pytest.mark.parametrize("root", ["first", "last"])
@pytest.mark.parametrize("single_root", [False, True])
def test_the_projective_subset_is_a_largest_one(root, single_root):
    trees = projective_trees(4, root, single_root)
    for tree in all_trees(4, single_root):
        subset = pp.GoldTree(tree).projective_subset(root=root, single_root=single_root)
        assert all(kept in (None, head) for kept, head in zip(subset.heads, tree, strict=True))
        assert subset.has_projective_completion(root=root, single_root=single_root)
        best = max(sum(a == b for a, b in zip(tree, other, strict=True)) for other in trees)
        assert sum(head is not None for head in subset.heads) == best


def test_numbers_of_trees():
    assert [len(all_trees(n)) for n in (1, 2, 3, 4)] == [1, 3, 16, 125]
    assert [len(all_trees(n, True)) for n in (1, 2, 3, 4)] == [1, 2, 9, 64]
    assert [len(projective_trees(n)) for n in (1, 2, 3, 4, 5)] == [1, 3, 12, 55, 273]
    for root in ("first", "last"):
        assert projective_trees(4, root) == projective_trees(4)


def test_crossing_arcs_are_not_projective():
    crossing = [tree for tree in all_trees(4) if tree not in projective_trees(4)]
    for tree in crossing:
        arcs = [(min(w, h), max(w, h)) for w, h in enumerate(tree, start=1)]
        assert any(a < c < b < d or c < a < d < b for (a, b), (c, d) in combinations(arcs, 2))


def test_long_arcs_count_as_headless_in_span_systems():
    assert reference_heads(pp.GoldTree([3, None, 0]), "last", 1) == [-2, -1, 4]
    assert reference_heads(pp.GoldTree([3, None, 0]), "first", 1) == [-2, -1, -2]
    assert reference_heads(pp.GoldTree([3, None, 0]), "first", None) == [3, -1, 0]


def test_sets_of_heads():
    gold = pp.GoldTree([{0, 3}, {1}, None])
    assert gold.heads == (frozenset({0, 3}), 1, None)
    assert gold.has_sets
    assert gold.codes() == [-1, 1, -1]
    assert hash(gold) == hash(pp.GoldTree([frozenset({3, 0}), 1, None]))
    for heads in ([{1, 2}, None], [{3, 4}, None], [set(), None], [{"a", 2}, None], [{pp.HEAD_LEFT, 2}, None]):
        with pytest.raises(pp.errors.GoldError, match="head of word 1: expected"):
            pp.GoldTree(heads)


def test_an_arc_from_outside_the_set_costs_one_when_it_is_made():
    system = pp.system("arc-hybrid", root="last")
    state = system.apply(system.apply(system.initial(3), "SHIFT"), "SHIFT")  # 1 2 | 3 Root
    free = system.costs(state, pp.GoldTree([None] * 3))
    assert free == {"SHIFT": 0, "LEFT": 0, "RIGHT": 0}
    assert system.costs(state, pp.GoldTree([None, {0, 3}, None])) == {"SHIFT": 0, "LEFT": 0, "RIGHT": 1}
    assert system.costs(state, pp.GoldTree([None, {0, 1}, None])) == {"SHIFT": 0, "LEFT": 1, "RIGHT": 0}


def test_spans():
    span = pp.Span(1, 2, "closed")
    assert pp.GoldTree([None, None], spans=[span]).spans == (span,)
    for arguments in ((2, 1), (0, 1), (1, 2, "open"), (1, "2"), (True, 2)):
        with pytest.raises(pp.errors.GoldError, match=r"Span: .* must be"):
            pp.Span(*arguments)
    for spans in ([pp.Span(1, 3)], [(1, 2)]):
        with pytest.raises(pp.errors.GoldError, match=r"GoldTree: spans must be Spans of words 1\.\.2"):
            pp.GoldTree([None, None], spans=spans)
