"""Files of vectors: every format, and damaged ones."""

from __future__ import annotations

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp

WORDS = {"the": [0.5, -1.0, 0.25], "Cat": [2.0, 0.0, 1.0], "naïve": [-0.5, 0.5, 1e-3]}


def text_of(vectors, header=True, end="\n"):
    lines = [f"{len(vectors)} {len(next(iter(vectors.values())))}"] if header else []
    lines += [" ".join([word, *map(str, values)]) for word, values in vectors.items()]
    return "".join(line + end for line in lines).encode()


def binary_of(vectors, end=b"\n"):
    lines = [f"{len(vectors)} {len(next(iter(vectors.values())))}\n".encode()]
    lines += [word.encode() + b" " + np.array(values, "<f4").tobytes() + end for word, values in vectors.items()]
    return b"".join(lines)


@pytest.mark.parametrize(
    "data",
    [
        text_of(WORDS),
        text_of(WORDS, end=" \r\n"),  # fastText ends lines with a space
        text_of(WORDS, header=False),
        text_of(WORDS).replace(b" 0.5", b"\t0.5"),
        binary_of(WORDS),
        binary_of(WORDS, end=b""),
    ],
    ids=["text", "fastText", "GloVe", "tabs", "binary", "binary without line feeds"],
)
@pytest.mark.parametrize("pack", [bytes, gzip.compress], ids=["plain", "gzip"])
def test_all_formats_read_alike(tmp_path, data, pack):
    path = tmp_path / "vectors"
    path.write_bytes(pack(data))
    assert pp.read_vectors(path) == pp.WordVectors.from_dict(WORDS)
    two = pp.read_vectors(path, limit=2)
    assert two.words == ("the", "Cat")
    assert pp.read_vectors(path, limit=9) == pp.WordVectors.from_dict(WORDS)


def test_words_with_spaces_and_repeated_ones(tmp_path):
    path = tmp_path / "vectors"
    path.write_text("3 2\n. . . 1 2\nof course 3 4\n. . . 5 6\n", encoding="utf-8")
    assert pp.read_vectors(path) == pp.WordVectors.from_dict({". . .": [1, 2], "of course": [3, 4]})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", ":1: expected the numbers of vectors and dimensions, or a word and its 1 to 2048 numbers, found ''"),
        (b"hello\n", "found 'hello'"),
        (b"2 0\n", "found '2 0'"),
        (b"0 3\n", ": expected vectors, found none"),
        (b"2 2\na 1 2\nb 3\n", ":3: expected a word and 2 numbers, found 'b 3'"),
        (b"2 2\na 1 2\nb 3 x\n", ":3: expected a word and 2 numbers, found 'b 3 x'"),
        (b"2 2\na 1 2\nb 3 nan\n", ":3: expected a word and 2 numbers, found 'b 3 nan'"),
        (b"2 2\na 1 2\nb 3 1e39\n", ":3: expected a word and 2 numbers, found 'b 3 1e39'"),
        (b"2 2\na 1 x\nb 3 4\n", ":2: expected a word and 2 numbers, found 'a 1 x'"),
        (b"3 2\na 1 2\nb 3 4\n", ": expected 3 vectors, as line 1 says, found 2"),
        (b"1 2\na 1 2\nb 3 4\n", ":3: expected 1 vectors, as line 1 says, found more"),
        (b"a 1 2\nb 1\n", ":2: expected a word and 2 numbers, found 'b 1'"),
        (binary_of(WORDS)[:-3], ": vector 3 of 3: expected a word and 12 bytes, found 10 bytes"),
        (binary_of(WORDS)[:40], ": vector 3 of 3: expected a word and 12 bytes, found no word"),
        (binary_of(WORDS) + b"more", ": expected 3 vectors, as line 1 says, found more"),
        (binary_of({"a": [1.0, float("inf")]}), ": vector 1 of 1: expected finite numbers, found [1.0, inf]"),
        (gzip.compress(text_of(WORDS), mtime=0)[:-9], ": cannot be read: "),
    ],
)
def test_damaged_files_are_named_with_line_expected_and_found(tmp_path, data, message):
    path = tmp_path / "vectors"
    path.write_bytes(data)
    with pytest.raises(pp.errors.VectorError) as error:
        pp.read_vectors(path)
    assert str(error.value).startswith(str(path))
    assert message in str(error.value)


def test_missing_files_and_bad_limits(tmp_path):
    with pytest.raises(pp.errors.VectorError, match="none: cannot be read: No such file"):
        pp.read_vectors(tmp_path / "none")
    with pytest.raises(pp.errors.VectorError, match="read_vectors: limit must be an integer >= 1; got 0"):
        pp.read_vectors(tmp_path / "none", limit=0)


@given(st.binary(max_size=200), st.sampled_from([b"", b"2 3\n", b"5 1\n", b"a 1 2\n"]))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data, head):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(head + data)
    try:
        vectors = pp.read_vectors(path)
    except pp.errors.VectorError:
        return
    assert len(vectors) > 0


NUMBERS = st.floats(-1e6, 1e6, width=32)
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\n", exclude_categories=["Zs", "Cc"]), min_size=1)


@pytest.mark.unmeasured
@given(st.dictionaries(TEXTS.filter(lambda w: w not in ("<UNK>", "<unk>")), st.tuples(*[NUMBERS] * 9), min_size=1))
def test_text_and_binary_files_give_what_was_written(tmp_path_factory, vectors):
    path = tmp_path_factory.getbasetemp() / "written"
    expected = pp.WordVectors.from_dict(vectors)
    for data in (text_of(vectors), binary_of(vectors)):
        path.write_bytes(data)
        assert pp.read_vectors(path) == expected


@pytest.mark.parametrize("first", ["9" * 5000 + " 3", "3 " + "9" * 5000, "9" * 5000 + " " + "9" * 5000])
def test_counts_with_thousands_of_digits_are_refused(tmp_path, first):
    (tmp_path / "vectors").write_text(f"{first}\na 1 2 3\n")
    with pytest.raises(pp.errors.VectorError, match=":1: expected the numbers of vectors and dimensions"):
        pp.read_vectors(tmp_path / "vectors")
