"""Models of tags: probabilities that sum to 1, as worked by hand; sentences by their perplexity."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp

SENTENCES = st.lists(st.lists(st.sampled_from("ABC"), min_size=1, max_size=5), min_size=1, max_size=6)


def tagged(*sentences: str) -> pp.Treebank:
    """A treebank of tags, a text for each sentence."""
    lines = []
    for text in sentences:
        lines += [f"{n}\tw\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, tag in enumerate(text.split(), start=1)]
        lines.append("\n")
    return pp.Treebank("".join(lines).encode(), path="<text>")


def slow_probability(sentences: list[list[str]], before: str, last: str, following: str) -> float:
    """Witten-Bell by its definition; # is the boundary, ? any other tag."""
    padded = [["#", "#", *sentence, "#"] for sentence in sentences]
    trigrams = [tuple(each[i - 2 : i + 1]) for each in padded for i in range(2, len(each))]
    found = 1 / (len({tag for each in sentences for tag in each}) + 2)
    for history in ((), (last,), (before, last)):
        after = [each[2] for each in trigrams if each[2 - len(history) : 2] == history]
        if after:
            found = (after.count(following) + len(set(after)) * found) / (len(after) + len(set(after)))
    return found


@settings(max_examples=30)
@given(SENTENCES)
def test_probabilities_are_those_of_the_definition(sentences):
    model = pp.transfer.TagLanguageModel.from_treebank(tagged(*map(" ".join, sentences)))
    names = ["#", *model.tags, "?"]
    assert np.exp(model.logs).sum(axis=2) == pytest.approx(np.ones((len(names), len(names))))
    for i, before in enumerate(names):
        for j, last in enumerate(names):
            if (last == "#" and before != "#") or "?" in (before, last):
                continue  # no sentence goes on after its end
            for k, following in enumerate(names):
                expected = slow_probability(sentences, before, last, following)
                assert math.exp(model.logs[i, j, k]) == pytest.approx(expected)


@settings(max_examples=30)
@given(SENTENCES, st.lists(st.lists(st.sampled_from("ABCD_"), min_size=1, max_size=5), min_size=1, max_size=4))
def test_perplexities_are_means_over_words_and_the_end(sentences, others):
    model = pp.transfer.TagLanguageModel.from_treebank(tagged(*map(" ".join, sentences)))
    numbers = {tag: number for number, tag in enumerate(model.tags, start=1)}
    total = []
    for found, sentence in zip(model.perplexities(tagged(*map(" ".join, others))), others, strict=True):
        codes = [0, 0, *(numbers.get(tag, len(model.tags) + 1) for tag in sentence), 0]
        logs = [model.logs[tuple(codes[i - 2 : i + 1])] for i in range(2, len(codes))]
        assert found == pytest.approx(math.exp(-np.mean(logs)))
        total += logs
    assert model.perplexity(tagged(*map(" ".join, others))) == pytest.approx(math.exp(-np.mean(total)))


def test_what_is_most_like_the_language_is_selected():
    model = pp.transfer.TagLanguageModel.from_treebank(tagged(*["D N V"] * 5, "N V"))
    treebank = tagged("V N D", "D N V", "N D", "N V")
    assert list(np.argsort(model.perplexities(treebank))[:2]) == [1, 3]
    chosen = pp.transfer.select_similar_sentences(treebank, model, share=0.5)
    assert [sentence.values("upos") for sentence in chosen] == [["D", "N", "V"], ["N", "V"]]
    assert len(pp.transfer.select_similar_sentences(treebank, model, share=1)) == 4


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: pp.transfer.TagLanguageModel.from_treebank(tagged("_ _")), "expected words with tags"),
        (lambda model: model.perplexities("x"), "expected a Treebank"),
        (
            lambda model: pp.transfer.select_similar_sentences(tagged("A"), "x"),
            "select_similar_sentences: model must be a TagModel",
        ),
        (
            lambda model: pp.transfer.select_similar_sentences(tagged("A"), model, share=0),
            r"select_similar_sentences: share must be in \(0, 1\]",
        ),
    ],
)
def test_what_cannot_be(call, said):
    with pytest.raises(pp.PanParserError, match=said):
        call(pp.transfer.TagLanguageModel.from_treebank(tagged("A B")))
