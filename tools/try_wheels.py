"""Builds a wheel for every supported Python that is found, and tries each where there is no compiler.

    python tools/try_wheels.py                     # the Pythons on PATH and those of pyenv
    python tools/try_wheels.py python3.12 ...      # these

Each wheel goes to dist/, is installed into a new virtual environment and parses a sentence there, in an empty folder
and with nothing but the environment on PATH. Prints a line for each Python; the exit code is 1 if one of them failed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
OLDEST, NEWEST = (3, 11), (3, 14)
_ABOUT = (
    "import sys, sysconfig; print(*sys.version_info[:3], sep='.'); "
    "print('t' if sysconfig.get_config_var('Py_GIL_DISABLED') else ''); print(sys.implementation.name)"
)
_TRY = """
import panparser as pp
from panparser import _engine
doc = pp.load("en")("They ate the pizza with anchovies.")
assert doc[0].heads.tolist() == [2, 0, 4, 2, 6, 2, 2], doc[0].heads
assert "site-packages" in _engine.__file__
"""


def candidates() -> Iterator[str]:
    names = [f"python{major}.{minor}{kind}" for major, minor in versions() for kind in ("", "t")]
    yield from filter(None, map(shutil.which, [*names, "python3"]))
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    yield from map(str, sorted(pyenv.glob("*/bin/python")))


def versions() -> list[tuple[int, int]]:
    return [(OLDEST[0], minor) for minor in range(OLDEST[1], NEWEST[1] + 1)]


def supported(programs: list[str]) -> dict[str, str]:
    """Programs by version, such as 3.13.0 or 3.14.1t; one for each minor version."""
    found: dict[tuple[str, ...], tuple[str, str]] = {}
    for program in programs:
        done = subprocess.run([program, "-c", _ABOUT], capture_output=True, text=True, check=False)
        if done.returncode:  # a shim of pyenv for a version that is not chosen
            continue
        version, threaded, name = done.stdout.split("\n")[:3]
        major, minor, *_ = version.split(".")
        if name == "cpython" and (int(major), int(minor)) in versions():
            found.setdefault((major, minor, threaded), (f"{version}{threaded}", program))
    return dict(sorted(found.values()))


def build(program: str, folder: Path) -> Path:
    """The wheel of this Python."""
    run(program, "-m", "venv", folder / "tools")
    run(folder / "tools" / "bin" / "python", *"-m pip -q wheel --no-deps".split(), "-w", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    (ROOT / "dist").mkdir(exist_ok=True)
    return Path(shutil.copy(wheel, ROOT / "dist"))


def attempt(program: str, wheel: Path, folder: Path) -> None:
    """Installs the wheel and nothing else, and parses by command and from Python."""
    run(program, "-m", "venv", folder / "clean")
    place = folder / "clean" / "bin"
    run(place / "python", *"-m pip -q install --only-binary :all:".split(), wheel)
    empty = folder / "empty"
    empty.mkdir()
    bare = {"PATH": str(place), "HOME": str(empty)}
    assert shutil.which("c++", path=bare["PATH"]) is None
    shown = run(place / "panparser", "parse", "--text", "It works.", "--output-format", "tree", cwd=empty, env=bare)
    assert "nsubj" in shown
    run(place / "python", "-c", _TRY, cwd=empty, env=bare)


def run(*command: str | Path, **options: object) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    if done.returncode:
        raise RuntimeError(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return str(done.stdout)


def main() -> int:
    failed = 0
    for version, program in supported(sys.argv[1:] or list(candidates())).items():
        start = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            try:
                wheel = build(program, Path(folder))
                attempt(program, wheel, Path(folder))
                said = f"{wheel.name}, {wheel.stat().st_size:,} bytes: installs and parses"
            except (RuntimeError, AssertionError) as error:
                failed, said = failed + 1, f"failed: {error}"
        print(f"Python {version:8}{said} ({time.monotonic() - start:.0f} s)", flush=True)
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
