"""Completion: what is decided never moves, the rest is a tree around it."""

from __future__ import annotations

import time
from dataclasses import replace
from statistics import median

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.annotate.completion import Completer
from panparser.annotate.document import Document
from panparser.annotate.edits import parse_edit
from panparser.trees.projectivity import is_projective
from places import ENGLISH

SYSTEMS = {"arc-eager": "arc-eager", "covington": "covington"}


class Sentences(list):
    """With a short name: hypothesis shows it if a test fails."""

    def __repr__(self):
        return "sentences"


@pytest.fixture(scope="module")
def sentences():
    document = Document(ENGLISH.read_bytes())
    found = [document.draft(index) for index in range(110, 150)]
    return Sentences(draft for draft in found if 3 <= len(draft.words) <= 14)


@pytest.fixture(scope="module", params=["none", *SYSTEMS])
def completer(request, english):
    if request.param == "none":
        return Completer()
    spec = pp.ParserSpec(system=pp.system(request.param), beam=4)
    return Completer(pp.train(spec, english[0], epochs=2, members=1, threads=1))


def bare(draft):
    return replace(draft, done=False, words=tuple(replace(word, head=None, label=None) for word in draft.words))


def is_tree(heads):
    if sum(head == 0 for head in heads) != 1:
        return False
    for word in range(1, len(heads) + 1):
        seen = set()
        while word:
            if word in seen:
                return False
            seen.add(word)
            word = heads[word - 1]
    return True


KINDS = ("head", "label", "forbid", "span", "right", "confirm")
STEPS = st.lists(st.tuples(st.sampled_from(KINDS), st.integers(0, 99), st.integers(0, 99)), min_size=1, max_size=5)


def edit(kind, word, head):
    """Of a word, and another or Root."""
    label = {"label": ("obj", "unheard-of")[head % 2]}
    values = {"head": {"head": head}, "label": label, "forbid": {"heads": [head]}}
    span = {"first": min(word, head or 1), "last": max(word, head, 2)}
    return parse_edit({"edit": kind, **(span if kind == "span" else {"word": word, **values.get(kind, {})})})


def check_tree(heads, draft):
    """It is one, and has no forbidden head; spans are subtrees."""
    words = len(draft.words)
    assert is_tree(heads)
    for number, word in enumerate(draft.words):
        assert heads[number] not in word.forbidden
    for first, last in draft.spans:
        inside = range(first, last + 1)
        assert sum(heads[n - 1] not in inside for n in inside) == 1
        assert all(heads[n - 1] not in inside for n in range(1, words + 1) if n not in inside)


@settings(max_examples=60)
@given(chosen=st.integers(0, 99), steps=STEPS)
def test_what_is_decided_never_moves_and_the_rest_is_a_tree(completer, sentences, chosen, steps):
    draft = bare(sentences[chosen % len(sentences)])
    words = len(draft.words)
    for kind, one, other in steps:
        word, head = one % words + 1, other % (words + 1)
        if word != head:
            draft = edit(kind, word, head).apply(draft, completer.complete(draft).words)
    found = completer.complete(draft)
    for shown, word in zip(found.words, draft.words, strict=True):
        assert word.head is None or shown.head == word.head
        assert word.label is None or shown.label == word.label
        assert shown.label
    trees = completer.alternatives(draft, 4)
    if found.conflict is not None:
        assert trees == []
        return
    check_tree([word.head for word in found.words], draft)
    for tree in trees:
        check_tree(tree["heads"], draft)
        for head, label, word in zip(tree["heads"], tree["labels"], draft.words, strict=True):
            assert word.head in (None, head)
            assert word.label in (None, label)
            assert label
    assert len({(*tree["heads"], *tree["labels"]) for tree in trees}) == len(trees)


def test_arcs_that_cross_can_be_decided_whatever_the_system(completer, sentences):
    draft = next(each for each in sentences if len(each.words) >= 6)
    draft = bare(draft)
    for word, head in ((1, 3), (2, 4), (4, 6)):
        draft = parse_edit({"edit": "head", "word": word, "head": head}).apply(draft, ())
    found = completer.complete(draft)
    heads = [word.head for word in found.words]
    assert found.conflict is None
    assert heads[0] == 3
    assert heads[1] == 4
    assert heads[3] == 6
    assert is_tree(heads)
    assert not is_projective(heads)
    trees = completer.alternatives(draft, 4)
    assert bool(trees) == (completer.parser is not None)
    for tree in trees:
        assert is_tree(tree["heads"])
        assert (tree["heads"][0], tree["heads"][1], tree["heads"][3]) == (3, 4, 6)


def test_conflicts_are_shown_and_decisions_stay(completer, sentences):
    draft = bare(sentences[0])
    for word in (1, 2):
        draft = parse_edit({"edit": "head", "word": word, "head": 0}).apply(draft, ())
    found = completer.complete(draft)
    assert found.conflict.words == [1, 2]
    assert "one root" in found.conflict.message(draft)
    assert [word.head for word in found.words[:2]] == [0, 0]


def test_labels_alternatives_and_the_least_certain_word(completer, sentences):
    draft = bare(sentences[1])
    found = completer.complete(draft)
    assert 1 <= found.least_certain(draft) <= len(draft.words)
    if completer.parser is None:
        assert completer.ranked_labels(draft, 1, None) == [] == completer.alternatives(draft, 3)
        return
    ranked = completer.ranked_labels(draft, 1, 2)
    assert len(ranked) > 5
    assert ranked[0][1] == 0 >= ranked[-1][1]
    decided = parse_edit({"edit": "head", "word": 1, "head": len(draft.words)}).apply(draft, ())
    trees = completer.alternatives(decided, 4)
    assert 1 <= len(trees) <= 4
    assert all(tree["heads"][0] == len(draft.words) for tree in trees)
    assert len({(*tree["heads"], *tree["labels"]) for tree in trees}) == len(trees)


@pytest.mark.unmeasured
def test_the_label_that_is_shown_is_the_first(completer, sentences):
    if completer.parser is None:
        return
    words = right = 0
    for draft in map(bare, sentences[:8]):
        shown = completer.complete(draft).words
        for number, word in enumerate(shown, start=1):
            ranked = completer.ranked_labels(draft, number, None)
            words, right = words + 1, right + (ranked[0][0] == word.label)
            assert [name for name, _ in ranked].count(word.label) == 1
            if word.head:  # a word and another head: other labels lead
                assert completer.ranked_labels(draft, number, 0)[0] == ("root", 0.0)
    assert right >= 0.9 * words  # the parser's derivation may be another than the oracle's, with other features


def test_a_decision_is_completed_within_ten_milliseconds(english, sentences):
    completer = Completer(pp.train(pp.ParserSpec(beam=4), english[0], epochs=2, members=1, threads=1))
    spent = []
    for draft in map(bare, sentences):
        decided = parse_edit({"edit": "head", "word": 1, "head": 2}).apply(draft, ())
        start = time.process_time()
        completer.complete(decided)
        spent.append(time.process_time() - start)
    assert median(spent) < 0.01
