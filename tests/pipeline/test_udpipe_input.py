"""Input formats of UDPipe."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.pipeline.udpipe_input import iter_format
from panparser.text.udpipe_output import DocumentWriter, render_text

NO_MODEL = pp.Pipeline(parser=None, lemmatizer=None, tokenizer=None, taggers=[pp.load("en").taggers[0]])


def read(text: str | list[str], format: str, pipeline: pp.Pipeline = NO_MODEL, **options: bool) -> list[list[str]]:
    """The sentences; the first word has a mark where a document or a paragraph begins."""
    pieces = [text] if isinstance(text, str) else text
    found = []
    for treebank in iter_format(pieces, format, pipeline, **options):
        for sentence in treebank:
            marks = "".join(
                "D" if line.startswith("# newdoc") else "P" for line in sentence.comments if "# new" in line
            )
            found.append([marks, *sentence.forms])
    return found


def test_horizontal():
    text = "a b\xa0c d.\r\n\r\n\r\ne\tf\ng\n"
    assert read(text, "horizontal") == [["DP", "a", "b c", "d."], ["P", "e", "f"], ["", "g"]]


def test_vertical():
    text = "a\nb c\tx\n\nd\n\n\ne\n"
    assert read(text, "vertical") == [["DP", "a", "b c"], ["", "d"], ["P", "e"]]


@pytest.mark.parametrize("format", ["horizontal", "vertical"])
@pytest.mark.parametrize("text", ["", "\n", " \t\r\n\n", "\xa0\n"])
def test_there_may_be_no_sentence(format, text):
    assert read(text, format) in ([], [["DP", "\xa0"]])  # in vertical text, that is a word


@given(st.lists(st.lists(st.text("ab \xe9\u0301漢|#_\\", min_size=1, max_size=4), min_size=1, max_size=4), max_size=6))
def test_words_survive_writing_and_reading(sentences):
    wanted = [[form.strip() or "x" for form in forms] for forms in sentences]
    for format in ("horizontal", "vertical"):
        text = "".join(
            " ".join(form.replace(" ", "\xa0") for form in forms) + "\n"
            if format == "horizontal"
            else "".join(f"{form}\n" for form in forms) + "\n"
            for forms in wanted
        )
        assert [forms[1:] for forms in read(text, format)] == wanted
        document = DocumentWriter(format)
        assert "".join(document.add(render_text(tb, format)) for tb in iter_format([text], format, NO_MODEL)) == text


@given(st.text("a b\t\r\n", max_size=30), st.integers(0, 30))
def test_pieces_make_no_difference(text, cut):
    if text[cut - 1 : cut + 1] != "\r\n":
        for format in ("horizontal", "vertical"):
            assert read([text[:cut], text[cut:]], format) == read(text, format)


def test_long_input_comes_in_pieces_with_one_numbering():
    found = list(iter_format(["w " * 100 + "\n"] * 100, "horizontal", NO_MODEL))
    assert len(found) > 1
    assert [sentence.sent_id for treebank in found for sentence in treebank] == [str(i) for i in range(1, 101)]


def test_text_needs_a_tokenizer(english_pipeline):
    found = read("He did. She did.", "plaintext", english_pipeline)
    assert found == [["DP", "He", "did", "."], ["", "She", "did", "."]]
    assert len(read("He did. She did.", "presegmented", english_pipeline)) == 1
    with pytest.raises(pp.errors.TextError, match="has no tokenizer"):
        read("a", "plaintext")


def test_ranges_are_written_if_asked_for(english_pipeline):
    for format in ("plaintext", "presegmented", "generic_tokenizer"):
        for ranges in (False, True):
            (found,) = iter_format(["He did."], format, english_pipeline, ranges=ranges)
            assert ("TokenRange" in found.to_conllu()) == ranges


def test_too_many_words_are_refused():
    with pytest.raises(pp.TreebankError, match="at most 16000 words"):
        read("w " * 16001, "horizontal")
    with pytest.raises(pp.errors.TextError, match=r"<text>:1: expected at most 16000 words"):
        read("w " * 16001, "generic_tokenizer")


def test_unknown_formats_are_refused():
    with pytest.raises(pp.errors.TextError, match="expected one of plaintext"):
        read("a", "epe")
