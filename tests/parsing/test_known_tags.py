"""Tags that a parser never saw in training: told, and refused if most words have them."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace

import pytest

import panparser as pp
from panparser.errors import TagWarning, TreebankError
from panparser.parsing.known_tags import UnseenTags, merge_tags, tags_of

SPEC = pp.ParserSpec(templates=pp.Templates.parse("S0.upos B0.upos\nS0.form"), beam=1)
TAGS = ("ADP", "NOUN", "VERB")


def sentences(*tags: str) -> pp.Treebank:
    """A sentence for each text of tags: each word is headed by the one before it."""
    lines = []
    for text in tags:
        for number, tag in enumerate(text.split(), start=1):
            lines.append(
                f"{number}\tw{number}\t_\t{tag}\t_\t_\t{number - 1}\t{'dep' if number > 1 else 'root'}\t_\t_\n"
            )
        lines.append("\n")
    return pp.Treebank("".join(lines).encode())


@pytest.fixture(scope="module")
def parser():
    return pp.train(SPEC, sentences("VERB NOUN", "NOUN ADP NOUN"), epochs=1)


def silently(parser: pp.Parser, treebank: pp.Treebank) -> pp.Treebank:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return parser.parse(treebank)


def test_a_parser_knows_the_tags_that_it_learned_from(parser, tmp_path):
    assert parser.training_tags == TAGS
    parser.save(tmp_path / "model")
    assert pp.load(tmp_path / "model").training_tags == TAGS
    assert parser.to_values()["tags"] == list(TAGS)


def test_models_of_older_versions_know_nothing_of_tags(parser):
    values = parser.to_values()
    del values["tags"]
    old = pp.Parser.from_parts(parser.to_arrays(), values, pp.storage.stored.ModelSource("old", {}))
    assert old.training_tags is None
    assert "tags" not in old.to_values()
    silently(old, sentences("X " * 20))


def test_only_parsers_that_read_tags_know_them():
    forms = pp.ParserSpec(templates=pp.Templates.parse("S0.form B0.form"), beam=1)
    found = pp.train(forms, sentences("VERB NOUN"), epochs=1)
    assert found.training_tags is None
    silently(found, sentences("X " * 20))
    counting = pp.ParserSpec(templates=pp.Templates.parse("S0.form between(S0,B0,upos=VERB)"), beam=1)
    assert pp.train(counting, sentences("VERB NOUN"), epochs=1).training_tags == ("NOUN", "VERB")


def test_known_tags_need_no_words(parser):
    silently(parser, sentences("NOUN VERB ADP"))
    silently(parser, sentences())
    silently(parser, sentences(*["NOUN"] * 1000, *["X"] * 10))  # fewer than one in a hundred
    silently(parser, sentences(*["NOUN"] * 9, *["X"] * 9))  # a few words


def test_some_unknown_tags_are_told(parser):
    with pytest.warns(TagWarning, match=r"found others in 40\.0 % of 30 words: X, none \(_\)") as caught:
        parser.parse(sentences(*["NOUN X X VERB"] * 5, *["NOUN NOUN _ NOUN NOUN"] * 2))
    assert caught[0].filename == __file__
    with pytest.warns(TagWarning, match="100"):  # few words say nothing about a corpus
        parser.parse(sentences("X Y"))


def test_parsing_is_refused_if_most_tags_are_unknown(parser):
    treebank = sentences("NOUN VERB", *["NN VB"] * 10)
    expected = r"<text>: expected UPOS tags of the training data \(ADP, NOUN, VERB\), found others in "
    with pytest.raises(pp.TreebankError, match=expected + r"90\.9 % of 22 words: NN, VB \(--allow-unseen-tags"):
        parser.parse(treebank)
    half = sentences(*["NN VERB"] * 10)
    with pytest.warns(TagWarning):
        parser.parse(half)


def test_tags_of_none_parse_anything(parser):
    silently(replace(parser, training_tags=None), sentences(*["NN VB"] * 10))


def test_any_tags_are_parsed_if_asked(parser):
    strange = sentences(*["NN VB"] * 10)
    with pytest.raises(TreebankError, match="allow_unseen_tags=True"):
        parser.parse(strange)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parsed = parser.parse(strange, allow_unseen_tags=True)
    assert parsed.to_bytes() == replace(parser, training_tags=None).parse(strange).to_bytes()


def test_tags_of_votes_and_of_parsers_that_went_on(parser):
    other = pp.train(SPEC, sentences("X PRON"), epochs=1)
    assert pp.make_voting_parser([parser, other]).training_tags == tuple(sorted((*TAGS, "X", "PRON")))
    assert pp.make_voting_parser([parser, other], method="choices").training_tags == tuple(sorted((*TAGS, "X", "PRON")))
    more = pp.train(SPEC, sentences("X PRON"), epochs=1, init=parser)
    assert more.training_tags == tuple(sorted((*TAGS, "X", "PRON")))
    assert merge_tags([("A",), None]) is None


def test_counts_and_shares():
    treebank = sentences("A B A", "C _")
    treebank.id_of("upos", "UNUSED")
    assert tags_of(treebank) == ("A", "B", "C", "_")
    found = UnseenTags.from_treebank(treebank, {"A"})
    assert (found.words, found.counts, found.share) == (5, Counter({"B": 1, "C": 1, "_": 1}), 0.6)
    found.add(UnseenTags.from_treebank(sentences("A A A B A"), {"A"}))
    assert (found.words, found.counts["B"], found.share) == (10, 2, 0.4)
    assert UnseenTags().share == 0


def test_a_network_knows_tags_if_it_reads_them():
    torch = pytest.importorskip("torch")
    assert torch
    small = pp.NetworkSpec(inputs=(pp.NetworkInput(column="upos", size=4),), positions=("S0", "B0"), hidden=4)
    spec = pp.ParserSpec(system=pp.system("arc-hybrid"), beam=1)
    treebank = sentences("VERB NOUN")
    assert pp.train(spec, treebank, network=small, epochs=1).training_tags == ("NOUN", "VERB")
    blind = pp.NetworkSpec(inputs=(pp.NetworkInput(column="form", size=4),), positions=("S0", "B0"), hidden=4)
    assert pp.train(spec, treebank, network=blind, epochs=1).training_tags is None
