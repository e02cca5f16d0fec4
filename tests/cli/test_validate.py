"""`panparser validate`."""

from __future__ import annotations

import json

from places import DATA

GOLD, PREDICTED = DATA / "english.conllu", DATA / "english-predicted.conllu"


def test_validate_lists_all_problems(run, tmp_path):
    assert run("validate", GOLD, "--ignore-rules", "edeps-only-sometimes")[0] == 0
    path = tmp_path / "bad.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t5\troot\t_\t_\n\n" * 30 + "a\n\n" + "1\ta\t_\tX\t_\tx=\t0\troot\t_\t_\n")
    code, out, _ = run("validate", path, tmp_path / "nowhere", "--ignore-rules", "missing-text, missing-sent-id")
    assert code == 2
    assert f"{path}:1: expected a word of the sentence, or 0, as HEAD, found '5' [unknown-head]" in out
    assert f"... and 10 more in {path}" in out
    assert [line.split()[:3] for line in out.splitlines()[-9:-4]] == [
        ["rule", "level", "problems"],
        ["unknown-head", "2", "30"],
        ["invalid-line", "1", "1"],
        ["missing-empty-line", "1", "1"],
        ["invalid-feature", "2", "1"],
    ]
    code, out, _ = run("validate", path, "--max-problems", "3")
    assert code == 1
    assert out.count("[unknown-head]") == 3
    values = json.loads(run("validate", path, "--json", "--level", "1")[1])
    assert not values["valid"]
    assert values["files"][0]["counts"] == {"invalid-line": 1, "missing-empty-line": 1}
    assert (values["files"][0]["problems"][0]["rule"], values["files"][0]["unreadable_sentences"]) == (
        "invalid-line",
        1,
    )
    assert run("--quiet", "validate", path)[:2] == (1, "")


def test_rules_to_ignore_must_exist(run):
    code, _, err = run("validate", GOLD, "--ignore-rules", "head")
    assert (code, "validate: ignore must be some of invalid-utf, " in err) == (2, True)


def test_other_commands_say_where_all_problems_are_listed(run, tmp_path):
    path = tmp_path / "bad.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t5\tx\t_\t_\n\n" * 3)
    code, _, err = run("info", path)
    assert (code, err.endswith("found 5 (and 2 more); `panparser validate` lists them all\n")) == (2, True)


def test_validate_asks_for_one_root_unless_told_otherwise(run, tmp_path):
    path = tmp_path / "roots.conllu"
    path.write_text("1\ta\t_\tX\t_\t_\t0\troot\t_\t_\n2\tb\t_\tX\t_\t_\t0\troot\t_\t_\n\n")
    others = ("--ignore-rules", "missing-text,missing-sent-id")
    assert run("validate", path, *others)[0] == 1
    assert run("validate", path, *others, "--multi-root")[0] == 0
