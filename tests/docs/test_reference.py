"""The reference is complete: every public name, command, key, error and room stands where it should."""

from __future__ import annotations

import ast
import inspect
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import fields
from importlib import import_module

import pytest

import panparser as pp
from pages import PAGES
from panparser import errors
from panparser.names import public_names
from panparser.recipes.cascade_recipe import CascadeSection, StageSection
from panparser.recipes.recipe import SECTIONS
from panparser.recipes.sections import SourceSection
from places import ROOT

sys.path.append(str(ROOT / "tools"))
render_docs = import_module("render_docs")

DOCS = ROOT / "docs"
API = DOCS / "reference" / "api"


def _read(path):
    return path.read_text(encoding="utf-8")


def _objects(page):
    """What an API page documents."""
    return re.findall(r"^::: (panparser[\w.]*)$", _read(page), re.MULTILINE)


def _listed(package):
    """Return the public names of a package, without its subpackages."""
    return {name: home for name, home in public_names(package).items() if home != package}


STUBS = sorted((ROOT / "src" / "panparser").rglob("__init__.pyi"))
PACKAGES = [".".join(stub.parent.relative_to(ROOT / "src").parts) for stub in STUBS]


def test_every_public_name_stands_on_one_api_page():
    counts = Counter(path for page in sorted(API.glob("*.md")) for path in _objects(page))
    assert {path: count for path, count in counts.items() if count > 1} == {}
    top = set(_listed("panparser"))
    names = {f"panparser.{name}" for name in top}
    names |= {f"{package}.{name}" for package in PACKAGES for name in _listed(package) if name not in top}
    errors_elsewhere = {path for path in counts if path.startswith("panparser.errors.")}
    assert set(counts) - errors_elsewhere == names


@pytest.mark.parametrize("package", PACKAGES)
def test_public_names_stand_in_the_source_of_their_module(package):
    """The documentation is made from sources: a name that exists only at run time would not be in it."""
    for name, module in _listed(package).items():
        if module == "panparser._engine":
            continue
        defined = set()
        for node in ast.parse(_read(ROOT / "src" / f"{module.replace('.', '/')}.py")).body:
            targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
            defined |= {target.id for target in targets if isinstance(target, ast.Name)} | {getattr(node, "name", None)}
        assert name in defined, (package, name)


def test_every_api_page_is_in_the_index():
    pages = {page.stem for page in API.glob("*.md")} - {"index"}
    listed = re.findall(r"^\| \[(\w+)\]\(\1\.md\)", _read(API / "index.md"), re.MULTILINE)
    assert set(listed) == pages


@pytest.mark.unmeasured
def test_generated_pages_are_up_to_date():
    pages = [str(page.relative_to(ROOT)) for page in render_docs.outdated()]
    assert not pages, f"run python tools/render_docs.py: {', '.join(pages)}"


def test_every_command_is_in_the_reference():
    text = _read(render_docs.CLI_PAGE)
    for name, command in render_docs.commands().items():
        section = text.partition(f"\n## panparser {name}\n")[2].partition("\n## ")[0]
        for option in (option for parameter in command.params for option in parameter.opts if option[:1] == "-"):
            assert option == "--help" or re.search(rf"`[^`]*{option}\b", section), f"{name} {option}"


def test_every_key_of_a_recipe_is_in_the_reference():
    text = _read(DOCS / "reference" / "recipe.md")
    classes = {"network": (pp.NetworkSpec, pp.NetworkInput, pp.NetworkTraining), "typology": ()}
    tables = {"sources": SourceSection, "stages": StageSection, "cascade": CascadeSection}
    for table in {*pp.Recipe.__dataclass_fields__, *tables}:
        name = f"[[{table}]]" if table in ("sources", "stages") else f"[{table}]"
        heading = {"stages": f"`{name}`:", "cascade": f"`{name}`:", "pipeline": "## Pipelines"}.get(
            table, f"### `{name}`"
        )
        page = text.partition(f"\n{heading}\n")[2].partition("\n## ")[0].partition("\n### ")[0]
        assert page, table
        for declared in classes.get(table, (tables.get(table) or SECTIONS.get(table),)):
            keys = declared.key_names("recipe") if table == "network" else declared.keys
            assert [key for key in keys if f"| `{key}` |" not in page] == [], table


def test_every_error_is_in_the_reference():
    rows = re.findall(r"^\| `(\w+)` \| `(\w+)` \|", _read(DOCS / "reference" / "errors.md"), re.MULTILINE)
    classes = {name: value for name, value in vars(errors).items() if inspect.isclass(value)}
    assert {name for name, _ in rows} == set(classes)
    for name, base in rows:
        assert base in {each.__name__ for each in classes[name].__mro__}, name


def test_every_field_and_name_of_a_strategy_is_in_the_reference():
    text = _read(DOCS / "reference" / "strategies.md")
    for word in (*pp.STRATEGIES, *(field.name for field in fields(pp.TrainingStrategy))):
        assert f"`{word}`" in text, word


def test_every_field_of_a_system_is_in_the_reference():
    section = (
        _read(DOCS / "reference" / "table-language.md").partition("\n## Fields of a system\n")[2].partition("\n## ")[0]
    )
    named = set(re.findall(r"`(\w+)`", "".join(re.findall(r"^\| (.+?) \|", section, re.MULTILINE))))
    assert {field.name for field in fields(pp.TransitionSystem)} <= named


def test_the_architecture_names_every_package_and_every_folder_of_the_engine():
    text, drawing = _read(DOCS / "concepts" / "architecture.md"), _read(DOCS / "images" / "packages.svg")
    packages = {path.parent.name for path in (ROOT / "src" / "panparser").glob("*/__init__.py")}
    folders = {path.name for path in (ROOT / "engine").iterdir() if path.is_dir()}
    for heading, names in (("The packages", packages), ("The engine", folders)):
        section = text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
        assert set(re.findall(r"^- \*\*(\w+)\*\*: ", section, re.MULTILINE)) == names
    assert set(re.findall(r'font-weight="bold"[^>]*>(\w+)<', drawing)) == packages | folders


def test_every_page_is_in_the_navigation():
    listed = re.findall(r"([\w/-]+\.md)$", _read(ROOT / "mkdocs.yml"), re.MULTILINE)
    assert Counter(listed) == Counter(str(page.relative_to(DOCS)) for page in PAGES if DOCS in page.parents)


def test_pictures_are_small():
    for picture in (DOCS / "images").iterdir():
        assert picture.stat().st_size < 300_000, picture


@pytest.mark.slow
def test_the_site_builds_without_warnings(tmp_path):
    pytest.importorskip("mkdocs", reason="needs the extra docs")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", tmp_path]
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "index.html").exists()
