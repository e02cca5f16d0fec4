"""Pipelines of networks: joint, or with a tagger before the parser; beside those of perceptrons. On development sets.

    python benchmarks/neural_pipelines.py FOLDER --jobs 1    # goes on where it was stopped
    python benchmarks/neural_pipelines.py --table            # runs nothing: the tables of all results

FOLDER/NAME/{train,dev,test}.conllu are treebanks. F1 as the CoNLL 2018 shared task counts, from gold tokens and from
raw text, means over the seeds that there are. Networks learn on a GPU where there is one. Finished tasks are in
benchmarks/results/neural_pipelines.jsonl, the tables in neural_pipelines.txt.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean
from typing import Any

from machine import write_result
from neural_tasks import device
from tasks import FOLDER, arguments, build, chosen, finish, read

import panparser as pp

GREEDY = pp.ParserSpec(system=pp.system("arc-hybrid", root="last", single_root=True), beam=1)
KINDS = {
    "perceptrons": pp.PipelineSpec(),
    "joint": pp.PipelineSpec(parser=GREEDY, parser_predicts_tags=True),
    "jackknifed": pp.PipelineSpec(parser=GREEDY, parser_predicts_tags=False),
}
WAYS = ("gold tokens", "raw text")
SHOWN = ("UPOS", "XPOS", "UFeats", "Lemmas", "UAS", "LAS")


@dataclass(frozen=True, kw_only=True)
class PipelineTask:
    """One training. `network`: changes to BILSTM."""

    treebank: str
    kind: str
    seed: int
    network: Any = None
    epochs: int | None = None

    @property
    def key(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})

    def effort(self, folder: Path) -> float:
        size = (folder / self.treebank / "train.conllu").stat().st_size
        return size * [*KINDS].index(self.kind)

    def __str__(self) -> str:
        return f"{self.treebank}, {self.kind}, seed {self.seed}"

    def run(self, folder: Path) -> Outcome:
        train, dev = (pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in ("train", "dev"))
        options: dict[str, Any] = {} if self.epochs is None else {"epochs": self.epochs}
        if self.kind != "perceptrons":
            options["network"] = pp.NetworkSpec.from_values({"base": "bilstm", **(self.network or {})})
        start = time.perf_counter()
        found = pp.train_pipeline(KINDS[self.kind], train, dev=dev, seed=self.seed, **options)
        kind = "perceptron" if self.kind == "perceptrons" else "network"
        return Outcome(found.training.dev or {}, time.perf_counter() - start, build(), device(kind))


@dataclass(frozen=True)
class Outcome:
    """What a task came to: scores on the development set, by what is given; seconds of training, and on what."""

    dev: Mapping[str, Mapping[str, float]]
    seconds: float
    build: str
    device: str

    def __str__(self) -> str:
        scores = ", ".join(f"{name} {value:.2f}" for name, value in self.dev.get(WAYS[0], {}).items())
        return f"{scores}; {self.seconds:.0f} s"


def report(path: Path) -> str:
    """Tables of all results: a row for each treebank, kind and network."""
    results: Mapping[str, Outcome] = read(path, Outcome)
    rows: dict[str, dict[str, list[Outcome]]] = {}
    for key, outcome in results.items():
        task = json.loads(key)
        network = json.dumps({"network": task.get("network"), "epochs": task.get("epochs")})
        rows.setdefault(network, {}).setdefault(f"{task['treebank']}, {task['kind']}", []).append(outcome)
    lines = [f"panparser {pp.__version__}, development sets, F1; benchmarks/neural_pipelines.py"]
    for network, groups in rows.items():
        devices = sorted({one.device for group in groups.values() for one in group})
        lines += ["", f"changes to BILSTM: {network}; learned on {', '.join(devices)}"]
        for way in WAYS:
            lines += ["", f"{f'from {way}':24}{''.join(f'{name:>8}' for name in SHOWN)}   seeds"]
            for name, group in sorted(groups.items()):
                own = [one.dev[way] for one in group if one.dev.get(way)]
                if own:
                    cells = ("-" if column not in own[0] else _mean(own, column) for column in SHOWN)
                    lines.append(f"{name:24}{''.join(f'{cell:>8}' for cell in cells)}{len(own):8}")
    return "\n".join(lines)


def _mean(scores: list[Mapping[str, float]], column: str) -> str:
    return f"{mean(own[column] for own in scores):.2f}"


def main() -> None:
    if sys.argv[1:] == ["--table"]:
        write_result("neural_pipelines", report(FOLDER / "neural_pipelines.jsonl"))
        return
    parser = arguments(__doc__, "neural_pipelines", "1")
    parser.add_argument("--kinds", default=",".join(KINDS), help="only these, with commas between them")
    parser.add_argument("--network", type=json.loads, help="changes to BILSTM, as JSON")
    parser.add_argument("--epochs", type=int, help="of the parser")
    given = parser.parse_args()
    names, seeds = chosen(given)
    common = {"network": given.network, "epochs": given.epochs}
    tasks = [
        PipelineTask(treebank=name, kind=kind, seed=seed, **common)
        for name in names
        for kind in given.kinds.split(",")
        for seed in seeds
    ]
    finish(given, tasks, Outcome)
    text = report(given.results)
    print(text)
    if not given.report:
        given.results.with_suffix(".txt").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
