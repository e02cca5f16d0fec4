"""Damaged and hostile inputs for every reader: `python -m fuzz --help`."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))  # for the package `reference`
