"""What a worker does with a task: trains by its recipe, scores the model, and writes the outcome."""

from __future__ import annotations

import platform
import time
import warnings
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import panparser
from panparser.errors import ModelError, PanParserError, SpecError
from panparser.evaluation.metrics import OFFICIAL, Evaluation, evaluate
from panparser.grid.records import FORMAT, Outcome, sentence_counts
from panparser.grid.runs import input_digest, read_values
from panparser.parsing.parser import Parser
from panparser.pipeline.pipeline import Pipeline
from panparser.recipes.recipe import Recipe
from panparser.recipes.running import run_recipe
from panparser.text.raw import raw_text
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank
from panparser.trees.projectivity import nonprojectivity
from panparser.work.keys import digest, own_build, package_version, package_versions

COUNTED = ("UAS", "LAS", "FullLAS")  # metrics that are kept by sentence
_UNLABELED = ("UAS", "UAS-punct", "Exact-UAS")
_OF_TREES = ("UAS", "LAS", "CLAS", "FullLAS", "UAS-punct", "LAS-punct", "Exact-UAS", "Exact-LAS")
_MOST_WORDS = 3_000_000  # of treebanks that are kept in memory


class Treebanks:
    """The treebanks that a worker has read, by the hash of their files; the latest ones."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, str], Treebank] = OrderedDict()

    def read(self, path: str, format: Any = "auto") -> Treebank:
        """A treebank of its own for whoever asks."""
        place = (input_digest(path), format)
        if place not in self._kept:
            self._kept[place] = read_conllu(path, format=format)
            while len(self._kept) > 1 and sum(each.words for each in self._kept.values()) > _MOST_WORDS:
                self._kept.popitem(last=False)
        self._kept.move_to_end(place)
        found = self._kept[place].copy()
        found.path = path
        return found


_treebanks = Treebanks()


def perform(task: Mapping[str, Any]) -> Outcome:
    """Runs a task and writes what came of it; errors of panparser are failures, others are the caller's to judge."""
    folder = Path(task["results"])
    if (known := finished_outcome(task)) is not None:
        return known  # another grid was faster
    start, cpu, started = time.perf_counter(), time.process_time(), now()
    try:
        _check(task)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = _scored(task)
    except PanParserError as error:
        outcome = failure(task, str(error), started=started)
        outcome = Outcome({**outcome.values, "seconds": round(time.perf_counter() - start, 3)})
    else:
        seconds = {"seconds": time.perf_counter() - start, "cpu_seconds": time.process_time() - cpu}
        done = {"started": started, **{name: round(value, 3) for name, value in seconds.items()}, **found}
        outcome = Outcome(_values(task, status="done", **done))
    if folder.is_dir():  # on another machine it may not be there
        with suppress(SpecError):  # the disk is full, say: whoever asked has it, and will tell
            outcome.write(folder, lasting=False)  # nor do workers wait for the disk
    return outcome


def outcome_line(task: Mapping[str, Any]) -> str:
    """Run a task, and return its outcome as its file has it."""
    return perform(task).line()


def finished_outcome(task: Mapping[str, Any]) -> Outcome | None:
    """What is there of a run already, if it ended well."""
    path = Path(task["results"]) / f"{task['key']}.json"
    try:
        found = Outcome.read(path) if path.exists() else None
    except ModelError:  # damaged: it is run again
        return None
    return found if found is not None and found.is_done else None


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


def _scored(task: Mapping[str, Any]) -> dict[str, Any]:
    recipe = read_values(task["values"], task["folder"], task["name"])
    start = time.process_time()
    model_file = None if task["models"] is None else Path(task["models"]) / f"{task['key']}.panparser"
    result = run_recipe(recipe, model_file, threads=1, checkpoints=False, read=_treebanks.read)
    facts: dict[str, float] = {"training_cpu_seconds": round(time.process_time() - start, 6)}
    facts |= _facts(recipe, result.model)
    scores: dict[str, Any] = {}
    sentences: dict[str, Any] = {}
    for split, path in task["splits"].items():
        gold = _treebanks.read(path)
        start = time.process_time()
        predicted = _predicted(result.model, gold, task["input"])
        facts[f"{split}_cpu_seconds"] = round(time.process_time() - start, 6)
        facts[f"{split}_words"] = gold.words
        scores[split], sentences[split] = _counted(result.model, gold, predicted)
    return {"facts": facts, "scores": scores, "sentences": sentences}


def _facts(recipe: Any, model: Any) -> dict[str, float]:
    record = model.training
    facts = {"model_bytes": float(model.size)}
    for name in ("sentences", "words", "best_epoch"):
        if isinstance(value := getattr(record, name, None), int):
            facts[name] = value
    if (losses := getattr(record, "losses", None)) and losses["states"]:
        facts["approximate_percent"] = 100 * losses["approximate"] / losses["states"]
    if isinstance(recipe, Recipe) and recipe.data.train:
        facts["crossing_percent"] = crossing(*(_treebanks.read(path) for path in recipe.data.train))
    return facts


def crossing(*treebanks: Treebank) -> float:
    """Percentage of sentences that are not projective."""
    crossed = 0
    for treebank in treebanks:
        flags, _ = nonprojectivity(treebank.heads, treebank.offsets)
        crossed += len(np.unique(treebank.sentence_of_word()[flags]))
    return 100 * crossed / max(1, sum(map(len, treebanks)))


def _predicted(model: Any, gold: Treebank, input: str) -> Treebank:
    """What a model makes of the tokens of a treebank, or a pipeline of its text."""
    if input == "text":
        if not isinstance(model, Pipeline) or model.tokenizer is None:
            raise SpecError('[evaluation] input = "text": expected a pipeline with a tokenizer')
        return model(raw_text(gold).text, threads=1)
    found = gold.copy()
    found.heads[:] = -1
    found.column("deprel")[:] = found.id_of("deprel", "_")
    model.annotate(found, threads=1)
    return found


def _counted(model: Any, gold: Treebank, predicted: Treebank) -> tuple[dict[str, float], dict[str, Any]]:
    """Scores of a split by metric, and counts by sentence."""
    found = evaluate(gold, predicted, samples=0)
    metrics = _metrics(model, found)
    scores = {name: round(found[name].f1, 6) for name in metrics}
    if isinstance(model, Pipeline):
        scores |= {name: round(found[name].f1, 6) for name in OFFICIAL}
    elif (crosses := nonprojectivity(gold.heads, gold.offsets)[0]).any():
        right = predicted.heads[crosses] == gold.heads[crosses]
        scores["Crossing"] = round(100 * float(right.mean()), 6)
    counts = {name: found.counts[name] for name in COUNTED if name in metrics}
    correct = {name: table[:, 0].astype(np.int64) for name, table in counts.items()}
    whole = found.counts["UAS"].astype(np.int64)
    return scores, sentence_counts(correct, whole[:, 1], whole[:, 2])


def _metrics(model: Any, found: Evaluation) -> tuple[str, ...]:
    parser = model.parser if isinstance(model, Pipeline) else model
    spec = getattr(parser, "spec", None)
    is_unlabeled = isinstance(parser, Parser) and spec is not None and not spec.labeled
    return tuple(name for name in (_UNLABELED if is_unlabeled else _OF_TREES) if name in found.scores)


def outcome_of(
    recipe: Mapping[str, Any],
    predicted: Mapping[str, tuple[str, Treebank]],
    *,
    inputs: Sequence[str] = (),
    facts: Mapping[str, float] | None = None,
    seconds: float = 0.0,
) -> Outcome:
    """What another program made, to stand beside runs of grids.

    `recipe`: tables that say what it is, such as its name, version and options. `predicted`: for each split the file
    that it was to predict, and what it made of it. `inputs`: the files that it learned from; `facts`, numbers about it.
    """
    files = {path: input_digest(path) for path in (*inputs, *(path for path, _ in predicted.values()))}
    splits = {split: f"sha256:{files[path]}" for split, (path, _) in predicted.items()}
    described = {"recipe": {**recipe, "inputs": [files[path] for path in inputs]}, "splits": splits, "input": "tokens"}
    content = digest(described)
    described |= {"panparser": panparser.__version__, "build": own_build()}  # which scored it
    counted = {split: _counted(None, read_conllu(path), found) for split, (path, found) in predicted.items()}
    found: dict[str, Any] = {
        "facts": dict(facts or {}),
        "scores": {split: scores for split, (scores, _) in counted.items()},
        "sentences": {split: sentences for split, (_, sentences) in counted.items()},
    }
    task = {"key": digest(described), "content": content, "described": described, "files": files}
    times: dict[str, Any] = {"started": now(), "seconds": round(seconds, 3), "cpu_seconds": 0.0}
    return Outcome(_values(task, status="done", **times, **found))


# --- What files hold beside it ---


def failure(task: Mapping[str, Any], message: str, *, started: str | None = None, seconds: float = 0.0) -> Outcome:
    """The outcome of a run that failed."""
    nothing: dict[str, Any] = {"facts": {}, "scores": {}, "sentences": {}}
    times = {"started": started or now(), "seconds": round(seconds, 3), "cpu_seconds": 0.0}
    return Outcome(_values(task, status="failed", error=message, **times, **nothing))


def _values(task: Mapping[str, Any], *, error: str | None = None, **more: Any) -> dict[str, Any]:
    names = {known: "/".join(Path(path).parts[-2:]) for path, known in task["files"].items()}
    fixed = {"format": FORMAT, "key": task["key"], "content": task["content"], "run": task["described"]}
    return {**fixed, "error": error, "data": names, "machine": machine(), **more}


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
