"""Networks beside the perceptron, spaCy and a biaffine graph parser on the same encoder; and the effect of oracles.

    python benchmarks/neural.py FOLDER                    # all tables; goes on where it was stopped
    python benchmarks/neural.py FOLDER --only oracles     # static, dynamic, with exploration, global beams
    python benchmarks/neural.py --table --results A.jsonl B.jsonl    # run nothing: the tables of these results

FOLDER/NAME/{train,dev,test}.conllu are treebanks of UD 2.0. Test sets, gold tags, all words, labels with subtypes,
means of three seeds; the epoch that is best on the development set. Networks learn on a GPU where there is one, and
never parse on it. spaCy is that of peers.py and needs the extra `bench`. Models stay in build/neural, for tasks that
test them in another way. Finished tasks are in benchmarks/results/neural.jsonl, the tables in neural.md.

Differences are tested over sentences, by approximate randomization; the counts of a sentence are summed over seeds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain
from pathlib import Path
from statistics import mean, stdev
from typing import Any

import numpy as np
from neural_tasks import CONTENDERS, NeuralTask, Outcome
from tasks import FOLDER, read, run

import panparser as pp
from panparser.evaluation.metrics import compare_evaluations

TREEBANKS = ("hu", "fr_sequoia", "got", "tr", "en")
SMALL_TREEBANKS = ("ta",)
EPOCHS = {"en": 32}  # of networks, where the default takes long
SMALLER = {"layers": 2, "size": 200, "arcs": 200, "labels": 64, "hidden": 200}
BRIEF = {**SMALLER, "learning": {"updates": 2500}}  # in as many epochs, by larger batches


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows of tasks; differences are from the row `reference`."""

    title: str
    treebanks: Sequence[str]
    rows: Mapping[str, Mapping[str, Any]]
    reference: str

    def tasks(self, treebanks: Sequence[str], seeds: Sequence[int]) -> Iterator[NeuralTask]:
        for name in self.treebanks:
            for row in self.rows if name in treebanks else ():
                yield from self.cell(row, name, seeds)

    def cell(self, row: str, treebank: str, seeds: Sequence[int]) -> list[NeuralTask]:
        """A task for each seed."""
        given = dict(self.rows[row])
        if given.get("kind", "network") in ("network", "graph"):
            given["epochs"] = EPOCHS.get(treebank)
        return [NeuralTask(treebank=treebank, seed=seed, **given) for seed in seeds]


TABLES = {
    "main": Table(
        title="Parsers",
        treebanks=TREEBANKS,
        rows={
            "perceptron, beam 8": {"kind": "perceptron"},
            "spaCy": {"kind": "spacy"},
            "BILSTM, greedy": {},
            "BILSTM, beam 8": {"tested": 8},
            "biaffine graph parser": {"kind": "graph"},
        },
        reference="BILSTM, greedy",
    ),
    "oracles": Table(
        title="Oracles, with a smaller BILSTM and fewer updates",
        treebanks=TREEBANKS,
        rows={
            "static": {"strategy": "static", "network": BRIEF},
            "dynamic": {"strategy": "dynamic-ambiguity", "network": BRIEF},
            "dynamic, with exploration": {"strategy": "dynamic", "network": BRIEF},
            "global, beam 8": {"strategy": "global", "beam": 8, "network": BRIEF},
        },
        reference="static",
    ),
    "small": Table(
        title="A small treebank",
        treebanks=SMALL_TREEBANKS,
        rows={
            "perceptron, beam 8": {"kind": "perceptron"},
            "BILSTM, greedy": {},
            "smaller BILSTM, greedy": {"network": SMALLER},
            "three smaller BILSTMs": {"kind": "vote", "network": SMALLER, "voters": ["network"] * 3},
            "smaller BILSTM and perceptron": {
                "kind": "vote",
                "network": SMALLER,
                "voters": ["network", "perceptron"],
            },
        },
        reference="perceptron, beam 8",
    ),
}
Results = Mapping[str, Outcome]  # by the key of the task


class Rendering:
    """A table as Markdown, from the results that there are."""

    def __init__(self, table: Table, results: Results, seeds: Sequence[int]) -> None:
        self.table, self.seeds = table, seeds
        self.by_seed = {
            (row, name): {task.seed: results[task.key] for task in table.cell(row, name, seeds) if task.key in results}
            for row in table.rows
            for name in table.treebanks
        }
        self.cells = {place: list(own.values()) for place, own in self.by_seed.items()}

    def lines(self) -> list[str]:
        lines = [f"## {self.table.title}", "", *self.scores()]
        if differences := self.differences():
            text = "LAS less that of {}, and the probability of a difference as large if there were none:"
            lines += ["", text.format(self.table.reference), "", *differences]
        if training := self.training():
            lines += [
                "",
                "Seconds of training (on a GPU of the clock, else of the CPU), and words learned from in a second:",
                "",
                *training,
            ]
        return [*lines, ""]

    def scores(self) -> list[str]:
        """UAS / LAS and their standard deviations, and their averages over treebanks."""
        several = len(self.table.treebanks) > 1
        rows = []
        for row in self.table.rows:
            groups = [self.cells[row, name] for name in self.table.treebanks]
            average = [_average(groups)] if several else []
            rows.append([row, *(_score(group, len(self.seeds)) for group in groups), *average])
        return _markdown(["", *self.table.treebanks, *(["average"] if several else [])], rows)

    def differences(self) -> list[str]:
        """Of LAS, of each row from the reference; the last column is of all sentences."""
        names, rows = self.table.treebanks, []
        for row in self.table.rows:
            pairs = [self._paired(row, name) for name in names]
            complete = [pair for pair in pairs if pair is not None]
            if row == self.table.reference or not complete:
                continue
            cells = ["-" if pair is None else _difference(*pair) for pair in pairs]
            both = [np.concatenate(side) for side in zip(*complete, strict=True)] if len(complete) == len(names) else []
            together = [_difference(*both) if both else "-"] if len(names) > 1 else []
            rows.append([row, *cells, *together])
        return _markdown(["", *names, *(["all words"] if len(names) > 1 else [])], rows) if rows else []

    def _paired(self, row: str, name: str) -> list[Any] | None:
        """Counts of the reference and of the row, of seeds that both have; None if there are none."""
        groups = [self.by_seed[each, name] for each in (self.table.reference, row)]
        seeds = groups[0].keys() & groups[1].keys()
        if not seeds:
            return None
        chosen = [[group[seed] for seed in seeds] for group in groups]
        return [sum(np.array([one.correct_both, one.words]).T for one in own) for own in chosen]

    def training(self) -> list[str]:
        """Of the rows that train something of their own."""
        rows = []
        for row, given in self.table.rows.items():
            groups = [self.cells[row, name] for name in self.table.treebanks]
            outcomes = list(chain.from_iterable(groups))
            if outcomes and not given.get("tested") and not given.get("voters"):
                devices = ", ".join(dict.fromkeys(one.device for one in outcomes))
                rows.append([row, *map(_pace, groups), devices])
        return _markdown(["", *self.table.treebanks, "on"], rows) if rows else []


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    rule = ["---", *["---:"] * (len(head) - 1)]
    return [f"| {' | '.join(row)} |" for row in (head, rule, *rows)]


def _score(group: Sequence[Outcome], seeds: int) -> str:
    if not group:
        return "-"
    columns = [one.uas for one in group], [one.las for one in group]
    means = " / ".join(f"{mean(column):.2f}" for column in columns)
    spread = f" (± {' / '.join(f'{stdev(column):.2f}' for column in columns)})" if len(group) > 1 else ""
    return means + spread + (f" [{len(group)} of {seeds} seeds]" if len(group) < seeds else "")


def _average(groups: Sequence[Sequence[Outcome]]) -> str:
    if not all(groups):
        return "-"
    return " / ".join(
        f"{mean(mean(getattr(one, name) for one in group) for group in groups):.2f}" for name in ("uas", "las")
    )


def _difference(reference: Any, other: Any) -> str:
    """Points of accuracy, and p; arguments: (sentences, 2) correct words, and words."""
    evaluations = [
        pp.Evaluation({}, 100.0, {"Words": counts[:, [1, 1, 1]], "LAS": counts[:, [0, 1, 1]]})
        for counts in (reference.astype(np.float64), other.astype(np.float64))
    ]
    found = compare_evaluations(*evaluations, bootstrap_samples=1)["LAS"]
    return f"{found.difference:+.2f} (p {found.p_randomization:.4f})"


def _pace(group: Sequence[Outcome]) -> str:
    if not group:
        return "-"
    seconds, words = mean(one.seconds for one in group), mean(one.trained_words for one in group)
    return f"{seconds:,.0f} s" + (f", {words / seconds:,.0f}" if words else "")


def render(results: Results, seeds: Sequence[int]) -> str:
    """The page of all tables."""
    builds = {one.build for one in results.values()}
    lines = [
        "# Networks",
        "",
        f"panparser {pp.__version__}, {date.today()}; `python benchmarks/neural.py`.",
        f"Test sets of UD 2.0, gold tags, all words, labels with subtypes: UAS / LAS, mean of seeds "
        f"{', '.join(map(str, seeds))} (± standard deviation).",
        *([f"Results are of {len(builds)} builds of panparser."] if len(builds) > 1 else []),
        "",
        *chain.from_iterable(Rendering(table, results, seeds).lines() for table in TABLES.values()),
    ]
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="folder of treebanks: */{train,dev,test}.conllu")
    parser.add_argument("--only", choices=TABLES, action="append", help="run the tasks of this table; default all")
    parser.add_argument("--kinds", default=",".join(CONTENDERS), help="of contenders that are run; default all")
    parser.add_argument("--tasks", type=Path, help="a file of tasks, a line of JSON each, to be run instead")
    parser.add_argument("--table", action="store_true", help="run nothing: write the tables of the results")
    parser.add_argument("--jobs", type=int, default=1, help="processes at a time; default 1")
    parser.add_argument("--seeds", default="1,2,3", help="default 1,2,3")
    parser.add_argument("--treebanks", default=",".join((*TREEBANKS, *SMALL_TREEBANKS)), help="only these")
    parser.add_argument(
        "--results", type=Path, nargs="+", default=[FOLDER / "neural.jsonl"], help="new ones: the first"
    )
    given = parser.parse_args()
    seeds = [int(seed) for seed in given.seeds.split(",")]
    if not given.table:
        if given.folder is None:
            parser.error("expected a folder of treebanks")
        if given.tasks:
            tasks = [NeuralTask(**json.loads(line)) for line in given.tasks.read_text().splitlines() if line.strip()]
        else:
            tables = [TABLES[name] for name in given.only or TABLES]
            found = chain.from_iterable(table.tasks(given.treebanks.split(","), seeds) for table in tables)
            tasks = [task for task in found if task.kind in given.kinds.split(",")]
        run(given.folder, tasks, given.results[0], given.jobs, Outcome)
    if not given.tasks:
        results = {key: one for path in given.results for key, one in read(path, Outcome).items()}
        (FOLDER / "neural.md").write_text(render(results, seeds), encoding="utf-8")


if __name__ == "__main__":
    main()
