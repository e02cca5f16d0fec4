"""Error analysis: CPU time and memory of all criteria on a test set and on a million words.

    python benchmarks/analysis.py [GOLD.conllu PREDICTED.conllu]    # prints, and writes benchmarks/results/analysis.txt

Without files it takes the project's own treebank and a prediction of it. A file is repeated until it has the words that
are wanted. Each size runs in a process of its own; imports are not counted, reading is.
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

from machine import heading

DATA = Path(__file__).parents[1] / "tests" / "data"
RESULTS = Path(__file__).parent / "results" / "analysis.txt"
SIZES = (25_000, 1_000_000)


def measure(gold: Path, predicted: Path, words: int) -> dict[str, Any]:
    """Seconds of each part, in this process, and the most memory that it ever had."""
    import panparser as pp
    from panparser import analysis

    once = pp.read_conllu(gold)
    texts = [path.read_bytes() * -(-words // once.words) for path in (gold, predicted)]
    found: dict[str, Any] = {}

    def timed(name: str, work: Callable[[], Any]) -> Any:
        start = time.process_time()
        result = work()
        found[name] = time.process_time() - start
        return result

    both = timed("read", lambda: [pp.parse_conllu(text) for text in texts])
    frame = timed("frame", lambda: analysis.frame(*both, train=once))
    timed(
        f"scores by each of {len(analysis.CRITERIA)} criteria",
        lambda: [analysis.scores(frame, name) for name in analysis.CRITERIA],
    )
    timed(
        "three two-way tables",
        lambda: [analysis.two_way(frame, "upos", other) for other in ("head-upos", "length", "label")],
    )
    timed(
        "confusions of labels, head tags, directions",
        lambda: [analysis.confusion(frame, of) for of in ("label", "head-upos", "direction")],
    )
    timed("precision and recall by label", lambda: analysis.precision_recall(frame, "label"))
    timed("counts by form and tag", lambda: analysis.counts(frame, "form+upos"))
    timed("the report", lambda: analysis.report(frame))
    found["together"] = sum(found.values())
    found["words"], found["sentences"] = both[0].words, len(both[0])
    found["memory"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return found


def report(gold: Path, predicted: Path) -> str:
    columns = []
    for words in SIZES:
        arguments = [sys.executable, __file__, "--measure", str(gold), str(predicted), str(words)]
        columns.append(json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True).stdout))
    lines = [heading(), f"{predicted.name} against {gold.name}, repeated; CPU seconds", ""]
    lines.append(f"{'':45}" + "".join(f"{column['words']:>12,} words" for column in columns))
    for name in columns[0]:
        if name not in ("words", "sentences", "memory"):
            lines.append(f"{name:45}" + "".join(f"{column[name]:18.2f}" for column in columns))
    lines.append(f"{'most memory, MB':45}" + "".join(f"{column['memory']:18,.0f}" for column in columns))
    return "\n".join(lines)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(measure(Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]))))
    else:
        paths = [Path(path) for path in sys.argv[1:3]] or [DATA / "english.conllu", DATA / "english-greedy.conllu"]
        text = report(*paths)
        print(text)
        if len(sys.argv) == 1:
            RESULTS.write_text(text + "\n", encoding="utf-8")
