"""All transition systems, greedy and with a beam of 8: accuracy, crossing arcs, speed.

    python benchmarks/systems.py FOLDER              # of treebanks; goes on where it stopped
    python benchmarks/systems.py FOLDER --report     # prints what is there

Each system has its default templates, and is trained with its dynamic oracle, if it has one, with exploration when it
is greedy (SwapStandard then with its static-dynamic one); Root is last. Scores are of test sets with gold tags, all
words, labels with subtypes. The recall of crossing arcs is the share of words whose gold arc crosses another one and
whose head was found. Treebanks are sorted by the share of sentences in their training sets that are not projective.
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grid import arguments, build, chosen, crossing, finish, number, publish

import panparser as pp
from panparser.systems.registry import BUILT_IN

SYSTEMS = tuple(name for name in BUILT_IN if not name.endswith(("partial", "span")))
BEAMS = (1, 8)
SWAP = "swap-standard"


@dataclass(frozen=True, kw_only=True)
class SystemTask:
    """One training of a system."""

    treebank: str
    seed: int
    system: str
    beam: int

    @property
    def key(self) -> str:
        return json.dumps(asdict(self))

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit: words meet all those before them in Covington's system."""
        size = (folder / self.treebank / "train.conllu").stat().st_size
        return size * (self.beam + 1) * (5 if self.system in ("covington", "easy-first", "attardi") else 1)

    def __str__(self) -> str:
        return f"{self.treebank}, {self.system}, beam {self.beam}, seed {self.seed}"

    def run(self, folder: Path) -> SystemResult:
        train_set, dev, test = (
            pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        greedy = self.beam == 1
        system = pp.system(self.system, **({"oracle": "static-dynamic"} if greedy and self.system == SWAP else {}))
        explores = greedy and system.has_dynamic_oracle
        options: dict[str, Any] = {"strategy": pp.STRATEGIES["dynamic-explore"]} if explores else {}
        start = time.process_time()
        parser = pp.train(
            pp.ParserSpec(system=system, beam=self.beam), train_set, dev=dev, seed=self.seed, threads=1, **options
        )
        trained = time.process_time() - start
        start = time.process_time()
        found = parser.parse(test, threads=1)
        parsed = time.process_time() - start
        scores = pp.evaluate(test, found, samples=0)
        crosses, _ = pp.nonprojectivity(test.heads, test.offsets)
        right = found.heads[crosses] == test.heads[crosses]
        return SystemResult(
            uas=scores.uas,
            las=scores["FullLAS"].f1,
            crossing_recall=100 * float(right.mean()) if len(right) else float("nan"),
            crossing_words=len(right),
            trained=trained,
            rate=test.words / parsed,
            share=crossing(train_set),
            build=build(),
        )


@dataclass(frozen=True, kw_only=True)
class SystemResult:
    """Scores and `crossing_recall` in percent, CPU seconds of training, words parsed in a CPU second.

    `share`: of sentences of the training set that are not projective, in percent.
    """

    uas: float
    las: float
    crossing_recall: float
    crossing_words: int
    trained: float
    rate: float
    share: float
    build: str

    def __str__(self) -> str:
        return f"{self.uas:.2f}/{self.las:.2f}, crossing {self.crossing_recall:.1f}, {self.trained:.0f} s"


def mean(results: list[SystemResult], field: str) -> float:
    return sum(getattr(result, field) for result in results) / len(results) if results else float("nan")


def average(values: list[float]) -> float:
    """Not a number if one is missing."""
    return sum(values) / len(values) if values else float("nan")


def report(results: dict[str, SystemResult], names: list[str], seeds: list[int]) -> list[str]:
    """Tables for each beam, a line for each system and a column for each treebank; then speeds."""

    def of(name: str, system: str, beam: int) -> list[SystemResult]:
        tasks = [SystemTask(treebank=name, seed=seed, system=system, beam=beam) for seed in seeds]
        return [results[task.key] for task in tasks if task.key in results]

    def share(name: str) -> float:
        return mean([result for beam in BEAMS for system in SYSTEMS for result in of(name, system, beam)], "share")

    known = sorted((name for name in names if share(name) == share(name)), key=share)
    lines = []
    for beam in BEAMS:
        kind = "greedy" if beam == 1 else f"beam {beam}"
        for field, title in (("las", "LAS"), ("uas", "UAS"), ("crossing_recall", "Recall of crossing arcs")):
            lines += [f"{title}, {kind}, mean of seeds {', '.join(map(str, seeds))}"]
            lines += [f"{'':25}" + "".join(f"{name:>11}" for name in known) + f"{'average':>11}"]
            lines += [f"{'sentences that cross, %':25}" + "".join(number(share(name), 11, 1) for name in known)]
            for system in SYSTEMS:
                values = [mean(of(name, system, beam), field) for name in known]
                lines += [f"{system:25}" + "".join(number(value, 11) for value in (*values, average(values)))]
            lines += [""]
        lines += [f"{'Speed, ' + kind:44}{'s of training':>15}{'words/s':>12}"]
        for system in SYSTEMS:
            own = [result for name in known for result in of(name, system, beam)]
            lines += [f"{system:44}{number(mean(own, 'trained'), 15, 0)}{number(mean(own, 'rate'), 12, 0)}"]
        lines += [""]
    builds = {result.build for result in results.values()}
    return lines + ([f"results are of {len(builds)} builds of panparser"] if len(builds) > 1 else [])


def main() -> None:
    options = arguments(__doc__, "systems", "1").parse_args()
    names, seeds = chosen(options)
    tasks = [
        SystemTask(treebank=name, seed=seed, system=system, beam=beam)
        for name in names
        for seed in seeds
        for system in SYSTEMS
        for beam in BEAMS
    ]
    publish(options, report(finish(options, tasks, SystemResult), names, seeds))


if __name__ == "__main__":
    main()
