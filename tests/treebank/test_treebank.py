"""Treebank, Sentence, Token: views, columns, changes."""

from __future__ import annotations

import json
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser import _engine
from panparser.treebank.conllu import parse_conllu, read_conllu
from panparser.treebank.treebank import COLUMNS, concatenated
from places import ENGLISH

parse = partial(parse_conllu, lenient=True)

SMALL = (
    "# sent_id = s1\n# text = Don't go.\n"
    "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t_\t_\n"
    "2\tn't\tnot\tPART\tRB\tPolarity=Neg\t3\tadvmod\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t0:root\tSpaceAfter=No\n"
    "3.1\tthere\tthere\tADV\t_\t_\t_\t_\t3:advmod\t_\n"
    "4\t.\t.\tPUNCT\t.\t_\t_\t_\t_\t_\n"
    "\n"
    "1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n"
    "\n"
)


@pytest.fixture
def small():
    return parse(SMALL)


def test_a_treebank_is_a_sequence_of_sentences(small):
    assert len(small) == 2
    assert small.words == 5
    assert [len(sentence) for sentence in small] == [4, 1]
    assert small[-1].forms == ["Yes"]
    assert repr(small) == "<Treebank <text>: 2 sentences, 5 words>"
    assert list(small.offsets) == [0, 4, 5]
    for index in (2, -3):
        with pytest.raises(IndexError, match="treebank of 2 sentences has no sentence"):
            small[index]


def test_slices_are_treebanks_of_their_own(small):
    part = small[1:]
    assert part.to_bytes().decode() == SMALL.split("\n\n")[1] + "\n\n"
    part[0][0].form = "No"
    assert small[1].forms == ["Yes"]
    assert [s.forms[0] for s in small[::-1]] == ["Yes", "Do"]
    assert len(small[5:]) == 0
    assert [s.forms[0] for s in small[[1, 0, -1]]] == ["Yes", "Do", "Yes"]
    with pytest.raises(TypeError, match=r"sentences are numbered 0..1; got 'x'"):
        small["x"]
    whole = read_conllu(ENGLISH)
    assert whole[10:20][3].to_conllu() == whole[13].to_conllu()


def test_sentences_and_tokens_are_views(small):
    sentence = small[0]
    assert list(sentence.heads) == [3, 3, 0, -1]
    assert sentence.labels == ["aux", "advmod", "root", "_"]
    assert (sentence.sent_id, sentence.text) == ("s1", "Don't go.")
    assert small[1].sent_id is None
    assert sentence.line == 1
    assert small[1].line == 10
    token = sentence[2]
    assert (token.id, token.form, token.lemma, token.upos, token.xpos, token.label) == (
        3,
        "go",
        "go",
        "VERB",
        "VB",
        "root",
    )
    assert (token.head, sentence[3].head, token.deps, token.misc) == (0, None, "0:root", "SpaceAfter=No")
    assert token.misc_values == {"SpaceAfter": "No"}
    assert sentence[0].features == {"Mood": "Imp"}
    assert sentence[2].features == {}
    assert token == sentence[-2]
    assert len({token, sentence[2]}) == 1
    assert [t.id for t in sentence[1:3]] == [2, 3]
    assert sentence == small[0]
    assert sentence != small[1]
    assert hash(sentence) == hash(small[0])
    assert repr(token) == "<Token 3 go>"
    assert repr(sentence) == "<Sentence 1: Do n't go .>"
    with pytest.raises(IndexError, match="sentence of 4 words has no token 4"):
        sentence[4]


def test_multiword_tokens_and_empty_nodes(small):
    (token,) = small[0].multiword_tokens
    assert (token.first, token.last, token.form, token.misc) == (1, 2, "Don't", "_")
    (node,) = small[0].empty_nodes
    assert (node.after, node.number, node.form, node.deps) == (3, 1, "there", "3:advmod")
    assert small[1].multiword_tokens == small[1].empty_nodes == []


def test_columns_are_shared_with_the_engine(small):
    for name in COLUMNS:
        column = small.column(name)
        assert column.dtype == np.int32
        assert small.column(name) is column
        assert small.vocabulary(name)[0] == "_"
    small.heads[0] = 4
    small.labels[3] = small.id_of("deprel", "punct")
    small[0].heads[3] = 3
    assert small[0][0].head == 4
    changed = small.to_bytes().decode()
    expected = SMALL.replace("\t3\taux", "\t4\taux").replace(".\t.\tPUNCT\t.\t_\t_\t_", ".\t.\tPUNCT\t.\t_\t3\tpunct")
    assert changed == expected


def test_the_arrays_outlive_the_treebank():
    heads = parse(SMALL).heads
    assert list(heads) == [3, 3, 0, -1, 0]


def test_only_changed_cells_change():
    treebank = read_conllu(ENGLISH)
    before = ENGLISH.read_bytes().split(b"\n")
    treebank[5][1].lemma = "ünïcode"
    treebank[7].heads = [None] * len(treebank[7])
    treebank[9].labels = ["dep"] * len(treebank[9])
    treebank[11].comments = ["# sent_id = new"]
    after = treebank.to_bytes().split(b"\n")
    assert len(before) - len(after) == len(ENGLISH.read_text().split("\n\n")[11].split("\n# ")) - 1
    changed = [(a, b) for a, b in zip(before, after, strict=False) if a != b]
    first = changed[0]
    assert first[1].split(b"\t")[2] == "ünïcode".encode()
    assert (
        first[0].split(b"\t")[:2] + first[0].split(b"\t")[3:] == first[1].split(b"\t")[:2] + first[1].split(b"\t")[3:]
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda s: setattr(s[0], "form", "a\tb"),
            "form must be a text without tabs, line ends and spaces around it, or _; got 'a\\tb'",
        ),
        (lambda s: setattr(s[0], "form", ""), "form must be a text"),
        (lambda s: setattr(s[0], "form", " a"), "form must be a text"),
        (lambda s: setattr(s[0], "form", "\ud800"), "form must be a text"),
        (lambda s: setattr(s, "heads", [0.9, 1, 1, 1]), "head of word 1 must be between 0 and 4, or None; got 0.9"),
        (lambda s: setattr(s[0], "upos", None), "upos must be a text"),
        (lambda s: setattr(s[0], "head", 5), "head of word 1 must be between 0 and 4, or None; got 5"),
        (lambda s: setattr(s[0], "head", -2), "head of word 1 must be between 0 and 4, or None; got -2"),
        (lambda s: setattr(s, "heads", [0]), "heads of a sentence of 4 words must be 4 values; got 1"),
        (lambda s: setattr(s, "labels", "abcd"), "deprel of a sentence must be a sequence; got 'abcd'"),
        (lambda s: setattr(s, "heads", {1, 2, 3, 4}), "heads of a sentence must be a sequence"),
        (lambda s: setattr(s, "labels", ["a"]), "deprel of a sentence of 4 words must be 4 values; got 1"),
        (lambda s: setattr(s, "comments", ["no"]), "a comment must be one line that starts with #; got 'no'"),
        (lambda s: s.values("color"), "column must be one of form, lemma, upos"),
    ],
)
def test_what_a_file_cannot_hold_is_refused(small, change, message):
    with pytest.raises(pp.TreebankError) as caught:
        change(small[0])
    assert message in str(caught.value)
    assert small.to_bytes().decode() == SMALL


@pytest.mark.parametrize(("array", "value"), [("heads", 7), ("heads", -5), ("labels", 99), ("labels", -1)])
def test_bad_numbers_in_arrays_are_refused_when_written(small, array, value):
    getattr(small, array)[2] = value
    with pytest.raises(pp.TreebankError, match=r"<text>: sentence 1, word 3: "):
        small.to_bytes()


def test_bad_numbers_in_arrays_are_refused_when_read(small):
    small.labels[2] = -1
    with pytest.raises(pp.TreebankError, match="word 3 of sentence 1: deprel has ids"):
        _ = small[0][2].label
    with pytest.raises(pp.TreebankError, match="sentence 1: deprel has ids"):
        _ = small[0].labels
    for call in (small[0].to_conllu, lambda: small[:1]):
        with pytest.raises(pp.TreebankError, match="no DEPREL has the id -1"):
            call()


def test_bad_heads_do_not_reach_scores_and_drawings(small):
    small.heads[2] = 500
    for call in (
        small[0].draw,
        small[0]._repr_html_,
        lambda: pp.treebank_statistics(small),
        lambda: pp.evaluate(small, small),
    ):
        with pytest.raises(pp.TreebankError, match="sentence 1, word 3: expected a head from -1 to 4, found 500"):
            call()
    for call in (pp.treebank_statistics, lambda path: pp.evaluate(path, path)):
        with pytest.raises(pp.TreebankError, match=r"expected a Treebank \(read_conllu makes one\); got 'x.conllu'"):
            call("x.conllu")


def test_offsets_cannot_be_written(small):
    with pytest.raises(ValueError, match="read-only"):
        small.offsets[0] = 10**9


def test_many_treebanks_are_joined_as_two_are():
    parts = [pp.parse_conllu(f"1\tw{number}\t_\tX\t_\t_\t0\troot\t_\t_\n\n") for number in range(4)]
    assert concatenated(parts[:1]) is parts[0]
    whole = concatenated(parts)
    assert whole.to_bytes() == (parts[0] + parts[1] + parts[2] + parts[3]).to_bytes()
    assert [sentence[0].form for sentence in whole] == ["w0", "w1", "w2", "w3"]
    assert whole.path == parts[0].path


def test_treebanks_can_be_joined_and_turned_around():
    one = parse(SMALL.rstrip("\n"))
    both = one + parse(SMALL)
    assert [s.forms[0] for s in both] == ["Do", "Yes", "Do", "Yes"]
    assert [s.forms[0] for s in one[::-1]] == ["Yes", "Do"]
    assert one[::-1].parse_problems == []
    marked = parse(b"\xef\xbb\xbf" + SMALL.encode())
    assert [s.forms[0] for s in marked[::-1]] == ["Yes", "Do"]
    assert (parse("") + one).words == one.words
    with pytest.raises(pp.TreebankError, match="expected treebanks of the same format"):
        one + parse(SMALL.split("\n\n")[1] + "\n\n", format="conllx")


def test_slices_know_their_lines(small):
    assert small[1:][0].line == small[1].line == 10


def test_comments_are_replaced(small):
    small[1].comments = ["# a = b", "#plain"]
    assert small[1].metadata == {"a": "b"}
    assert small[1].comments == ["# a = b", "#plain"]
    assert small.to_bytes().decode().endswith("\n\n# a = b\n#plain\n1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_\n\n")
    small[0].comments = []
    assert small.to_bytes().decode().startswith("1-2\t")
    late = parse("\n" + SMALL)
    late[0].comments = ["# new"]
    assert late.to_bytes().decode().startswith("\n# new\n1-2\t")
    with pytest.raises(pp.TreebankError, match="CoNLL-X has no comments"):
        parse(SMALL.split("\n\n")[1] + "\n\n", format="conllx")[0].comments = ["# x"]


def test_a_sentence_is_a_gold(small):
    assert small[0].gold() == pp.GoldTree([3, 3, 0, None], ["aux", "advmod", "root", None])


def test_pandas(small):
    frame = small.to_pandas()
    assert list(frame.columns) == [
        *("sentence", "id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
    ]
    assert list(frame["id"]) == [1, 2, 3, 4, 1]
    assert list(frame["head"]) == [3, 3, 0, -1, 0]
    assert list(frame["form"]) == ["Do", "n't", "go", ".", "Yes"]
    assert len(parse("").to_pandas()) == 0
    bad = b"".join(b"1\t" + byte + b"\t_" * 4 + b"\t0\troot\t_\t_\n\n" for byte in (b"\xff", b"\xfe", b"a"))
    assert len(parse(bad, format="conllu").to_pandas()) == 1


def test_trees_are_drawn(small):
    drawing = small[0].draw()
    assert "n't" in drawing
    assert drawing.splitlines()[-1].split() == ["aux", "advmod", "root", "_"]
    page = small._repr_html_()
    assert page.count("<svg") == 2
    assert small[0]._repr_html_() == small[0].to_svg()
    assert small[0].to_svg() in page
    svg = small[0].svg
    assert (
        small[0]
        .to_svg()
        .startswith(f'<svg xmlns="http://www.w3.org/2000/svg" width="{svg.width}" height="{svg.height}"')
    )
    assert "&lt;" in parse("1\t<b>\t_\t_\t_\t_\t0\troot\t_\t_\n\n")._repr_html_()
    assert "more sentences" in read_conllu(ENGLISH)._repr_html_()
    assert parse("1\ta\t_\t_\t_\t_\t_\t_\t_\t_\n\n")[0].draw() == " a   ROOT"


# --- Values computed from tokens ---

MISC = (
    "1\ta\t_\t_\t_\t_\t0\troot\t_\tB=1|SpaceAfter=No\n"
    "2\tb\t_\t_\t_\t_\t1\tdep\t_\tA=2|odd|C=3|A=4\n"
    "3\tc\t_\t_\t_\t_\t1\tdep\t_\t_\n\n"
)


def test_annotate_writes_a_key_of_misc():
    treebank = pp.parse_conllu(MISC)
    treebank.annotate("A", lambda token: token.form.upper())
    assert treebank[0].values("misc") == ["B=1|SpaceAfter=No|A=A", "A=B|odd|C=3", "A=C"]
    treebank.annotate("A", lambda token: None if token.id == 2 else token.misc_values["A"] * 2)
    assert treebank[0].values("misc") == ["B=1|SpaceAfter=No|A=AA", "odd|C=3", "A=CC"]
    treebank.annotate("A", lambda token: None)
    assert treebank[0].values("misc") == ["B=1|SpaceAfter=No", "odd|C=3", "_"]
    again = pp.parse_conllu(MISC)
    again.annotate("B", lambda token: token.misc_values.get("B"))
    assert again.to_bytes().decode() == MISC


@given(st.text("AB=|x_", max_size=8).filter(bool), st.none() | st.text("yz", min_size=1))
def test_annotate_changes_its_own_key_only(cell, value):
    treebank = pp.parse_conllu("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    treebank[0][0].misc = cell
    before = [item for item in cell.split("|") if item != "A" and not item.startswith("A=")]
    treebank.annotate("A", lambda token: value)
    items = treebank[0][0].misc.split("|")
    others = [item for item in items if not item.startswith("A=")]
    assert [item for item in others if item not in ("", "_")] == [item for item in before if item not in ("", "_")]
    assert [item for item in items if item.startswith("A=")] == ([] if value is None else [f"A={value}"])


@pytest.mark.parametrize("value", ["", "a|b", "a=b", "a\tb", "a\n", 3, "a "])
def test_bad_values_leave_the_treebank_as_it_was(value):
    treebank = pp.parse_conllu(MISC)
    with pytest.raises(pp.TreebankError, match="must be a text without"):
        treebank.annotate("A", lambda token: value if token.id == 3 else "good")
    assert treebank.to_bytes().decode() == MISC


@pytest.mark.parametrize("key", ["", "a|b", "a=b", "a\t", " a", None])
def test_bad_keys_are_refused(key):
    with pytest.raises(pp.TreebankError, match="annotate: key must be a text"):
        pp.parse_conllu(MISC).annotate(key, lambda token: None)


def test_conllx_has_no_misc():
    with pytest.raises(pp.TreebankError, match="CoNLL-X has no MISC"):
        pp.parse_conllu("1\ta\t_\tX\tX\t_\t0\troot\t_\t_\n\n", format="conllx").annotate("A", str)


def test_a_parser_learns_from_what_was_annotated():
    """Nothing but the key tells the head of the middle word."""
    lines = []
    for word in range(12):
        lines += [f"1\tx\t_\tX\t_\t_\t3\ta\t_\t_\n2\tw{word}\t_\tX\t_\t_\t{1 + 2 * (word % 2)}\tb\t_\t_\n"]
        lines += ["3\tx\t_\tX\t_\t_\t0\troot\t_\t_\n\n"]
    treebank = pp.parse_conllu("".join(lines))
    treebank.annotate("Odd", lambda token: "Yes" if token.form[-1] in "13579" else None)
    templates = pp.Templates.parse("S0.misc[Odd] B0.misc[Odd]\nS0.upos B0.upos B1.upos")
    spec = pp.ParserSpec(system=pp.system("arc-hybrid", root="last"), templates=templates, beam=2)
    parser = pp.train(spec, treebank[:8], epochs=8)
    assert parser.predict(treebank[8:])[0].tolist() == treebank[8:].heads.tolist()


def test_many_strings_get_the_ids_that_each_would():
    treebank = pp.read_conllu(ENGLISH)[:3]
    texts = [*treebank.vocabulary("form")[1:6], "new", "newer", "new", "_"]
    assert treebank.ids_of("form", texts).tolist() == [treebank.id_of("form", text) for text in texts]
    assert treebank.vocabulary("form")[-2:] == ["new", "newer"]
    assert treebank.ids_of("form", []).tolist() == []
    for bad in ("", " a", "a\tb"):
        with pytest.raises(pp.TreebankError, match="form must be a text without tabs"):
            treebank.ids_of("form", ["good", bad])


def test_a_column_is_filled_with_texts():
    treebank = pp.read_conllu(ENGLISH)[:3]
    places = np.arange(treebank.words, dtype=np.int32) % 3
    treebank.set_column("lemma", ["a", "_", "ccc", "never"], places)
    assert [word.lemma for sentence in treebank for word in sentence] == [["a", "_", "ccc"][i] for i in places]
    assert "never" not in treebank.vocabulary("lemma")


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(0, 9)))
def test_distinct_numbers_are_those_of_numpy(numbers):
    array = np.array(numbers, dtype=np.int64)
    for mine, theirs in zip(_engine.distinct(array), np.unique(array, return_inverse=True), strict=True):
        assert mine.tolist() == theirs.tolist()


def test_relations_between_tokens():
    rows = [(1, 2), (2, 4), (3, 2), (4, 0), (5, 4)]
    text = "".join(f"{id}\tw{id}\t_\tX\t_\t_\t{head}\tdep\t_\t_\n" for id, head in rows) + "\n"
    (sentence,) = pp.parse_conllu(text)
    assert [child.id for child in sentence[3].children] == [2, 5]
    assert [each.id for each in sentence[1].subtree] == [1, 2, 3]
    assert [each.id for each in sentence[3].subtree] == [1, 2, 3, 4, 5]
    assert (sentence[0].head_token, sentence[3].head_token) == (sentence[1], None)
    sentence[3].head = 1  # a cycle ends
    assert len(sentence[3].subtree) == 5


def test_treebanks_as_text_and_json():
    treebank = pp.read_conllu(ENGLISH)
    assert treebank.to_conllu() == ENGLISH.read_text()
    sentence = treebank[3]
    values = sentence.to_dict()
    assert json.loads(sentence.to_json()) == values
    assert (values["sent_id"], values["tokens"][0]["form"], values["tokens"][0]["xpos"]) == (
        "en-004",
        "Snow",
        None,
    ) or values
    assert sentence[0].to_dict() == values["tokens"][0]
    assert [json.loads(line) for line in treebank.to_json().splitlines()] == [each.to_dict() for each in treebank]
