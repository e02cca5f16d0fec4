"""`panparser check`."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

import panparser as pp
from panparser.proofs.system_proof import check_system
from places import EXAMPLES


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["arc-eager", "--root", "first", "--single-root"], "every output a tree, one child of Root"),
        (["swap-standard", "--oracle", "eager"], "the static oracle swap-eager reproduces every tree"),
        (["arc-standard", "--gold-kinds", "all"], "for every tree"),
        (["arc-hybrid", "--gold-kinds", "directions"], "for every choice of head directions"),
        (["arc-hybrid", "--gold-kinds", "none"], "always ends, never stuck"),
        (
            ["swap-standard", "--gold-kinds", "projective"],
            "the static oracle swap-lazy reproduces every projective tree",
        ),
    ],
)
def test_proofs(run, arguments, said):
    code, out, err = run("check", *arguments, "--max-words", "3")
    assert (code, err) == (0, "")
    assert said in out
    assert "proven up to 3 words" in out


def test_structure_alone_claims_nothing_of_costs_and_oracles(run):
    for name in ("arc-hybrid", "swap-standard"):
        out = run("check", name, "--gold-kinds", "none", "--max-words", "2")[1]
        assert "proven up to 2 words" in out
        assert "definition" not in out
        assert "reproduces" not in out


def test_json_and_quiet(run):
    proof = json.loads(run("check", "arc-hybrid", "--max-words", "2", "--json")[1])
    assert proof["rows"][1]["outputs"] == 3
    for arguments in (["--quiet", "check"], ["check", "-q"]):
        assert run(*arguments, "arc-hybrid", "--max-words", "2") == (0, "", "")


def test_a_counter_example_is_drawn_with_exit_code_1(run, tmp_path):
    table = json.loads(run("info", "arc-hybrid", "--json")[1])
    table["transitions"][2]["loses"] = []
    path = tmp_path / "broken.json"
    path.write_text(json.dumps(table))
    code, out, _ = run("check", path)
    assert code == 1
    assert "RIGHT costs 1, but the table says 0" in out
    code, out, _ = run("check", path, "--json")
    assert code == 1
    assert "RIGHT costs 1" in json.loads(out)["counter_example"]


def test_a_python_system_is_checked(run, monkeypatch):
    monkeypatch.chdir(EXAMPLES)
    code, out, _ = run("check", "covington:Covington", "--max-words", "2", "--gold-kinds", "all")
    assert code == 0
    assert "Covington, Root last" in out
    assert run("info", "covington:Covington")[0] == 2
    assert run("check", "covington.py:Covington", "--max-words", "1", "--gold-kinds", "all")[0] == 0


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def", "cannot import broken:Mine: SyntaxError"),
        ("import sys; sys.exit(3)", "cannot import broken:Mine: SystemExit: 3"),
        ("class Mine(pp.PythonSystem):\n    def __init__(self, x): ...", "cannot import broken:Mine: TypeError"),
        (
            "class Mine(pp.PythonSystem):\n    transitions = ('A',)",
            "Mine raised NotImplementedError: Mine must define legal",
        ),
        (
            "class Mine(pp.PythonSystem):\n    transitions = ('A',)\n    def legal(self, s, t): return 1 / 0",
            "Mine raised ZeroDivisionError: division by zero (broken.py:4)",
        ),
    ],
)
def test_errors_in_a_users_code_are_one_message(run, tmp_path, monkeypatch, code, message):
    (tmp_path / "broken.py").write_text(f"import panparser as pp\n{code}\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "broken", raising=False)
    code, _, err = run("check", "broken:Mine")
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_check_constraints_on_the_command_line(run):
    code, out, _ = run("check", "arc-eager", "--root", "first", "--constraints", "--max-words", 3)
    assert code == 0
    assert out.endswith("proven up to 3 words: no search is stuck, and all given heads are kept\n")
    code, _, err = run("check", "swap-standard", "--constraints")
    assert (code, "keeps no constraints" in err) == (2, True)
    code, _, err = run("check", "arc-eager", "--constraints", "--gold-kinds", "all")
    assert (code, "--gold-kinds cannot be used with --constraints" in err) == (2, True)


def test_more_than_seven_words_are_announced_and_can_be_interrupted(run, monkeypatch):
    monkeypatch.setattr("panparser.proofs.proof_commands.MIN_ANNOUNCED_SECONDS", 0.0)
    monkeypatch.setattr("panparser.proofs.system_proof.MEASURABLE", 1e-9)

    def interrupted(table, max_words, **options):
        assert max_words == 12
        check_system(table, 2, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr("panparser.proofs.proof_commands.check_system", interrupted)
    code, out, err = run("check", "arc-hybrid", "--max-words", "12")
    assert code == 130
    assert out.endswith("interrupted at 3 words: proven up to 2 words\n")
    announced = err.splitlines()
    assert len(announced) == 2  # after each length
    for proven, line in enumerate(announced, start=1):
        assert line.startswith("panparser: expected: ")
        lengths = [part.rpartition(" for ")[2] for part in line.split(", ")]
        assert lengths == [f"{n} words" for n in range(proven + 1, 13)]
    code, out, _ = run("check", "arc-hybrid", "--max-words", "12", "--json")
    values = json.loads(out)
    assert (code, values["proven"], [row["words"] for row in values["rows"]]) == (130, None, [1, 2])


def test_a_table_without_losses_is_told_what_can_be_proven(run, tmp_path):
    bare = tmp_path / "bare.toml"
    pp.TransitionSystem("bare", tuple(replace(t, loses=()) for t in pp.system("arc-hybrid").transitions)).save(bare)
    code, _, err = run("check", str(bare), "--max-words", "2")
    assert code == 2
    assert "--gold-kinds none proves its structure" in err
    assert run("check", str(bare), "--max-words", "2", "--gold-kinds", "none")[0] == 0
