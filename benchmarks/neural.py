"""Networks beside the perceptron and a biaffine graph parser on the same encoder; and the effect of oracles on them.

    python benchmarks/neural.py FOLDER                    # the main table; goes on where it was stopped
    python benchmarks/neural.py FOLDER --table oracles    # static, dynamic, with exploration, global beams
    python benchmarks/neural.py FOLDER --table small      # what a small treebank needs

FOLDER/NAME/{train,dev,test}.conllu are treebanks of UD 2.0. Test sets, gold tags, all tokens, means of three seeds; the
epoch that is best on the development set. Training is on a GPU where there is one, parsing never. Finished tasks are
kept in benchmarks/results/neural.jsonl, the tables in neural.txt, neural_oracles.txt and neural_small.txt.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grid import FOLDER, build, run

import panparser as pp
from panparser.networks.network import Network

TREEBANKS = ("hu", "fr_sequoia", "got", "tr", "en")
SYSTEM = ("arc-hybrid", "last")
MAIN: Mapping[str, Mapping[str, Any]] = {
    "perceptron, beam 8": {"kind": "perceptron"},
    "BILSTM, greedy": {"kind": "network"},
    "BILSTM, beam 8": {"kind": "network", "tested": 8},
    "biaffine graph parser": {"kind": "graph"},
}
SMALLER = {"layers": 2, "size": 200, "arcs": 200, "labels": 64, "hidden": 200}
ORACLES: Mapping[str, Mapping[str, Any]] = {
    "static": {"kind": "network", "strategy": "static", "network": SMALLER},
    "dynamic": {"kind": "network", "strategy": "dynamic-ambiguity", "network": SMALLER},
    "with exploration": {"kind": "network", "strategy": "dynamic", "network": SMALLER},
    "global, beam 8": {"kind": "network", "strategy": "global", "beam": 8, "network": SMALLER},
}


@dataclass(frozen=True, kw_only=True)
class NeuralTask:
    """One training. `network`: changes to BILSTM; `tested`: the beam of the test, where it is another."""

    treebank: str
    seed: int
    kind: str = "network"
    strategy: str = "dynamic"
    beam: int = 1
    tested: int | None = None
    system: str = SYSTEM[0]
    nonprojective: str | None = None
    epochs: int | None = None
    network: Any = None

    @property
    def key(self) -> str:
        usual = asdict(NeuralTask(treebank="", seed=0))
        return json.dumps({name: value for name, value in asdict(self).items() if value != usual[name]})

    def effort(self, folder: Path) -> float:
        size = (folder / self.treebank / "train.conllu").stat().st_size
        return size * (self.epochs or 40) * (4 if self.strategy == "global" else 1 if self.kind == "network" else 0.5)

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in json.loads(self.key).items())

    def run(self, folder: Path) -> Outcome:
        train_set, dev, test = (
            pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        start = time.perf_counter()
        network = Network.from_values({"base": "bilstm", **(self.network or {})})
        epochs = self.epochs or network.learning.epochs
        if self.kind == "graph":
            from graph_parser import train_graph_parser  # which needs torch

            graph, epoch = train_graph_parser(network, train_set, dev, self.seed, epochs)
            taken = time.perf_counter() - start
            return Outcome(*graph.score(test), *graph.score(dev), taken, 0.0, epoch, build())
        if self.kind == "perceptron":
            parser = pp.train(pp.ParserSpec(), train_set, dev=dev, seed=self.seed)
        else:
            system = pp.system(self.system, root=SYSTEM[1], single_root=True)
            spec = pp.ParserSpec(system=system, beam=self.beam, nonprojective=self.nonprojective)  # type: ignore[arg-type]
            options: dict[str, Any] = {"strategy": pp.STRATEGIES[self.strategy], "epochs": epochs, "patience": None}
            classifier = pp.NetworkClassifier(network)
            options |= {"classifier": classifier, "listeners": [Progress(str(self))]}
            parser = pp.train(spec, train_set, dev=dev, seed=self.seed, **options)
        taken = time.perf_counter() - start
        start = time.process_time()
        heads, _ = parser.predict(test, beam=self.tested)
        rate = test.words / (time.process_time() - start)
        uas, las = tested(parser, test, self.tested)
        report = parser.training["history"][parser.training["best_epoch"] - 1]
        return Outcome(uas, las, report["uas"], report["las"], taken, rate, parser.training["best_epoch"], build())


class Progress(pp.Listener):
    """Shows every tenth epoch."""

    only_watches = True

    def __init__(self, name: str) -> None:
        self.name, self.start = name, time.perf_counter()

    def after_epoch(self, report: pp.EpochReport) -> None:
        if report.epoch % 10 == 0 or report.epoch == 2:
            seconds = time.perf_counter() - self.start
            print(
                f"  {self.name}: epoch {report.epoch}, dev {report.uas}/{report.las}, {seconds:.0f} s", file=sys.stderr
            )


def tested(parser: pp.Parser, gold: pp.Treebank, beam: int | None) -> tuple[float, float]:
    from panparser.parsing.training.run import score_found

    uas, las = score_found(parser, gold, *parser.predict(gold, beam=beam))
    return uas, las or 0.0


@dataclass(frozen=True)
class Outcome:
    """What a task came to: on the test set, on the development set; seconds of training; words parsed a second."""

    uas: float
    las: float
    dev_uas: float
    dev_las: float
    seconds: float
    rate: float
    best_epoch: int
    build: str

    def __str__(self) -> str:
        return (
            f"test {self.uas:.2f}/{self.las:.2f}, dev {self.dev_uas:.2f}/{self.dev_las:.2f}, epoch {self.best_epoch}, "
            f"{self.seconds:.0f} s, {self.rate:,.0f} words/s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--table", choices=("main", "oracles", "small"), default="main")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--treebanks", default=",".join(TREEBANKS))
    parser.add_argument("--results", type=Path, default=FOLDER / "neural.jsonl")
    parser.add_argument("--tasks", help="a file of tasks, a line of JSON each, to be run instead")
    given = parser.parse_args()
    if given.tasks:
        tasks = [NeuralTask(**json.loads(line)) for line in Path(given.tasks).read_text().splitlines() if line.strip()]
        run(given.folder, tasks, given.results, given.jobs, Outcome)
        return


if __name__ == "__main__":
    main()
