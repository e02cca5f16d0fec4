"""The command line, as a user sees it: exit codes, messages, no traceback."""

from __future__ import annotations

import io
import json
import subprocess
import sys

import pytest

from places import DATA, EXAMPLES


def test_version_and_help(run):
    code, out, _ = run("--version")
    assert (code, out.split()[0]) == (0, "panparser")
    code, out, _ = run("check", "--help")
    assert code == 0
    assert "Examples:" in out


def test_no_arguments_show_the_help(run):
    _, out, err = run()
    assert "Usage: panparser" in out + err


def test_systems_are_listed(run):
    code, out, _ = run("systems")
    assert code == 0
    assert "swap-standard" in out
    listed = json.loads(run("systems", "--json")[1])
    assert [row["name"] for row in listed][:2] == ["arc-eager", "arc-hybrid"]


def test_a_table_is_shown_and_can_be_saved_and_checked(run, tmp_path):
    assert "arc-hybrid, Root first, single root" in run("systems", "arc-hybrid", "--root", "first", "--single-root")[1]
    path = tmp_path / "mine.json"
    path.write_text(run("systems", "arc-hybrid-span", "-k", "2", "--json")[1])
    code, out, _ = run("check", path, "--max-words", "3")
    assert code == 0
    assert "every output a forest" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["arc-eager", "--root", "first", "--single-root"], "every output a tree, one child of Root"),
        (["swap-standard", "--oracle", "eager"], "the static oracle swap-eager reproduces every tree"),
        (["arc-standard", "--golds", "all"], "for every tree"),
        (["arc-hybrid", "--golds", "directions"], "for every choice of head directions"),
        (["arc-hybrid", "--golds", "none"], "always ends, never stuck"),
        (["swap-standard", "--golds", "projective"], "the static oracle swap-lazy reproduces every projective tree"),
    ],
)
def test_proofs(run, arguments, said):
    code, out, err = run("check", *arguments, "--max-words", "3")
    assert (code, err) == (0, "")
    assert said in out
    assert "proven up to 3 words" in out


def test_structure_alone_claims_nothing_of_costs_and_oracles(run):
    for name in ("arc-hybrid", "swap-standard"):
        out = run("check", name, "--golds", "none", "--max-words", "2")[1]
        assert "proven up to 2 words" in out
        assert "definition" not in out
        assert "reproduces" not in out


def test_json_and_quiet(run):
    proof = json.loads(run("check", "arc-hybrid", "--max-words", "2", "--json")[1])
    assert proof["rows"][1]["outputs"] == 3
    for arguments in (["--quiet", "check"], ["check", "-q"]):
        assert run(*arguments, "arc-hybrid", "--max-words", "2") == (0, "", "")


def test_a_counter_example_is_drawn_with_exit_code_1(run, tmp_path):
    table = json.loads(run("systems", "arc-hybrid", "--json")[1])
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
    code, out, _ = run("check", "covington:Covington", "--max-words", "2", "--golds", "all")
    assert code == 0
    assert "Covington, Root last" in out
    assert run("systems", "covington:Covington")[0] == 2
    assert run("check", "covington.py:Covington", "--max-words", "1", "--golds", "all")[0] == 0


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


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "arc-egaer"], "did you mean arc-eager?"),
        (["check", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["check", "no_such_module:X"], "cannot import no_such_module:X"),
        (["evaluate", "nowhere", "nowhere"], "nowhere: cannot be read"),
        (["validate", "nowhere"], "nowhere: cannot be read"),
        (["stats", "nowhere"], "nowhere: cannot be read"),
        (["check", "json:dumps"], "must be a subclass of panparser.PythonSystem"),
        (["check", "arc-eager", "--max-words", "0"], "--max-words"),
        (["check", "arc-eager", "--root", "middle"], "--root"),
        (["check", "arc-eager", "-k", "2"], "arc-eager takes root, single_root; got k"),
        (["check", ":"], "cannot import :"),
        (["systems", "--root", "first"], "go with the name of a system"),
        (["check"], "SYSTEM"),
        (["frobnicate"], "frobnicate"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(run, arguments, message):
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err
    assert "Traceback" not in err


def test_the_installed_command_runs():
    command = [
        sys.executable,
        "-c",
        "from panparser.cli import main; main()",
        "check",
        "arc-hybrid",
        "--max-words",
        "2",
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "proven up to 2 words" in done.stdout


def test_a_closed_pipe_is_no_error():
    command = f'{sys.executable} -c "from panparser.cli import main; main()" systems arc-eager | head -0'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


# --- Treebanks ---

GOLD, PREDICTED = DATA / "english.conllu", DATA / "english-predicted.conllu"


def test_evaluate_prints_a_table(run):
    code, out, _ = run("evaluate", GOLD, PREDICTED)
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line}
    assert rows["LAS"][:4] == ["65.13", "70.24", "67.59", "76.22"]
    assert not any(line.endswith(" ") for line in out.splitlines())


def test_evaluate_as_json(run):
    values = json.loads(run("evaluate", GOLD, PREDICTED, "--json", "--samples", "0")[1])
    assert set(values["metrics"]["LAS"]) >= {"precision", "recall", "f1", "aligned_accuracy"}
    assert round(values["metrics"]["LAS"]["f1"], 2) == 67.59
    assert values["metrics"]["LAS"]["interval"] is None


def test_evaluate_compares_two_predictions(run):
    code, out, _ = run("evaluate", GOLD, PREDICTED, GOLD)
    assert code == 0
    assert "p (randomization)" in out
    values = json.loads(run("evaluate", GOLD, PREDICTED, GOLD, "--json")[1])
    assert values["comparison"]["LAS"]["difference"] == pytest.approx(100 - 67.59, abs=0.01)
    assert values["second"]["metrics"]["UAS"]["f1"] == 100


def test_evaluate_says_how_much_is_covered(run, tmp_path):
    path = tmp_path / "partial.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n2\tb\t_\t_\t_\t_\t_\t_\t_\t_\n\n")
    assert "50.00 % of the predicted words have a head" in run("evaluate", path, path)[1]


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


def test_evaluate_scores_what_can_be_read_and_says_what_is_wrong(run, tmp_path, monkeypatch):
    path = tmp_path / "x.conllu"
    path.write_text("# x\n1\ta\t_\t_\t_\tjunk\t0\troot\t_\t_\n\n")
    code, _, err = run("evaluate", path, path)
    assert code == 0
    assert "1 problems; the first: " in err
    path.write_text("# x\n1\ta\t_\t_\t_\tjunk\t7\troot\t_\t_\n\n")
    assert run("evaluate", path, path)[0] == 2
    good = tmp_path / "good.conllu"
    good.write_text("# x\n1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(path.read_bytes()))))
    code, _, err = run("evaluate", good, "-")
    assert (code, err) == (2, "panparser: <stdin>:2: expected a HEAD up to 1, found 7\n")


def test_stats(run):
    code, out, _ = run("stats", GOLD, PREDICTED)
    assert code == 0
    assert "non-projective sentences" in out
    assert json.loads(run("stats", GOLD, "--json")[1])[str(GOLD)]["sentences"] == 243


def test_mismatched_files_are_one_message(run, tmp_path):
    path = tmp_path / "other.conllu"
    path.write_text("1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n")
    code, _, err = run("evaluate", GOLD, path)
    assert code == 2
    assert "the two files must have the same text" in err
