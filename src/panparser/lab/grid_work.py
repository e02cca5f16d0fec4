"""Tasks of workers: score a recipe, write the outcome."""

from __future__ import annotations

import platform
import time
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import panparser
from panparser.errors import ModelError, PanParserError, SpecError
from panparser.lab.grid_runs import input_digest, read_values
from panparser.lab.outcomes import FORMAT, RunOutcome, sentence_counts
from panparser.recipes.scored_run import SplitScores, score_recipe, score_split
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank
from panparser.work.keys import digest, own_build, package_version, package_versions


def perform(task: Mapping[str, Any]) -> RunOutcome:
    """Runs a task and writes what came of it; errors of panparser are failures, others are the caller's to judge."""
    folder = Path(task["results"])
    if (known := finished_outcome(task)) is not None:
        return known  # another grid was faster
    start, cpu, started = time.perf_counter(), time.process_time(), now()
    try:
        _check(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figures = _score(task)
    except PanParserError as error:
        outcome = failure(task, str(error), started=started)
        outcome = RunOutcome({**outcome.values, "seconds": round(time.perf_counter() - start, 3)})
    else:
        times = _times(started, time.perf_counter() - start, time.process_time() - cpu)
        outcome = RunOutcome(_values(task, {"status": "done", **times, **figures}))
    if folder.is_dir():  # on another machine it may not be there
        with suppress(SpecError):  # the disk is full, say: whoever asked has it, and will tell
            outcome.write(folder, lasting=False)  # nor do workers wait for the disk
    return outcome


def outcome_line(task: Mapping[str, Any]) -> str:
    """Run a task, and return its outcome as its file has it."""
    return perform(task).to_json_line()


def finished_outcome(task: Mapping[str, Any]) -> RunOutcome | None:
    """What is there of a run already, if it ended well."""
    path = Path(task["results"]) / f"{task['key']}.json"
    try:
        found = RunOutcome.read(path) if path.exists() else None
    except ModelError:  # damaged: it is run again
        return None
    return found if found is not None and found.is_finished else None


def _check(task: Mapping[str, Any]) -> None:
    """Raises an error if this worker would not make what the key stands for."""
    if own_build() != task["described"]["build"]:
        raise OSError(f"a worker has another build of panparser: {own_build()}, not {task['described']['build']}")
    for package, known in package_versions(task["described"]["recipe"]).items():
        if known != task["described"].get(package):
            raise OSError(f"a worker has another {package}: {known}, not {task['described'].get(package)}")
    for path, known in task["files"].items():
        if input_digest(path) != known:
            raise SpecError(f"{path}: has changed since the grid began; start it again")


def _score(task: Mapping[str, Any]) -> dict[str, Any]:
    recipe = read_values(task["values"], task["folder"], task["name"])
    model_file = None if task["models"] is None else Path(task["models"]) / f"{task['key']}.panparser"
    scored = score_recipe(recipe, task["splits"], input=task["input"], model_file=model_file)
    return {"facts": scored.facts, **_split_values(scored.splits)}


def _split_values(splits: Mapping[str, SplitScores]) -> dict[str, Any]:
    """Return scores and counts of splits as files hold them."""
    counts = {name: sentence_counts(split.correct, split.gold, split.predicted) for name, split in splits.items()}
    return {"scores": {name: split.scores for name, split in splits.items()}, "sentences": counts}


def external_outcome(
    recipe: Mapping[str, Any],
    predicted: Mapping[str, tuple[str, Treebank]],
    *,
    inputs: Sequence[str] = (),
    facts: Mapping[str, float] | None = None,
    seconds: float = 0.0,
) -> RunOutcome:
    """What another program made, to stand beside runs of grids.

    `recipe`: tables that say what it is, such as its name, version and options. `predicted`: for each split the file
    that it was to predict, and what it made of it. `inputs`: the files that it learned from; `facts`, numbers about it.
    """
    files = {path: input_digest(path) for path in (*inputs, *(path for path, _ in predicted.values()))}
    splits = {split: f"sha256:{files[path]}" for split, (path, _) in predicted.items()}
    described = {"recipe": {**recipe, "inputs": [files[path] for path in inputs]}, "splits": splits, "input": "tokens"}
    content = digest(described)
    described |= {"panparser": panparser.__version__, "build": own_build()}  # which scored it
    scored = {split: score_split(read_conllu(path), treebank) for split, (path, treebank) in predicted.items()}
    task = {"key": digest(described), "content": content, "described": described, "files": files}
    result = {"status": "done", **_times(now(), seconds), "facts": dict(facts or {}), **_split_values(scored)}
    return RunOutcome(_values(task, result))


# --- Values of files ---


def failure(task: Mapping[str, Any], message: str, *, started: str | None = None, seconds: float = 0.0) -> RunOutcome:
    """The outcome of a run that failed."""
    result = {"status": "failed", **_times(started or now(), seconds), "facts": {}, "scores": {}, "sentences": {}}
    return RunOutcome(_values(task, result, error=message))


def _times(started: str, seconds: float, cpu_seconds: float = 0.0) -> dict[str, Any]:
    return {"started": started, "seconds": round(seconds, 3), "cpu_seconds": round(cpu_seconds, 3)}


def _values(task: Mapping[str, Any], result: Mapping[str, Any], *, error: str | None = None) -> dict[str, Any]:
    names = {known: "/".join(Path(path).parts[-2:]) for path, known in task["files"].items()}
    fixed = {"format": FORMAT, "key": task["key"], "content": task["content"], "run": task["described"]}
    return {**fixed, "error": error, "data": names, "machine": machine(), **result}


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def machine() -> dict[str, str]:
    """What it ran on and with, without names of machines or people."""
    found = {"python": platform.python_version(), "system": platform.system(), "processor": _processor()}
    return found | {name: version for name in ("numpy", "torch") if (version := package_version(name)) is not None}


def _processor() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
