"""Decisions: any tree can be decided, and why some exclude each other is said in words."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotated import drafts
from panparser.annotate.decisions import consistent, decisions, find_conflict, tree_of
from panparser.annotate.sentence_draft import SentenceDraft, Word


def draft(*heads, spans=(), forbidden=None):
    words = [Word(chr(96 + n), head=h, forbidden=tuple((forbidden or {}).get(n, ()))) for n, h in enumerate(heads, 1)]
    return SentenceDraft(tuple(words), spans=tuple(spans))


def trees(words):
    """All trees with one root, one by one."""
    for heads in product(range(words + 1), repeat=words):
        if sum(head == 0 for head in heads) == 1:
            reached = {0}
            while more := {n for n, head in enumerate(heads, 1) if head in reached} - reached:
                reached |= more
            if len(reached) == words + 1:
                yield heads


TREES = {words: list(trees(words)) for words in range(1, 6)}


def _keeps(heads, constraint):
    return constraint.is_satisfied(heads, "first", False)


@st.composite
def asked(draw):
    made = draw(drafts(most=5))
    count = len(made.words)
    numbers = st.integers(1, count)
    spans = draw(st.lists(st.tuples(numbers, numbers).map(lambda pair: tuple(sorted(pair))), max_size=2))
    forbidden = {
        n: draw(st.lists(st.integers(0, count), max_size=count)) for n in range(1, count + 1) if draw(st.booleans())
    }
    forbidden = {n: [h for h in heads if h != n] for n, heads in forbidden.items()}
    return draft(*(word.head for word in made.words), spans=spans, forbidden=forbidden)


@given(asked())
def test_a_conflict_is_found_just_if_no_tree_keeps_all_decisions_and_is_minimal(made):
    wanted = decisions(made)
    possible = any(all(_keeps(tree, each) for each in wanted) for tree in TREES[len(made.words)])
    conflict = find_conflict(len(made.words), wanted)
    assert (conflict is None) == possible
    found = tree_of(len(made.words), wanted)
    assert (found is not None) == possible
    if found is not None:
        assert tuple(found) in TREES[len(made.words)]
        assert all(_keeps(found, each) for each in wanted)
        return
    for left_out in conflict.decisions:
        rest = [each for each in conflict.decisions if each is not left_out]
        assert any(all(_keeps(tree, each) for each in rest) for tree in TREES[len(made.words)])
    assert conflict.message(made)
    assert set(conflict.words) <= set(range(1, len(made.words) + 1))
    kept, first = consistent(len(made.words), wanted)
    assert first == conflict
    assert find_conflict(len(made.words), kept) is None


@pytest.mark.parametrize(
    ("made", "words", "message"),
    [
        (draft(0, None, 0), [1, 3], "a sentence has one root; words 1 (a) and 3 (c) are both decided to be"),
        (draft(2, 1, None), [1, 2], "the heads of words 1 (a) and 2 (b) go round in a circle"),
        (draft(2, 3, 1, None), [1, 2, 3], "the heads of words 1 (a), 2 (b) and 3 (c) go round in a circle"),
        (draft(None, None, forbidden={1: [0, 2]}), [1], "word 1 (a) has no head left: all others are forbidden"),
        (
            draft(None, 4, None, None, spans=[(1, 2)], forbidden={1: [2]}),
            [1, 2],
            "these decisions exclude each other: the head of word 1 is none of 2; the head of word 2 is 4; "
            "words 1-2 are a subtree",
        ),
    ],
)  # fmt: skip
def test_conflicts_are_told_in_words(made, words, message):
    conflict = find_conflict(len(made.words), decisions(made))
    assert conflict.words == words
    assert conflict.message(made) == message


def test_crossing_decisions_are_no_conflict():
    assert find_conflict(4, decisions(draft(3, 4, 0, 3))) is None
