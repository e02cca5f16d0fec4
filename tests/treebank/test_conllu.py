"""Reading and writing: the same bytes back, every rule reported at its line, nothing ever crashes."""

from __future__ import annotations

import copy
from functools import partial

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import panparser as pp
from conllu_lines import GOOD, WORDS, line
from panparser.treebank.conllu import parse_conllu, read_conllu
from panparser.treebank.treebank import COLUMNS
from places import ENGLISH, SHARED

parse = partial(parse_conllu, lenient=True)

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


@pytest.mark.unmeasured
@given(st.lists(sentences(), max_size=4))
def test_reading_then_writing_gives_the_same_bytes(parts):
    data = "".join(parts).encode()
    treebank = parse(data, format="conllu")
    assert treebank.parse_problems == []
    assert treebank.to_bytes() == data
    touch(treebank)
    assert treebank.to_bytes() == data
    assert b"".join(s.to_conllu().encode() for s in treebank) == data
    assert len(treebank) == len(parts)


@pytest.mark.unmeasured
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
    treebank = read_conllu(ENGLISH, single_root=True)
    assert len(treebank) >= 150
    touch(treebank)
    assert treebank.to_bytes() == ENGLISH.read_bytes()
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
                    assert treebank.parse_problems == []
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
    problems = parse(text, path="x.conllu", format="conllu", single_root=True).parse_problems
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
    problems = parse(data, format="conllu").parse_problems
    assert (number, "encoding") in [(problem.line, problem.rule) for problem in problems]


def test_a_byte_order_mark_is_reported_and_kept():
    data = b"\xef\xbb\xbf" + GOOD.encode()
    treebank = parse(data)
    touch(treebank)
    assert [(p.line, p.rule) for p in treebank.parse_problems] == [(1, "encoding")]
    assert treebank.to_bytes() == data


def test_strict_reading_refuses_and_lenient_reading_reports(tmp_path):
    path = tmp_path / "x.conllu"
    path.write_text(GOOD + line(1, "a", head=7) + "\n" + line(2, "a") + "\n" + GOOD)
    with pytest.raises(pp.ConlluError) as caught:
        read_conllu(path)
    assert str(caught.value) == f"{path}:6: expected a HEAD up to 1, found 7 (and 1 more)"
    assert caught.value.problems == copy.copy(caught.value).problems == 2
    treebank = read_conllu(path, lenient=True)
    assert len(treebank) == 2
    assert [problem.line for problem in treebank.parse_problems] == [6, 8]
    assert all(problem.fatal for problem in treebank.parse_problems)
    assert treebank.to_bytes().decode() == GOOD * 2
    assert treebank[1].line == 10


def test_what_can_be_read_is_kept():
    text = line(1, "a", head=2, feats="x") + line(2, "b", head=1) + "\n"
    treebank = parse(text, format="conllu")
    assert len(treebank) == 1
    assert {problem.rule for problem in treebank.parse_problems} == {"feats", "cycle"}
    assert treebank.to_bytes().decode() == text


def test_several_roots_are_refused_only_where_one_is_asked_for():
    text = line(1, "a", head=0) + line(2, "b", head=0) + "\n"
    assert parse(text).parse_problems == []
    assert parse(text, single_root=True).parse_problems[0].rule == "root"
    partial = line(1, "a", head=2) + line(2, "b") + "\n"
    assert parse(partial, single_root=True).parse_problems == []


@pytest.mark.parametrize("column", ["form", "lemma", "upos", "xpos", "feats", "deprel", "deps", "misc"])
def test_a_sentence_with_an_empty_column_cannot_be_read(column):
    cells = {"form": "a", "head": 0} | {column: ""}
    treebank = parse(line(1, **cells) + "\n" + line(1, "b", head=0) + "\n", format="conllu")
    assert [(p.line, p.rule, p.fatal) for p in treebank.parse_problems] == [(1, "cell", True)]
    assert [sentence[0].form for sentence in treebank] == ["b"]


def test_one_bad_line_is_one_problem():
    lines = [line(i, "a", head=max(0, i - 1)) for i in range(1, 8)]
    short = [*lines[:3], "4\ta\n", *lines[4:], "\n"]
    missing_blank = [*lines[:3], *lines, "\n"]
    wrong = [*lines[:3], line(5, "x", head=1), *lines[5:], "\n"]
    for text, place in ((short, 4), (missing_blank, 4), (wrong, 4)):
        treebank = parse("".join(text), format="conllu")
        assert [p.line for p in treebank.parse_problems] == [place]
        assert len(treebank) == 0


def test_blank_lines_alone_come_back():
    assert parse("\n\n").to_bytes() == b"\n\n"


VALID = ENGLISH.read_bytes()[:3000].rsplit(b"\n\n", 1)[0] + b"\n\n"


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
        if not any(problem.fatal for problem in treebank.parse_problems) and len(treebank):
            assert kept == data
        assert all(s.forms for s in treebank)


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_reported(data):
    treebank = parse(data, format="conllu")
    assert len(treebank) == 0 or treebank.words > 0
    if data.strip(b"\r\n") and not len(treebank):
        assert treebank.parse_problems
