"""What a grid costs beside its runs, and what is left of it when workers, the scheduler or everything are killed.

    python benchmarks/grids.py TREEBANK TREEBANK [--runs 200]    # folders with train, dev and test.conllu

200 short runs (greedy parsers, one epoch) by two processes, by a local Dask cluster of two workers, and by a Dask
scheduler with two workers as processes of their own, of which one worker, then the scheduler, then all are killed with
SIGKILL. Overhead is what the workers were there for and did not run: (wall time x workers - time of the runs) / runs;
the wall time is from the first run that is given out to the last that is taken, with the start of the workers' own
processes, but without that of Dask's cluster, which is told beside it. Results are the same if all but times are.
"""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from machine import heading, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser.lab.results import read_outcomes

WORKERS = 2
TIMES = ("started", "seconds", "cpu_seconds", "facts")
STRATEGIES = ("static", "dynamic")


class Clock(pp.lab.GridListener):
    """When the first run was given out, and the last taken."""

    def before_grid(self, pending: Sequence[pp.lab.GridRun], finished: int, workers: int) -> None:
        self.start = time.perf_counter()

    def after_run(self, run: pp.lab.GridRun, outcome: pp.lab.RunOutcome) -> None:
        self.end = time.perf_counter()


def declared(treebanks: Sequence[str], runs: int) -> dict[str, Any]:
    seeds = runs // len(treebanks) // len(STRATEGIES)
    return {
        "name": "grids",
        "recipe": {"parser": {"beam": 1, "templates": "zn11"}, "training": {"epochs": 1, "members": 1}},
        "axes": {
            "treebank": [os.path.abspath(each) for each in treebanks],
            "training": {"seed": list(range(1, seeds + 1)), "strategy": list(STRATEGIES)},
        },
        "limits": {"retries": 2},
    }


def figures(folder: Path) -> dict[str, Any]:
    """All but times, by key."""
    return {
        key: {name: value for name, value in outcome.values.items() if name not in TIMES}
        for key, outcome in read_outcomes(folder)
    }


def timed(grid: pp.lab.Grid, folder: Path, **options: Any) -> tuple[dict[str, float], dict[str, Any]]:
    """Times and overhead by name, and all figures of the runs."""
    clock, start = Clock(), time.perf_counter()
    found = pp.lab.run_grid(replace(grid, results=folder), listeners=[clock], **options)
    before, wall = clock.start - start, clock.end - clock.start
    runs = [row.outcome.seconds for row in found.finished_runs if row.outcome is not None]
    overhead = (wall * WORKERS - sum(runs)) / len(runs)
    share = 100 * overhead * len(runs) / (wall * WORKERS)
    times = {
        "runs": len(runs),
        "clock s": wall,
        "ms a run": 1000 * sum(runs) / len(runs),
        "overhead ms a run": 1000 * overhead,
        "overhead %": share,
        "start s": before,
    }
    return times, figures(folder)


def shown(name: str, times: dict[str, float]) -> str:
    widths = ("6.0f", "10.1f", "14.0f", "14.1f", "10.1f", "12.1f")
    return f"{name:24}" + "".join(f"{value:{width}}" for value, width in zip(times.values(), widths, strict=True))


# --- A cluster to be killed ---


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Cluster:
    """A scheduler and workers, at the loopback address, each a process of ours."""

    def __init__(self) -> None:
        self.address = f"tcp://127.0.0.1:{free_port()}"
        port = self.address.rpartition(":")[2]
        self.scheduler = self._start("scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard")
        time.sleep(3)
        self.workers = [
            self._start(
                "worker", self.address, "--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"
            )
            for _ in range(WORKERS)
        ]
        time.sleep(4)

    @staticmethod
    def _start(*arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "dask", *arguments]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def kill(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


def killed(grid_file: Path, folder: Path, target: str, total: int) -> tuple[int, int, str]:
    """Kills a part of a running grid; how many runs were finished then, how many of them were lost or done again."""
    cluster = Cluster()
    command = [sys.executable, "-m", "panparser", "grid", str(grid_file), "-o", str(folder), "--cluster"]
    process = subprocess.Popen([*command, cluster.address], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    while len(list(folder.glob("*.json"))) < total // 3:
        time.sleep(0.05)
    before = {path: path.stat().st_mtime_ns for path in folder.glob("*.json")}
    victims = {"worker": [cluster.workers[0]], "scheduler": [cluster.scheduler]}.get(target)
    for each in victims or [process, cluster.scheduler, *cluster.workers]:
        each.send_signal(signal.SIGKILL)
    _, errors = process.communicate()
    last = errors.decode().strip().splitlines()[-1] if target == "scheduler" else ""
    first = process.returncode
    cluster.kill()
    if first != 0:
        cluster = Cluster()
        process = subprocess.Popen([*command, cluster.address], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        process.wait()
        cluster.kill()
    spoiled = sum(not path.exists() or path.stat().st_mtime_ns != changed for path, changed in before.items())
    return len(before), spoiled, f"exit code {first}" + (f": {last}" if last else "") + f"; then {process.returncode}"


def report(treebanks: Sequence[str], runs: int) -> tuple[str, list[Measurement]]:
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        values = declared(treebanks, runs)
        grid = pp.lab.Grid.from_values(values, folder=place)
        head = f"{'':24}{'runs':>6}{'wall, s':>10}{'ms a run':>14}{'overhead, ms':>14}{'share, %':>10}{'start, s':>12}"
        processes, expected = timed(grid, place / "processes", jobs=WORKERS)
        local, found = timed(grid, place / "local", cluster="local", jobs=WORKERS)
        lines = [
            f"{heading()} a worker, {WORKERS} workers",
            "",
            head,
            shown("processes", processes),
            shown("Dask, local cluster", local),
        ]
        kept = [measured("grids", {"workers": "processes"}, processes)]
        kept.append(measured("grids", {"workers": "Dask, local cluster"}, local))
        lines += ["", f"the same results by both: {'yes' if found == expected else 'NO'}", ""]
        lines += [
            f"{'killed':14}{'finished then':>14}{'lost or done again':>20}{'the same results':>18}"
            "   the grid ended with"
        ]
        grid_file = place / "grids.toml"
        grid_file.write_text(_toml(values), encoding="utf-8")
        for target in ("worker", "scheduler", "everything"):
            finished, spoiled, how = killed(grid_file, place / target, target, len(grid.runs))
            same = "yes" if figures(place / target) == expected else "NO"
            lines.append(f"{target:14}{finished:14}{spoiled:20}{same:>18}   {how}")
    return "\n".join(lines), kept


def _toml(values: dict[str, Any]) -> str:
    from panparser.storage.toml_text import to_toml

    return to_toml(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("treebanks", nargs="+")
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    text, kept = report(options.treebanks, options.runs)
    write_result("grids", text)
    keep("grids", kept)


if __name__ == "__main__":
    main()
