"""Parsing with some of the gold heads given: are they all kept, do they help the other words, what do they cost?

    python benchmarks/constraints.py FOLDER    # hu, el, en_lines of FOLDER/*/{train,dev,test}.conllu
    python benchmarks/constraints.py FOLDER --treebanks ta --systems arc-eager,arc-hybrid

Every system that keeps given heads × Root position × one or several roots × greedy and beam 8; unlabeled, ZN11, one
member, few epochs. Of each test set 10, 30 and 50 % of the words, at random, have their gold head given: of these heads
the largest subset that a projective tree has (in the Span systems, none that is longer than their arcs).

Kept: the share of given heads that come out. UAS: of the words without a given head; free: of the same words when
nothing is given. Slower: CPU time of parsing with 30 % given against nothing given, the best of three runs each, taken
in turns. Finished tasks are kept in benchmarks/results/constraints.jsonl, the table in constraints.txt; the same
command goes on where it was stopped.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tasks import arguments, build, chosen, finish, number, publish

import panparser as pp

TREEBANKS = "hu,el,en_lines"
SHARES = (10, 30, 50)  # percent of the words
TIMED = 30
K = 3  # of the Span systems
WHOLE = ("arc-eager", "arc-hybrid", "non-monotonic-arc-eager", "arc-standard", "attardi")
PARTIAL = ("arc-eager-partial", "arc-hybrid-partial", "arc-eager-span", "arc-hybrid-span")
RUNS = 3
STATIC = pp.TrainingStrategy(oracle="static", update_at="max-violation")


@dataclass(frozen=True)
class Task:
    """One training, and the test set parsed under each share of constraints."""

    treebank: str
    system: str
    root: str
    single_root: bool
    beam: int
    epochs: int
    seed: int

    @property
    def key(self) -> str:
        return json.dumps(asdict(self))

    def table(self) -> pp.TransitionSystem:
        options: dict[str, Any] = {"root": self.root}
        if self.system in WHOLE:
            options["single_root"] = self.single_root
        if self.system.endswith("span"):
            options["k"] = K
        return pp.system(self.system, **options)

    def run(self, folder: Path) -> Result:
        return run_task(folder, self)

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        return (folder / self.treebank / "train.conllu").stat().st_size * self.epochs * (self.beam + 1)

    def __str__(self) -> str:
        return f"{self.treebank}, {self.system}, Root {self.root}, {'one root, ' * self.single_root}beam {self.beam}"


@dataclass(frozen=True)
class Result:
    """By share: given heads, those that were kept, UAS of the other words, and without any given; percent slower."""

    shares: dict[str, dict[str, float]]
    slower: float
    build: str

    def __str__(self) -> str:
        shares = self.shares.items()
        return ", ".join(f"{share} %: UAS {v['uas']:.2f} (free {v['free_uas']:.2f})" for share, v in shares)


def given_heads(treebank: pp.Treebank, system: pp.TransitionSystem, share: int, seed: int) -> list[pp.GoldTree]:
    """A share of the heads of each sentence, as far as one projective tree of the system has them."""
    draw = np.random.default_rng([seed, share])
    golds = []
    for sentence in treebank:
        heads = [int(head) if draw.random() < share / 100 else None for head in sentence.heads]
        root = 0 if system.root == "first" else len(heads) + 1
        near = [
            None if head is None or abs((head or root) - word) > (system.max_span or len(heads) + 1) else head
            for word, head in enumerate(heads, start=1)
        ]
        golds.append(pp.GoldTree(near).projective_subset(root=system.root, single_root=system.single_root))
    return golds


def run_task(folder: Path, task: Task) -> Result:
    train_set, dev, test = (
        pp.read_conllu(folder / task.treebank / f"{part}.conllu") for part in ("train", "dev", "test")
    )
    system = task.table()
    spec = pp.ParserSpec(system=system, templates=pp.templates("zn11"), beam=task.beam, labeled=False)
    # Exact costs of whole beams take long in arc-standard, and its static oracle serves as well. Attardi's does not:
    # constraints lead a parser to states that it must have learned to live with.
    strategy = STATIC if task.system == "arc-standard" and task.beam > 1 else pp.learning.MAX_VIOLATION
    parser = pp.train(spec, train_set, dev=dev, epochs=task.epochs, members=1, seed=task.seed, strategy=strategy)
    free, _ = parser.predict(test)
    shares: dict[str, dict[str, float]] = {}
    lag = 0.0
    for share in SHARES:
        constraints = pp.Constraints.from_treebank(test, golds=given_heads(test, system, share, task.seed))
        heads, _ = parser.predict(test, constraints=constraints)
        given = constraints.heads >= 0
        right = test.heads == heads
        shares[str(share)] = {
            "given": int(given.sum()),
            "kept": int((heads[given] == constraints.heads[given]).sum()),
            "uas": 100 * float(right[~given].mean()),
            "free_uas": 100 * float((test.heads == free)[~given].mean()),
        }
        if share == TIMED:
            lag = slower(parser, test, constraints)
    return Result(shares, lag, build())


def slower(parser: pp.Parser, test: pp.Treebank, constraints: pp.Constraints) -> float:
    """By how many percent."""
    times: dict[bool, list[float]] = {False: [], True: []}
    for _ in range(RUNS):
        for constrained, runs in times.items():
            start = time.process_time()
            parser.predict(test, constraints=constraints if constrained else None)
            runs.append(time.process_time() - start)
    return 100 * (min(times[True]) / min(times[False]) - 1)


def tasks(names: Sequence[str], systems: Sequence[str], epochs: int, seeds: Sequence[int]) -> Iterator[Task]:
    for name in names:
        for system in systems:
            for root in ("first", "last"):
                for single_root in (False, True) if system in WHOLE else (False,):
                    for beam in (1, 8):
                        for seed in seeds:
                            yield Task(name, system, root, single_root, beam, epochs, seed)


def report(wanted: Sequence[Task], results: dict[str, Result]) -> list[str]:
    titles = "".join(f"{f'{share} %':>8}{'kept':>8}{'UAS':>8}{'free':>8}" for share in SHARES)
    lines = [f"{'':58}{titles}{'slower':>9}"]
    found = [(task, results[task.key]) for task in wanted if task.key in results]
    for task, result in found:
        cells = ""
        for share in SHARES:
            values = result.shares[str(share)]
            cells += f"{values['given']:>8}" + number(100 * values["kept"] / values["given"])
            cells += number(values["uas"]) + number(values["free_uas"])
        lines.append(f"{task!s:58}{cells}{result.slower:>8.0f}%")
    if not found:
        return [*lines, "(nothing is finished yet)"]
    kept, given = (sum(v[what] for _, r in found for v in r.shares.values()) for what in ("kept", "given"))
    rising = [r for _, r in found if all(values["uas"] > values["free_uas"] for values in r.shares.values())]
    scores = [[values["uas"] for values in result.shares.values()] for _, result in found]
    more = [values for values in scores if values == sorted(values)]
    lags = [result.slower for _, result in found]
    return [
        *lines,
        "",
        f"kept: {kept} of {given} given heads",
        f"given heads help the other words, at every share, in {len(rising)} of {len(found)} tasks; "
        f"UAS of the others rises with the share in {len(more)}",
        f"slower by {sum(lags) / len(lags):.0f} % on average, {max(lags):.0f} % at most",
    ]


def main() -> None:
    parser = arguments(__doc__, "constraints", "1")
    parser.set_defaults(treebanks=TREEBANKS)
    parser.add_argument("--epochs", type=int, default=4, help="default 4")
    parser.add_argument("--systems", default=",".join((*WHOLE, *PARTIAL)), help="only these, with commas between them")
    options = parser.parse_args()
    names, seeds = chosen(options)
    systems = options.systems.split(",")
    if unknown := sorted(set(systems) - {*WHOLE, *PARTIAL}):
        sys.exit(f"{', '.join(unknown)}: expected some of {', '.join((*WHOLE, *PARTIAL))}")
    wanted = list(tasks(names, systems, options.epochs, seeds))
    results = finish(options, wanted, Result)
    title = f"Given heads, test sets, all tokens, {options.epochs} epochs, seeds {options.seeds}; given: their number"
    publish(options, [title, "", *report(wanted, results)])


if __name__ == "__main__":
    main()
