"""Multiword tokens: rules learned from a treebank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.text.characters import WHITE
from panparser.text.multiword import MultiwordRules, cased, rules_of, surface_words


def treebank(*tokens):
    """A sentence of tokens; a tuple is a multiword token: its form, then its words."""
    lines, number = [], 1
    for token in tokens:
        form, *words = (token,) if isinstance(token, str) else token
        rows = words or [form]
        if words:
            lines.append(f"{number}-{number + len(words) - 1}\t{form}" + "\t_" * 8)
        for word in rows:
            lines.append(f"{number}\t{word}" + "\t_" * 8)
            number += 1
    return pp.parse_conllu("\n".join(lines) + "\n\n")


NEGATED = [(f"{verb}n't", verb, "n't") for verb in ("do", "is", "has", "did")]


def test_tokens_of_a_treebank_with_their_words():
    found = list(surface_words(treebank("a", ("du", "de", "le"), "b", ("au", "à", "le"))))
    assert found == [("a", None), ("du", ("de", "le")), ("b", None), ("au", ("à", "le"))]


def test_forms_are_split_as_they_mostly_were():
    des = ("des", "de", "les")
    rules = MultiwordRules.learn(treebank(des, des, "des", ("du", "de", "le"), "du", "du", "chat"))
    assert rules.split("des") == ("de", "les")
    assert rules.split("Des") == ("De", "les")
    assert rules.split("DES") == ("DE", "LES")
    assert rules.split("du") is None
    assert rules.split("chat") is None
    assert rules.splits(["des", "x"]) == [("de", "les"), None]
    assert rules.alternative("Du") == ("De", "le")
    assert rules.alternative("chat") is None


def test_unseen_forms_follow_the_affix():
    rules = MultiwordRules.learn(treebank(*NEGATED, "ten", "can't", "can't"))
    assert rules.split("mustn't") == ("must", "n't")
    assert rules.split("MUSTN'T") == ("MUST", "N'T")
    assert rules.split("Mustn't") == ("Must", "n't")
    assert rules.split("ten") is None
    assert rules.split("can't") is None  # it was seen whole
    assert rules.split("n't") is None  # no stem would be left
    assert rules.split("10 n't") is None  # a space would be left at its end
    prefixed = MultiwordRules.learn(treebank(*((f"w{word}", "w", word) for word in ("bait", "kitab", "nur")), "nil"))
    assert prefixed.split("wqalam") == ("w", "qalam")


def test_an_affix_that_mostly_says_nothing_splits_nothing():
    whole = [f"{stem}s" for stem in ("cat", "dog", "bird", "tree")]
    rules = MultiwordRules.learn(treebank(("its", "it", "s"), ("whats", "what", "s"), ("lets", "let", "s"), *whole))
    assert rules.split("lets") == ("let", "s")
    assert rules.split("cars") is None


def test_a_treebank_without_multiword_tokens_has_no_rules():
    rules = MultiwordRules.learn(treebank("a", "b"))
    assert rules == MultiwordRules()
    assert rules.split("a") is None


def test_rules_survive_a_file():
    rules = MultiwordRules.learn(treebank(*NEGATED, "ten", ("du", "de", "le"), "du"))
    assert MultiwordRules.from_values(rules.to_values()) == rules
    empty = {"forms": [], "affixes": [], "ambiguous": [], "doubtful": []}
    assert MultiwordRules.from_values(empty) == MultiwordRules()
    wrong = [{"forms": [["a", words]]} for words in ([], ["a"], ["a", ""], ["a", " b"])]
    wrong += [{"ambiguous": [["a", ["b"]]]}, {"affixes": [["suffix", "n't", [3, "", []]]]}, {"forms": 3}]
    for broken in {}, *(empty | each for each in wrong):
        with pytest.raises(pp.ModelError):
            MultiwordRules.from_values(broken)


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=2, max_size=3).map(tuple))
def test_rules_give_the_words_they_were_made_from(form, words):
    for rule in rules_of(form, words):
        stem = words[0] if rule.end == "suffix" else words[-1]
        assert rule.apply(form) == (words if stem == stem.strip(WHITE) else None)


@given(st.text(min_size=1), st.lists(st.text(min_size=1), min_size=2, max_size=3).map(tuple))
def test_case_changes_nothing_else(form, words):
    assert len(cased(form, words)) == len(words)
    assert all(cased(form, words))
    if form == form.lower():
        assert cased(form, words) == words
