"""How long commands take to start: `python benchmarks/startup.py` with the Python of an installation.

Each command runs fifteen times; the table has the least and the median, by the clock and in CPU seconds (user and
system). Beside them, the interpreter alone and with numpy. An editable installation starts more slowly.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

from machine import heading, main

RUNS = 15
PYTHON = [sys.executable, "-c"]
PANPARSER = [str(Path(sys.executable).with_name("panparser"))]
COMMANDS = {
    "python -c pass": [*PYTHON, "pass"],
    'python -c "import numpy"': [*PYTHON, "import numpy"],
    "panparser --version": [*PANPARSER, "--version"],
    "panparser train --help": [*PANPARSER, "train", "--help"],
    'panparser parse --text "They ate the pizza."': [*PANPARSER, "parse", "--text", "They ate the pizza."],
}


def run(command: list[str]) -> tuple[float, float]:
    """Seconds by the clock, and CPU seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def report(share: int) -> str:
    lines = [heading(), "", f"{'':46}{'clock, least':>14}{'median':>9}{'CPU, least':>13}{'median':>9}"]
    for name, command in COMMANDS.items():
        run(command)  # so that all files are compiled, and in memory
        runs = [run(command) for _ in range(max(1, RUNS // share))]
        (wall, wall_median), (cpu, cpu_median) = (
            (min(column), statistics.median(column)) for column in zip(*runs, strict=True)
        )
        lines.append(f"{name:46}{wall:12.3f} s{wall_median:7.3f} s{cpu:11.3f} s{cpu_median:7.3f} s")
    return "\n".join(lines)


if __name__ == "__main__":
    main("startup", __doc__, report)
