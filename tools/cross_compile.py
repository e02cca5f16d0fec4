"""Compiles the engine, without Python, for systems that this one is not, with the Clang of `pip install ziglang`.

    python tools/cross_compile.py [TARGET...]    # x86_64-windows-gnu, aarch64-macos, x86_64-linux-gnu

Nothing is run: what it shows is that the engine asks nothing of a system that it does not have, and that Clang has no
warning. Needs cmake and ninja.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SYSTEMS = {"x86_64-windows-gnu": "Windows", "aarch64-macos": "Darwin", "x86_64-linux-gnu": "Linux"}


def wrapper(folder: Path, name: str, *command: str) -> str:
    """A program that runs a command of Zig: CMake wants one without arguments."""
    path = folder / name
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {" ".join(command)} "$@"\n')
    path.chmod(0o755)
    return str(path)


def cross_compile(target: str) -> None:
    folder = ROOT / "build" / "cross" / target
    folder.mkdir(parents=True, exist_ok=True)
    options = {
        "CMAKE_SYSTEM_NAME": SYSTEMS[target],
        "CMAKE_CXX_COMPILER": wrapper(folder, "c++", "c++", "-target", target),
        "CMAKE_AR": wrapper(folder, "ar", "ar"),
        "CMAKE_RANLIB": wrapper(folder, "ranlib", "ranlib"),
        "CMAKE_BUILD_TYPE": "Debug",  # which takes the least time
        "PANPARSER_PYTHON": "OFF",
        "PANPARSER_EXAMPLES": "ON",
        "PANPARSER_WERROR": "ON",
    }
    settings = [f"-D{name}={value}" for name, value in options.items()]
    subprocess.run(["cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, *settings], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["cmake", "--build", folder, "--", "--quiet"], check=True)
    print(f"compiled for {target}", flush=True)


if __name__ == "__main__":
    for target in sys.argv[1:] or SYSTEMS:
        cross_compile(target)
