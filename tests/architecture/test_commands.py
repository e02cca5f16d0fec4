"""Commands: one table, each imported only when it is called, with only what it needs."""

from __future__ import annotations

import ast
import inspect
import resource
import subprocess
import sys
from pathlib import Path

import pytest

import panparser as pp
from panparser.cli.help import paragraphs
from panparser.cli.main import COMMANDS, load_command

TABLE = {name: command for section in COMMANDS.values() for name, command in section.items()}
MODULES = {command.module for command in TABLE.values()}
CLI = Path(inspect.getfile(load_command)).parent
MAX_HELP_CPU_SECONDS = 0.40  # 0.1 on a quiet machine


def imported(code: str) -> set[str]:
    """The modules that a fresh interpreter has after this."""
    shown = "import sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def imported_by(*arguments: str) -> set[str]:
    """The modules that the command line has imported when it ends."""
    run = "from panparser.cli import main\ntry: main()\nexcept SystemExit: pass"
    return imported(f"import sys; sys.argv[1:] = {list(arguments)}\n{run}")


def of_package(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "panparser"}


def test_the_table_has_26_commands_in_six_sections():
    assert (len(TABLE), len(COMMANDS)) == (26, 6)


@pytest.mark.parametrize("command", TABLE)
def test_the_table_has_the_first_line_of_each_docstring(command):
    assert " ".join(paragraphs(load_command(command).__doc__)[0].split()) == TABLE[command].summary


@pytest.mark.parametrize("command", TABLE)
def test_a_command_imports_no_other_command_and_no_test(command):
    module = TABLE[command].module
    modules = imported(f"from panparser.cli.main import load_command; load_command('{command}')")
    assert not {name for name in modules if name.partition(".")[0] == "reference"}
    assert modules & MODULES == {module}


@pytest.mark.parametrize("path", sorted(CLI.glob("*.py")), ids=lambda path: path.stem)
def test_no_module_of_the_command_line_imports_a_command(path):
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    names = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    assert not names & MODULES


@pytest.mark.parametrize(
    ("command", "most", "needless"),
    [
        ("train", 60, "proofs inspection lab ensembles pipeline text tagging batches"),
        ("parse", 100, "proofs inspection lab recipes training"),
        ("info", 30, "systems lab recipes ensembles parsing learning"),
        ("convert", 100, "proofs inspection lab recipes training"),
    ],
)
def test_a_command_starts_without_what_it_does_not_need(command, most, needless):
    modules = imported(f"from panparser.cli.main import load_command; load_command('{command}')")
    own = of_package(modules)
    assert len(own) <= most, sorted(own)
    for name in needless.split():
        assert not {each for each in own if f"{each}.".startswith(f"panparser.{name}.")}
    assert not modules & {"pandas", "matplotlib", "rich.progress", "rich.console"}


def test_training_a_parser_needs_no_other_models(english, tmp_path):
    treebank = tmp_path / "train.conllu"
    pp.write_conllu(treebank, english[0][:10])
    own = of_package(imported_by("-q", "train", "-t", str(treebank), "-o", str(tmp_path / "en"), "--epochs", "1"))
    assert (tmp_path / "en").exists()
    needless = "proofs inspection lab ensembles pipeline text tagging evaluation"
    own -= {
        "panparser.pipeline",
        "panparser.pipeline.bundled_models",
    }  # which knows the names of bundled models, no more
    for name in needless.split():
        assert not {each for each in own if f"{each}.".startswith(f"panparser.{name}.")}


@pytest.mark.parametrize("arguments", [("-h",), ()])
def test_help_imports_no_command(arguments):
    modules = imported_by(*arguments)
    own = {"panparser", "panparser.names", "panparser.cli", "panparser.errors"}
    assert of_package(modules) == own | {f"panparser.cli.{name}" for name in ("main", "help", "terminal")}
    assert "numpy" not in modules


@pytest.mark.unmeasured
def test_help_takes_little_time():
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "panparser", "-h"], capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < MAX_HELP_CPU_SECONDS


def test_the_version_needs_next_to_nothing():
    modules = imported("import sys; sys.argv[1:] = ['--version']; from panparser.cli import main; main()")
    own = {"panparser", "panparser.names", "panparser.cli", "panparser.errors"}
    assert of_package(modules) == own | {"panparser.cli.main"}
    assert not modules & {"typer", "click", "rich", "numpy"}
