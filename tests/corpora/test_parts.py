"""Parts of files: put together, they are what the whole file gives."""

from __future__ import annotations

import hashlib
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.corpora.parts import conllu_parts, renumber, text_parts
from panparser.treebank.conllu import iter_blocks

PIECES = [
    "Ab c.",
    " ",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "\n \n",
    "\u2029",
    "é",
    "日本",
    "\U0001f600",
    "\ufeff",
    "d e",
    "\t",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join)
SENTENCES = [
    "1\ta" + "\t_" * 8 + "\n",
    "# text = b\n1\tb" + "\t_" * 8 + "\n",
    "\n",
    "\n",
    "\r\n",
    "\n\r\n",
    "\ufeff",
    "bad\n",
]
TREEBANKS = st.lists(st.sampled_from(SENTENCES), max_size=30).map("".join)


@given(TEXTS, st.integers(1, 12), st.integers(1, 40), st.sampled_from(["text", "lines", "paragraphs", "vertical"]))
def test_parts_of_a_text_have_its_pieces(tmp_path_factory, text, block, size, kind):
    path = tmp_path_factory.mktemp("parts") / "text.txt"
    path.write_bytes(text.encode())
    whole = hashlib.sha256()
    pieces, stop, offset = [], 0, 0
    for part in text_parts(str(path), kind, block, size, whole):
        assert part.start == stop
        assert part.line == 1 + path.read_bytes()[: part.start].count(b"\n")
        assert part.offset == offset
        found = list(part.pieces(str(path), block))
        pieces += found
        stop, offset = part.stop, offset + sum(map(len, found))
        assert part.digest == hashlib.sha256(path.read_bytes()[part.start : part.stop]).hexdigest()
    assert stop == path.stat().st_size
    assert pieces == list(pp.iter_text(path, block=block))
    assert whole.hexdigest() == hashlib.sha256(path.read_bytes()).hexdigest()


@given(TREEBANKS, st.integers(1, 40), st.integers(1, 80))
def test_parts_of_a_treebank_have_its_blocks(tmp_path_factory, text, block, size):
    path = tmp_path_factory.mktemp("parts") / "a.conllu"
    path.write_bytes(text.encode())
    blocks, stop = [], 0
    for part in conllu_parts(str(path), "conllu", block, size, hashlib.sha256()):
        assert part.start == stop
        stop = part.stop
        blocks += part.blocks(str(path), block)
    assert stop == path.stat().st_size
    assert blocks == list(iter_blocks(str(path), format="conllu", block=block))


@pytest.mark.parametrize("block", [5, 14, 1000])
def test_numbers_of_sentences_are_put_right(block):
    text = b"# sent_id = 2\n# text = # sent_id = 2\n1\ta\n\n# sent_id = 99\n1\tsent_id = 3\n\n"
    written = io.BytesIO()
    renumber(io.BytesIO(text), 7, written.write, block)
    assert written.getvalue() == text.replace(b"# sent_id = 2\n# t", b"# sent_id = 9\n# t").replace(b"= 99", b"= 106")
