"""The component for spaCy, where there is spaCy."""

from __future__ import annotations

import pytest

import panparser as pp
from nets import KINDS
from reference.networks import random_network_parser

spacy = pytest.importorskip("spacy", reason="spaCy is not installed (pip install 'panparser[spacy]')")
pytestmark = pytest.mark.filterwarnings("ignore")  # spaCy's own

TEXT = "The birds  sing. They stopped,\nand the road disappeared!"


@pytest.fixture(params=["perceptron", "network"])
def any_file(request, pipeline_file, english, tmp_path):
    """A pipeline whose parser is a perceptron, and one whose parser is a network."""
    if request.param == "perceptron":
        return pipeline_file
    parts, spec = pp.load(pipeline_file), pp.ParserSpec(beam=2)
    parser = random_network_parser(spec, KINDS["labels and history"], english[0])
    pp.Pipeline(tokenizer=parts.tokenizer, taggers=parts.taggers, lemmatizer=parts.lemmatizer, parser=parser).save(
        tmp_path / "network"
    )
    return tmp_path / "network"


def test_a_doc_has_what_the_pipeline_says(any_file):
    nlp = spacy.blank("en")
    nlp.add_pipe("panparser", config={"model": str(any_file)})
    doc = nlp(TEXT)
    assert doc.text == TEXT
    words = [token for token in doc if not token.is_space]
    own = pp.load(any_file)(TEXT)
    told = [token for sentence in own for token in sentence]
    assert [token.text for token in words] == [token.form for token in told]  # the two tokenizers agree here
    for token, word in zip(words, told, strict=True):
        assert (token.pos_, token.tag_, token.lemma_) == (word.upos, word.xpos, word.lemma)
        assert str(token.morph) == ("" if word.feats == "_" else word.feats)
        if word.head:
            assert (token.head.text, token.dep_) == (word.sentence.forms[word.head - 1], word.label)
        else:
            assert token.head == token
            assert token.dep_ == "ROOT"
    assert len(list(doc.sents)) == len(own)
    assert next(doc.sents).text.strip() == "The birds  sing."


def test_sentences_of_the_doc_are_kept(pipeline_file):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("panparser", config={"model": str(pipeline_file)})
    assert len(list(nlp("A bird. a bird. a bird").sents)) == 3


@pytest.mark.parametrize("text", ["", " ", "\n\n", "x", " x ", "\n\nThe birds."])
def test_small_docs(pipeline_file, text):
    nlp = spacy.blank("en")
    nlp.add_pipe("panparser", config={"model": str(pipeline_file)})
    doc = nlp(text)
    assert doc.text == text
    assert all(0 <= token.head.i < len(doc) for token in doc)


def test_a_parser_alone_is_refused(parser, tmp_path):
    parser.save(tmp_path / "parser")
    with pytest.raises(pp.ModelError, match="expected a pipeline"):
        spacy.blank("en").add_pipe("panparser", config={"model": str(tmp_path / "parser")})
