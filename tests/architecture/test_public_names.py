"""Public names: the stub, the package and its rooms agree; each is documented; private modules lie where they may."""

from __future__ import annotations

import ast
import importlib
import inspect
from pathlib import Path

import pytest

import panparser as pp
from panparser import errors

PACKAGE = Path(pp.__file__).parent
PROMISED = {"system", "TransitionSystem", "Transition", "Gold", "EMPTY", "PythonSystem", "static_derivation"}
PRIVATE = {"_arrays", "_caching", "_checks", "_names", "_threads", "_engine"}


def stub() -> dict[str, str]:
    """Names that `__init__.pyi` imports, with the module of each."""
    tree = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in imports for alias in node.names)  # re-exported by PEP 484
    return {alias.name: str(node.module) for node in imports for alias in node.names}


STUB = stub()
ROOMS = sorted(name for name, module in STUB.items() if module == "panparser")
NAMES = sorted(set(STUB) - set(ROOMS))


def test_the_package_has_the_names_of_the_stub():
    assert pp.__all__ == NAMES
    assert set(NAMES) >= PROMISED
    assert set(dir(pp)) >= {*NAMES, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = pp.colour


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_found_where_the_stub_says_and_documented(name):
    value = getattr(pp, name)
    assert value is getattr(importlib.import_module(STUB[name]), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__module__ == STUB[name]  # not somewhere that merely imports it
        assert inspect.getdoc(value)


def test_every_room_is_in_the_stub():
    rooms = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert rooms - {"cli", "neural", "work"} == set(ROOMS) - {"errors"}


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_the_public_names_of_its_modules(room):
    package = getattr(pp, room)
    assert package.__name__ == f"panparser.{room}"
    if not hasattr(package, "__path__"):
        return  # errors, a module
    own = {name for name, module in STUB.items() if module.startswith(f"panparser.{room}.")}
    assert own <= set(package.__all__) <= set(dir(package))
    for name in package.__all__:
        assert getattr(package, name) is not None
        if name in own and not inspect.ismodule(getattr(package, name)):  # `features.templates` is the module
            assert getattr(package, name) is getattr(pp, name)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = package.colour


def test_only_modules_beside_the_rooms_have_an_underscore():
    modules = {path.relative_to(PACKAGE).as_posix().split(".")[0] for path in PACKAGE.rglob("_*.py*")}
    modules = {name for name in modules if "__" not in name}
    assert modules == PRIVATE


def test_every_error_is_a_panparser_error_and_a_builtin():
    for name, value in vars(errors).items():
        if inspect.isclass(value) and value is not errors.PanParserError and not issubclass(value, UserWarning):
            assert issubclass(value, errors.PanParserError)
            builtins = [base for base in value.__mro__ if base.__module__ == "builtins"]
            assert len(builtins) > 3, name
            assert name in (errors.__doc__ or "")


def test_the_version_is_that_of_the_package():
    assert pp.__version__.count(".") == 2
