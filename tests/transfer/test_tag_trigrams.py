"""KLcpos3: compared with a slow count of its definition; ranks, weights, what is left out."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import panparser as pp
from panparser.transfer.similarity import TagTrigramCounts
from places import ENGLISH


def tagged(*sentences: str, path: str = "<text>") -> pp.Treebank:
    """A treebank of tags, a text for each sentence."""
    lines = []
    for text in sentences:
        lines += [f"{n}\tw\t_\t{tag}\t_\t_\t_\t_\t_\t_\n" for n, tag in enumerate(text.split(), start=1)]
        lines.append("\n")
    return pp.Treebank("".join(lines).encode(), path=path)


def counted(sentences: list[list[str]]) -> Counter[tuple[str, str, str]]:
    """The trigrams of tags, one by one."""
    found: Counter[tuple[str, str, str]] = Counter()
    for sentence in sentences:
        tags = ["#", *(tag for tag in sentence if tag != "_"), "#"]
        found.update(zip(tags, tags[1:], tags[2:], strict=False))
    return found


def divergence(target: list[list[str]], source: list[list[str]]) -> float:
    """The definition, word for word."""
    wanted, known = counted(target), counted(source)
    known = known + Counter({trigram: 1 for trigram in wanted if trigram not in known})
    total = 0.0
    for trigram, count in wanted.items():
        f, g = count / wanted.total(), known[trigram] / known.total()
        total += f * math.log(f / g)
    return total


SENTENCES = st.lists(
    st.lists(st.sampled_from(["ADJ", "NOUN", "VERB", "_", "own-tag"]), min_size=1, max_size=6), min_size=1, max_size=6
).filter(lambda found: any(tag != "_" for tags in found for tag in tags))


@given(SENTENCES, SENTENCES)
@settings(max_examples=60)
def test_as_it_is_defined(target, source):
    treebanks = [tagged(*map(" ".join, each)) for each in (target, source)]
    assert pp.transfer.measure_similarity(*treebanks) == pytest.approx(divergence(target, source), abs=1e-12)
    assert pp.transfer.measure_similarity(treebanks[0], treebanks[0]) == 0
    found = TagTrigramCounts.from_treebank(treebanks[0])
    assert found.counts.sum() == sum(tag != "_" for tags in target for tag in tags)
    assert found.untagged == sum(tag == "_" for tags in target for tag in tags)


@given(SENTENCES, SENTENCES)
@settings(max_examples=40)
def test_tag_by_tag_as_it_is_defined(target, source):
    treebanks = [tagged(*map(" ".join, each)) for each in (target, source)]
    wanted, known = counted(target), counted(source)
    expected = {}
    for tag in {middle for _, middle, _ in wanted} & {middle for _, middle, _ in known}:
        own, other = ({t: n for t, n in counts.items() if t[1] == tag} for counts in (wanted, known))
        other |= {trigram: 1 for trigram in own if trigram not in other}
        f, g = ({t: n / sum(counts.values()) for t, n in counts.items()} for counts in (own, other))
        expected[tag] = sum(f[trigram] * math.log(f[trigram] / g[trigram]) for trigram in own)
    assert pp.transfer.measure_similarity_by_tag(*treebanks) == pytest.approx(expected, abs=1e-12)


def test_an_example_by_hand():
    target, source = tagged("NOUN VERB"), tagged("NOUN VERB", "NOUN VERB", "VERB")
    # The target has # NOUN VERB and NOUN VERB #, once each; the source twice each, and # VERB #.
    assert pp.transfer.measure_similarity(target, source) == pytest.approx(math.log((1 / 2) / (2 / 5)))
    # The other way round, # VERB # is missing and counts once: 2/5, 2/5, 1/5 against 1/3 each.
    assert pp.transfer.measure_similarity(source, target) == pytest.approx(
        0.8 * math.log(6 / 5) + 0.2 * math.log(3 / 5)
    )


def test_trigrams_do_not_cross_sentences_and_untagged_words():
    assert pp.transfer.measure_similarity(tagged("A B", "C D"), tagged("C D", "A B")) == 0
    assert pp.transfer.measure_similarity(tagged("A _ B"), tagged("A B")) == 0
    assert pp.transfer.measure_similarity(tagged("A B C D"), tagged("A B", "C D")) > 0


def test_sources_by_similarity():
    target = tagged("NOUN VERB NOUN", "NOUN VERB")
    sources = [
        tagged("VERB NOUN NOUN", path="far"),
        tagged("NOUN VERB NOUN", "NOUN VERB", path="same"),
        tagged("NOUN VERB _", "X", path="near"),
        tagged("VERB NOUN NOUN", path="as far"),
    ]
    found = pp.transfer.rank_sources(target, sources)
    assert [each.path for each in found] == ["same", "near", "far", "as far"]
    assert [each.index for each in found] == [1, 2, 0, 3]
    assert [each.untagged for each in found] == [0, 1, 0, 0]
    assert found[1].sentences == 2
    assert (found[0].divergence, found[0].weight) == (0, 1e6)
    assert found[1].weight == 1 / found[1].divergence
    assert pp.transfer.rank_sources(target, sources, exponent=4)[1].weight == found[1].divergence ** -4
    assert {each.weight for each in pp.transfer.rank_sources(target, sources, exponent=0)} == {1}
    assert (
        pp.transfer.rank_sources(
            TagTrigramCounts.from_treebank(target), [TagTrigramCounts.from_treebank(each) for each in sources]
        )
        == found
    )


def test_what_cannot_be_compared():
    with pytest.raises(pp.TreebankError, match=r"mine: expected words with tags \(UPOS\), found none"):
        pp.transfer.measure_similarity(tagged("_ _", path="mine"), tagged("A"))
    with pytest.raises(pp.TreebankError, match="expected a Treebank"):
        pp.transfer.measure_similarity("A", tagged("A"))
    with pytest.raises(pp.SpecError, match="rank_sources: sources must be a list of treebanks, at least one"):
        pp.transfer.rank_sources(tagged("A"), [])
    with pytest.raises(pp.SpecError, match="rank_sources: sources must be a list"):
        pp.transfer.rank_sources(tagged("A"), tagged("A"))
    with pytest.raises(pp.SpecError, match=r"rank_sources: exponent must be in \[0, 100\]; got -1"):
        pp.transfer.rank_sources(tagged("A"), [tagged("A")], exponent=-1)


def test_a_few_sentences_are_enough_to_rank():
    """Ranks by 20 sentences are those by all, between sources that differ by what was done to their order."""
    whole = pp.read_conllu(ENGLISH)
    tags = [[token.upos for token in sentence] for sentence in whole[:200]]

    def changed(step: int) -> pp.Treebank:
        """Sentences in which every so many-th pair of words has changed places."""
        return tagged(*(" ".join(_swapped(sentence, step)) for sentence in tags))

    sources = [changed(step) for step in (2, 4, 8, 16, 1000)]
    ranks = [
        [each.index for each in pp.transfer.rank_sources(target, sources)]
        for target in (whole[200:220], whole[200:300], whole[200:])
    ]
    assert ranks == [[4, 3, 2, 1, 0]] * 3


def _swapped(tags: list[str], step: int) -> list[str]:
    found = list(tags)
    for place in range(0, len(found) - 1, step):
        found[place : place + 2] = found[place : place + 2][::-1]
    return found


def test_sources_of_a_few_words_are_not_taken_for_near():
    """All that they lack counts once, so that little text diverges little."""
    target = tagged("DET NOUN VERB", "PRON VERB DET NOUN")
    near, tiny = tagged(*["DET NOUN VERB", "PRON VERB NOUN"] * 200), tagged("INTJ")
    assert pp.transfer.measure_similarity(target, tiny) < 1.6
    found = pp.transfer.rank_sources(target, [tiny, near])
    assert [(each.index, each.has_too_few_words) for each in found] == [(1, False), (0, True)]
    assert found[1].divergence == max(found[0].divergence, pp.transfer.measure_similarity(target, tiny))
    assert [each.has_too_few_words for each in pp.transfer.rank_sources(target, [tiny, tiny])] == [
        False,
        False,
    ]  # nothing to compare with
