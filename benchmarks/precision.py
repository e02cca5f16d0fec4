"""What smaller numbers cost networks: bytes of the file, and accuracy on the development set.

    python benchmarks/precision.py FOLDER                                # all networks that neural.py has left
    python benchmarks/precision.py FOLDER hu=hungarian.panparser ...     # these

FOLDER/NAME/dev.conllu are treebanks. A model is a parser in float32, or a pipeline with such a parser; one that is
stored in fewer bits is refused, since its float32 would be no better. Each is written in every precision, read again,
and parses the development set, with gold tags unless it predicts them. Changed: words, of those of all development
sets, whose head or label is another than by float32. The table goes to benchmarks/results/precision.md.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import get_args

import numpy as np
from machine import heading
from neural_tasks import MODELS
from tasks import FOLDER

import panparser as pp
from panparser.networks.network import Precision
from panparser.networks.network_classifier import NetworkClassifier
from panparser.parsing.parser import classifier_model

PRECISIONS: tuple[Precision, ...] = get_args(Precision)
COLUMNS = ("", "precision", "MB", "UAS", "LAS", "LAS less that of float32", "changed, %")


@dataclass(frozen=True)
class Measured:
    """One model in one precision, on a development set."""

    size: int  # bytes of the file
    uas: float
    las: float
    words: int
    changed: int  # words with another head or label than by float32


def measure(path: Path, dev: pp.Treebank) -> dict[Precision, Measured]:
    """A model in every precision."""
    parser = network_parser(path)
    found: dict[Precision, Measured] = {}
    first: pp.Treebank | None = None
    for precision in PRECISIONS:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model.panparser"
            stored(parser, precision).save(file)
            size, parsed = file.stat().st_size, pp.Parser.load(file).parse(dev)
        first = first or parsed
        scores = pp.evaluate(dev, parsed, bootstrap_samples=0)
        found[precision] = Measured(size, scores.uas, scores["FullLAS"].f1, dev.words, different(first, parsed))
    return found


def network_parser(path: Path) -> pp.Parser:
    model = pp.load(path)
    parser = model.parser if isinstance(model, pp.Pipeline) else model
    if not isinstance(parser, pp.Parser) or not isinstance(parser.classifier, NetworkClassifier):
        raise SystemExit(f"{path}: expected a parser that is a network")
    if (precision := parser.classifier.network.precision) != "float32":
        raise SystemExit(f"{path}: expected numbers of float32, found those of {precision}")
    return parser


def stored(parser: pp.Parser, precision: Precision) -> pp.Parser:
    """The same parser, which is saved in another precision."""
    classifier = parser.classifier
    assert isinstance(classifier, NetworkClassifier)
    changed = classifier.with_network(replace(classifier.network, precision=precision))
    model = classifier_model(parser.spec, parser.labels, changed, parser.vectors)
    return pp.Parser(model=model, training=parser.training)


def different(first: pp.Treebank, second: pp.Treebank) -> int:
    """Words with another head or label."""
    labels = [np.array([label for sentence in one for label in sentence.labels]) for one in (first, second)]
    return int(((first.heads != second.heads) | (labels[0] != labels[1])).sum())


def rows(name: str, models: Sequence[dict[Precision, Measured]]) -> Iterator[list[str]]:
    """Means over models."""
    for precision in PRECISIONS:
        own = [one[precision] for one in models]
        differences = [one[precision].las - one["float32"].las for one in models]
        changed = 100 * sum(one.changed for one in own) / sum(one.words for one in own)
        means = (mean(one.size for one in own) / 1e6, mean(one.uas for one in own), mean(one.las for one in own))
        yield [name, precision, *(f"{value:.2f}" for value in means), f"{mean(differences):+.2f}", f"{changed:.2f}"]


def of_model(text: str) -> tuple[str, Path]:
    name, _, path = text.partition("=")
    if not name or not path:
        raise argparse.ArgumentTypeError(f"expected TREEBANK=MODEL; got {text!r}")
    return name, Path(path)


def left() -> list[tuple[str, Path]]:
    """The networks of neural.py, by treebank."""
    return [(path.name.partition("-network-")[0], path) for path in sorted(MODELS.glob("*-network-*.panparser"))]


def report(folder: Path, models: Sequence[tuple[str, Path]]) -> str:
    found: dict[str, list[dict[Precision, Measured]]] = {}
    for name, path in models:
        found.setdefault(name, []).append(measure(path, pp.read_conllu(folder / name / "dev.conllu")))
    every = [one for group in found.values() for one in group]
    groups = [*found.items(), *([("all", every)] if len(found) > 1 else [])]
    table = [
        COLUMNS,
        ["---", "---", *["---:"] * (len(COLUMNS) - 2)],
        *(row for name, group in groups for row in rows(f"{name}, {len(group)} of them", group)),
    ]
    lines = ["# Precision of networks", "", f"{heading()}; `python benchmarks/precision.py`.", ""]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in table)]) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("models", nargs="*", type=of_model, metavar="TREEBANK=MODEL")
    parser.add_argument("--output", type=Path, default=FOLDER / "precision.md")
    given = parser.parse_args()
    models = given.models or left()
    if not models:
        parser.error(f"expected models: there are none in {MODELS}")
    text = report(given.folder, models)
    print(text, end="")
    given.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
