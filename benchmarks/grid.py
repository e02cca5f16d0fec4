"""Many tasks that are not runs of recipes, in parallel and resumable: what such benchmarks share. Others are grids.

A task is one training and one evaluation, as data. Each runs in a process of its own, the longest first, and leaves one
line of JSON in a results file; tasks that have a line there are not run again. Delete the file to begin anew.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from machine import THREADS, heading

import panparser as pp
from panparser._builds import own_build
from panparser.parsing.training.run import score

FOLDER = Path(__file__).parent / "results"
PARTS = ("train", "dev", "test")
build = own_build  # tells builds of panparser apart


@dataclass(frozen=True, kw_only=True)
class Task:
    """One training: what is None is panparser's default. The best epoch on the development set is tested.

    `patience` of 0: all epochs are run.
    """

    treebank: str
    seed: int
    system: tuple[str, str, bool] | None = None  # name, root, single_root
    templates: str | None = None  # rich, lean, zn11 or fast
    beam: int | None = None
    labeled: bool | None = None
    nonprojective: str | None = None
    strategy: str | None = None
    epochs: int | None = None
    patience: int | None = None
    members: int | None = None
    part: tuple[str, float] | None = None  # of the training set: annotations (words) or sentences, and what share

    @property
    def key(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})

    @property
    def spec(self) -> pp.ParserSpec:
        given: dict[str, Any] = {
            name: value for name in ("beam", "labeled", "nonprojective") if (value := getattr(self, name)) is not None
        }
        if self.system is not None:
            name, root, single_root = self.system
            given["system"] = pp.system(name, root=root, single_root=single_root)
        if self.templates is not None:
            given["templates"] = pp.features.sets.template_set(self.templates)
        return pp.ParserSpec(**given)

    @property
    def options(self) -> dict[str, Any]:
        given: dict[str, Any] = {"seed": self.seed}
        if self.strategy is not None:
            given["strategy"] = pp.STRATEGIES[self.strategy]
        if self.epochs is not None:
            given["epochs"] = self.epochs
        if self.members is not None:
            given["members"] = self.members
        if self.patience is not None:
            given["patience"] = self.patience or None
        return given

    def run(self, folder: Path) -> Result:
        """Trains and tests, in a fresh process: its CPU time includes the start, reading and evaluation on dev."""
        return run_task(folder, self)

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        size = (folder / self.treebank / "train.conllu").stat().st_size
        width = self.beam or 8
        return size * (self.epochs or 12) * (width + 1) * (1.5 if self.labeled is None or self.labeled else 1)

    def __str__(self) -> str:
        values = json.loads(self.key)
        return ", ".join(f"{name} {'-'.join(map(str, v)) if isinstance(v, list) else v}" for name, v in values.items())


@dataclass(frozen=True)
class Result:
    """What a task came to. `cpu`: seconds of its process until the model was trained; `size`: bytes of the model."""

    uas: float
    las: float | None
    cpu: float
    size: int
    best_epoch: int
    sentences: int  # of the training set
    crossing: float  # share of the training set that is non-projective, in percent
    build: str
    approximate: float | None = None  # share of states whose costs were approximate, in percent; None: there are none

    def __str__(self) -> str:
        las = f", LAS {self.las:.2f}" if self.las is not None else ""
        return f"UAS {self.uas:.2f}{las}, {self.cpu:.1f} s"


Results = dict[str, Result]  # by the key of the task
Tasks = dict[tuple[str, str], list[Task]]  # by treebank and setting; one for each seed


def crossing(treebank: pp.Treebank) -> float:
    """Percentage of sentences that are not projective."""
    flags, _ = pp.nonprojectivity(treebank.heads, treebank.offsets)
    return 100 * len(np.unique(treebank.sentence_of_word()[flags])) / max(1, len(treebank))


def drawn(treebank: pp.Treebank, kind: str, share: float, seed: int) -> pp.Treebank:
    """A part of a treebank, by chance: heads and labels of some words, or some sentences."""
    rng = np.random.default_rng(seed)
    if kind == "sentences":
        part: pp.Treebank = treebank[sorted(rng.permutation(len(treebank))[: round(share * len(treebank))].tolist())]
        return part
    unknown = rng.random(treebank.words) >= share
    treebank.heads[unknown] = -1
    treebank.column("deprel")[unknown] = treebank.id_of("deprel", "_")
    return treebank


def run_task(folder: Path, task: Task) -> Result:
    """As `run` of the task says."""
    train_set, dev = (pp.read_conllu(folder / task.treebank / f"{part}.conllu") for part in ("train", "dev"))
    if task.part is not None:
        train_set = drawn(train_set, *task.part, task.seed)
    parser = pp.train(task.spec, train_set, dev=dev, **task.options)
    if parser.training["interrupted"]:
        raise KeyboardInterrupt
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "model"
        parser.save(path)
        cpu, size = time.process_time(), path.stat().st_size
    uas, las = score(parser, pp.read_conllu(folder / task.treebank / "test.conllu"))
    losses = parser.training["losses"]
    return Result(
        uas,
        las,
        cpu,
        size,
        parser.training["best_epoch"],
        len(train_set),
        crossing(train_set),
        build(),
        100 * losses["approximate"] / losses["states"] if losses else None,
    )


def _send(sender: Connection, folder: Path, task: Any) -> None:
    try:
        sender.send(task.run(folder))
    except Exception:
        sender.send(traceback.format_exc())


def in_process(folder: Path, task: Any) -> Any:
    """The result of a task, from a process of its own."""
    spawn = multiprocessing.get_context("spawn")
    receiver, sender = spawn.Pipe(duplex=False)
    process = spawn.Process(target=_send, args=(sender, folder, task), daemon=True)
    process.start()
    sender.close()  # the other end is the process's now: should it die, receiving ends
    try:
        result = receiver.recv()
    except EOFError:
        result = "the process ended without a result"
    process.join()
    if isinstance(result, str):
        raise RuntimeError(f"{result} (exit code {process.exitcode})")
    return result


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


def read(path: Path, kind: type[Any] = Result) -> dict[str, Any]:
    """The results of a file; a line that was cut short counts as not there."""
    results: dict[str, Any] = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            values = json.loads(line)
        except json.JSONDecodeError:
            continue
        results[json.dumps(values["task"])] = kind(**values["result"])
    return results


def run(folder: Path, tasks: Iterable[Any], path: Path, jobs: int, kind: type[Any] = Result) -> dict[str, Any]:
    """Runs what is not in the results file yet; the results of all tasks that ended well."""
    wanted = {task.key: task for task in tasks}
    results = read(path, kind)
    if jobs > 1:  # processes that share cores have one thread each
        os.environ.update(dict.fromkeys(THREADS, "1"))
    waiting = sorted(
        (task for key, task in wanted.items() if key not in results), key=lambda task: -task.effort(folder)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    cut_short = path.exists() and path.stat().st_size > 0 and not path.read_bytes().endswith(b"\n")
    with path.open("a", encoding="utf-8") as file, ThreadPoolExecutor(jobs) as executor:
        file.write("\n" if cut_short else "")
        futures = {executor.submit(in_process, folder, task): task for task in waiting}
        try:
            for done, future in enumerate(as_completed(futures), 1):
                task = futures[future]
                if error := future.exception():
                    print(f"[{done}/{len(waiting)}] {task}: FAILED: {error}", file=sys.stderr, flush=True)
                    continue
                result = results[task.key] = future.result()
                file.write(json.dumps({"task": json.loads(task.key), "result": asdict(result)}) + "\n")
                file.flush()
                print(f"[{done}/{len(waiting)}] {task}: {result}", file=sys.stderr, flush=True)
        except KeyboardInterrupt:
            executor.shutdown(wait=False, cancel_futures=True)
            sys.exit("stopped; the same command goes on from here")
    return {key: results[key] for key in wanted if key in results}


class Scores:
    """Results by treebank and setting, as means over seeds, of the treebanks that have all of them."""

    def __init__(self, results: Results, tasks: Tasks) -> None:
        names = dict.fromkeys(name for name, _ in tasks)
        done = {place: all(task.key in results for task in group) for place, group in tasks.items()}
        self.treebanks = [name for name in names if all(done[place] for place in tasks if place[0] == name)]
        self.missing = [name for name in names if name not in self.treebanks]
        self._results = {
            place: [results[task.key] for task in group] for place, group in tasks.items() if place[0] in self.treebanks
        }

    def value(self, treebank: str, setting: str, field: str = "uas") -> float:
        values: list[float] = [getattr(result, field) for result in self._results[treebank, setting]]
        return sum(values) / len(values)

    def average(self, names: Sequence[str], setting: str, field: str = "uas") -> float:
        """Over treebanks; not a number if there are none."""
        return sum(self.value(name, setting, field) for name in names) / len(names) if names else float("nan")

    def fact(self, treebank: str, field: str) -> Any:
        """Of the treebank, the same in all settings."""
        return getattr(next(group for (name, _), group in self._results.items() if name == treebank)[0], field)

    @property
    def notes(self) -> list[str]:
        """What a reader of the table must know: gaps, and results of several builds."""
        builds = {result.build for group in self._results.values() for result in group}
        notes = [f"not finished, so not in the table: {', '.join(self.missing)}"] if self.missing else []
        if builds - {build()}:
            notes.append(f"some results are of another build of panparser ({len(builds)} builds in all)")
        return notes


def flat(tasks: Tasks) -> list[Task]:
    return [task for group in tasks.values() for task in group]


def number(value: float, width: int = 8, digits: int = 2) -> str:
    return f"{'-':>{width}}" if value != value else f"{value:{width}.{digits}f}"  # noqa: PLR0124 - not a number


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


def finish(options: argparse.Namespace, tasks: Iterable[Any], kind: type[Any] = Result) -> dict[str, Any]:
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
