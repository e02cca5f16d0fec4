"""Processes that tests start, and those that these start."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest


def is_alive(pid):
    """Return whether a process runs: one that has ended, but was not waited for, does not."""
    try:
        os.kill(pid, 0)
    except OSError:
        return False
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return not Path("/proc/self").exists()  # it has just ended, or there is no /proc


def children_of(pid):
    """Return the ids of the processes that any thread of a process started."""
    if not Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").exists():
        pytest.skip("needs /proc")
    found = []
    for thread in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, thread.read_text().split())
        except OSError:  # the thread has ended
            continue
    return found


def wait_until(condition, seconds=60):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)
