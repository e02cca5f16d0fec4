"""Reading and writing: the same bytes back, every rule reported at its line, nothing ever crashes."""

from __future__ import annotations

import gzip
import io
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import example, given
from hypothesis import strategies as st

import panparser as pp
from panparser.conllu import iter_conllu, read_conllu, write_conllu
from panparser.conllu import parse_conllu as parse
from panparser.treebank import COLUMNS

DATA = Path(__file__).parent / "data" / "english.conllu"
SHARED = Path(__file__).parents[2] / "shared" / "data"


def line(*cells: object, **named: object) -> str:
    """A line of 10 cells, `_` where none is given; named ones by column."""
    names = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"]
    values = [*cells, *["_"] * (10 - len(cells))]
    for name, value in named.items():
        values[names.index(name)] = value
    return "\t".join(map(str, values)) + "\n"


WORDS = line(1, "a", head=2) + line(2, "b", head=0) + line(3, "c", head=2)
GOOD = "# text = abc\n" + WORDS + "\n"


# --- The same bytes back ---

texts = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=("Cs",)), min_size=1, max_size=6).filter(
    lambda text: text.strip(" ") == text
)


@st.composite
def sentences(draw):
    """A well-formed sentence, with comments, ranges, empty nodes, partial heads, FEATS and DEPS."""
    size = draw(st.integers(1, 6))
    end = draw(st.sampled_from(["\n", "\r\n"]))
    order = draw(st.permutations(range(1, size + 1)))
    heads = {word: draw(st.sampled_from([0, *order[:i]])) for i, word in enumerate(order)}
    lines = [f"# {draw(texts)}" for _ in range(draw(st.integers(0, 2)))]
    open_until = 0
    for word in range(1, size + 1):
        if word > open_until and draw(st.integers(0, 4)) == 0:
            open_until = draw(st.integers(word, size))
            lines.append(line(f"{word}-{open_until}", draw(texts), misc=draw(texts)).strip("\n"))
        feats = "|".join(f"{key}={draw(st.sampled_from(['X', 'Y']))}" for key in draw(st.sets(st.sampled_from("ABC"))))
        deps = "|".join(
            f"{h}:{draw(st.sampled_from(['x', 'y:z']))}" for h in sorted(draw(st.sets(st.integers(0, size))))
        )
        head = draw(st.sampled_from([heads[word], "_"]))
        cells = (word, draw(texts), draw(texts), "X", "_", feats or "_", head, draw(st.sampled_from(["dep", "_"])))
        lines.append(line(*cells, deps or "_", draw(texts)).strip("\n"))
        for minor in range(1, draw(st.integers(0, 1)) + 1):
            lines.append(line(f"{word}.{minor}", draw(texts), deps="0:root").strip("\n"))
    return end.join([*lines, "", ""])


def touch(treebank):
    """Asks for every column, so that every cell is compared when the treebank is written."""
    for name in COLUMNS:
        treebank.column(name)
    return treebank.heads


@given(st.lists(sentences(), max_size=4))
def test_reading_then_writing_gives_the_same_bytes(parts):
    data = "".join(parts).encode()
    treebank = parse(data, format="conllu")
    assert treebank.problems == []
    assert treebank.to_bytes() == data
    touch(treebank)
    assert treebank.to_bytes() == data
    assert b"".join(s.to_conllu().encode() for s in treebank) == data
    assert len(treebank) == len(parts)


@given(st.lists(sentences(), min_size=1, max_size=3), st.data())
def test_after_a_change_only_the_changed_cell_differs(parts, data):
    text = "".join(parts).encode()
    treebank = parse(text, format="conllu")
    sentence = treebank[data.draw(st.integers(0, len(treebank) - 1))]
    token = sentence[data.draw(st.integers(0, len(sentence) - 1))]
    name = data.draw(st.sampled_from(COLUMNS))
    token.set(name, "CHANGED")
    before, after = text.split(b"\n"), treebank.to_bytes().split(b"\n")
    different = [(a.split(b"\t"), b.split(b"\t")) for a, b in zip(before, after, strict=True) if a != b]
    ((old, new),) = different
    assert sum(a != b for a, b in zip(old, new, strict=True)) == 1
    assert any(cell.strip(b"\r") == b"CHANGED" for cell in new)


def test_our_own_treebank_is_valid_and_comes_back():
    treebank = read_conllu(DATA, single_root=True)
    assert len(treebank) >= 150
    touch(treebank)
    assert treebank.to_bytes() == DATA.read_bytes()
    texts_and_spaces = [
        "".join(form + ("" if space else " ") for form, space in surface(sentence)).strip() for sentence in treebank
    ]
    assert texts_and_spaces == [sentence.text for sentence in treebank]


def surface(sentence):
    """(form, is there no space after it) of the tokens as they are written."""
    ranges = {token.first: token for token in sentence.multiword_tokens}
    word = 1
    while word <= len(sentence):
        token = ranges.get(word)
        misc = token.misc if token else sentence[word - 1].misc
        yield (token.form if token else sentence[word - 1].form), "SpaceAfter=No" in misc
        word = token.last + 1 if token else word + 1


@pytest.mark.skipif(not SHARED.exists(), reason="real treebanks are not here")
def test_real_treebanks_come_back(tmp_path):
    import tarfile

    for archive in sorted((SHARED / "ud20").glob("*.tar.xz"))[:3]:
        with tarfile.open(archive) as files:
            for member in files.getmembers():
                if member.name.endswith(".conllu"):
                    data = files.extractfile(member).read()
                    treebank = parse(data, single_root=True)
                    assert treebank.problems == []
                    touch(treebank)
                    assert treebank.to_bytes() == data


# --- What is not well-formed ---


@pytest.mark.parametrize(
    ("text", "number", "rule", "message"),
    [
        ("1\ta\n\n", 1, "columns", "expected 10 columns separated by tabs, found 2 columns"),
        (WORDS + " \n", 4, "columns", "found one column (a blank line must be empty)"),
        ("1 a b c\n\n", 1, "columns", "found one column (the columns are separated by spaces)"),
        (line(1, "a", head=0).replace("\n", "\tx\n") + "\n", 1, "columns", "found 11 columns"),
        (line(1, "a", head=0) + line(3, "b", head=1) + "\n", 2, "id", "expected word 2, found '3'"),
        (line(1, "a", head=0) + line(1, "b", head=0) + "\n", 2, "id", "(a blank line may be missing before it)"),
        (line("x", "a", head=0) + "\n", 1, "id", "expected word 1, found 'x'"),
        (line(2147483647, "a", head=0) + line(2, "b", head=0) + "\n", 1, "id", "found '2147483647'"),
        (line("1-2147483647", "ab") + line("1-3", "abc") + WORDS + "\n", 1, "id", "found '1-2147483647'"),
        (line("0.2147483647", "e") + line("0.1", "e") + WORDS + "\n", 1, "id", "found '0.2147483647'"),
        (line("01", "a", head=0) + "\n", 1, "id", "expected word 1, found '01'"),
        (line("1-", "a") + WORDS + "\n", 1, "id", "expected a word, a range or an empty node as ID, found '1-'"),
        (line("2-3", "ab") + WORDS + "\n", 1, "range", "expected a range that starts with word 1, found '2-3'"),
        (line("1-2", "ab") + line("1-3", "abc") + WORDS + "\n", 2, "range", "starts with word 3, found '1-3'"),
        (line("2-1", "ab") + WORDS + "\n", 1, "range", "found '2-1'"),
        (line("1-9", "ab") + WORDS + "\n", 1, "range", "ends within the sentence, at word 3, found word 9"),
        (line("1-2", "ab", upos="X") + WORDS + "\n", 1, "range", "expected _ as UPOS of a multiword token, found 'X'"),
        (line("1.1", "e") + WORDS + "\n", 1, "id", "expected empty node 0.1, found '1.1'"),
        (line("0.1", "e", head=1) + WORDS + "\n", 1, "empty-node", "expected _ as HEAD of an empty node, found '1'"),
        (line(1, "a", head="x") + "\n", 1, "head", "expected a number or _ as HEAD, found 'x'"),
        (line(1, "a", head=-1) + "\n", 1, "head", "expected a number or _ as HEAD, found '-1'"),
        (line(1, "a", head=2) + "\n", 1, "head", "expected a HEAD up to 1, found 2"),
        (line(1, "a", head=1) + "\n", 1, "cycle", "expected a tree, found the cycle 1 <- 1"),
        (line(1, "a", head=2) + line(2, "b", head=1) + "\n", 1, "cycle", "found the cycle 1 <- 2 <- 1"),
        (line(1, "a", head=0) + line(2, "b", head=0) + "\n", 2, "root", "expected one word with HEAD 0, found 2"),
        (line(1, "a", head=0) + line(2, "b", head=0) + line(3, "c") + "\n", 2, "root", "HEAD 0, found 2"),
        (line(1, "a", head=2) + line(2, "b", head=3) + line(3, "c", head=2) + "\n", 1, "root", "HEAD 0, found none"),
        (WORDS, 3, "blank-line", "expected a blank line after the last sentence, found the end of the file"),
        ("\n" + GOOD, 1, "blank-line", "expected one blank line after each sentence, found a blank line too many"),
        (GOOD + "\n" + GOOD, 6, "blank-line", "found a blank line too many"),
        ("# text = nothing\n\n", 1, "words", "expected a sentence with at least one word, found only comments"),
        (line(1, "a", head=0) + "# late\n\n", 2, "comment", "expected comments before the first word"),
        (line(1, "", head=0) + "\n", 1, "cell", "expected a value or _ in FORM, found nothing"),
        (line(1, " a", head=0) + "\n", 1, "cell", "expected no space at the ends of FORM, found ' a'"),
        (
            line(1, "a", feats="Sing", head=0) + "\n",
            1,
            "feats",
            "expected FEATS like Case=Nom|Number=Sing, found 'Sing'",
        ),
        (line(1, "a", feats="A=B|", head=0) + "\n", 1, "feats", "found 'A=B|'"),
        (line(1, "a", feats="A=B=C", head=0) + "\n", 1, "feats", "found 'A=B=C'"),
        (
            line(1, "a", head=0, deps="x:y") + "\n",
            1,
            "deps",
            "expected DEPS like 2:nsubj|4:nsubj, sorted by head, within",
        ),
        (line(1, "a", head=0, deps="1:a|0:b") + "\n", 1, "deps", "found '1:a|0:b'"),
        (line(1, "a", head=0, deps="5:a") + "\n", 1, "deps", "found '5:a'"),
        (line(1, "a", head=0, deps="0") + "\n", 1, "deps", "found '0'"),
    ],
)
def test_every_rule_is_reported_at_its_line(text, number, rule, message):
    problems = parse(text, path="x.conllu", format="conllu", single_root=True).problems
    assert [(problem.line, problem.rule) for problem in problems][:1] == [(number, rule)]
    assert str(problems[0]).startswith(f"x.conllu:{number}: expected ")
    assert message in str(problems[0])


@pytest.mark.parametrize(
    ("data", "number"),
    [
        (line(1, "a", head=0).encode() + b"\n" + b"1\t\xff" + b"\t_" * 8 + b"\n\n", 3),
        (b"# \xc3\n" + WORDS.encode() + b"\n", 1),
        (b"1\t\xed\xa0\x80" + b"\t_" * 8 + b"\n\n", 1),
        (b"1\t\xf0\x80\x80\x80" + b"\t_" * 8 + b"\n\n", 1),
        (b"1\t\xe2\x82", 1),
    ],
)
def test_bad_utf8_is_reported_at_its_line(data, number):
    problems = parse(data, format="conllu").problems
    assert (number, "encoding") in [(problem.line, problem.rule) for problem in problems]


def test_a_byte_order_mark_is_reported_and_kept():
    data = b"\xef\xbb\xbf" + GOOD.encode()
    treebank = parse(data)
    touch(treebank)
    assert [(p.line, p.rule) for p in treebank.problems] == [(1, "encoding")]
    assert treebank.to_bytes() == data


def test_strict_reading_refuses_and_lenient_reading_reports(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + line(1, "a", head=7) + "\n" + line(2, "a") + "\n" + GOOD)
    with pytest.raises(pp.ConlluError) as caught:
        read_conllu(path)
    assert str(caught.value) == f"{path}:6: expected a HEAD up to 1, found 7 (and 1 more: see panparser validate)"
    treebank = read_conllu(path, lenient=True)
    assert len(treebank) == 2
    assert [problem.line for problem in treebank.problems] == [6, 8]
    assert all(problem.fatal for problem in treebank.problems)
    assert treebank.to_bytes().decode() == GOOD * 2
    assert treebank[1].line == 10


def test_what_can_be_read_is_kept():
    text = line(1, "a", head=2, feats="x") + line(2, "b", head=1) + "\n"
    treebank = parse(text, format="conllu")
    assert len(treebank) == 1
    assert {problem.rule for problem in treebank.problems} == {"feats", "cycle"}
    assert treebank.to_bytes().decode() == text


def test_several_roots_are_refused_only_where_one_is_asked_for():
    text = line(1, "a", head=0) + line(2, "b", head=0) + "\n"
    assert parse(text).problems == []
    assert parse(text, single_root=True).problems[0].rule == "root"
    partial = line(1, "a", head=2) + line(2, "b") + "\n"
    assert parse(partial, single_root=True).problems == []


THOROUGH = [
    ({"feats": "Number=Sing|Case=Nom"}, "feats"),
    ({"feats": "Case=Nom|Case=Acc"}, "feats"),
    ({"feats": "case=nom"}, "feats"),
    ({"feats": "Case=nom"}, "feats"),
    ({"deps": "1:x"}, "deps"),
    ({"deps": "0:root|0:root"}, "deps"),
    ({"deps": "2:b|2:a"}, "deps"),
    ({"deps": "1.7:x"}, "deps"),
    ({"upos": "A B"}, "cell"),
    ({"deprel": "nsubj"}, "root"),
    ({"head": 2, "deprel": "root"}, "root"),
]


@pytest.mark.parametrize(("cells", "rule"), THOROUGH)
def test_what_universal_dependencies_asks_for_more(cells, rule):
    head = {"head": 0} if "head" not in cells else {"head": 2}
    text = line(1, "a", **({"deprel": "root"} | cells | head)) + line(
        2, "b", head=0 if head["head"] else 1, deprel="dep"
    )
    text = (text if "head" not in cells else text.replace("\tdep\t", "\troot\t")) + "\n"
    assert parse(text, format="conllu").problems == []
    assert [p.rule for p in parse(text, format="conllu", thorough=True).problems] == [rule]


def test_thorough_rules_accept_what_is_right():
    text = line("0.1", "e", deps="1:x", feats="Case=Nom|Number[psor]=Plur,Sing") + line(
        1, "a", feats="Case=Acc|Number=Sing", head=0, deprel="root", deps="0:root|0.1:x"
    )
    assert parse(text + "\n", thorough=True).problems == []
    broken = text.replace("Case=Nom", "junk").replace("\t1:x", "\t9:x")
    assert [(p.line, p.rule) for p in parse(broken + "\n", thorough=True).problems] == [(1, "feats"), (1, "deps")]


def test_one_bad_line_is_one_problem():
    lines = [line(i, "a", head=max(0, i - 1)) for i in range(1, 8)]
    short = [*lines[:3], "4\ta\n", *lines[4:], "\n"]
    missing_blank = [*lines[:3], *lines, "\n"]
    wrong = [*lines[:3], line(5, "x", head=1), *lines[5:], "\n"]
    for text, place in ((short, 4), (missing_blank, 4), (wrong, 4)):
        treebank = parse("".join(text), format="conllu")
        assert [p.line for p in treebank.problems] == [place]
        assert len(treebank) == 0


def test_blank_lines_alone_come_back():
    assert parse("\n\n").to_bytes() == b"\n\n"


VALID = DATA.read_bytes()[:3000].rsplit(b"\n\n", 1)[0] + b"\n\n"


@given(st.binary(max_size=200), st.integers(0, len(VALID)), st.integers(0, 50))
@example(b"", 0, 3000)
@example(b"\t", 100, 0)
@example(b"\n", 100, 0)
@example(b"\x00", 50, 1)
def test_a_mutated_file_never_crashes_the_reader(inserted, at, removed):
    data = VALID[:at] + inserted + VALID[at + removed :]
    for format in ("conllu", "conllx"):
        treebank = parse(data, format=format, single_root=True)
        touch(treebank)
        kept = treebank.to_bytes()
        if not any(problem.fatal for problem in treebank.problems) and len(treebank):
            assert kept == data
        assert all(s.forms for s in treebank)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_reported(data):
    treebank = parse(data, format="conllu")
    assert len(treebank) == 0 or treebank.words > 0
    if data.strip(b"\r\n") and not len(treebank):
        assert treebank.problems


# --- CoNLL-X ---

CONLLX = (
    line(1, "a", "a", "N", "NN", "sg|nom", 2, "SBJ", 2, "SBJ") + line(2, "b", "b", "V", "VV", "_", 0, "ROOT") + "\n"
)


def test_conllx_is_recognized_where_there_is_no_doubt():
    treebank = parse(CONLLX)
    assert treebank.format == "conllx"
    assert treebank.problems == []
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
    assert "--format conllu or --format conllx" in str(caught.value)
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
    assert parse(text, format="conllx").problems[0].rule == rule


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (GOOD.encode("utf-16"), "expected UTF-8, found UTF-16"),
        (GOOD.replace("\n", "\r").encode(), "found carriage returns alone"),
    ],
)
def test_other_encodings_and_line_ends_are_named(data, message):
    with pytest.raises(pp.ConlluError, match=message):
        parse(data)


@pytest.mark.parametrize("value", [None, 3, ["a"]])
def test_what_is_no_text_is_refused(value):
    with pytest.raises(pp.ConlluError, match="expected the bytes of a file; got"):
        parse(value)
    with pytest.raises(pp.TreebankError, match="expected a Treebank to write; got"):
        write_conllu("-", value)
    assert parse(bytearray(GOOD.encode())).words == 3


def test_control_characters_do_not_reach_the_terminal():
    (problem,) = parse(line(1, "a", head="\x1b[31m") + "\n").problems
    assert "\x1b" not in str(problem)


def test_comments_settle_the_format():
    treebank = parse("# a comment\n" + CONLLX)
    assert treebank.format == "conllu"
    assert {problem.rule for problem in treebank.problems} == {"feats", "deps"}


def test_an_unknown_format_is_refused(tmp_path):
    (tmp_path / "x").write_text(GOOD)
    with pytest.raises(pp.ConlluError, match="format must be conllu, conllx or auto; got 'xml'"):
        list(iter_conllu(tmp_path / "x", format="xml"))
    with pytest.raises(pp.ConlluError, match="block of iter_conllu must be >= 1; got 0"):
        list(iter_conllu(tmp_path / "x", block=0))
    with pytest.raises(pp.ConlluError, match="format must be conllu, conllx or auto; got 'xml'"):
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
    assert reader.communicate(timeout=10)[0].decode() == GOOD
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
    assert [p.line for part in iter_conllu(path, block=10, lenient=True) for p in part.problems] == [16]


def test_an_empty_file_is_an_empty_treebank(tmp_path):
    path = tmp_path / "empty"
    path.write_bytes(b"")
    assert len(read_conllu(path)) == 0
    assert list(iter_conllu(path)) == []
    assert read_conllu(path).to_bytes() == b""
