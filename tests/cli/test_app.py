"""The command line as a whole."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

import panparser as pp


def test_version_and_help(run):
    code, out, _ = run("--version")
    assert (code, out.split()[0]) == (0, "panparser")
    code, out, _ = run("check", "--help")
    assert code == 0
    assert "Examples:" in out


def test_no_arguments_show_the_help(run):
    _, out, err = run()
    assert "Usage: panparser" in out + err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "arc-egaer"], "did you mean arc-eager?"),
        (["check", "nowhere.toml"], "nowhere.toml: cannot be read"),
        (["check", "no_such_module:X"], "cannot import no_such_module:X"),
        (["evaluate", "nowhere", "nowhere"], "nowhere: cannot be read"),
        (["validate", "nowhere"], "nowhere: cannot be read"),
        (["info", "nowhere.conllu"], "nowhere.conllu: cannot be read"),
        (["check", "json:dumps"], "must be a subclass of panparser.PythonSystem"),
        (["check", "arc-eager", "--max-words", "0"], "--max-words"),
        (["check", "arc-eager", "--root", "middle"], "--root"),
        (["check", "arc-eager", "-k", "2"], "arc-eager takes root, single_root; got k"),
        (["check", ":"], "cannot import :"),
        (["info", "--root", "first"], "--root requires a transition system"),
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


def test_products_of_matrices_take_one_thread_but_training_may_take_more():
    names = "OPENBLAS_NUM_THREADS OMP_NUM_THREADS MKL_NUM_THREADS".split()
    env = {name: value for name, value in os.environ.items() if name not in names} | {names[0]: "7"}
    code = f"""import os, sys; sys.argv = ["panparser", "info"]
from panparser import cli
class Watch:
    def find_spec(self, name, *_):
        if name == "numpy":
            print([os.environ.get(one) for one in {names}], file=sys.stderr)
sys.meta_path.insert(0, Watch())
cli.main()
print([os.environ.get(one) for one in {names}], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
    assert done.stderr.splitlines() == ["['7', '1', '1']", "['7', None, None]"]


def test_a_closed_pipe_is_no_error():
    command = f'{sys.executable} -c "from panparser.cli import main; main()" info arc-eager | head -0'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


# --- No command replaces what it reads ---


@pytest.mark.parametrize(
    "command",
    [
        "parse -m a.panparser gold.conllu -o gold.conllu",
        "parse -m a.panparser gold.conllu -o a.panparser",
        "parse -m en text.txt -o text.txt",
        "combine a.conllu b.conllu -o a.conllu",
        "combine a.conllu b.conllu --weights weights.toml -o weights.toml",
        "combine --estimate-weights gold.conllu a.conllu b.conllu -o gold.conllu",
        "combine --estimate-weights gold.conllu a.conllu b.conllu -o b.conllu",
        "analyze gold.conllu a.conllu --report gold.conllu",
        "analyze gold.conllu a.conllu --csv a.conllu",
        "curves gold.conllu a.conllu --csv gold.conllu",
        "curves gold.conllu a.conllu --plot figure.png --recipe figure.png",
        "combine a.panparser b.panparser -o a.panparser",
        "combine a.panparser b.panparser -o gold.conllu --dev gold.conllu",
        "calibrate -m a.panparser gold.conllu -o a.panparser",
        "calibrate -m a.panparser gold.conllu -o gold.conllu",
        "derive table.toml -o table.toml",
        "train -t gold.conllu -o gold.conllu",
        "train -t gold.conllu -d a.conllu -o a.conllu",
    ],
)
def test_no_command_replaces_its_own_input(run, parsed, tmp_path, monkeypatch, command):
    for path in parsed.iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text("They ate.\n")
    (tmp_path / "weights.toml").write_text("default = [1, 1]\n")
    (tmp_path / "figure.png").write_text("[training]\nepochs = 1\n")
    pp.system("arc-hybrid").save("table.toml")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    code, _, err = run(*command.split())
    assert code == 2
    assert "is an input file; choose another output file" in err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
