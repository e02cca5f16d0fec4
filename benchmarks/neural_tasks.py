"""What neural.py runs: a training of one contender on one treebank, as data, and what it came to."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

from machine import processor
from tasks import FOLDER, build

import panparser as pp
from panparser.networks.network import NetworkSpec

SYSTEM = ("arc-hybrid", "last")
MODELS = FOLDER.parents[1] / "build" / "neural"
PERCEPTRON_WEIGHTS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)  # tried on the development set; networks have 1


@dataclass(frozen=True, kw_only=True)
class NeuralTask:
    """One training. `network`: changes to BILSTM; `tested`: the beam of the test, where it is another.

    `voters`: kinds of the parsers that vote, networks with the settings of the task and perceptrons.
    """

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
    voters: Sequence[str] | None = None

    @property
    def key(self) -> str:
        usual = asdict(NeuralTask(treebank="", seed=0))
        return json.dumps({name: value for name, value in asdict(self).items() if value != usual[name]})

    def effort(self, folder: Path) -> float:
        size = (folder / self.treebank / "train.conllu").stat().st_size
        if self.tested or self.voters:  # what others have trained, if these come first
            return size / 100
        return size * (self.epochs or 40) * (1.3 if self.strategy == "global" else 1 if self.kind == "network" else 0.5)

    def __str__(self) -> str:
        return ", ".join(f"{name} {value}" for name, value in json.loads(self.key).items())

    def run(self, folder: Path) -> Outcome:
        train_set, dev, test = (
            pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        trained = CONTENDERS[self.kind](self, train_set, dev)
        parser = trained.parser
        options = {"beam": self.tested} if self.tested else {}
        start = time.process_time()
        found = parser.parse(test, **options)
        rate = test.words / (time.process_time() - start)
        counts = pp.evaluate(test, found, bootstrap_samples=0).counts
        of_test = {"words": counts["UAS"][:, 1], "correct_heads": counts["UAS"][:, 0]}
        of_test["correct_both"] = counts["FullLAS"][:, 0]
        on_dev = pp.evaluate(dev, parser.parse(dev, **options), bootstrap_samples=0)
        return Outcome(
            **{name: [int(count) for count in own] for name, own in of_test.items()},
            dev_uas=on_dev.uas,
            dev_las=on_dev["FullLAS"].f1,
            seconds=trained.seconds,
            trained_words=trained.words,
            rate=rate,
            best_epoch=trained.epoch,
            device=device(self.kind),
            build=build(),
        )


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """What a task came to: counts of each sentence of the test set; of training, seconds and words learned from.

    Seconds are of the clock on a GPU, and of the CPU elsewhere, so that they do not depend on what else runs.
    `rate`: words parsed in a CPU second; `best_epoch` and `trained_words` are 0 where they are not known.
    """

    words: Sequence[int]
    correct_heads: Sequence[int]
    correct_both: Sequence[int]
    dev_uas: float
    dev_las: float
    seconds: float
    trained_words: int
    rate: float
    best_epoch: int
    device: str
    build: str

    @property
    def uas(self) -> float:
        return 100 * sum(self.correct_heads) / max(1, sum(self.words))

    @property
    def las(self) -> float:
        return 100 * sum(self.correct_both) / max(1, sum(self.words))

    def __str__(self) -> str:
        return (
            f"test {self.uas:.2f}/{self.las:.2f}, dev {self.dev_uas:.2f}/{self.dev_las:.2f}, epoch {self.best_epoch}, "
            f"{self.seconds:.0f} s, {self.rate:,.0f} words/s"
        )


# --- Contenders ---


@dataclass(frozen=True, kw_only=True)
class Trained:
    """A parser, how long it took, its best epoch, and the words that it learned from, times epochs."""

    parser: Any
    seconds: float
    epoch: int = 0
    words: int = 0


class Stopwatch:
    """Seconds since it was made, of the clock on a GPU, else of the CPU."""

    def __init__(self, kind: str) -> None:
        self.clock = time.process_time if device(kind) == processor() else time.perf_counter
        self.start = self.clock()

    @property
    def seconds(self) -> float:
        return self.clock() - self.start


def train_parser(task: NeuralTask, train_set: pp.Treebank, dev: pp.Treebank) -> Trained:
    """A network or a perceptron; what this build has trained already is read from its file."""
    plain = replace(task, tested=None)
    digest = sha256(f"{plain.key} {build()}".encode()).hexdigest()[:16]
    path = MODELS / f"{task.treebank}-{task.kind}-{task.seed}-{digest}.panparser"
    record = path.with_suffix(".json")
    if record.exists():
        parser, seconds = pp.Parser.load(path), json.loads(record.read_text())
    else:
        watch = Stopwatch(task.kind)
        parser = pp.train(treebank=train_set, dev=dev, seed=task.seed, **_options(task))
        seconds = watch.seconds
        MODELS.mkdir(parents=True, exist_ok=True)
        parser.save(path)
        record.write_text(json.dumps(seconds))
    history, epoch = parser.training["history"], parser.training["best_epoch"]
    return Trained(parser=parser, seconds=seconds, epoch=epoch, words=history[-1]["words"])


def _options(task: NeuralTask) -> dict[str, Any]:
    if task.kind == "perceptron":
        return {"spec": pp.ParserSpec()}
    network = NetworkSpec.from_values({"base": "bilstm", **(task.network or {})})
    return {
        "spec": _spec(task),
        "strategy": pp.STRATEGIES[task.strategy],
        "epochs": task.epochs or network.training.epochs,
        "network": network,
        "listeners": [Progress(str(task))],
    }


def _spec(task: NeuralTask) -> pp.ParserSpec:
    system = pp.system(task.system, root=SYSTEM[1], single_root=True)
    return pp.ParserSpec(system=system, beam=task.beam, nonprojective=task.nonprojective)  # type: ignore[arg-type]


def train_graph(task: NeuralTask, train_set: pp.Treebank, dev: pp.Treebank) -> Trained:
    from graph_parser import train_graph_parser  # which needs torch

    network = NetworkSpec.from_values({"base": "bilstm", **(task.network or {})})
    epochs = task.epochs or network.training.epochs
    watch = Stopwatch(task.kind)
    parser, epoch = train_graph_parser(network, train_set, dev, task.seed, epochs)
    return Trained(parser=parser, seconds=watch.seconds, epoch=epoch, words=epochs * train_set.words)


def train_spacy(task: NeuralTask, train_set: pp.Treebank, dev: pp.Treebank) -> Trained:
    import peer_spacy  # which needs spaCy

    watch = Stopwatch(task.kind)
    parser = peer_spacy.Peer(peer_spacy.trained(train_set, dev, task.seed))
    return Trained(parser=parser, seconds=watch.seconds)


def train_voters(task: NeuralTask, train_set: pp.Treebank, dev: pp.Treebank) -> Trained:
    """Networks of several seeds, and perceptrons of the same transition system; their weight is chosen on `dev`."""
    voters, watch = task.voters or (), Stopwatch(task.kind)
    parsers = []
    for number, kind in enumerate(voters):
        seed = task.seed + 10 * number
        if kind == "network":
            parsers.append(train_parser(replace(task, kind=kind, seed=seed, voters=None), train_set, dev).parser)
        else:
            parsers.append(pp.train(replace(_spec(task), beam=8), train_set, dev=dev, seed=seed))
    tried = [
        pp.make_voting_parser(parsers, weights=[1.0 if kind == "network" else weight for kind in voters])
        for weight in (PERCEPTRON_WEIGHTS if "perceptron" in voters else (1.0,))
    ]
    best = max(tried, key=lambda parser: pp.evaluate(dev, parser.parse(dev), bootstrap_samples=0)["FullLAS"].f1)
    return Trained(parser=best, seconds=watch.seconds)


CONTENDERS = {
    "network": train_parser,
    "perceptron": train_parser,
    "graph": train_graph,
    "spacy": train_spacy,
    "vote": train_voters,
}


class Progress(pp.Listener):
    """Shows the epochs that are scored."""

    is_passive = True

    def __init__(self, name: str) -> None:
        self.name, self.start = name, time.perf_counter()

    def after_epoch(self, report: pp.EpochReport) -> None:
        if report.uas is not None and report.las is not None:
            seconds, found = time.perf_counter() - self.start, f"dev {report.uas:.2f}/{report.las:.2f}"
            print(f"  {self.name}: epoch {report.epoch}, {found}, {seconds:.0f} s", file=sys.stderr)


def device(kind: str) -> str:
    """What a contender learns on."""
    if kind in ("network", "graph"):
        import torch

        if torch.cuda.is_available():
            return str(torch.cuda.get_device_name())
    return str(processor())
