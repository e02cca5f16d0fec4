"""What it costs to load and to save a model: bytes read into memory and checked; bytes synced before they are renamed.

    python benchmarks/storage.py [--before PYTHON]    # prints, and writes benchmarks/results/storage.txt

The bundled English model, in processes that take turns; the least of 25 loads and saves by the clock, since a disk is
waited for. `fsync` is what a save waits for the disk, the rest is the same without.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from pathlib import Path

from machine import add_before, builds, heading, write_result

TIMES = """
import os, sys, time
from pathlib import Path
import panparser as pp
from panparser.storage.containers import read_arrays
path = Path(pp.__file__).parent / "models" / "en.panparser"
waited = 0.0
fsync = os.fsync
def timed(handle):
    global waited
    start = time.perf_counter()
    fsync(handle)
    waited += time.perf_counter() - start
os.fsync = timed
def milliseconds(work):
    start = time.perf_counter()
    work()
    return 1e3 * (time.perf_counter() - start)
model = pp.load(path)
for _ in range(5):
    read = milliseconds(lambda: read_arrays(path, "model"))
    whole = milliseconds(lambda: pp.load(path))
    waited = 0.0
    save = milliseconds(lambda: model.save(sys.argv[1]))
    print(read, whole, save, 1e3 * waited)
"""
ROWS = ("read", "load", "save", "of it fsync")
TURNS = 5


def report(before: Path | None) -> str:
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in builds(before)}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        for _ in range(TURNS):
            for name, python in builds(before).items():
                command = [python, "-c", TIMES, f"{folder}/model"]
                done = subprocess.run(command, capture_output=True, text=True, check=True)
                found[name] += [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    least = {name: [min(times) for times in zip(*rows, strict=True)] for name, rows in found.items()}
    lines = [heading(), "", f"{'milliseconds':14}" + "".join(f"{name:>10}" for name in least)]
    for i, row in enumerate(ROWS):
        lines.append(f"{row:14}" + "".join(f"{times[i]:10.1f}" for times in least.values()))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_before(parser)
    write_result("storage", report(parser.parse_args().before))


if __name__ == "__main__":
    main()
