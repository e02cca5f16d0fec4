"""Reading a file whose forms were chosen to collide in a hash table, beside one of ordinary forms.

    python benchmarks/flooding.py [--before PYTHON]    # prints, and writes benchmarks/results/flooding.txt

300,000 lines each, in processes of their own; CPU time, the least of three. The forms collide under the hash that the
vocabulary had before it was seeded by each process; `--before` names a build that still has it.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import add_before, builds, heading, write_result

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from reference.flooding import as_conllu, colliding_forms, ordinary_forms

LINES = 300_000
RUNS = 3
LIMIT = 300  # seconds
READ = """
import sys, time
from pathlib import Path
import panparser as pp
data = Path(sys.argv[1]).read_bytes()
start = time.process_time()
assert pp.parse_conllu(data).words
print(time.process_time() - start)
"""


def seconds(python: str, path: Path) -> float:
    """CPU seconds for reading a file; infinity if it takes longer than anybody waits."""
    try:
        done = subprocess.run([python, "-c", READ, path], capture_output=True, text=True, check=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return float("inf")
    return float(done.stdout)


def report(before: Path | None) -> str:
    lines = [heading(), f"{LINES:,} lines", "", f"{'build':10}{'ordinary':>14}{'colliding':>14}{'ratio':>10}"]
    with tempfile.TemporaryDirectory() as folder:
        files = {"ordinary": ordinary_forms(LINES), "colliding": colliding_forms(LINES)}
        paths = {name: Path(folder) / name for name in files}
        for name, forms in files.items():
            paths[name].write_bytes(as_conllu(forms))
        for build, python in builds(before).items():
            runs = 1 if build == "before" else RUNS
            times = [min(seconds(python, paths[name]) for _ in range(runs)) for name in files]
            shown = [f"{time:.3f} s" if time < float("inf") else f"> {LIMIT} s" for time in times]
            lines.append(f"{build:10}{shown[0]:>14}{shown[1]:>14}{times[1] / times[0]:9.1f}x")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_before(parser)
    write_result("flooding", report(parser.parse_args().before))


if __name__ == "__main__":
    main()
