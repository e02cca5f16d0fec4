"""The Makefile: its targets install what their users are told they install."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_demo_installs_what_error_analysis_needs():
    """The README shows `panparser analyze` after `make demo`."""
    shown = subprocess.run(
        ["make", "--dry-run", "--always-make", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert shown.index('".[analysis]"') < shown.index("panparser parse")


@pytest.fixture
def make(tmp_path):
    """Makes a target with a stand-in for Python that answers like one of a version, and a .venv of its own."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").write_text("")

    def python(path, version):
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = (
            f'exec "{sys.executable}" "$@"' if version >= (3, 11) else 'test "$1" = --version && echo Python 3.10.13'
        )
        path.write_text(f'#!/bin/sh\necho "$0" "$@" >> "{tmp_path}/calls"\n{lines}\n')
        path.chmod(0o755)
        return path

    def call(system, existing=None):
        if existing:
            python(tmp_path / ".venv" / "bin" / "python", existing)
        chosen = python(tmp_path / "python", system)
        command = ["make", f"PYTHON={chosen}", "PIP=true", ".venv/.tools"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr, (tmp_path / ".venv").is_dir()

    return call


def test_a_python_that_is_too_old_is_refused_before_anything_is_made(make):
    code, said, has_venv = make((3, 10))
    assert code != 0
    assert "panparser needs Python 3.11 or newer" in said
    assert "Python 3.10.13" in said
    assert "PYTHON=python3.12" in said
    assert not has_venv


def test_an_environment_of_an_old_python_is_made_anew(make, tmp_path):
    code, said, _ = make((3, 12), existing=(3, 10))
    assert (code, "compiling" in said) == (0, False)
    assert "-m venv --clear .venv" in (tmp_path / "calls").read_text()
    assert (tmp_path / ".venv" / "pyvenv.cfg").is_file()


def test_an_environment_that_will_do_is_kept(make, tmp_path):
    assert make((3, 10), existing=(3, 12))[0] == 0
    assert "venv --clear" not in (tmp_path / "calls").read_text()


def test_the_build_says_that_it_takes_a_while():
    shown = subprocess.run(
        ["make", "--dry-run", "--always-make", "build"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert shown.index("compiling the engine") < shown.index("install --no-build-isolation")
