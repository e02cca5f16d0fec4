"""The first pages are typed: who copies their code into a project under `mypy --strict` gets no error."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from pages import blocks
from places import ROOT

PAGES = ("README.md", "docs/index.md", "docs/start/first-parse.md", "docs/start/first-training.md")


def test_the_code_of_the_first_pages_is_strictly_typed(tmp_path):
    pytest.importorskip("mypy")
    for page in PAGES:
        code = [block.code for block in blocks(ROOT / page) if block.kind == "python"]
        (tmp_path / f"{page.replace('/', '_').replace('-', '_').removesuffix('.md')}.py").write_text("\n".join(code))
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.devnull, *os.listdir(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
