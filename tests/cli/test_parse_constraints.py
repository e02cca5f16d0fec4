"""`panparser parse --keep`."""

from __future__ import annotations

import pytest

import panparser as pp
from constrained import treebank_of


def test_the_annotator_corrects_and_parses_again(run, model, english, tmp_path):
    treebank = english[1][:5]
    for sentence in treebank:
        sentence.heads[1:-1] = -1  # two heads a sentence are kept
    pp.write_conllu(tmp_path / "in.conllu", treebank)
    written = set()
    for threads in (1, 3):
        code, out, err = run(
            "parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads, labels", "--threads", threads
        )
        assert (code, err) == (0, "")
        written.add(out)
    (text,) = written
    parsed = pp.parse_conllu(text)
    kept = treebank.heads >= 0
    assert (parsed.heads[kept] == treebank.heads[kept]).all()
    assert (parsed.heads >= 0).all()
    texts = [[token.label for token in sentence] for sentence in treebank]
    assert [[token.label for token in sentence] for sentence in parsed] == texts
    code, out, err = run("parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads", "--k-best", 2)
    for found in pp.parse_conllu(out):
        (sentence,) = [s for s in treebank if s.text == found.text]
        assert (found.heads[[0, -1]] == sentence.heads[[0, -1]]).all()


def test_conflicts_on_the_command_line(run, model, tmp_path):
    source = tmp_path / "in.conllu"
    misc = {(1, 1): "Constraint=right;subtree:1-2", (2, 4): "Constraint=subtree:2-3;subtree:3-4"}
    pp.write_conllu(source, treebank_of([None] * 4, [3, 4, None, None], misc=misc))
    asked = ["parse", "-m", model, source, "--keep", "heads,constraints"]
    code, _, err = run(*asked)
    assert code == 2
    assert err.startswith(
        f"panparser: {source}:7 (sent_id s2): no tree keeps all constraints; arc-eager builds a projective tree"
    )
    assert err.endswith("excludes: the head of word 1 is 3; the head of word 2 is 4\n")
    code, out, err = run(*asked, "--relax-constraints")
    assert code == 0
    *lines, last = err.splitlines()
    assert last == f"{len(lines)} constraints dropped" == "2 constraints dropped"
    assert all(
        line.startswith(f"{source}:7 (sent_id s2): ") and line.endswith(": conflicts with others") for line in lines
    )
    first = pp.parse_conllu(out)[0]
    assert first.heads[0] > 1 or first.heads[0] == 0
    assert sum(head not in (1, 2) for head in first.heads[:2]) == 1
    assert run(*asked, "--relax-constraints", "--k-best", 2)[2] == err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--keep", "trees"], "keep: expected some of tokens, tags, lemmas, heads, labels, constraints; got 'trees'"),
        (["--keep", ""], "keep: expected some of tokens, tags, lemmas, heads, labels, constraints; got ''"),
        (["--relax-constraints"], "--relax-constraints requires --keep"),
    ],
)
def test_bad_options(run, model, tmp_path, options, message):
    code, out, err = run("parse", "-m", model, tmp_path / "none.conllu", *options)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.parametrize(
    ("head", "message"),
    [(7, "expected a HEAD up to 2, found 7"), (2, "the head of word 1 is 2; the head of word 2 is 1")],
)
def test_files_that_hold_no_tree(run, model, tmp_path, head, message):
    (tmp_path / "in.conllu").write_text(f"1\ta\t_\tX\t_\t_\t{head}\tx\t_\t_\n2\tb\t_\tX\t_\t_\t1\tx\t_\t_\n\n")
    code, _, err = run("parse", "-m", model, tmp_path / "in.conllu", "--keep", "heads")
    assert code == 2
    assert message in err
