"""Wheels: for which Pythons they are built, and that they work where there is no compiler."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest

from places import ROOT

sys.path.append(str(ROOT / "tools"))
try_wheels = import_module("try_wheels")


def test_the_same_pythons_everywhere():
    values = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    expected = [f"{major}.{minor}" for major, minor in try_wheels.versions()]
    classified = re.findall(r"Python :: (3\.\d+)", "\n".join(values["project"]["classifiers"]))
    built = re.findall(r"cp3(\d+)-", values["tool"]["cibuildwheel"]["build"])
    assert classified == [f"3.{minor}" for minor in built] == expected
    assert values["project"]["requires-python"] == f">={expected[0]}"


def test_pythons_that_are_not_supported_are_left_out(tmp_path):
    for name, answer in {"old": "3.10.1", "new": "3.99.0", "fits": "3.12.7", "again": "3.12.1", "shim": ""}.items():
        lines = f"printf '%s\\n' {answer} '' cpython" if answer else "exit 127"
        (tmp_path / name).write_text(f"#!/bin/sh\n{lines}\n")
        (tmp_path / name).chmod(0o755)
    programs = [str(tmp_path / name) for name in ("old", "new", "fits", "again", "shim")]
    assert try_wheels.supported(programs) == {"3.12.7": str(tmp_path / "fits")}


@pytest.mark.slow
def test_a_wheel_installs_and_parses_without_a_compiler():
    command = [sys.executable, ROOT / "tools" / "try_wheels.py", sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "installs and parses" in done.stdout
