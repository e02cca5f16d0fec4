"""Links: their file format, what is refused, and what is made of them."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import AlignmentError
from parallel import treebank_of

WORDS = st.integers(0, 6)
SENTENCES = st.lists(st.dictionaries(st.tuples(WORDS, WORDS), st.floats(0, 1), max_size=8), max_size=4)


def made(sentences, probabilities=True):
    ordered = [dict(sorted(sentence.items())) for sentence in sentences]
    values = tuple(tuple(each.values()) for each in ordered)
    return pp.transfer.projection.WordAlignments(
        tuple(tuple(each) for each in ordered), values if probabilities else None
    )


def _file(folder, data):
    path = folder / "some.txt"
    path.write_bytes(data)
    return path


@pytest.fixture
def sides():
    source = treebank_of([[("a", "X", 0, "root"), ("b", "X", 1, "dep")], [("c", "X", 0, "root")]])
    target = treebank_of([[("A", "X", 0, "root")], [("C", "X", 0, "root"), ("D", "X", 1, "dep")]])
    return source, target


@given(SENTENCES)
def test_what_is_written_is_read(tmp_path_factory, sentences):
    path = tmp_path_factory.mktemp("links") / "links.txt"
    links = made(sentences, probabilities=False)
    pp.transfer.projection.write_alignments(path, links)
    assert pp.transfer.projection.read_alignments(path) == links
    assert links.count == sum(map(len, sentences))
    assert len(links) == len(sentences)
    sure = made(sentences)
    pp.transfer.projection.write_alignments(path, sure, probabilities=True)
    again = pp.transfer.projection.read_alignments(path)
    assert again.pairs == sure.pairs
    for found, wanted in zip(again.probabilities or sure.probabilities, sure.probabilities, strict=True):
        assert found == pytest.approx(wanted, abs=1e-4)


def test_the_format(tmp_path):
    path = tmp_path / "links.txt.gz"
    path.write_bytes(gzip.compress(b"1-0:0.25 0-0\t0p1:.5\r\n\n2-1:1e-3\n"))
    assert pp.transfer.projection.read_alignments(path).count == 3
    assert len(pp.transfer.projection.read_alignments(_file(tmp_path, b""))) == 0
    assert len(pp.transfer.projection.read_alignments(_file(tmp_path, b"\n"))) == 1
    assert len(pp.transfer.projection.read_alignments(_file(tmp_path, "0-0\u20281-1\n\n0-0".encode()))) == 3
    links = pp.transfer.projection.read_alignments(path)
    assert links == pp.transfer.projection.WordAlignments(
        (((0, 0), (1, 0)), (), ((2, 1),)), ((1.0, 0.25), (), (0.001,))
    )
    assert pp.transfer.projection.read_alignments(path, possible=True)[0] == ((0, 0), (0, 1), (1, 0))
    assert links.at_least(0.25).pairs == (((0, 0), (1, 0)), (), ())
    assert links.to_text() == "0-0 1-0\n\n2-1\n"
    assert links.to_text(probabilities=True) == "0-0:1.0 1-0:0.25\n\n2-1:0.001\n"
    assert pp.transfer.projection.WordAlignments(links.pairs).at_least(0.5).pairs == links.pairs


def test_standard_output(capsysbinary):
    pp.transfer.projection.write_alignments("-", pp.transfer.projection.WordAlignments((((0, 1),),)))
    assert capsysbinary.readouterr().out == b"0-1\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"0-0\n0-0 1_1\n", "links.txt:2: expected links such as 0-0 1-2 (words count from 0)"),
        (b"0-0\n-1-0\n", "found '-1-0'"),
        (b"0-0:1.5\n\n", "links.txt:1: expected links"),
        (b"0-0:nan\n\n", "found '0-0:nan'"),
        (b"0-0 0-0\n\n", "links.txt:1: expected each link once, found 0-0 twice"),
        (b"9999999999-0\n\n", "found '9999999999-0'"),
        (b"0-0\n", "links.txt: expected a line for each of the 2 sentences of <text>, found 1"),
        (b"0-0\n0-0\n0-0\n", "found 3"),
        (b"0-0\n1-0\n", "links.txt:2: expected words 0..0 of sentence 2 of <text>, found 1 in 1-0"),
        (b"1-1\n0-0\n", "links.txt:1: expected words 0..0 of sentence 1 of <text>, found 1 in 1-1"),
        (b"0-0\n\xff\n", "expected UTF-8, found the byte 0xff"),
        (b"x" * 100 + b"\n\n", "xxx...'"),
    ],
)
def test_what_is_refused(tmp_path, sides, text, said):
    path = tmp_path / "links.txt"
    path.write_bytes(text)
    with pytest.raises(AlignmentError) as error:
        pp.transfer.projection.read_alignments(path, *sides)
    assert said in str(error.value)
    assert str(error.value).startswith(str(path))


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(AlignmentError, match="cannot be read"):
        pp.transfer.projection.read_alignments(tmp_path / "none")
    with pytest.raises(AlignmentError, match="cannot be written"):
        pp.transfer.projection.write_alignments(tmp_path / "none" / "links", pp.transfer.projection.WordAlignments(()))
    with pytest.raises(AlignmentError, match="expected Links"):
        pp.transfer.projection.write_alignments(tmp_path / "links", [])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pairs", "probabilities"),
    [
        ((((1, 0), (0, 0)),), None),
        ((((0, 0), (0, 0)),), None),
        ((((-1, 0),),), None),
        ((("ab",),), None),
        ((((0, 0),),), ((),)),
        ((((0, 0),),), ((2.0,),)),
    ],
)
def test_links_that_cannot_be(pairs, probabilities):
    with pytest.raises(AlignmentError, match=r"WordAlignments: .* must be"):
        pp.transfer.projection.WordAlignments(pairs, probabilities)


@given(SENTENCES, SENTENCES)
def test_sets_of_links(first, second):
    one, two = made(first), made(second)
    if len(one) != len(two):
        with pytest.raises(AlignmentError, match="intersected"):
            one & two
        return
    both = one & two
    for found, a, b in zip(both, first, second, strict=True):
        assert set(found) == a.keys() & b.keys()
    for number, (pairs, values) in enumerate(zip(both.pairs, both.probabilities, strict=True)):
        assert [first[number][pair] for pair in pairs] == list(values)


@given(SENTENCES)
def test_links_of_one_word_with_one_word(sentences):
    links = made(sentences)
    for found, pairs in zip(links.one_to_one(), sentences, strict=True):
        alone = {(s, t) for s, t in pairs if sum(o == s for o, _ in pairs) == 1 and sum(o == t for _, o in pairs) == 1}
        assert set(found) == alone
    turned = links.reversed()
    assert [{(t, s) for s, t in each} for each in links] == [set(each) for each in turned]
    assert turned.reversed() == links
    assert made(sentences, probabilities=False).reversed().probabilities is None
