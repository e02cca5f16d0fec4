"""`panparser combine`."""

from __future__ import annotations

import json

import pytest

import panparser as pp
from nets import KINDS, TREEBANK
from reference.networks import random_network_parser


def test_vote_parse_and_info(run, parsed, tmp_path):
    model = tmp_path / "vote.panparser"
    code, out, _ = run("combine", parsed / "a.panparser", parsed / "b.panparser", "-o", model, "--weights", "2,1")
    assert code == 0
    assert "a vote of 2" in out
    code, out, _ = run("parse", "-m", model, parsed / "gold.conllu")
    expected = pp.make_voting_parser([pp.load(parsed / "a.panparser"), pp.load(parsed / "b.panparser")], weights=[2, 1])
    assert (code, out) == (0, expected.parse(pp.read_conllu(parsed / "gold.conllu")).to_bytes().decode())
    code, out, _ = run("info", model)
    assert code == 0
    assert "weight 2" in out
    assert "weight 1" in out
    values = json.loads(run("info", model, "--json")[1])
    assert [voter["weight"] for voter in values["voters"]] == [2, 1]


def test_votes_that_vote_leave_nobody_out(run, parsed, tmp_path):
    a, b, both, all_three = parsed / "a.panparser", parsed / "b.panparser", tmp_path / "both", tmp_path / "all"
    assert run("combine", a, b, "-o", both)[0] == 0
    code, out, _ = run("combine", both, b, "-o", all_three)
    assert (code, "a vote of 3" in out, "left out" in out) == (0, True, False)
    assert run("combine", both, b, "-o", all_three, "--weights", "0,1")[1].endswith("a vote of 1>, 2 left out\n")


def test_networks_vote(run, tmp_path):
    for seed in (1, 2):
        random_network_parser(pp.ParserSpec(beam=1), KINDS["words alone"], TREEBANK, seed=seed).save(
            tmp_path / str(seed)
        )
    both = [tmp_path / "1", tmp_path / "2", "-o", tmp_path / "vote"]
    code, out, _ = run("combine", *both)
    assert (code, "left out" in out) == (0, False)
    code, out, _ = run("combine", *both, "--weights", "1,0")
    assert (code, "1 left out" in out) == (0, True)


def test_vote_learns_weights(run, parsed, tmp_path):
    model = tmp_path / "vote.panparser"
    code, *_ = run(
        "combine", parsed / "a.panparser", parsed / "b.panparser", "-o", model, "--dev", parsed / "gold.conllu"
    )
    assert code == 0
    assert pp.load(model).training["weights"] == "learned"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("a.panparser", "c.panparser"), "one transition system"),
        (("a.panparser", "b.panparser", "--weights", "1"), "2 numbers"),
        (("a.panparser", "b.panparser", "--weights", "1;2"), "comma-separated numbers"),
        (("a.panparser", "none.panparser"), "cannot be read"),
        (("a.panparser", "--weights", "1", "--dev", "gold.conllu"), "got both"),
    ],
)
def test_vote_refuses_in_one_line(run, parsed, monkeypatch, arguments, said):
    monkeypatch.chdir(parsed)
    code, out, err = run("combine", *arguments, "-o", "never.panparser")
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not (parsed / "never.panparser").exists()
