"""`panparser validate`."""

from __future__ import annotations

import json

from places import DATA

GOLD, PREDICTED = DATA / "english.conllu", DATA / "english-predicted.conllu"


def test_validate_lists_all_problems(run, tmp_path):
    assert run("validate", GOLD)[0] == 0
    path = tmp_path / "bad.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t5\tx\t_\t_\n\n" * 30 + "1\ta\t_\t_\t_\tx=\t0\troot\t_\t_\n")
    code, out, _ = run("validate", path, tmp_path / "nowhere")
    assert code == 2
    assert f"{path}:1: expected a HEAD up to 1, found 5 [head]" in out
    assert "30 head, 1 blank-line, 1 feats" in out
    assert len(out.splitlines()) == 36
    code, out, _ = run("validate", path, "--most", "3")
    assert code == 1
    assert f"... and 29 more in {path}" in out
    values = json.loads(run("validate", path, "--json")[1])
    assert not values["valid"]
    assert values["files"][0]["problems"][0]["rule"] == "head"
    assert values["files"][0]["unreadable"] == 30
    assert run("--quiet", "validate", path)[:2] == (1, "")


def test_other_commands_say_where_all_problems_are_listed(run, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t5\tx\t_\t_\n\n" * 3)
    code, _, err = run("stats", path)
    assert (code, err.endswith("found 5 (and 2 more); `panparser validate` lists them all\n")) == (2, True)


def test_validate_asks_for_one_root_unless_told_otherwise(run, tmp_path):
    path = tmp_path / "roots.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    assert run("validate", path)[0] == 1
    assert run("validate", path, "--multi-root")[0] == 0
