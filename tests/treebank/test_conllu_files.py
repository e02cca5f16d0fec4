"""CoNLL-X; files of all kinds: compressed, in pieces, broken off."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
from functools import partial

import pytest
import zstandard

import panparser as pp
from conllu_lines import GOOD, WORDS, line
from panparser.treebank.conllu import iter_conllu, parse_conllu, read_conllu, write_conllu

parse = partial(parse_conllu, lenient=True)

# --- CoNLL-X ---

CONLLX = (
    line(1, "a", "a", "N", "NN", "sg|nom", 2, "SBJ", 2, "SBJ") + line(2, "b", "b", "V", "VV", "_", 0, "ROOT") + "\n"
)


def test_conllx_is_recognized_where_there_is_no_doubt():
    treebank = parse(CONLLX)
    assert treebank.format == "conllx"
    assert treebank.parse_problems == []
    assert treebank.to_bytes().decode() == CONLLX
    assert (treebank[0][0].feats, treebank[0][0].deps, treebank[0][0].misc) == ("sg|nom", "2", "SBJ")
    assert treebank[:1].format == "conllx"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (line(1, "a", feats="A=B", head=2) + CONLLX, "x:2: a number in column 9 (PHEAD?)"),
        (line(1, "a", feats="sg", head=0) + "\n", "x:1: features without '=' in column 6"),
    ],
)
def test_in_doubt_the_reader_asks(text, found):
    with pytest.raises(pp.ConlluError) as caught:
        parse(text, path="x")
    assert str(caught.value).startswith(found)
    assert "--input-format conllu or conllx" in str(caught.value)
    parse(text, path="x", format="conllu")


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (line(1, "a", head=0, deps="x") + "\n", "phead"),
        (line("1-2", "ab") + WORDS + "\n", "id"),
        (WORDS + line("3.1", "e") + "\n", "id"),
        ("# comment\n" + WORDS + "\n", "columns"),
    ],
)
def test_conllx_has_rules_of_its_own(text, rule):
    assert parse(text, format="conllx").parse_problems[0].rule == rule


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD.encode("utf-16"), "expected UTF-8, found UTF-16"),
        (GOOD.replace("\n", "\r").encode(), "found only carriage returns"),
    ],
)
def test_other_encodings_and_line_ends_are_named(data, message):
    with pytest.raises(pp.ConlluError, match=message):
        parse(data)


@pytest.mark.parametrize("value", [None, 3, ["a"]])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(pp.ConlluError, match="expected the bytes of a file; got"):
        parse(value)
    with pytest.raises(pp.TreebankError, match="write_conllu: treebank must be a Treebank; got"):
        write_conllu("-", value)
    assert parse(bytearray(GOOD.encode())).words == 3


def test_control_characters_do_not_reach_the_terminal():
    (problem,) = parse(line(1, "a", head="\x1b[31m") + "\n").parse_problems
    assert "\x1b" not in str(problem)


def test_comments_settle_the_format():
    treebank = parse("# a comment\n" + CONLLX)
    assert treebank.format == "conllu"
    assert {problem.rule for problem in treebank.parse_problems} == {"feats", "deps"}


def test_an_unknown_format_is_refused(tmp_path):
    (tmp_path / "x").write_text(GOOD)
    with pytest.raises(pp.ConlluError, match="format must be one of conllu, conllx, auto; got 'xml'"):
        list(iter_conllu(tmp_path / "x", format="xml"))
    with pytest.raises(pp.ConlluError, match="iter_conllu: block must be an integer >= 1; got 0"):
        list(iter_conllu(tmp_path / "x", block=0))
    with pytest.raises(pp.ConlluError, match="format must be one of conllu, conllx, auto; got 'xml'"):
        parse(GOOD, format="xml")


# --- Files ---


@pytest.mark.parametrize("suffix", ["", ".gz", ".GZ", ".bz2", ".xz", ".zst"])
def test_compressed_files(tmp_path, suffix):
    path = tmp_path / f"x.conllu{suffix}"
    write_conllu(path, parse(GOOD))
    assert (path.read_bytes() == GOOD.encode()) == (suffix == "")
    assert read_conllu(path).to_bytes() == GOOD.encode()
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_the_compression_is_told_by_the_content(tmp_path):
    for name, data in (("a", gzip.compress(GOOD.encode())), ("b.gz", lzma.compress(GOOD.encode()))):
        (tmp_path / name).write_bytes(data)
        assert read_conllu(tmp_path / name).words == 3


MUCH = (GOOD * 50).encode()
ZSTD = zstandard.ZstdCompressor().compress(MUCH)
GZIP = gzip.compress(MUCH, mtime=0)  # no date in it: all workers must collect the same tests


@pytest.mark.parametrize(
    "data",
    [
        GZIP[:40],
        lzma.compress(MUCH)[:60],
        ZSTD[: len(ZSTD) // 2],
        GZIP[:20] + b"junk" + GZIP[24:],
        ZSTD[:10] + b"junk" + ZSTD[14:],
    ],
)
def test_a_damaged_archive_is_a_named_error(tmp_path, data):
    path = tmp_path / "x"
    path.write_bytes(data)
    with pytest.raises(pp.ConlluError, match="x: cannot be read: "):
        read_conllu(path)


def test_archives_in_several_pieces(tmp_path):
    path = tmp_path / "x.zst"
    path.write_bytes(ZSTD + zstandard.ZstdCompressor().compress(GOOD.encode()))
    assert len(read_conllu(path)) == 51
    assert sum(map(len, iter_conllu(path, block=100))) == 51


def test_writing_keeps_links_modes_and_pipes(tmp_path):
    target, link, pipe = (tmp_path / name for name in ("target", "link", "pipe"))
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_conllu(link, parse(GOOD))
    assert link.is_symlink()
    assert target.read_text() == GOOD
    assert target.stat().st_mode & 0o777 == 0o600
    os.mkfifo(pipe)
    reader = subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE)
    write_conllu(pipe, parse(GOOD))
    assert reader.communicate(timeout=60)[0].decode() == GOOD
    assert not pipe.is_file()


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(pp.ConlluError, match="nowhere: cannot be read: No such file"):
        read_conllu(tmp_path / "nowhere")
    with pytest.raises(pp.ConlluError, match="cannot be read: Is a directory"):
        read_conllu(tmp_path)
    with pytest.raises(pp.ConlluError, match="cannot be written: No such file"):
        write_conllu(tmp_path / "no" / "x.conllu", parse(GOOD))


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.conllu"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(pp.ConlluError, match="cannot be written: No space left"):
        write_conllu(path, parse(GOOD))
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["x.conllu"]


def test_standard_input_and_output(monkeypatch, capsysbinary):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(GOOD.encode()))))
    treebank = read_conllu("-")
    assert treebank.path == "<stdin>"
    write_conllu("-", treebank)
    assert capsysbinary.readouterr().out == GOOD.encode()


@pytest.mark.parametrize("block", [1, 100, 1000, 10**6])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_large_files_come_in_parts(tmp_path, block, ends):
    path = tmp_path / "x.conllu"
    data = (GOOD * 20).replace("\n", ends).encode()
    path.write_bytes(data)
    parts = list(iter_conllu(path, block=block))
    assert b"".join(part.to_bytes() for part in parts) == data
    assert [s.line for part in parts for s in part] == [1 + 5 * i for i in range(20)]
    assert sum(map(len, parts)) == 20


def test_problems_in_parts_have_the_line_of_the_file(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(GOOD * 3 + line(1, "a", head=4) + "\n")
    with pytest.raises(pp.ConlluError, match=r"x.conllu:16: expected a HEAD up to 1, found 4"):
        list(iter_conllu(path, block=10))
    assert [p.line for part in iter_conllu(path, block=10, lenient=True) for p in part.parse_problems] == [16]


def test_an_empty_file_is_an_empty_treebank(tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert len(read_conllu(path)) == 0
    assert list(iter_conllu(path)) == []
    assert read_conllu(path).to_bytes() == b""


class Trickle(io.RawIOBase):
    """A pipe that gives what it is asked for byte by byte."""

    def __init__(self, data):
        self._rest = io.BytesIO(data)

    def readable(self):
        return True

    def readinto(self, buffer):
        data = self._rest.read(1)
        buffer[: len(data)] = data
        return len(data)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_files_that_are_open_already(tmp_path, pack):
    data = pack(GOOD.encode())
    for stream in io.BytesIO(data), Trickle(data), io.BufferedReader(Trickle(data)):
        treebank = read_conllu(stream)
        assert (treebank.path, treebank.to_bytes()) == ("<stream>", GOOD.encode())
    (tmp_path / "x").write_bytes(data)
    with open(tmp_path / "x", "rb") as stream:
        assert read_conllu(stream).path == str(tmp_path / "x")
    assert read_conllu(io.BytesIO()).words == 0
    for wrong in io.StringIO(GOOD), 3, None:
        with pytest.raises(pp.ConlluError, match="open for bytes"):
            read_conllu(wrong)


def test_a_device_that_is_a_pipe_can_be_written():
    code = "import panparser as pp; pp.write_conllu('/dev/stdout', pp.parse_conllu(open(0).read()))"
    done = subprocess.run([sys.executable, "-c", code], input=GOOD.encode(), capture_output=True, check=True)
    assert done.stdout == GOOD.encode()
