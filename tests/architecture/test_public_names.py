"""Public names: stubs, packages and their modules agree; each name is documented; every error has its two parents."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import panparser as pp
from panparser import errors
from places import EXAMPLES, ROOT

PACKAGE = Path(pp.__file__).parent
PROMISED = {"system", "TransitionSystem", "Transition", "GoldTree", "NO_HEAD", "PythonSystem", "static_derivation"}


def read_stub(path: Path) -> dict[str, str]:
    """Return the names that a stub imports, with the module of each."""
    imports = [node for node in ast.parse(path.read_text(encoding="utf-8")).body if isinstance(node, ast.ImportFrom)]
    assert all(alias.asname == alias.name for node in imports for alias in node.names)  # re-exported by PEP 484
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def package_name(stub: Path) -> str:
    return ".".join(stub.parent.relative_to(PACKAGE.parent).parts)


STUBS = {package_name(path): read_stub(path) for path in sorted(PACKAGE.rglob("__init__.pyi"))}
NAMES = sorted(
    (package, name, module) for package, stub in STUBS.items() for name, module in stub.items() if module != package
)


@pytest.mark.parametrize("package", STUBS)
def test_a_package_has_the_names_of_its_stub(package):
    module = importlib.import_module(package)
    assert module.__all__ == sorted(name for name, home in STUBS[package].items() if home != package)
    assert set(dir(module)) >= set(STUBS[package])
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        _ = module.colour


@pytest.mark.parametrize(("package", "name", "module"), NAMES)
def test_a_public_name_is_found_where_the_stub_says_and_documented(package, name, module):
    value = getattr(importlib.import_module(package), name)
    assert value is getattr(importlib.import_module(module), name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert value.__module__ == module  # not somewhere that merely imports it
        assert inspect.getdoc(value)


def test_the_top_has_the_names_that_most_programs_need():
    names = set(pp.__all__)
    assert names >= PROMISED
    assert len(names) <= 95
    assert set(dir(pp)) >= {*names, "__version__"}


def annotations_of(value: object) -> set[str]:
    """Return the words of the annotations of a function, or of a class and its methods."""
    functions = [value, *vars(value).values()] if inspect.isclass(value) else [value]
    texts: list[object] = []
    for function in functions:
        texts += getattr(getattr(function, "__func__", function), "__annotations__", {}).values()
    return set(re.findall(r"\w+", " ".join(map(str, texts))))


def test_every_name_at_the_top_is_shown_or_belongs_to_one_that_is():
    """Somebody who reads the tutorial, the guides and the examples meets every name, or what takes or returns it."""
    pages = [
        page
        for folder in ("tutorial", "guides", "start", "concepts", "reference")
        for page in (ROOT / "docs" / folder).glob("*.md")
    ]
    text = " ".join(path.read_text(encoding="utf-8") for path in [*pages, ROOT / "README.md", *EXAMPLES.glob("*.py")])
    shown = {name for name in pp.__all__ if re.search(rf"pp\.{name}\b|`{name}\b|import .*\b{name}\b", text)}
    belonging = set().union(*(annotations_of(getattr(pp, name)) for name in shown))
    assert set(pp.__all__) - shown - belonging == set()


def test_every_package_is_reached_from_the_top():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages - {"cli"} | {"errors"} == {
        name for name, module in STUBS["panparser"].items() if module == "panparser"
    }


def test_importing_the_package_imports_no_module_but_names():
    code = "import sys, panparser; print(*sorted(name for name in sys.modules if name.startswith('panparser')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["panparser", "panparser.names"]


def test_private_modules_are_the_engine_alone():
    modules = {path.relative_to(PACKAGE).as_posix().split(".")[0] for path in PACKAGE.rglob("_*.py*")}
    assert {name for name in modules if "__" not in name} == {"_engine"}


def test_every_error_is_a_panparser_error_and_a_builtin():
    for name, value in vars(errors).items():
        if inspect.isclass(value) and value is not errors.PanParserError and not issubclass(value, UserWarning):
            assert issubclass(value, errors.PanParserError)
            builtins = [base for base in value.__mro__ if base.__module__ == "builtins"]
            assert len(builtins) > 3, name
            assert name in (errors.__doc__ or "")


def test_the_version_is_that_of_the_package():
    assert pp.__version__.count(".") == 2
