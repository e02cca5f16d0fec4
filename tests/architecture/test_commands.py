"""Commands: each in the module of its name, which imports only what the command needs."""

from __future__ import annotations

import subprocess
import sys

import pytest

import panparser as pp
from panparser import cli
from panparser.cli.app import app

PROMISED = set(
    "align analyze calibrate check combine curves derive evaluate explain grid info parse project propagation results "
    "rewrite serve similar stats step systems text train typology validate vote weights".split()
)


def imported(code: str) -> set[str]:
    """The modules that a fresh interpreter has after this."""
    shown = "import sys; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{shown}"], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def of_package(modules: set[str]) -> set[str]:
    return {name for name in modules if name.partition(".")[0] == "panparser"}


def test_every_module_of_a_command_has_that_command():
    cli.import_commands([])
    found = {command.callback.__name__: command.callback.__module__ for command in app.registered_commands}
    assert set(cli.COMMANDS) == set(found) >= PROMISED
    assert found == {name: f"panparser.cli.{name}" for name in cli.COMMANDS}


@pytest.mark.parametrize("command", sorted(PROMISED))
def test_a_command_imports_no_other_command_and_no_test(command):
    modules = imported(f"from panparser import cli; cli.import_commands(['{command}'])")
    assert not {name for name in modules if name.partition(".")[0] == "reference"}
    others = {f"panparser.cli.{name}" for name in cli.COMMANDS} & modules
    assert others == {f"panparser.cli.{command}"}


@pytest.mark.parametrize(
    ("command", "most", "needless"),
    [
        ("train", 71, "systems.deriving systems.proof ensembles pipeline text sequences analysis experiments"),
        ("parse", 110, "systems.deriving systems.proof analysis recipes experiments parsing.training"),
        ("info", 115, "systems.deriving systems.proof analysis recipes experiments ensembles parsing.training"),
    ],
)
def test_a_command_starts_without_what_it_does_not_need(command, most, needless):
    modules = imported(f"from panparser import cli; cli.import_commands(['{command}'])")
    own = of_package(modules)
    assert len(own) <= most, sorted(own)
    for name in needless.split():
        assert not {each for each in own if f"{each}.".startswith(f"panparser.{name}.")}
    assert not modules & {"pandas", "matplotlib", "rich.progress", "rich.console"}


def test_training_a_parser_needs_no_other_models(english, tmp_path):
    treebank = tmp_path / "train.conllu"
    pp.write_conllu(treebank, english[0][:10])
    arguments = ["-q", "train", "-t", str(treebank), "-o", str(tmp_path / "en"), "--epochs", "1"]
    run = "from panparser.cli import main\ntry: main()\nexcept SystemExit: pass"
    own = of_package(imported(f"import sys; sys.argv[1:] = {arguments}\n{run}"))
    assert (tmp_path / "en").exists()
    needless = "systems.deriving systems.proof ensembles pipeline text sequences analysis experiments evaluation"
    own -= {"panparser.pipeline", "panparser.pipeline.bundled"}  # which knows the names of bundled models, no more
    for name in needless.split():
        assert not {each for each in own if f"{each}.".startswith(f"panparser.{name}.")}


def test_the_version_needs_next_to_nothing():
    modules = imported("import sys; sys.argv[1:] = ['--version']; from panparser.cli import main; main()")
    own = {"panparser", "panparser._names", "panparser.cli", "panparser.errors"}
    assert of_package(modules) == own | {"panparser.cli.signals", "panparser.cli.streams"}
    assert not modules & {"typer", "click", "rich", "numpy"}
