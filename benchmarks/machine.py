"""The first line of every result: version, day, machine."""

from __future__ import annotations

import platform
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
