"""`panparser combine`."""

from __future__ import annotations

import pytest

import panparser as pp
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)


def test_combine(run, parsed, tmp_path):
    files = [parsed / f"{name}.conllu" for name in "abc"]
    code, out, _ = run("combine", *files)
    expected = pp.combine_trees([pp.read_conllu(file) for file in files])
    assert (code, out) == (0, expected.to_bytes().decode())
    code, out, _ = run("combine", *files, "--weights", "0,1,0", "--multi-root", "-o", tmp_path / "out.conllu")
    assert (code, out) == (0, "")
    assert pp.read_conllu(tmp_path / "out.conllu").heads.tolist() == pp.read_conllu(files[1]).heads.tolist()
    code, out, _ = run("combine", *files, "--projective")
    assert code == 0
    assert all(pp.trees.is_projective(sentence.heads.tolist()) for sentence in pp.parse_conllu(out))


def test_combine_keeps_what_enough_files_have(run, parsed):
    files = [parsed / f"{name}.conllu" for name in "abc"]
    expected = pp.combine_trees([pp.read_conllu(file) for file in files], min_votes=3)
    assert -1 in expected.heads
    assert run("combine", *files, "--min-votes", "3")[:2] == (0, expected.to_bytes().decode())


@pytest.mark.parametrize("by", [None, "upos"])
def test_combine_learns_and_uses_weights(run, parsed, tmp_path, by):
    files = [parsed / f"{name}.conllu" for name in "abc"]
    weights = tmp_path / "weights.toml"
    chosen = ("--weights-by", by) if by else ()
    code, out, _ = run("combine", "--estimate-weights", parsed / "gold.conllu", *files, *chosen, "-o", weights)
    assert code == 0
    assert "a.conllu" in out
    treebanks = [pp.read_conllu(file) for file in files]
    learned = pp.ensembles.estimate_arc_weights(pp.read_conllu(parsed / "gold.conllu"), treebanks, column=by)
    assert pp.ensembles.ArcWeights.read(weights) == learned
    code, out, _ = run("combine", *files, "--weights", weights)
    assert (code, out) == (0, pp.combine_trees(treebanks, weights=learned).to_bytes().decode())
    assert run("combine", "--estimate-weights", parsed / "gold.conllu", *files, *chosen)[1] == weights.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.conllu", "none.conllu"), "none.conllu"),
        (("a.conllu", "b.conllu", "--weights", "1"), "must be 2"),
        (("a.conllu", "b.conllu", "--weights", "x"), "comma-separated numbers"),
        (("a.conllu", "b.conllu", "--weights", "none.toml"), "none.toml: cannot be read"),
        (("a.conllu", "--weights-by", "upos"), "--weights-by requires --estimate-weights"),
        (("a.conllu", "--estimate-weights", "gold.conllu", "--weights-by", "form"), "upos or xpos"),
        (("a.conllu", "--estimate-weights", "gold.conllu", "--projective"), "cannot be used with --projective"),
        (("a.conllu", "--estimate-weights", "gold.conllu", "--min-votes", "2"), "cannot be used with --min-votes"),
        (("a.conllu", "b.conllu", "--min-votes", "0"), "--min-votes must be > 0"),
        (("a.conllu", "other.conllu"), "other.conllu:"),
    ],
)
def test_combine_refuses_in_one_line(run, parsed, monkeypatch, arguments, said):
    monkeypatch.chdir(parsed)
    pp.write_conllu("other.conllu", TREEBANK[:30])
    code, out, err = run("combine", *arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
