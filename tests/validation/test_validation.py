"""Validation: every rule has a file that breaks it, and is named at its line; what is right is accepted."""

from __future__ import annotations

import io
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

import panparser as pp
from panparser.errors import TreebankError
from panparser.validation.rules import RULES
from panparser.validation.validator import Validator
from places import ENGLISH

_COLUMNS = "id form lemma upos xpos feats head deprel deps misc".split()


def line(id, form="cat", **cells):
    return "\t".join(str({"id": id, "form": form, **cells}.get(name, "_")) for name in _COLUMNS) + "\n"


def node(id, **cells):
    """A line of a word that is right, but for some cells."""
    return line(id, **{"upos": "NOUN", "head": 0 if id == 1 else 1, "deprel": "root" if id == 1 else "dep", **cells})


def comments(text="cat", id="s1"):
    return f"# sent_id = {id}\n# text = {text}\n"


def sentence(**cells):
    """One word, on line 3."""
    return comments(cells.get("form", "cat")) + node(1, **cells) + "\n"


def pair(first=None, second=None, text="cat cat", id="s1"):
    """Two words, on lines 3 and 4."""
    return comments(text, id) + node(1, **(first or {})) + node(2, **(second or {})) + "\n"


def rows(*lines, text="cat cat"):
    return comments(text) + "".join(lines) + "\n"


def found(text, level=2, **options):
    data = text if isinstance(text, bytes) else text.encode()
    (result,) = pp.validate(io.BytesIO(data), level=level, format="conllu", **options)
    return [(problem.rule, problem.line) for problem in result.problems]


GOOD = sentence()
PARALLEL = "# parallel_id = zoo/7{}\n"
CASES = [  # rule, text, line
    ("invalid-utf", sentence(form="caf\ufffd"), 2),
    ("invalid-utf", GOOD.encode() + b"# \xff\n" + sentence().replace("s1", "s2").encode(), 5),
    ("unicode-normalization", GOOD.replace("\n1", "\n# note = cafe\u0301\n1"), 3),
    ("unicode-normalization", sentence(lemma="e\u0301t\u00e9"), 3),
    ("non-unix-newline", GOOD.replace("\n", "\r\n"), 1),
    ("invalid-line", rows(node(1), "cat\n", node(2)), 4),
    ("invalid-line", "\ufeff" + GOOD, 1),
    ("misplaced-comment", rows(node(1), "# here\n", node(2)), 4),
    ("pseudo-empty-line", GOOD[:-1] + " \n", 4),
    ("pseudo-empty-line", GOOD[:-1] + "\u3000\n", 4),
    ("empty-sentence", GOOD + "\n", 5),
    ("empty-sentence", "\n" + GOOD, 1),
    ("empty-sentence", GOOD + "# the end\n\n", 6),
    ("missing-empty-line", GOOD[:-1], 3),
    ("missing-empty-line", GOOD[:-2], 3),
    ("number-of-columns", GOOD.replace("\t_\t_\n", "\t_\n"), 3),
    ("number-of-columns", GOOD.replace("\t_\t_\n", "\t_\t_\t\n"), 3),
    ("empty-column", sentence(xpos=""), 3),
    ("empty-column", sentence(misc=""), 3),
    ("invalid-whitespace", sentence(xpos="N N"), 3),
    ("invalid-whitespace", sentence(xpos="N\u00a0N"), 3),
    ("invalid-whitespace-mwt", rows(line("1-2", "the cat"), node(1), node(2), text="the cat"), 3),
    ("leading-whitespace", sentence(lemma=" cat"), 3),
    ("trailing-whitespace", sentence(lemma="cat "), 3),
    ("repeated-whitespace", sentence(lemma="big  cat"), 3),
    ("invalid-word-id", rows(node("01")), 3),
    ("invalid-word-id", rows(node(1), node("2-b")), 4),
    ("word-id-sequence", rows(node(1), node(3)), 4),
    ("word-id-sequence", rows(node(2)), 3),
    ("misplaced-word-interval", rows(node(1), line("1-2", "cats"), node(2)), 4),
    ("misplaced-word-interval", rows(line("2-3", "cats"), node(1), node(2), node(3)), 3),
    ("reversed-word-interval", rows(node(1), line("2-1", "cats"), node(2)), 4),
    ("word-interval-out", rows(node(1), line("2-3", "cats"), node(2)), 4),
    ("overlapping-word-intervals", rows(line("1-2", "a"), node(1), line("2-3", "b"), node(2), node(3)), 5),
    ("misplaced-empty-node", rows(node(1), line("1.2"), node(2)), 4),
    ("misplaced-empty-node", rows(node(1), line("2-3", "b"), line("1.1"), node(2), node(3)), 5),
    ("mwt-nonempty-field", rows(line("1-2", "cats", upos="NOUN"), node(1), node(2), text="cats"), 3),
    ("empty-node-nonempty-field", rows(node(1, deps="0:root"), line("1.1", head=1, deps="1:dep"), text="cat"), 4),
    ("unknown-upos", sentence(upos="noun"), 3),
    ("unknown-upos", sentence(upos="_"), 3),
    ("invalid-feature", sentence(feats="Case"), 3),
    ("invalid-feature", sentence(feats="case=Nom"), 3),
    ("invalid-feature", sentence(feats="Case=nom"), 3),
    ("invalid-feature", sentence(feats="Case=Nom=Acc"), 3),
    ("unsorted-features", sentence(feats="Number=Sing|Case=Nom"), 3),
    ("unsorted-features", sentence(feats="Number[psor]=Plur|Number=Sing"), 3),
    ("repeated-feature", sentence(feats="Case=Acc|Case=Nom"), 3),
    ("unsorted-feature-values", sentence(feats="Case=Nom,Acc"), 3),
    ("repeated-feature-value", sentence(feats="Case=Nom,Nom"), 3),
    ("invalid-deprel", pair(second={"deprel": "Dep"}), 4),
    ("invalid-deprel", pair(second={"deprel": "_"}), 4),
    ("unknown-udeprel", pair(second={"deprel": "subject:pass"}), 4),
    ("invalid-edeprel", pair({"deps": "0:root"}, {"deps": "1:obl:In"}), 4),
    ("unknown-eudeprel", pair({"deps": "0:root"}, {"deps": "1:subject"}), 4),
    ("unsorted-deps", pair({"deps": "0:root"}, {"deps": "1:dep|0:root"}), 4),
    ("unsorted-deps-2", pair({"deps": "0:root"}, {"deps": "1:obl|1:dep"}), 4),
    ("repeated-deps", pair({"deps": "0:root"}, {"deps": "1:dep|1:dep"}), 4),
    ("repeated-misc", sentence(misc="Gloss=a|Gloss=b"), 3),
    ("empty-misc", sentence(misc="A=b|"), 3),
    ("empty-misc-key", sentence(misc="=b"), 3),
    ("misc-extra-space", sentence(misc="A= b"), 3),
    ("misc-attr-typo", sentence(misc="gloss=b"), 3),
    ("invalid-head", pair(second={"head": "_"}), 4),
    ("invalid-head", pair(second={"head": "01"}), 4),
    ("unknown-head", pair(second={"head": 3}), 4),
    ("head-self-loop", pair(second={"head": 2}), 4),
    ("multiple-roots", pair(second={"head": 0, "deprel": "root"}), 4),
    ("non-tree", rows(node(1), node(2, head=3), node(3, head=2), text="cat cat cat"), 4),
    ("0-is-not-root", sentence(deprel="dep"), 3),
    ("root-is-not-0", pair(second={"deprel": "root"}), 4),
    ("invalid-deps", sentence(deps="root"), 3),
    ("invalid-ehead", sentence(deps="x:root"), 3),
    ("unknown-ehead", pair({"deps": "0:root"}, {"deps": "1.1:dep"}), 4),
    ("deps-self-loop", pair({"deps": "0:root"}, {"deps": "1:dep|2:dep"}), 4),
    ("unconnected-egraph", pair({"deps": "0:root"}), 4),
    ("edeps-only-sometimes", GOOD + pair({"deps": "0:root"}, {"deps": "1:dep"}, id="s2"), 7),
    ("missing-sent-id", GOOD[GOOD.index("# text") :], 2),
    ("invalid-sent-id", "# sent_id: s0\n" + GOOD, 1),
    ("multiple-sent-id", "# sent_id = s0\n" + GOOD, 2),
    ("non-unique-sent-id", GOOD + GOOD, 5),
    ("slash-in-sent-id", GOOD.replace("s1", "a/b/c"), 1),
    ("invalid-parallel-id", "# parallel_id = 7\n" + GOOD, 1),
    ("invalid-parallel-id", PARALLEL.format("/") + GOOD, 1),
    ("multiple-parallel-id", PARALLEL.format("") + PARALLEL.format("8") + GOOD, 2),
    ("non-unique-parallel-id", PARALLEL.format("") + GOOD + PARALLEL.format("") + pair(id="s2"), 6),
    ("parallel-id-alt", PARALLEL.format("/alt2") + GOOD, 1),
    ("parallel-id-alt", PARALLEL.format("") + GOOD + PARALLEL.format("/alt1") + pair(id="s2"), 6),
    ("parallel-id-part", PARALLEL.format("/part1") + GOOD + PARALLEL.format("/part3") + pair(id="s2"), 6),
    ("multiple-newdoc", "# newdoc\n# newdoc id = b\n" + GOOD, 2),
    ("multiple-newpar", "# newpar\n# newpar\n" + GOOD, 2),
    ("spaceafter-newdocpar", sentence(misc="SpaceAfter=No") + "# newpar\n" + pair(id="s2"), 5),
    ("missing-text", GOOD.replace("# text = cat\n", ""), 2),
    ("multiple-text", "# text = a\n" + GOOD, 3),
    ("empty-text", GOOD.replace("= cat\n", "=\n"), 2),
    ("text-trailing-whitespace", GOOD.replace("= cat\n", "= cat \n"), 2),
    ("text-form-mismatch", GOOD.replace("= cat\n", "= dog\n"), 3),
    ("text-extra-chars", GOOD.replace("= cat\n", "= cat.\n").replace("\t_\n", "\tSpaceAfter=No\n"), 2),
    ("missing-spaceafter", pair(text="catcat"), 3),
    ("spaceafter-value", sentence(misc="SpaceAfter=Yes"), 3),
    ("nospaceafter-yes", sentence(misc="NoSpaceAfter=Yes"), 3),
    (
        "spaceafter-empty-node",
        rows(node(1, deps="0:root"), line("1.1", deps="1:dep", misc="SpaceAfter=No"), text="cat"),
        4,
    ),
    ("spaceafter-mwt-node", rows(line("1-2", "cats"), node(1, misc="SpaceAfter=No"), node(2), text="cats"), 4),
]
TOGETHER = {"empty-text": {"text-form-mismatch"}, "text-trailing-whitespace": set()}  # what else the case breaks


@pytest.mark.parametrize(("rule", "text", "place"), CASES, ids=[f"{case[0]}-{at}" for at, case in enumerate(CASES)])
def test_a_broken_rule_is_named_at_its_line(rule, text, place):
    problems = found(text)
    assert (rule, place) in problems
    assert {name for name, _ in problems} <= {rule, *TOGETHER.get(rule, ())}
    if RULES[rule].level == 1:
        assert (rule, place) in found(text, level=1)
    else:
        assert found(text, level=1) == []
    assert found(text, ignore=[rule, *TOGETHER.get(rule, ())]) == []


def test_every_rule_has_a_case():
    assert {rule for rule, _, _ in CASES} == set(RULES)


ACCEPTED = [
    "",
    GOOD,
    pair({"deps": "0:root"}, {"deps": "1:obl:instead_of:gen"}),
    pair({"deps": "0:root"}, {"deps": "1:nmod:\u0432_\u0438"}),
    rows(line("0.1", deps="1:dep"), node(1, deps="0:root|0.1:ref"), line("1.1", upos="VERB", deps="1:dep"), text="cat"),
    rows(
        node(1, deps="0:root"),
        line("1.1", deps="1:dep"),
        line("2-3", "cats"),
        node(2, deps="1:dep"),
        node(3, deps="1:dep"),
        text="cat cats",
    ),
    rows(
        line("1-2", "cats", feats="Typo=Yes", misc="SpaceAfter=No"), node(1), node(2), node(3, form="!"), text="cats!"
    ),
    sentence(form="big cat", lemma="big cat", feats="Case=Acc,Nom|Number=Sing|Number[psor]=Plur,Sing"),
    pair(text="cat \u00a0 cat"),
    PARALLEL.format("/alt1part1") + GOOD,
    PARALLEL.format("/alt1") + GOOD + PARALLEL.format("/alt2") + pair(id="s2"),
    "# newdoc id = a\n# newpar id = b\n" + GOOD,
    sentence(misc="SpaceAfter=No") + pair(id="s2"),
    sentence(upos="X", misc="A|B=|C=d e"),
]


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_is_right_is_accepted(text):
    assert found(text) == []


def test_warnings_make_no_file_invalid():
    (result,) = pp.validate(io.BytesIO(sentence(misc="gloss=b").encode()))
    assert (result.is_valid, dict(result.counts)) == (True, {"misc-attr-typo": 1})


def test_files_of_one_call_are_one_treebank():
    both = pp.validate(io.BytesIO(GOOD.encode()), io.BytesIO(GOOD.encode()))
    assert [dict(result.counts) for result in both] == [{}, {"non-unique-sent-id": 1}]


def test_many_problems_are_counted_and_few_are_kept():
    text = "".join(sentence(upos="n").replace("s1", f"s{i}") for i in range(50))
    (result,) = pp.validate(io.BytesIO(text.encode()), max_problems=3)
    assert (result.counts["unknown-upos"], len(result.problems), result.sentences, result.words) == (50, 3, 50, 50)
    assert str(result.problems[0]) == "<stream>:3: expected one of the 17 universal tags as UPOS, found 'n'"


def test_after_broken_lines_the_next_sentence_is_checked():
    text = rows("cat\n") + pair(second={"upos": "n"}, id="s2")
    assert found(text) == [("invalid-line", 3), ("unknown-upos", 8)]
    (result,) = pp.validate(io.BytesIO(text.encode()))
    assert (result.sentences, result.unreadable_sentences) == (1, 1)


def test_conllx_is_checked_as_the_reader_does():
    text = "1\ta\t_\tN\tN\tcase\t0\troot\tx\t_\n\n"
    (result,) = pp.validate(io.BytesIO(text.encode()), format="conllx")
    assert dict(result.counts) == {"phead": 1}


def test_levels_and_rules_are_checked():
    with pytest.raises(TreebankError, match="validate: level must be 1 or 2; got 3"):
        Validator(level=3)
    with pytest.raises(TreebankError, match="got 'unknown-tag'"):
        Validator(ignore=["unknown-tag"])


VALID = ENGLISH.read_bytes()[:4000].rsplit(b"\n\n", 1)[0] + b"\n\n"
PIECES = [
    b"\t",
    b"\n",
    b"\n\n",
    b" ",
    b"0",
    b"-",
    b".",
    b"|",
    b"=",
    b":",
    b"_",
    b"\xff",
    b"\xcc\x81",
    b"\r",
    b"9" * 20,
    b"2-3",
    b"#",
]


@given(st.lists(st.tuples(st.integers(0, len(VALID)), st.integers(0, 3), st.sampled_from(PIECES)), max_size=3))
def test_what_is_valid_can_be_read(changes):
    data = bytearray(VALID)
    for at, removed, inserted in changes:
        data[at : at + removed] = inserted
    (result,) = pp.validate(io.BytesIO(bytes(data)), format="conllu")
    treebank = pp.parse_conllu(bytes(data), format="conllu", lenient=True)
    if result.is_valid:
        assert treebank.parse_problems == []
        assert (result.sentences, result.words) == (len(treebank), treebank.words)


def test_a_long_sentence_and_many_problems_take_little():
    words = 30_000
    text = comments("a  " * words, "s1") + "".join(node(id, form="a") for id in range(1, words + 1)) + "\n"
    bad = "x\n" * 200_000
    start = time.process_time()
    (result,) = pp.validate(io.BytesIO((text + bad).encode()), max_problems=5)
    assert time.process_time() - start < 5
    assert dict(result.counts) == {"text-trailing-whitespace": 1, "invalid-line": 200_000, "missing-empty-line": 1}
    assert len(result.problems) == 7
