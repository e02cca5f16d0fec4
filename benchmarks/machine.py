"""What benchmarks have in common: clocks, the first line of results (version, day, machine), and where they go.

Two builds are compared in one run: `--before PYTHON` names the Python of the other one, and the commands of both run in
turn, so that whatever else the machine does is met by both.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TypeVar

import panparser as pp

Result = TypeVar("Result")


def processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def heading() -> str:
    python = platform.python_version()
    return f"panparser {pp.__version__}, {date.today()}, {processor()}, Python {python}, one thread"


def timed(work: Callable[[], Result], runs: int = 1) -> tuple[Result, float]:
    """What the work gives, and the CPU seconds of its fastest run."""
    best = float("inf")
    for _ in range(runs):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return result, best


# --- Processes ---


@dataclass(frozen=True)
class Usage:
    """What a process used: seconds, and bytes at its peak."""

    cpu: float
    wall: float
    memory: int


def measure(command: Sequence[str]) -> Usage:
    """Runs a command. While it starts it shares the memory of this process, so keep that small before."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    unit = 1 if sys.platform == "darwin" else 1024
    return Usage(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss * unit)


def best_of(commands: Mapping[str, Sequence[str]], runs: int = 3) -> dict[str, Usage]:
    """The least time, and the most memory, of each command; they run in turn, so that all meet the same machine."""
    found: dict[str, list[Usage]] = {name: [] for name in commands}
    for _ in range(runs):
        for name, command in commands.items():
            found[name].append(measure(command))
    return {
        name: Usage(min(run.cpu for run in all_), min(run.wall for run in all_), max(run.memory for run in all_))
        for name, all_ in found.items()
    }


def builds(before: Path | None) -> dict[str, str]:
    """The Pythons of the builds to be measured: this one, and the one to compare it with, if there is one."""
    return ({"before": str(before)} if before else {}) | {"now": sys.executable}


def panparser(*arguments: str | Path, python: str = sys.executable) -> list[str]:
    """A command of panparser, in the build of a Python."""
    return [python, "-m", "panparser", "--quiet", *map(str, arguments)]


def add_before(parser: argparse.ArgumentParser) -> None:
    """Adds the option that names the other build."""
    help = "Python of another build of panparser, measured in the same run"
    parser.add_argument("--before", type=Path, metavar="PYTHON", help=help)


# --- Results ---


def write_result(name: str, text: str) -> None:
    """Prints a result, and keeps it as benchmarks/results/NAME.txt."""
    print(text)
    path = Path(__file__).parent / "results" / f"{name}.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8")


def main(name: str, description: str, report: Callable[[int], str]) -> None:
    """A command that makes a report; `report(10)` does a tenth of the work."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a tenth of the work; print only")
    if parser.parse_args().quick:
        print(report(10))
    else:
        write_result(name, report(1))
