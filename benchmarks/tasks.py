"""Tasks that no recipe describes, in parallel and resumable: what such benchmarks share. All others are grids.

Such a task trains on samples, rewrites a treebank, follows an annotator, or measures something that is no score of one
model; a grid runs recipes, and its workers run nothing else. A task is data: it has a `key`, an `effort`, and `run`,
whose result, a dataclass, leaves one line of JSON in a results file. Worker processes of one thread run them, the
longest first; tasks that have a line there are not run again. Delete the file to begin anew. A large file may be
compressed by xz, to FILE.xz; new lines go to another FILE beside it.
"""

from __future__ import annotations

import argparse
import json
import lzma
import os
import pickle
import sys
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any

from machine import heading

from panparser.work.keys import own_build
from panparser.work.pool import CallFuture, open_pool

FOLDER = Path(__file__).parent / "results"
PARTS = ("train", "dev", "test")
build = own_build  # tells builds of panparser apart


def _script_of(task: Any) -> str | None:
    """Return the module of a task's class, if that is the script that was started."""
    path = sys.modules["__main__"].__file__
    return Path(path).stem if type(task).__module__ == "__main__" and path is not None else None


def _run_task(script: str | None, task: bytes, folder: Path) -> dict[str, Any]:
    """Run a task in a worker, and return the values of its result."""
    if script is not None:
        sys.modules["__main__"] = import_module(script)  # which pickles of its tasks name
    result: Any = pickle.loads(task).run(folder)
    return asdict(result)


def treebanks(folder: Path) -> list[str]:
    """Names of the folders that have a training, a development and a test set, with at least one word each."""
    names = sorted(path.parent.name for path in folder.glob("*/train.conllu"))
    found = [
        name
        for name in names
        if all((path := folder / name / f"{part}.conllu").exists() and path.stat().st_size for part in PARTS)
    ]
    if not found:
        sys.exit(f"{folder}: expected folders with train.conllu, dev.conllu and test.conllu, found none")
    return found


def read(path: Path, kind: type[Any]) -> dict[str, Any]:
    """The results of a file, and of FILE.xz; a line that was cut short counts as not there."""
    results: dict[str, Any] = {}
    compressed = path.with_name(f"{path.name}.xz")
    text = lzma.decompress(compressed.read_bytes()).decode() if compressed.exists() else ""
    text += path.read_text(encoding="utf-8") if path.exists() else ""
    for line in text.splitlines():
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            continue
        results[json.dumps(values["task"])] = kind(**values["result"])
    return results


def run(folder: Path, tasks: Iterable[Any], path: Path, jobs: int, kind: type[Any]) -> dict[str, Any]:
    """Runs what is not in the results file yet; the results of all tasks that ended well."""
    wanted = {task.key: task for task in tasks}
    results = read(path, kind)
    waiting = sorted(
        (task for key, task in wanted.items() if key not in results), key=lambda task: -task.effort(folder)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_short = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")

    def submit(task: Any) -> CallFuture:
        return pool.submit(_run_task, _script_of(task), pickle.dumps(task), folder)

    try:
        with path.open("a", encoding="utf-8") as file, open_pool(jobs) as pool:
            file.write("\n" if cut_short else "")
            batches = pool.completed(waiting, submit, ahead=lambda: jobs)
            for done, (task, future) in enumerate(chain.from_iterable(batches), 1):
                if error := future.exception():
                    shown = "".join(traceback.format_exception_only(error)).strip()
                    print(f"[{done}/{len(waiting)}] {task}: FAILED: {shown}", file=sys.stderr, flush=True)
                    continue
                values = future.result()
                result = results[task.key] = kind(**values)
                file.write(json.dumps({"task": json.loads(task.key), "result": values}) + "\n")
                file.flush()
                print(f"[{done}/{len(waiting)}] {task}: {result}", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        sys.exit("stopped; the same command goes on from here")
    return {key: results[key] for key in wanted if key in results}


def number(value: float, width: int = 8, digits: int = 2) -> str:
    return f"{'-':>{width}}" if value != value else f"{value:{width}.{digits}f}"  # noqa: PLR0124 - not a number


@dataclass(frozen=True)
class Scored:
    """What a task came to: figures by name; CPU seconds."""

    scores: Mapping[str, float]
    cpu: float
    build: str

    def __str__(self) -> str:
        return ", ".join(f"{name} {value:.1f}" for name, value in self.scores.items()) + f", {self.cpu:.0f} s"


def arguments(doc: str | None, name: str, seeds: str) -> argparse.ArgumentParser:
    """The options of all these scripts."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="folder of treebanks: */{train,dev,test}.conllu")
    parser.add_argument("--seeds", default=seeds, help=f"default {seeds}")
    parser.add_argument("--treebanks", help="only these, with commas between them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at a time; default all cores")
    parser.add_argument("--results", type=Path, default=FOLDER / f"{name}.jsonl", help="finished tasks, one a line")
    parser.add_argument("--report", action="store_true", help="run nothing: print what is there")
    return parser


def chosen(options: argparse.Namespace) -> tuple[list[str], list[int]]:
    """Treebanks and seeds that the options ask for."""
    found = treebanks(options.folder)
    names = options.treebanks.split(",") if options.treebanks else found
    if unknown := sorted(set(names) - set(found)):
        sys.exit(f"{options.folder}: has no treebank {', '.join(unknown)}")
    return names, [int(seed) for seed in options.seeds.split(",")]


def one_seed(options: argparse.Namespace) -> int:
    """The seed, of scripts whose tables are of one."""
    if not options.seeds.isdecimal():
        sys.exit(f"--seeds: expected one seed, found {options.seeds}")
    return int(options.seeds)


def finish(options: argparse.Namespace, tasks: Iterable[Any], kind: type[Any]) -> dict[str, Any]:
    """Runs the tasks, or only reads what is there of them."""
    if options.report:
        return read(options.results, kind)
    return run(options.folder, tasks, options.results, options.jobs, kind)


def publish(options: argparse.Namespace, lines: Sequence[str]) -> None:
    """Writes a report beside the results file, and prints it; with --report it is only printed."""
    text = "\n".join([f"{heading()} a task, tasks at a time: {options.jobs}", "", *lines])
    if not options.report:
        options.results.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")
    print(text)
