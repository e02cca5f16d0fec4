"""Samples of treebanks."""

from __future__ import annotations

import pytest

import panparser as pp
from places import ENGLISH


def test_samples_are_drawn_by_the_seed():
    whole = pp.read_conllu(ENGLISH)
    found = pp.sample_sentences(whole, 20, seed=3)
    assert len(found) == 20
    assert pp.sample_sentences(whole, 20, seed=3).to_bytes() == found.to_bytes()
    assert pp.sample_sentences(whole, 20, seed=4).to_bytes() != found.to_bytes()
    texts = [sentence.to_conllu() for sentence in whole]
    places = [texts.index(sentence.to_conllu()) for sentence in found]
    assert places == sorted(set(places))
    assert places != list(range(20))
    assert pp.sample_sentences(whole, 10**6).to_bytes() == whole.to_bytes()


def test_what_cannot_be_sampled():
    with pytest.raises(pp.SpecError, match="sample_sentences: sentences must be an integer >= 1; got 0"):
        pp.sample_sentences(pp.Treebank(b""), 0)
    with pytest.raises(pp.TreebankError, match="expected a Treebank"):
        pp.sample_sentences([1, 2], 1)
