"""Checks that a folder of the engine includes only itself and folders below it, and that only python/ knows nanobind.

Usage: python tools/check_includes.py
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ENGINE = Path(__file__).parents[1] / "engine"
FOLDERS = (
    "base",
    "text",
    "trees",
    "treebank",
    "systems",
    "features",
    "weights",
    "search",
    "sequences",
    "learning",
    "python",
)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def violations(engine: Path = ENGINE) -> list[str]:
    """A line for each include that points upwards, leads nowhere, or brings Python where it does not belong."""
    found = []
    for file in sorted(path for suffix in ("hpp", "cpp") for path in engine.rglob(f"*.{suffix}")):
        name = file.relative_to(engine)
        room = name.parts[0]
        if room not in FOLDERS:
            found.append(f"{name}: {room} is none of the folders: {', '.join(FOLDERS)}")
            continue
        for quote, target in INCLUDE.findall(file.read_text(encoding="utf-8")):
            first = target.split("/")[0]
            if quote == "<":
                if first in ("nanobind", "Python.h") and room != "python":
                    found.append(f"{name}: includes <{target}>, which only python/ may")
            elif first not in FOLDERS or not (engine / target).is_file():
                found.append(f'{name}: includes "{target}", which is no file of the engine')
            elif FOLDERS.index(first) > FOLDERS.index(room):
                found.append(f'{name}: includes "{target}" from above; the order is {" < ".join(FOLDERS)}')
    return found


if __name__ == "__main__":
    lines = violations()
    print("\n".join(lines) or f"includes: {len(FOLDERS)} folders, no violation")
    sys.exit(bool(lines))
