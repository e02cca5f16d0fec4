"""Help texts: what a command takes comes first, and nothing breaks where it should not."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys

import pytest

from panparser import cli
from panparser.cli.app import app

cli.import_commands([])
DOCSTRINGS = {each.callback.__name__: inspect.cleandoc(each.callback.__doc__) for each in app.registered_commands}
MAIN = "from panparser.cli import main; main()"


def examples(text):
    """The examples of a help text or a docstring, lines of the shell that are broken joined."""
    lines = text.partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


@pytest.mark.parametrize("command", [None, *sorted(DOCSTRINGS)])
def test_help_fits_a_terminal_and_begins_with_the_options(run, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    given = [command] if command else []
    code, text, err = run(*given, "-h")
    assert (code, err) == (0, "")
    assert run(*given, "--help")[1] == text
    assert max(map(len, text.splitlines())) <= 80
    start, options, long = re.fullmatch(r"(Usage: .*?)(?:\nOptions:\n)(.*?)\n\n(\S.*)", text, re.DOTALL).groups()
    assert start.startswith(f"Usage: panparser {command or ''}")
    assert not re.search(r"(?m)^  [^ -]|-\n", options)  # names of options are whole
    assert "Examples:" in long
    if command:
        short = " ".join(DOCSTRINGS[command].partition("\n\n")[0].split())
        assert short in " ".join(start.split())
        assert examples(text) == examples(DOCSTRINGS[command])


def test_the_list_of_commands_has_whole_sentences(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listed = " ".join(run("-h")[1].partition("Commands:\n")[2].partition("Options:")[0].split())
    for name, text in DOCSTRINGS.items():
        assert f"{name} {' '.join(text.partition(f'{chr(10)}{chr(10)}')[0].split())}" in listed


def test_ctrl_c_while_modules_are_imported_is_quiet():
    """An import hook stands for the key: it is pressed when numpy is imported."""
    hook = """
        import os, signal, sys
        class Hook:
            def find_spec(name, path=None, target=None):
                if name == "numpy":
                    os.kill(os.getpid(), signal.SIGINT)
        sys.meta_path.insert(0, Hook)
    """
    command = [sys.executable, "-c", f"{inspect.cleandoc(hook)}\n{MAIN}", "parse", "--text", "x"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.parametrize(
    ("words", "expected"), [("panparser ev", "evaluate"), ("panparser parse --out", "--output-format")]
)
def test_shells_complete_commands_and_options(words, expected):
    asked = {"_PANPARSER_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    done = subprocess.run(
        [sys.executable, "-c", MAIN], env=os.environ | asked, capture_output=True, text=True, check=False
    )
    assert expected in done.stdout.split()
