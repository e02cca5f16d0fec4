"""The command line as a whole."""

from __future__ import annotations

import subprocess
import sys

import pytest


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
