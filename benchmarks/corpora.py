"""How much sooner two workers parse a corpus, and with what memory: `python benchmarks/corpora.py`.

The corpus is text of sentences of tests/data in random paragraphs: 50 million words in 100 files, half of them small
and the others large enough to be parsed in parts. One process with one thread, two processes (`--jobs 2`), and with
`--dask` a cluster of two workers parse it with the bundled English model, one after the other, `--runs` times. The
bytes of their outputs are compared. Memory is the peak of each process, as /proc has it, for the corpus and for a
tenth of it.

A clock on a machine where others work, too, says little: the share of two cores that the work got is in the table.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from machine import heading, panparser, write_result
from measured import Measurement, keep, measured

import panparser as pp

ENGLISH = Path(__file__).parents[1] / "tests" / "data" / "english.conllu"
_LARGE = 7  # times the words of a small file
_TICK = 0.2  # seconds between looks at the memory of workers


@dataclass(frozen=True)
class Run:
    """What it took: seconds, CPU seconds of all processes, bytes of the largest of them; hashes of what came out."""

    wall: float
    cpu: float
    memory: int
    digests: dict[str, str]


def make_corpus(folder: Path, words: int, files: int) -> int:
    """Writes the texts; returns their words, as spaces divide them."""
    chosen = random.Random(1)
    sentences = [sentence.text or "" for sentence in pp.read_conllu(ENGLISH)]
    lengths = [len(sentence.split()) for sentence in sentences]
    folder.mkdir(parents=True)
    small = words * 2 // (files * (1 + _LARGE))
    total = 0
    for number in range(files):
        wanted = small * (_LARGE if number % 2 else 1)
        with open(folder / f"{number:03}.txt", "w", encoding="utf-8") as stream:
            while wanted > 0:
                picked = chosen.choices(range(len(sentences)), k=chosen.randint(1, 8))
                stream.write(" ".join(sentences[each] for each in picked) + "\n\n")
                count = sum(lengths[each] for each in picked)
                wanted -= count
                total += count
    return total


def run(texts: Path, output: Path, *options: str) -> Run:
    """Parses a corpus in processes of their own."""
    shutil.rmtree(output, ignore_errors=True)
    start, before = time.perf_counter(), os.times()
    peaks: dict[int, int] = {}
    with subprocess.Popen(panparser("parse", texts, "-o", output, *options)) as process:
        while process.poll() is None:
            for pid in _family(process.pid):
                peaks[pid] = max(peaks.get(pid, 0), _peak(pid))
            time.sleep(_TICK)
    wall, after = time.perf_counter() - start, os.times()
    if process.returncode:
        raise SystemExit(f"exit code {process.returncode}")
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return Run(wall, cpu, max(peaks.values()), _digests(output))


def _family(pid: int) -> list[int]:
    """A process, and all that it has started."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return [pid]
    return [pid, *(each for child in children for each in _family(int(child)))]


def _peak(pid: int) -> int:
    """The most memory that a process ever had, in bytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0)


def _digests(output: Path) -> dict[str, str]:
    """Of each file, by its name."""
    found = {}
    for path in sorted(output.rglob("*.conllu")):
        with open(path, "rb") as stream:
            found[str(path.relative_to(output))] = hashlib.file_digest(stream, "sha256").hexdigest()
    return found


def report(words: int, files: int, runs: int, dask: bool, folder: Path) -> tuple[str, list[Measurement]]:
    ways = {"one process": ["--threads", "1"], "two processes": ["--jobs", "2"]}
    if dask:
        ways["Dask, two workers"] = ["--cluster", "local", "--jobs", "2"]
    total = make_corpus(folder / "texts", words, files)
    make_corpus(folder / "tenth", words // 10, max(2, files // 10))
    found: dict[str, list[Run]] = {name: [] for name in ways}
    for _ in range(runs):
        for name, options in ways.items():
            found[name].append(run(folder / "texts", folder / "out", *options))
    tenth = {name: run(folder / "tenth", folder / "out", *options).memory for name, options in ways.items()}
    lines = [
        heading().replace(", one thread", ""),
        f"{total:,} words (by spaces) in {files} files, the bundled English model, {runs} run{'s' * (runs > 1)}",
        "",
        f"{'':20}{'clock':>9}{'CPU':>10}{'cores':>7}{'sooner':>8}{'memory':>9}{'of a tenth':>12}  bytes",
    ]
    one, kept = found["one process"], []
    for name, these in found.items():
        wall, cpu = min(each.wall for each in these), min(each.cpu for each in these)
        sooner = max(first.wall / each.wall for first, each in zip(one, these, strict=True))
        memory = max(each.memory for each in these)
        cores = max(each.cpu / each.wall for each in these)
        differ = max(len(dict(each.digests.items() ^ one[0].digests.items())) for each in these)
        figures = {"clock s": wall, "CPU s": cpu, "cores": cores, "times as fast": sooner, "MB": memory / 1e6}
        figures |= {"MB of a tenth": tenth[name] / 1e6, "files that differ": differ}
        kept.append(measured("corpora", {"way": name}, figures))
        lines.append(
            f"{name:20}{wall:7.1f} s{cpu:8.1f} s{cores:7.2f}{sooner:7.2f}x"
            f"{memory / 1e6:6.0f} MB{tenth[name] / 1e6:9.0f} MB  {'DIFFERENT' if differ else 'the same'}"
        )
    lines += ["", "cores: CPU seconds by seconds of the clock; sooner: than one process, the best of the runs in turn;"]
    lines.append("memory: the peak of the largest process")
    return "\n".join(lines), kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--words", type=int, default=50_000_000)
    parser.add_argument("--files", type=int, default=100)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--dask", action="store_true", help="a cluster of two workers, too")
    parser.add_argument("--folder", type=Path, help="for texts and trees: 5 GB; default: a temporary one")
    parser.add_argument("--quick", action="store_true", help="a million words in 20 files; print only")
    given = parser.parse_args()
    words, files = (1_000_000, 20) if given.quick else (given.words, given.files)
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        text, kept = report(words, files, given.runs, given.dask, Path(folder))
    if given.quick:
        print(text)
    else:
        write_result("corpora", text)
        keep("corpora", kept)


if __name__ == "__main__":
    main()
