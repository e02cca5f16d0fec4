"""Public names exist, are documented, and are those that outsiders were promised."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import panparser as pp
from panparser import cli, errors, testing
from panparser._names import ROOMS

PROMISED = {"system", "TransitionSystem", "Transition", "Gold", "EMPTY", "PythonSystem", "static_derivation"}


def test_public_names():
    assert set(pp.__all__) >= PROMISED
    for name in pp.__all__ + [f"testing.{name}" for name in testing.__all__]:
        owner = testing if name.startswith("testing.") else pp
        value = getattr(owner, name.removeprefix("testing."))
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name


def test_every_error_is_a_panparser_error_and_a_builtin():
    for name, value in vars(errors).items():
        if inspect.isclass(value) and value is not errors.PanParserError:
            assert issubclass(value, errors.PanParserError)
            builtins = [base for base in value.__mro__ if base.__module__ == "builtins"]
            assert len(builtins) > 3, name
            assert name in (errors.__doc__ or "")


def test_the_version_is_that_of_the_package():
    assert pp.__version__.count(".") == 2


def test_names_that_are_found_late_are_those_that_type_checkers_see():
    stub = ast.parse((Path(pp.__file__).parent / "__init__.pyi").read_text(encoding="utf-8"))
    listed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    rooms = {name for name, module in listed.items() if module == "panparser"}
    assert rooms == set(ROOMS)
    assert pp.__all__ == sorted(set(listed) - rooms)
    for name, module in listed.items():
        if name in rooms:
            assert getattr(pp, name).__name__ == f"panparser.{name}"
        else:
            assert getattr(pp, name) is getattr(import_module(module), name)
    assert set(dir(pp)) >= {*pp.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = pp.colour


def test_every_command_is_in_the_module_that_is_imported_for_it():
    cli.import_commands([])
    found = {}
    for command in cli.app.registered_commands:
        found.setdefault(command.callback.__module__.rpartition(".")[2], set()).add(command.callback.__name__)
    assert found == {module: set(names.split()) for module, names in cli.COMMANDS.items()}


def test_a_command_starts_without_what_it_does_not_need():
    code = (
        "import sys; sys.argv[1:] = ['parse', '--help']; from panparser import cli; cli.import_commands(sys.argv[1:])"
    )
    shown = "print(*(name for name in sys.modules if name.startswith(('panparser', 'rich.', 'pandas'))))"
    done = subprocess.run([sys.executable, "-c", f"{code}; {shown}"], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "panparser.pipeline" in loaded
    for name in ("training", "evaluation", "cascades", "experiments", "deriving", "testing", "cli.learning"):
        assert f"panparser.{name}" not in loaded
    assert not loaded & {"rich.progress", "pandas"}
