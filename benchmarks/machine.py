"""What benchmarks have in common: a clock, the first line of results (version, day, machine), and where they go."""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
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
