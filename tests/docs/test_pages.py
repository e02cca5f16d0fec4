"""All fenced code of README and docs/ runs and prints what the page says it prints; examples run; links lead somewhere.

On a page, blocks run in order in one folder, which has the project's tests and examples, and nothing else. A ```text
block is the output of the block before it. A block with title="FILE" is written to FILE.
Blocks that cannot run say why: ```sh no-run="installs from the index".
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import panparser as pp
from pages import PAGES, Block, blocks, name_of
from panparser import cli
from places import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
MOST_UNRUN = 6  # blocks that do not run, on all pages together


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Where a reader would be: in a folder of the repository, without any file that a page does not make."""
    monkeypatch.chdir(tmp_path)
    for name in ("tests", "examples"):
        (tmp_path / name).symlink_to(ROOT / name)
    return tmp_path


class _Reader:
    """Does what a page says, block by block."""

    def __init__(self, page: Path) -> None:
        self.page = page
        self.namespace: dict[str, object] = {}
        self.printed: str | None = None

    def run(self, block: Block) -> None:
        if "title" in block.options:
            Path(block.options["title"]).write_text(block.code, encoding="utf-8")
        getattr(self, f"run_{block.kind}")(block)

    def run_python(self, block: Block) -> None:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile("\n" * block.line + block.code, self.page, "exec"), self.namespace)
        self.printed = out.getvalue()

    def run_sh(self, block: Block) -> None:
        lines = block.code.splitlines()
        plain = all(not line or re.match(r"(panparser|python|ln|cp|cmp|grep) [^|<>$`]*$", line) for line in lines)
        self.printed = "".join(map(_shell, lines)) if plain else _bash(block.code)

    def run_text(self, block: Block) -> None:
        if "title" not in block.options:
            assert self.printed == block.code
            self.printed = None

    def run_toml(self, block: Block) -> None:
        path = Path(block.options.get("title", "block.toml"))
        path.write_text(block.code, encoding="utf-8")
        keys = tomllib.loads(block.code).keys()
        if "transitions" in keys:
            pp.system(str(path))
        elif "stages" in keys:
            pp.recipes.CascadeRecipe.read(str(path))
        elif "axes" in keys:
            pp.lab.Grid.read(str(path))
        elif "weights" in keys:
            pp.ensembles.ArcWeights.read(str(path))
        elif "features" in keys:
            pp.transfer.glossed.GlossTable.read(str(path))
        elif {"language", "like", *(trait.name for trait in pp.transfer.Typology.from_language("fr"))} >= keys:
            pp.transfer.Typology.read(str(path))
        else:
            pp.Recipe.read(str(path)).resolved()


def _shell(line: str) -> str:
    """What a line prints; commands of panparser run in this process, which is much faster."""
    arguments = shlex.split(line, comments=True)
    if not arguments or arguments[0] != "panparser":
        return _bash(line)
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code: str | int | None = 0
    before, sys.argv = sys.argv, arguments
    try:
        with contextlib.redirect_stdout(out):
            cli.main()
    except SystemExit as stop:
        code = stop.code
    finally:
        sys.argv = before
    assert not code, line
    return out.buffer.getvalue().decode()


def _bash(code: str) -> str:
    env = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-euc", code], capture_output=True, env=env, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.unmeasured
@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_run_and_print_what_they_show(page, folder):
    reader = _Reader(page)
    for block in blocks(page):
        if block.runs:
            try:
                reader.run(block)
            except BaseException as error:
                error.add_note(f"{name_of(page)}:{block.line}")
                raise


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_fence_is_a_block_of_a_known_kind(page):
    fences = re.findall(r"^ *(?:```|~~~)", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(fences) == 2 * len(blocks(page))
    assert {block.kind for block in blocks(page)} <= {"python", "sh", "text", "toml"}
    assert not re.search(r"^[^\s*\-\d|>].*\n\n {4}\S", page.read_text(encoding="utf-8"), re.MULTILINE), "indented code"


def test_few_blocks_do_not_run_and_each_says_why():
    unrun = {f"{name_of(page)}:{block.line}": block for page in PAGES for block in blocks(page) if not block.runs}
    assert all(len(block.options["no-run"].split()) >= 2 for block in unrun.values()), unrun
    assert len(unrun) <= MOST_UNRUN, list(unrun)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"], ids=name_of)
def test_links_between_pages_lead_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#]*)(#[^)]*)?\)", text):
        if "://" in target:
            continue
        file = page.parent / target if target else page
        assert file.exists(), target
        if anchor and file.suffix == ".md":
            assert anchor[1:] in _anchors(file), target + anchor


def _anchors(page: Path) -> set[str]:
    """The anchors of a page's headings."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_run(example, tmp_path):
    done = subprocess.run(
        [sys.executable, example], cwd=tmp_path, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
