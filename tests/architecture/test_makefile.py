"""The Makefile: its targets install what their users are told they install."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_demo_installs_what_error_analysis_needs():
    """The README shows `panparser analyze` after `make demo`."""
    shown = subprocess.run(
        ["make", "--dry-run", "--always-make", "demo"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    assert shown.index('".[analysis]"') < shown.index("panparser parse")
