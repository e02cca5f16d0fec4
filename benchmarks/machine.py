"""What results have in common: the first line (version, day, machine), and where they go."""

from __future__ import annotations

import argparse
import platform
from collections.abc import Callable
from datetime import date
from pathlib import Path

import panparser as pp


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
