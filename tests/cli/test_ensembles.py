"""`panparser vote` and `panparser combine` from outside: files, errors, help."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from places import ENGLISH

TREEBANK = pp.read_conllu(ENGLISH)


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Two small models of one system with different templates, and one of another system."""
    folder = tmp_path_factory.mktemp("models")
    for name, system, templates in (
        ("a", "arc-eager", pp.FAST),
        ("b", "arc-eager", pp.ZN11),
        ("c", "arc-hybrid", pp.FAST),
    ):
        spec = pp.ParserSpec(system=pp.system(system, root="last", single_root=True), templates=templates, beam=2)
        pp.train(spec, TREEBANK[:40], epochs=1, members=1).save(folder / f"{name}.panparser")
    return folder


@pytest.fixture(scope="module")
def parsed(models):
    """A text, its gold, and what the three models make of it."""
    gold = TREEBANK[40:70]
    pp.write_conllu(models / "gold.conllu", gold)
    for name in "abc":
        pp.write_conllu(models / f"{name}.conllu", pp.load(models / f"{name}.panparser").parse(gold))
    return models


def test_vote_parse_and_info(run, parsed, tmp_path):
    model = tmp_path / "vote.panparser"
    code, out, _ = run("vote", parsed / "a.panparser", parsed / "b.panparser", "-o", model, "--weights", "2,1")
    assert code == 0
    assert "a vote of 2" in out
    code, out, _ = run("parse", "-m", model, parsed / "gold.conllu")
    expected = pp.vote([pp.load(parsed / "a.panparser"), pp.load(parsed / "b.panparser")], weights=[2, 1])
    assert (code, out) == (0, expected.parse(pp.read_conllu(parsed / "gold.conllu")).to_bytes().decode())
    code, out, _ = run("info", model)
    assert code == 0
    assert "weight 2" in out
    assert "weight 1" in out
    values = json.loads(run("info", model, "--json")[1])
    assert [voter["weight"] for voter in values["voters"]] == [2, 1]


def test_votes_that_vote_leave_nobody_out(run, parsed, tmp_path):
    a, b, both, all_three = parsed / "a.panparser", parsed / "b.panparser", tmp_path / "both", tmp_path / "all"
    assert run("vote", a, b, "-o", both)[0] == 0
    code, out, _ = run("vote", both, b, "-o", all_three)
    assert (code, "a vote of 3" in out, "left out" in out) == (0, True, False)
    assert run("vote", both, b, "-o", all_three, "--weights", "0,1")[1].endswith("a vote of 1>, 2 left out\n")


def test_vote_learns_weights(run, parsed, tmp_path):
    model = tmp_path / "vote.panparser"
    code, *_ = run("vote", parsed / "a.panparser", parsed / "b.panparser", "-o", model, "--dev", parsed / "gold.conllu")
    assert code == 0
    assert pp.load(model).training["weights"] == "learned"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.panparser", "c.panparser"), "one transition system"),
        (("a.panparser", "b.panparser", "--weights", "1"), "2 numbers"),
        (("a.panparser", "b.panparser", "--weights", "1;2"), "numbers with commas"),
        (("a.panparser", "none.panparser"), "cannot be read"),
        (("a.panparser", "--weights", "1", "--dev", "gold.conllu"), "got both"),
    ],
)
def test_vote_refuses_in_one_line(run, parsed, monkeypatch, arguments, said):
    monkeypatch.chdir(parsed)
    code, out, err = run("vote", *arguments, "-o", "never.panparser")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (parsed / "never.panparser").exists()


def test_combine(run, parsed, tmp_path):
    files = [parsed / f"{name}.conllu" for name in "abc"]
    code, out, _ = run("combine", *files)
    expected = pp.combine([pp.read_conllu(file) for file in files])
    assert (code, out) == (0, expected.to_bytes().decode())
    code, out, _ = run("combine", *files, "--weights", "0,1,0", "--multi-root", "-o", tmp_path / "out.conllu")
    assert (code, out) == (0, "")
    assert pp.read_conllu(tmp_path / "out.conllu").heads.tolist() == pp.read_conllu(files[1]).heads.tolist()
    code, out, _ = run("combine", *files, "--projective")
    assert code == 0
    assert all(pp.is_projective(sentence.heads.tolist()) for sentence in pp.parse_conllu(out))


@pytest.mark.parametrize("by", [None, "upos"])
def test_combine_learns_and_uses_weights(run, parsed, tmp_path, by):
    files = [parsed / f"{name}.conllu" for name in "abc"]
    weights = tmp_path / "weights.toml"
    chosen = ("--by", by) if by else ()
    code, out, _ = run("combine", "--learn", parsed / "gold.conllu", *files, *chosen, "-o", weights)
    assert code == 0
    assert "a.conllu" in out
    treebanks = [pp.read_conllu(file) for file in files]
    learned = pp.learn_weights(pp.read_conllu(parsed / "gold.conllu"), treebanks, by=by)
    assert pp.Weights.read(weights) == learned
    code, out, _ = run("combine", *files, "--weights", weights)
    assert (code, out) == (0, pp.combine(treebanks, weights=learned).to_bytes().decode())
    assert run("combine", "--learn", parsed / "gold.conllu", *files, *chosen)[1] == weights.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.conllu", "none.conllu"), "none.conllu"),
        (("a.conllu", "b.conllu", "--weights", "1"), "must be 2"),
        (("a.conllu", "b.conllu", "--weights", "x"), "numbers with commas"),
        (("a.conllu", "b.conllu", "--weights", "none.toml"), "none.toml: cannot be read"),
        (("a.conllu", "--by", "upos"), "--by needs --learn"),
        (("a.conllu", "--learn", "gold.conllu", "--by", "form"), "upos or xpos"),
        (("a.conllu", "--learn", "gold.conllu", "--projective"), "not for it"),
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
