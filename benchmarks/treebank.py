"""Reading, writing and memory of treebanks, against the packages `conllu` and `pyconll`, in one run on one file.

    python benchmarks/treebank.py [FILE.conllu]    # prints, and writes benchmarks/results/treebank.txt
    python benchmarks/treebank.py [FILE.conllu] --before PYTHON    # another build of panparser, in turn; prints

Without a file it takes the project's own treebank, eighty times over. CPU time, the best of three runs; one thread.
Writing is timed after all heads and labels were replaced.
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tempfile
from pathlib import Path

from machine import add_before, builds, heading, timed, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser.treebank.conllu import parse_conllu

RUNS = 3
OWN = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"
MEMORY = """
import sys
from pathlib import Path
import panparser as pp
def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096
pp.parse_conllu(Path(sys.argv[2]).read_bytes()).to_bytes()
before = resident()
treebank = pp.read_conllu(sys.argv[1])
print(resident() - before)
"""


TIMES = """
import sys, time
from pathlib import Path
import panparser as pp
data = Path(sys.argv[1]).read_bytes()
def seconds(work, *arguments):
    start = time.process_time()
    result = work(*arguments)
    return result, time.process_time() - start
for _ in range(3):
    treebank, reading = seconds(pp.parse_conllu, data)
    treebank.heads[:] = 0
    treebank.labels[:] = treebank.id_of("deprel", "replaced")
    _, writing = seconds(treebank.to_bytes)
    print(reading, writing)
"""
TURNS = 5  # processes of each build


def compare(path: Path, before: Path) -> str:
    """Reading and writing in two builds, in turn: the least nanoseconds a word of each."""
    words = parse_conllu(path.read_bytes()).words
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in builds(before)}
    for _ in range(TURNS):
        for name, python in builds(before).items():
            done = subprocess.run([python, "-c", TIMES, path], capture_output=True, text=True, check=True)
            found[name] += [tuple(map(float, line.split())) for line in done.stdout.splitlines()]
    least = {name: [min(times) for times in zip(*rows, strict=True)] for name, rows in found.items()}
    lines = [heading(), "", f"{'ns a word':12}{'before':>10}{'now':>10}{'ratio':>10}"]
    for i, what in enumerate(("read", "write")):
        old, new = (1e9 * least[name][i] / words for name in ("before", "now"))
        lines.append(f"{what:12}{old:10.0f}{new:10.0f}{old / new:9.2f}x")
    return "\n".join(lines)


def ours(data: bytes) -> tuple[float, float]:
    treebank, reading = timed(lambda: parse_conllu(data), RUNS)
    treebank.heads[:] = 0
    treebank.labels[:] = treebank.id_of("deprel", "replaced")
    _, writing = timed(treebank.to_bytes, RUNS)
    return reading, writing


def conllu(data: bytes) -> tuple[float, float]:
    import conllu as package

    text = data.decode()
    sentences, reading = timed(lambda: package.parse(text), RUNS)
    for sentence in sentences:
        for token in sentence:
            token["head"], token["deprel"] = 0, "replaced"
    _, writing = timed(lambda: "".join(sentence.serialize() for sentence in sentences), RUNS)
    return reading, writing


def pyconll(data: bytes) -> tuple[float, float]:
    import pyconll as package

    text = data.decode()
    treebank, reading = timed(lambda: package.load_from_string(text), RUNS)
    for sentence in treebank:
        for token in sentence:
            token.head, token.deprel = "0", "replaced"
    _, writing = timed(lambda: treebank.write(io.StringIO()), RUNS)
    return reading, writing


def memory(path: Path) -> float:
    """Bytes in memory for each byte on disk, of a process that reads the file."""
    done = subprocess.run([sys.executable, "-c", MEMORY, path, OWN], capture_output=True, text=True, check=True)
    return int(done.stdout) / path.stat().st_size


def report(path: Path, name: str) -> tuple[str, list[Measurement]]:
    data = path.read_bytes()
    treebank = parse_conllu(data)
    words = treebank.words
    rows = {"panparser": ours(data), "conllu": conllu(data), "pyconll": pyconll(data)}
    fastest = [min(rows[peer][i] for peer in ("conllu", "pyconll")) for i in (0, 1)]
    lines = [
        heading(),
        f"{name}: {len(treebank):,} sentences, {words:,} words, {len(data) / 1e6:.1f} MB",
        "",
        f"{'':12}{'read, words/s':>16}{'write, words/s':>16}{'to the faster peer':>24}",
    ]
    kept = []
    for package, times in rows.items():
        ratios = [fastest[i] / times[i] for i in (0, 1)]
        shown = " / ".join(f"{ratio:.1f}x" for ratio in ratios)
        lines.append(f"{package:12}{words / times[0]:16,.0f}{words / times[1]:16,.0f}{shown:>24}")
        figures: dict[str, float] = {"words": words}
        for what, seconds, ratio in zip(("read", "write"), times, ratios, strict=True):
            figures |= {f"{what} words/s": words / seconds, f"{what} to the faster peer": ratio}
        kept.append(measured("treebank", {"package": package}, figures))
    lines += ["", f"memory: {memory(path):.2f} bytes for each byte on disk"]
    _, scoring = timed(lambda: pp.evaluate(treebank, parse_conllu(data)), RUNS)
    lines.append(f"evaluate the file against itself, bootstrap included: {scoring:.2f} s")
    return "\n".join(lines), kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    add_before(parser)
    said = parser.parse_args()
    with tempfile.NamedTemporaryFile(suffix=".conllu") as file:
        path, name = said.file, "english.conllu, 80 times over"
        if path is None:
            file.write(OWN.read_bytes() * 80)
            file.flush()
            path = Path(file.name)
        else:
            name = "/".join(path.parts[-3:])
        if said.before:
            print(compare(path, said.before))
        else:
            text, kept = report(path, name)
            write_result("treebank", text)
            keep("treebank", kept)


if __name__ == "__main__":
    main()
