"""Tags and trees through translations."""

from __future__ import annotations

import pytest

import panparser as pp
from panparser.transfer.glossed.leipzig import read_leipzig

TEXT = """A kutyák látnak egy régi házat.
a kutyá-k lát-nak egy régi ház-at
the dog-PL see-3PL one old house-ACC
'The dogs see an old house.'

nagy kutya
big dog

régi ilyen
old cupboard
'Something else entirely.'
"""


@pytest.fixture(scope="module")
def nlp():
    return pp.load("en")


def test_a_tree_is_projected_through_the_glosses(nlp):
    found = pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=nlp, trees=True)
    first, second, third = found.treebank
    assert first.heads.tolist() == [2, 3, 0, 6, 6, 3, 3]
    assert first.labels == ["det", "nsubj", "root", "det", "amod", "obj", "punct"]
    assert second.heads.tolist() == [-1, -1]  # there is no translation
    assert third.heads.tolist() == [-1, -1]  # nothing matches
    assert second.values("upos") == ["ADJ", "NOUN"]  # as the model tags the glosses
    assert (found.headed, found.tagged) == (7, 11)


def test_tags_alone(nlp):
    found = pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=nlp)
    assert (found.headed, found.tagged) == (0, 11)
    assert found.treebank[0].values("upos") == ["DET", "NOUN", "VERB", "NUM", "ADJ", "NOUN", "PUNCT"]


def test_trees_are_parts_of_trees(nlp, tmp_path):
    """At most one root, no cycle: a parser can learn from them, and complete them."""
    found = pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=nlp, trees=True).treebank
    for sentence in found:
        assert sentence.heads.tolist().count(0) <= 1
        sentence.gold()  # raises GoldError for a cycle
    parser = pp.train(pp.ParserSpec(beam=1, templates=pp.templates("zn11")), found, epochs=2, members=1)
    parsed = parser.parse(found, constraints=pp.Constraints.from_treebank(found, keep=("heads",)))
    assert parsed[0].heads.tolist() == found[0].heads.tolist()
    assert (parsed.heads >= 0).all()


def test_many_translations_are_parsed_in_batches(nlp, monkeypatch):
    once = pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=nlp, trees=True).treebank
    monkeypatch.setattr("panparser.transfer.glossed.gloss_trees._BATCH", 2)
    told = []
    again = pp.transfer.glossed.convert_glosses(
        read_leipzig(TEXT), nlp=nlp, trees=True, progress=lambda *what: told.append(what)
    )
    assert again.treebank.to_bytes() == once.to_bytes()
    assert told == [("translations", 2, 3), ("translations", 3, 3)]


def test_a_model_must_have_what_is_needed(nlp):
    without = pp.Pipeline(tokenizer=nlp.tokenizer, taggers=nlp.taggers, lemmatizer=nlp.lemmatizer)
    with pytest.raises(pp.SpecError, match="nlp must be a pipeline with a tokenizer, a tagger and a parser; got"):
        pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=without, trees=True)
    with pytest.raises(pp.SpecError, match="nlp must be a pipeline with a tokenizer and a tagger; got"):
        pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=nlp.parser)
    assert pp.transfer.glossed.convert_glosses(read_leipzig(TEXT), nlp=without).tagged == 11
