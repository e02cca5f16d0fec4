"""The code of README, docs/ and examples/ runs, and prints what the page says it prints."""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import panparser as pp
from places import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
PRINTING = ("error-analysis.md", "explain.md")  # pages that show what commands print
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_run_and_print_what_they_show(page, tmp_path, monkeypatch):
    """A ```text block right after a ```python block is that block's output."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tests").symlink_to(ROOT / "tests")
    namespace: dict[str, object] = {}
    printed = None
    for match in BLOCK.finditer(page.read_text(encoding="utf-8")):
        kind, code = match.groups()
        if kind == "python":
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(code, f"{page.name}", "exec"), namespace)
            printed = out.getvalue()
        elif kind == "text" and printed is not None:
            assert printed == code
            printed = None
        elif kind == "sh" and page.name in ("training.md", "ensembles.md", "cascades.md", "pipelines.md", *PRINTING):
            env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
            done = subprocess.run(["bash", "-ec", code], check=True, capture_output=True, env=env, text=True)
            printed = done.stdout if page.name in PRINTING else printed
        elif kind == "toml" and page.name in ("training.md", "pipelines.md"):
            (tmp_path / "recipe.toml").write_text(code, encoding="utf-8")
            pp.Recipe.read("recipe.toml").resolved()
        elif kind == "toml" and page.name == "cascades.md":
            (tmp_path / "recipe.toml").write_text(code, encoding="utf-8")
            pp.CascadeRecipe.read("recipe.toml")
        elif kind == "toml":
            declared = namespace.get("mine")
            (tmp_path / "mine.toml").write_text(code, encoding="utf-8")
            assert pp.system("mine.toml") == declared


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(example):
    done = subprocess.run([sys.executable, example], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout


README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_figures_in_the_readme_are_those_of_the_committed_benchmark():
    results = (ROOT / "benchmarks" / "results" / "engine.txt").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(.+?)` \| ([\d.]+) \| ([\d.]+) \|", README, re.MULTILINE)
    assert len(rows) == 3
    for name, mutable, linked in rows:
        assert re.search(rf"^{name} +{re.escape(mutable)} +{re.escape(linked)}$", results, re.MULTILINE), name


def test_batches_are_as_fast_as_the_page_says():
    assert "more than a million transitions a second" in (ROOT / "docs" / "guides" / "classifiers.md").read_text(
        encoding="utf-8"
    )
    results = (ROOT / "benchmarks" / "results" / "batch.txt").read_text(encoding="utf-8")
    rates = re.findall(r"^.*, single root +(\d+) +\d+ +\d+$", results, re.MULTILINE)
    assert len(rates) == 10
    assert all(int(rate) > 1000 for rate in rates)


def test_accuracies_in_the_readme_are_those_of_the_committed_benchmark():
    results = (ROOT / "benchmarks" / "results" / "accuracy.txt").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\w ()]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$", README, re.MULTILINE)
    assert len(rows) == 9
    for name, *numbers in rows:
        line = next(line for line in results.splitlines() if line.startswith(f"{name} "))
        assert set(numbers) <= set(line.split()), name
