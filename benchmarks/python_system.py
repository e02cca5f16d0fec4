"""A system written in Python, trained like a table: examples/covington.py with two classifiers, searches and oracles.

    python benchmarks/python_system.py FOLDER [--sentences N] [--dev-sentences N] [--epochs N] [--beam-epochs N]

FOLDER has train.conllu and dev.conllu. Times are CPU seconds; the last row of each classifier is trained, and parses,
with a share of the heads given (`given heads kept` counts those of the development set).
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from machine import heading, write_result

import panparser as pp

sys.path.insert(0, str(Path(__file__).parents[1] / "examples"))

from covington import Covington
from logistic_regression import LogisticRegression

SHARE = 0.3


def rows(train: pp.Treebank, dev: pp.Treebank, epochs: int, beam_epochs: int) -> list[tuple[str, ...]]:
    """One row for each setting."""
    found = []
    for name, classifier in (("perceptron", pp.Perceptron(8)), ("logistic regression", LogisticRegression())):
        for beam, strategy in ((1, "static"), (1, "dynamic"), (8, "static"), (8, "max-violation")):
            found.append(row(train, dev, classifier, name, beam, strategy, epochs if beam == 1 else beam_epochs))
            print(*found[-1], sep="  ", flush=True)
        found.append(row(train, dev, classifier, name, 1, "dynamic", epochs, constraints=SHARE))
        print(*found[-1], sep="  ", flush=True)
    return found


def row(
    train: pp.Treebank, dev: pp.Treebank, classifier: Any, name: str, beam: int, strategy: str, epochs: int, **more: Any
) -> tuple[str, ...]:
    chosen = pp.STRATEGIES[strategy]
    spec = pp.ParserSpec(system=Covington(), templates=pp.templates("rich"), beam=beam)
    start = time.process_time()
    parser = pp.train(spec, train, classifier=classifier, strategy=chosen, epochs=epochs, **more)
    trained = time.process_time()
    given, kept = None, ""
    if more:
        given = pp.Constraints.from_treebank(dev, keep={"heads"})
        given.heads[np.random.default_rng(1).random(dev.words) >= SHARE] = -1
    parsed = parser.parse(dev, constraints=given)
    if given is not None:
        known = given.heads >= 0
        kept = f"{int((parsed.heads[known] == given.heads[known]).sum())} of {int(known.sum())}"
    scores = pp.evaluate(dev, parsed, bootstrap_samples=0)
    times = f"{trained - start:.0f}", f"{dev.words / max(1e-9, time.process_time() - trained):.0f}"
    return (name, str(beam), strategy, str(epochs), f"{scores.uas:.2f}", f"{scores.las:.2f}", *times, kept)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sentences", type=int, help="of the training set, the first ones  [default: all]")
    parser.add_argument("--dev-sentences", type=int, help="of the development set, the first ones  [default: all]")
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--beam-epochs", type=int, default=2)
    options = parser.parse_args()
    train = pp.read_conllu(options.folder / "train.conllu")[: options.sentences]
    dev = pp.read_conllu(options.folder / "dev.conllu")[: options.dev_sentences]
    header = tuple("classifier|beam|strategy|epochs|UAS|LAS|training, s|words/s|given heads kept".split("|"))
    table = [header, *rows(train, dev, options.epochs, options.beam_epochs)]
    widths = [max(len(line[i]) for line in table) for i in range(len(header))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]
    about = (
        f"{options.folder.name}: {len(train)} training sentences, dev {len(dev)} sentences, {dev.words} words; seed 1"
    )
    write_result("python_system", "\n".join([heading(), about, "", *lines]))


if __name__ == "__main__":
    main()
