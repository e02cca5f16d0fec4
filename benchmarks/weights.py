"""Weights over epochs: how many a parser has, what it scores meanwhile, and the course of some of them.

    python benchmarks/weights.py FOLDER    # FOLDER/{ga,hu,fr_sequoia}/{train,dev}.conllu

Parsers are unlabeled, ArcEager with Root last, templates ZN11, one perceptron, not pruned; beam 8, or greedy. After
some epochs: features that have a weight, among those of the states that the parser goes through in its training set,
the norm of the weights (averaged, in updates), updates so far, and UAS on the development set; means of three seeds.
The course is that of features which the slides of Aufrant's thesis (2018) show for French, here in
fr_sequoia, greedy with the dynamic oracle: averaged weights, in updates, as shares of those after the last epoch.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from machine import heading, write_result
from measured import Measurement, keep, measured

import panparser as pp
from panparser.lab import analysis

TREEBANKS, FRENCH = ("ga", "hu"), "fr_sequoia"
STRATEGIES = {
    "early-update": 8,
    "early-update-restart": 8,
    "max-violation": 8,
    "max-violation-restart": 8,
    "dynamic": 1,
}
SHOWN, SEEDS, EPOCHS = (1, 2, 5, 10, 20, 40), (1, 2, 3), 10
ROWS = {"features": ("features", 0), "norm": ("norm", 0), "updates": ("updates", 0), "dev UAS": ("uas", 2)}
COURSES = {  # features, actions, and their last weights in the slides
    ("B0.upos=DET", "SHIFT"): "14.3",
    ("B0.upos=ADJ B1.upos=NOUN", "SHIFT"): "38.1",
    ("S0.upos=NOUN B0.upos=VERB", "LEFT"): "3.2",
    ("B0.upos=SCONJ", "SHIFT"): "9.9",
    ("S0.upos=NOUN B0.upos=ADJ", "RIGHT"): "7.4",
    ("S0.upos=DET B0.upos=ADJ", "SHIFT"): "6.5",
}


class Counts(pp.Listener):
    """Weights and scores after some epochs."""

    def __init__(self, treebank: pp.Treebank) -> None:
        self.treebank = treebank
        self.found: dict[str, dict[int, float]] = {"features": {}, "norm": {}, "updates": {}, "uas": {}}

    def after_training_pass(self, epoch: int, parser: pp.Parser) -> None:
        if epoch in SHOWN:
            whole = analysis.shared(parser, parser, self.treebank).iloc[-1]
            self.found["features"][epoch] = float(whole["first"])
            self.found["norm"][epoch] = float(whole["first_norm"])

    def after_epoch(self, report: pp.EpochReport) -> None:
        self.found["updates"][report.epoch] = report.updates
        self.found["uas"][report.epoch] = report.uas or 0.0


def trained(folder: Path, strategy: str, beam: int, epochs: int, seed: int, listener: pp.Listener) -> None:
    train, dev = (pp.read_conllu(folder / f"{part}.conllu") for part in ("train", "dev"))
    system = pp.system("arc-eager", root="last", single_root=False)
    spec = pp.ParserSpec(system=system, templates=pp.templates("zn11"), beam=beam, labeled=False, nonprojective="as-is")
    pp.train(
        spec, train, dev=dev, strategy=pp.STRATEGIES[strategy], epochs=epochs, patience=None, members=1,
        prune_threshold=0, seed=seed, threads=1, listeners=[listener],
    )  # fmt: skip


def counted(folder: Path) -> tuple[list[str], list[Measurement]]:
    """Four lines for each strategy, and what they are made of."""
    treebank = pp.read_conllu(folder / "train.conllu")
    lines = [f"{folder.name + ', after epoch':42}" + "".join(f"{epoch:>9}" for epoch in SHOWN)]
    kept = []
    for strategy, beam in STRATEGIES.items():
        found = []
        for seed in SEEDS:
            counts = Counts(treebank)
            trained(folder, strategy, beam, SHOWN[-1], seed, counts)
            found.append(counts.found)
            for epoch in SHOWN:
                labels = {"treebank": folder.name, "strategy": strategy, "epoch": str(epoch), "seed": str(seed)}
                figures = {title: counts.found[name][epoch] for title, (name, _) in ROWS.items()}
                kept.append(measured("weights", labels, figures))
        for title, (name, digits) in ROWS.items():
            means = (np.mean([each[name][epoch] for each in found]) for epoch in SHOWN)
            lines.append(f"{strategy + ', ' + title:42}" + "".join(f"{mean:9.{digits}f}" for mean in means))
        print(*lines[-len(ROWS) :], sep="\n", flush=True)
    return [*lines, ""], kept


def courses(folder: Path) -> tuple[list[str], list[Measurement]]:
    """A line for each weight, and what it is made of."""
    course = analysis.WeightCourse(list(dict.fromkeys(feature for feature, _ in COURSES)))
    trained(folder, "dynamic", 1, EPOCHS, 1, course)
    frame = course.frame()
    shown = [epoch for epoch in SHOWN if epoch < EPOCHS]
    head = f"{folder.name + ', weight to the last one':42}" + "".join(f"{f'epoch {epoch}':>9}" for epoch in shown)
    lines = [head + f"{'last':>9}{'slides':>9}"]
    kept = []
    for (feature, action), theirs in COURSES.items():
        own = frame[(frame["feature"] == feature) & (frame["class"] == action)].set_index("epoch")["weight"]
        shares = {f"epoch {epoch}": own[epoch] / own[EPOCHS] for epoch in shown}
        cells = "".join(f"{share:9.2f}" for share in shares.values())
        lines.append(f"{feature + ': ' + action:42}{cells}{own[EPOCHS]:9.1f}{theirs:>9}")
        labels = {"treebank": folder.name, "weight": f"{feature}: {action}"}
        kept.append(measured("courses", labels, shares | {"last": own[EPOCHS]}))
    return lines, kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    lines = [f"{heading()}; means of seeds {', '.join(map(str, SEEDS))}", ""]
    kept = []
    for name in TREEBANKS:
        own, counts = counted(folder / name)
        lines += own
        kept += counts
    own, weights = courses(folder / FRENCH)
    write_result("weights", "\n".join([*lines, *own]))
    keep("weights", kept)
    keep("courses", weights)


if __name__ == "__main__":
    main()
