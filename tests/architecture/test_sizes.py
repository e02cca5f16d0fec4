"""Sizes that may only fall: lines, modules, public names, commands; names and strings that the core must not have."""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

import panparser as pp
from places import ROOT

sys.path.append(str(ROOT / "tools"))
render_docs = import_module("render_docs")

PACKAGE = Path(pp.__file__).parent
FAMILIES = frozenset("annotate inspection lab neural pages proofs serve transfer".split())
CORE = frozenset(
    "base batches cli corpora ensembles evaluation features learning networks parsing pipeline recipes storage systems "
    "tagging text training treebank trees validation work".split()
)

MAX_LINES = 61_300
MAX_CORE_LINES = 34_900
MAX_MODULES = 274  # without __init__
MAX_FILE_LINES = 600
LONG_FILES = {"builtin.py", "transition_system.py"}
MAX_PUBLIC_NAMES = 95
MAX_COMMANDS = 26
MAX_ASSEMBLED_DICTS = 35

# Three tables name modules: of commands, kinds of models, extension sections of recipes.
TABLES = {"cli/main.py", "storage/stored.py", "recipes/sections.py"}
OTHER_STRINGS = {"panparser.classifiers", "panparser.systems"}  # groups of entry points


@cache
def sources() -> dict[str, str]:
    """Return the text of every module, by its path in the package."""
    return {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def core() -> dict[str, str]:
    """Return the text of every module of the core, by its path in the package."""
    return {path: source for path, source in sources().items() if path.split("/")[0] not in FAMILIES}


def core_modules() -> list[str]:
    """Return the base names of modules of the core, without __init__."""
    names = [Path(path).stem for path in core()]
    return [name for name in names if name != "__init__"]


def count_lines(texts: Iterable[str]) -> int:
    """Return the number of lines of texts."""
    return sum(len(text.splitlines()) for text in texts)


def test_every_package_is_core_or_a_family():
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages == CORE | FAMILIES


def test_number_of_lines():
    assert count_lines(sources().values()) <= MAX_LINES


def test_number_of_lines_of_the_core():
    assert count_lines(core().values()) <= MAX_CORE_LINES


def test_number_of_modules():
    assert sum(Path(path).name != "__init__.py" for path in sources()) <= MAX_MODULES


def test_only_few_files_are_long():
    long_files = {Path(path).name for path, source in sources().items() if count_lines([source]) > MAX_FILE_LINES}
    assert long_files <= LONG_FILES


def test_base_names_of_the_core_are_unique():
    counts = Counter(core_modules())
    assert {name for name, count in counts.items() if count > 1} == {"terms"}  # `panparser.terms` is a short name


def test_number_of_public_names():
    assert len(pp.__all__) <= MAX_PUBLIC_NAMES


def test_number_of_commands():
    assert len(render_docs.commands()) <= MAX_COMMANDS


# --- Dictionaries assembled for calls ---


def _outer_functions(node: ast.AST):
    """Yield the functions of a module or class, without those inside of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child
        else:
            yield from _outer_functions(child)


def _is_dict(value: ast.expr | None) -> bool:
    """Return whether an expression is `{...}`, a comprehension included, or `dict(...)`."""
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "dict"
    return is_call or isinstance(value, ast.Dict | ast.DictComp)


def assembled_dicts(tree: ast.AST) -> list[str]:
    """Return, as function.name, the variables of functions that hold a dictionary and are unpacked in a call.

    The variable is annotated `dict[str, Any]`, or assigned `{...}` or `dict(...)`; the call has `**variable`.
    A function and the functions inside of it are one.
    """
    names = []
    for function in _outer_functions(tree):
        dicts, unpacked_names = set(), set()
        for node in ast.walk(function):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if ast.unparse(node.annotation) == "dict[str, Any]" or _is_dict(node.value):
                    dicts.add(node.target.id)
            elif isinstance(node, ast.Assign) and _is_dict(node.value):
                dicts.update(target.id for target in node.targets if isinstance(target, ast.Name))
            elif isinstance(node, ast.keyword) and node.arg is None and isinstance(node.value, ast.Name):
                unpacked_names.add(node.value.id)
        names += [f"{function.name}.{name}" for name in sorted(dicts & unpacked_names)]
    return names


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("options: dict[str, Any] = read()\n    f(**options)", ["g.options"]),
        ("options = {}\n    options['a'] = 1\n    return f(1, **options)", ["g.options"]),
        ("options = dict(a=1)\n    def h():\n        return f(**options)", ["g.options"]),
        ("options: Options = {}\n    other: dict[str, Any] = {}\n    f(**options)", ["g.options"]),
        ("options = {}\n    f(options)", []),
        ("options = {}\n    return {**options}", []),
        ("f(**options)", []),
        ("f(**{'a': 1})", []),
    ],
)
def test_assembled_dicts(body, names):
    assert assembled_dicts(ast.parse(f"def g(options):\n    {body}\n")) == names
    assert assembled_dicts(ast.parse(f"class A:\n  async def g(options):\n    {body}\n")) == names


def test_number_of_dicts_assembled_for_calls():
    assert sum(len(assembled_dicts(ast.parse(source))) for source in sources().values()) <= MAX_ASSEMBLED_DICTS


# --- Modules by name ---


def module_strings(tree: ast.AST) -> set[str]:
    """Return the strings, and beginnings of f-strings, that start with the name of the package and a dot."""
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return {text for text in strings if text.startswith("panparser.")}


def test_module_strings():
    tree = ast.parse(
        '"""panparser."""\nimport panparser.cli\nA = "panparser.b"\nC = f"panparser.{A}"\nD = "panparser"\n'
    )
    assert module_strings(tree) == {"panparser.", "panparser.b"}


def test_only_three_tables_of_the_core_name_modules():
    strings = {path: module_strings(ast.parse(source)) for path, source in core().items() if path not in TABLES}
    assert {path: names for path, names in strings.items() if names - OTHER_STRINGS} == {}
