"""Learning from partial annotation: half of the annotations (words at random) against all, and half of the sentences.

    python benchmarks/partial.py FOLDER --treebanks fr_sequoia

FOLDER/NAME/{train,dev,test}.conllu, as in Universal Dependencies. For each treebank and seed the same parser learns
from the whole training set, from one where a share of the words has lost head and label, and from so large a share
of the sentences; development and test sets stay whole. The seed also draws words and sentences.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from tasks import PARTS, arguments, build, chosen, finish, number, publish

import panparser as pp

KINDS, ALL = ("", "annotations", "sentences"), "all"  # of parts; the first is the whole
MOST_LOST = 1.5  # UAS, against all annotations


@dataclass(frozen=True)
class Task:
    """The default parser, which learns from a treebank or a part of it."""

    treebank: str
    seed: int
    part: tuple[str, float] | None = None  # annotations (words) or sentences, and what share

    @property
    def key(self) -> str:
        return json.dumps({name: value for name, value in asdict(self).items() if value is not None})

    def __str__(self) -> str:
        return f"{self.treebank}, seed {self.seed}, {'all' if self.part is None else self.part[0]}"

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        return (folder / self.treebank / "train.conllu").stat().st_size

    def run(self, folder: Path) -> Result:
        start = time.process_time()
        train, dev, test = (pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in PARTS)
        if self.part is not None:
            train = drawn(train, *self.part, self.seed)
        parser = pp.train(pp.ParserSpec(), train, dev=dev, seed=self.seed)
        scores = pp.evaluate(test, parser.parse(test), bootstrap_samples=0)
        return Result(scores.uas, scores["FullLAS"].f1, time.process_time() - start, len(train), build())


@dataclass(frozen=True)
class Result:
    """Scores on the test set, CPU seconds, and sentences to learn from."""

    uas: float
    las: float
    cpu: float
    sentences: int
    build: str

    def __str__(self) -> str:
        return f"UAS {self.uas:.2f}, LAS {self.las:.2f}, {self.cpu:.1f} s"


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


def task_of(name: str, seed: int, kind: str, share: float) -> Task:
    return Task(name, seed, (kind, share) if kind else None)


def report(results: Mapping[str, Result], names: list[str], seeds: list[int], share: float) -> list[str]:
    lines = [
        f"UAS and LAS on the test set; {100 * share:g} % of the annotations (words at random), or of the sentences"
    ]
    header = "".join(f"{f'{kind or ALL} {metric}':>18}" for kind in KINDS for metric in ("UAS", "LAS"))
    lines += ["", f"{'treebank':16}{header}{'lost':>8}{'gained':>8}"]
    for name in names:
        keys = {kind: [task_of(name, seed, kind, share).key for seed in seeds] for kind in KINDS}
        if any(key not in results for some in keys.values() for key in some):
            lines.append(f"{name:16} not finished")
            continue
        means = {
            (kind, metric): float(np.mean([getattr(results[key], metric) for key in keys[kind]]))
            for kind in KINDS
            for metric in ("uas", "las")
        }
        cells = "".join(number(value, 18) for value in means.values())
        lost = means["", "uas"] - means["annotations", "uas"]
        gained = means["annotations", "uas"] - means["sentences", "uas"]
        verdict = "" if lost <= MOST_LOST and gained > 0 else "  not as wanted"
        lines.append(f"{name:16}{cells}{number(lost)}{number(gained)}{verdict}")
    return [*lines, "", "lost: UAS against all annotations", "gained: UAS against as many of the sentences"]


def main() -> None:
    parser = arguments(__doc__, "partial", "1,2,3")
    parser.add_argument("--share", type=float, default=0.5, help="of what is kept; default 0.5")
    options = parser.parse_args()
    if not options.treebanks:
        options.treebanks = "fr_sequoia"
    names, seeds = chosen(options)
    tasks = [task_of(name, seed, kind, options.share) for name in names for seed in seeds for kind in KINDS]
    publish(options, report(finish(options, tasks, Result), names, seeds, options.share))


if __name__ == "__main__":
    main()
