"""How long does `panparser annotate` take to open a large file, and to answer a key?

    python benchmarks/annotating.py FILE [--sentences 50000] [--keys 200]    # CoNLL-U, whose sentences are repeated

Two thirds of the sentences lose their heads and labels. `panparser annotate FILE -m en` is started; times are from the
start of the process until it prints its address, without the import of Python modules and the model (measured by a
file of one sentence), and in chromium, driven by playwright, from the address to a page that accepts keys, and from a
key to the sentence drawn again, after the edit is in the journal, on the disk. The parser does not learn meanwhile.
Then the journal of a hundred thousand edits, of labels of a thousand sentences, is replayed.
"""

from __future__ import annotations

import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from machine import heading

from panparser.annotate.journal import line_of
from panparser.annotate.sentence_draft import SentenceDraft
from panparser.annotate.session import AnnotationSession

RESULTS = Path(__file__).parent / "results" / "annotating.txt"
BROWSERS = ("/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome")
KEYS = ("s", "o", "N", "V", "r", "Delete")
PRESSED = """async (key) => {
  const page = document.documentElement, start = performance.now();
  const idle = new Promise((resolve) => {
    const watch = new MutationObserver(() => { if (page.dataset.busy === "") { watch.disconnect(); resolve(); } });
    watch.observe(page, { attributeFilter: ["data-busy"] });
  });
  document.getElementById("tree").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  await idle;
  document.body.offsetHeight;
  return performance.now() - start;
}"""


def made(source: Path, target: Path, sentences: int) -> None:
    """A file of so many sentences, two of three without trees."""
    blocks = source.read_text(encoding="utf-8").strip().split("\n\n")
    with target.open("w", encoding="utf-8") as stream:
        for number in range(sentences):
            block = blocks[number % len(blocks)]
            if number % 3:
                block = re.sub(r"^(\d+\t(?:[^\t]*\t){5})[^\t]*\t[^\t]*", r"\1_\t_", block, flags=re.MULTILINE)
            stream.write(
                f"# sent_id = {number + 1}\n" + re.sub(r"^# sent_id.*\n", "", block, flags=re.MULTILINE) + "\n\n"
            )


@contextmanager
def annotated(file: Path) -> Iterator[tuple[str, float, int]]:
    """The address, the seconds until it was printed, and the number of the process."""
    command = [sys.executable, "-m", "panparser", "annotate", str(file), "-m", "en", "--port", "0"]
    start = time.perf_counter()
    with subprocess.Popen(
        [*command, "--no-browser", "--no-train"], stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        assert process.stderr is not None
        line = process.stderr.readline()
        seconds = time.perf_counter() - start
        try:
            yield re.findall(r"http://\S+", line)[0], seconds, process.pid
        finally:
            process.terminate()


def cpu(pid: int) -> float:
    """CPU seconds of a process so far; 0 where that is not known."""
    place = Path(f"/proc/{pid}/stat")
    if not place.exists():
        return 0.0
    fields = place.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def visited(playwright: Any, address: str, pid: int, keys: int) -> tuple[float, list[float], float]:
    """Seconds to open the page; milliseconds of each key; CPU milliseconds of the server for each."""
    program = next(path for path in BROWSERS if Path(path).exists())
    browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto("about:blank")
    start = time.perf_counter()
    page.goto(address)
    page.wait_for_selector('html[data-ready="yes"]', state="attached")
    opened = time.perf_counter() - start
    for key in KEYS:  # warm
        page.evaluate(PRESSED, key)
    before = cpu(pid)
    times = [page.evaluate(PRESSED, KEYS[number % len(KEYS)]) for number in range(keys)]
    used = 1000 * (cpu(pid) - before) / keys
    browser.close()
    return opened, times, used


def replayed(source: Path, folder: Path, edits: int) -> tuple[float, float]:
    """Seconds to open a file with a journal of so many edits that it lacks, on the clock and of the CPU."""
    file = folder / "replayed.conllu"
    made(source, file, 1000)
    with AnnotationSession(file, train=False, annotator="me") as session:
        keys = [session.view(index)["key"] for index in range(len(session))]
    labels: dict[int, str | None] = {
        index: SentenceDraft.read(piece + "\n\n").words[0].label
        for index, piece in enumerate(file.read_text(encoding="utf-8").strip().split("\n\n"))
    }
    journal = file.with_name(f"{file.name}.journal")
    number = len(journal.read_bytes().splitlines())
    with journal.open("ab") as stream:
        for count in range(edits):
            index, label = count % len(keys), ("obj", "nsubj")[count // len(keys) % 2]
            cells = [[1, "label", labels[index], label]]
            part = {"index": index, "key": keys[index], "cells": cells}
            edit = {"edit": "label", "word": 1, "label": label}
            stream.write(line_of({"n": number + count, "at": 1.0, "user": "me", "edit": edit, "parts": [part]}))
            labels[index] = label
    start, start_cpu = time.perf_counter(), time.process_time()
    with AnnotationSession(file, train=False, annotator="me") as session:
        found = time.perf_counter() - start, time.process_time() - start_cpu
        assert session.view(0)["words"][0]["label"] == labels[0]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--sentences", type=int, default=50_000)
    parser.add_argument("--keys", type=int, default=200)
    parser.add_argument("--edits", type=int, default=100_000)
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    lines = [heading(), ""]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        starts = {}
        for count in (1, given.sentences):
            file = Path(folder) / f"{count}.conllu"
            made(given.file, file, count)
            starts[count] = [min(each) for each in zip(*(_start(file) for _ in range(3)), strict=True)]
        with annotated(file) as (address, _, pid):
            opened, times, used = visited(playwright, address, pid, given.keys)
        size = file.stat().st_size / 1e6
        again, again_cpu = replayed(given.file, Path(folder), given.edits)
    ordered = sorted(times)
    (whole, whole_cpu), (least, least_cpu) = starts[given.sentences], starts[1]
    lines += [
        f"{given.sentences:,} sentences, {size:.0f} MB",
        f"until the address is printed    {whole:.2f} s, of which {least:.2f} s for any file",
        f"CPU time of that                {whole_cpu:.2f} s, of which {least_cpu:.2f} s for any file",
        f"until the page accepts keys     {opened:.2f} s",
        f"a key that edits, median        {statistics.median(times):.0f} ms",
        f"95 of 100 keys take at most     {ordered[int(0.95 * len(ordered))]:.0f} ms",
        f"CPU time of the server for it   {used:.0f} ms",
        f"{f'the slowest of {given.keys:,}':<32}{ordered[-1]:.0f} ms",
        f"{f'{given.edits:,} edits are replayed in':<32}{again:.2f} s, {again_cpu:.2f} s of the CPU",
        f"load of the machine             {os.getloadavg()[0]:.0f} processes on {os.cpu_count()} cores",
    ]
    RESULTS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


def _start(file: Path) -> tuple[float, float]:
    """Seconds until the address is printed, on the clock and of the CPU."""
    with annotated(file) as (_, seconds, pid):
        return seconds, cpu(pid)


if __name__ == "__main__":
    main()
