"""Help texts: what a command takes comes first, nothing breaks where it should not, and examples are valid."""

from __future__ import annotations

import inspect
import os
import re
import shlex
import subprocess
import sys

import pytest
from typer.core import TyperCommand

from panparser.cli.help import read_examples
from panparser.cli.main import COMMANDS, make_application

MAIN = "from panparser.cli import main; main()"
SUMMARIES = {name: command.summary for section in COMMANDS.values() for name, command in section.items()}
EXAMPLES = [(name, line) for name, lines in read_examples().items() for line in lines]
MAX_HELP_LENGTH = 80  # of the text of an option, without choices and default


def examples(text):
    """The examples of a help text, lines of the shell that are broken joined."""
    lines = text.partition("Examples:\n")[2].replace("\\\n", " ").splitlines()
    return [" ".join(line.split()) for line in lines if line.strip()]


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("command", SUMMARIES)
def test_help_fits_a_terminal_and_begins_with_the_options(run, monkeypatch, command, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, text, err = run(command, "-h")
    assert (code, err) == (0, "")
    assert run(command, "--help")[1] == text
    assert max(map(len, text.splitlines())) <= width
    start, options, long = re.fullmatch(r"(Usage: .*?)(?:\nOptions:\n)(.*?)\n\n(\S.*)", text, re.DOTALL).groups()
    assert start.startswith(f"Usage: panparser {command}")
    assert not re.search(r"(?m)^  [^ -]|-\n", options)  # names of options are whole
    assert SUMMARIES[command] in " ".join(start.split())
    assert examples(long) == [" ".join(line.split()) for line in read_examples()[command]]


@pytest.mark.parametrize("width", [80, 100])
def test_the_list_of_commands_has_sections_and_what_to_try_first(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", str(width))
    code, text, err = run("-h")
    assert (code, err) == (0, "")
    assert max(map(len, text.splitlines())) <= width
    assert text.splitlines()[2:6] == [f"  {line}" for line in read_examples()["panparser"]]
    assert re.findall(r"(?m)^(\S[^:\n]*):$", text) == [*COMMANDS, "Options"]
    listed = " ".join(text.split())
    for name, summary in SUMMARIES.items():
        assert f"{name} {summary}" in listed


@pytest.mark.parametrize("command", SUMMARIES)
def test_texts_of_options_are_short(command):
    for parameter in make_application().commands[command].params:
        text = re.sub(r"  ?\[default: .*", "", parameter.help or "")
        assert len(text) <= MAX_HELP_LENGTH or ": " in text, text  # lists of choices may be longer
        assert re.match(r"[A-Z]", text), text
        assert text.endswith("."), text


@pytest.mark.parametrize(("command", "line"), EXAMPLES, ids=lambda value: value[:60])
def test_examples_are_valid(command, line):
    """Each command of a line is parsed by the options of that command; nothing is run."""
    group = make_application()
    called = []
    for part in line.split(" | "):
        program, *arguments = shlex.split(re.split(r" >(?= )", part)[0])
        if program == "panparser":
            name, *arguments = arguments
            subcommand: TyperCommand = group.commands[name]
            subcommand.make_context(name, arguments)
            called.append(name)
    assert called or line.startswith("curl ")


def test_a_misspelled_command_gets_a_hint(run):
    code, out, err = run("prase")
    assert (code, out) == (2, "")
    assert "Did you mean 'parse'" in err


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
