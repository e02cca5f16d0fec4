"""Error analysis: CPU time and memory of all criteria on a test set and on a million words.

    python benchmarks/analysis.py [GOLD PREDICTED PREDICTED2]    # without files: writes benchmarks/results/analysis.txt

Without files it takes the project's own treebank and two predictions of it. Files are repeated until they have as many
words as are wanted. Each size runs in a process of its own; imports are not counted, reading is.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from machine import heading, write_result

import panparser as pp
from panparser.lab import analysis

DATA = Path(__file__).parents[1] / "tests" / "data"
OWN = [DATA / f"{name}.conllu" for name in ("english", "english-greedy", "english-beam")]
SIZES = (25_000, 1_000_000)
LABELS = "label"


def measure(paths: list[Path], words: int) -> dict[str, Any]:
    """CPU seconds of each part, in this process, and the most memory that it ever had."""
    once = pp.read_conllu(paths[0])
    texts = [path.read_bytes() * -(-words // once.words) for path in paths]
    files: list[pp.Treebank] = []
    frames: list[analysis.Frame] = []

    def tables(function: Any, *criteria: str) -> None:
        for each in criteria:
            function(frames[0], each)

    parts: dict[str, Callable[[], object]] = {
        "read three files": lambda: files.extend(pp.parse_conllu(text) for text in texts),
        "frame": lambda: frames.append(analysis.make_frame(files[0], files[1], train=once)),
        f"scores by each of {len(analysis.CRITERIA)} criteria": lambda: tables(analysis.scores, *analysis.CRITERIA),
        "scores by tag of word and head": lambda: tables(analysis.scores, "upos,head-upos"),
        "confusions": lambda: tables(analysis.confusion, LABELS, "head-upos", "direction"),
        "precision and recall by label": lambda: tables(analysis.precision_recall, LABELS),
        "counts by form and tag": lambda: tables(analysis.counts, "form+upos"),
        "two predictions by label, with tests": lambda: analysis.compare(analysis.make_frame(*files), LABELS),
        "the report": lambda: analysis.report(frames[0]),
    }
    found: dict[str, Any] = {}
    for name, work in parts.items():
        start = time.process_time()
        work()
        found[name] = time.process_time() - start
    found["together"] = sum(found.values())
    return found | {"words": files[0].words, "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def report(paths: list[Path]) -> str:
    columns = []
    for words in SIZES:
        arguments = [sys.executable, __file__, "--measure", str(words), *map(str, paths)]
        columns.append(json.loads(subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True).stdout))
    lines = [heading(), f"{', '.join(path.name for path in paths)}, repeated; CPU seconds", ""]
    lines.append(f"{'':40}" + "".join(f"{column['words']:>12,} words" for column in columns))
    for name in columns[0]:
        if name not in ("words", "memory"):
            lines.append(f"{name:40}" + "".join(f"{column[name]:18.2f}" for column in columns))
    lines.append(f"{'most memory, MB':40}" + "".join(f"{column['memory']:18,.0f}" for column in columns))
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure([Path(path) for path in sys.argv[3:]], int(sys.argv[2]))))
    elif len(sys.argv) not in (1, 4):
        sys.exit(f"expected a gold file and two predictions, or nothing; found {len(sys.argv) - 1} files")
    elif len(sys.argv) > 1:
        print(report([Path(path) for path in sys.argv[1:]]))
    else:
        write_result("analysis", report(OWN))
