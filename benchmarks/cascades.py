"""What cascades bring: a partial parser for what is easy, then a complete one, against one parser; by class of words.

    python benchmarks/cascades.py FOLDER    # FOLDER/*/{train,dev,test}.conllu; goes on where it was stopped

For each treebank and seed: regions (tag and direction) that a quick parser gets right in 90 % of the cases on held-out
folds of the training set, in fewer where there are none; a cascade of two stages for each way that the second is
trained (under predicted, gold or no constraints); and the plain parser with the same options as the last stage. Scores
are of test sets, with gold tags. Finished tasks are kept in benchmarks/results/cascades.jsonl, the tables in
cascades.txt.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tasks import PARTS, arguments, build, chosen, finish, publish

import panparser as pp

TREEBANKS = "hu,el,tr,ta,ga,got"
WAYS = ("predicted", "gold", "none")
PRECISIONS = (0.9, 0.85, 0.8)
Counts = dict[str, list[int]]  # by tag: words, words with a right head, those whose label is right too


def counts(gold: pp.Treebank, parsed: pp.Treebank, chosen_words: Any = None) -> Counts:
    """By tag of the gold: words that count, right heads, right heads and labels."""
    words = gold.heads >= 0 if chosen_words is None else chosen_words
    labels = [np.array(t.vocabulary("deprel"), dtype=object)[t.column("deprel")] for t in (gold, parsed)]
    right = gold.heads == parsed.heads
    both = right & (labels[0] == labels[1])
    tags = np.array(gold.vocabulary("upos"), dtype=object)[gold.column("upos")]
    return {
        tag: [int(part[tags == tag].sum()) for part in (words, words & right, words & both)]
        for tag in sorted(set(tags.tolist()))
    }


@dataclass(frozen=True)
class Task:
    """A plain parser and three cascades for a treebank."""

    treebank: str
    seed: int

    @property
    def key(self) -> str:
        return json.dumps({"treebank": self.treebank, "seed": self.seed})

    def __str__(self) -> str:
        return f"{self.treebank}, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        return (folder / self.treebank / "train.conllu").stat().st_size

    def run(self, folder: Path) -> Outcome:
        train, dev, test = (pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in PARTS)
        regions: tuple[pp.ArcRegion, ...] = ()
        precision = 0.0
        for precision in PRECISIONS:
            if regions := pp.ensembles.estimate_regions(train, precision=precision, seed=self.seed):
                break
        plain = pp.train(pp.ParserSpec(), train, dev=dev, seed=self.seed)
        found = {"plain": counts(test, plain.parse(test))}
        stages = (pp.CascadeStage(name="easy", regions=regions), pp.CascadeStage(name="rest", spec=pp.ParserSpec()))
        for way in WAYS:
            cascade = pp.train_cascade(stages, train, dev=dev, stage_constraints=way, seed=self.seed)  # type: ignore[arg-type]
            found[way] = counts(test, cascade.parse(test))
            if way == "predicted":
                given = cascade.predict_constraints(test)
                easy = cascade.parsers[0].parse(test, constraints=given, relax=True)
                found["easy"] = counts(test, easy, given.heads >= 0)
        return Outcome(precision, [str(region) for region in regions], found, build())


@dataclass(frozen=True)
class Outcome:
    """The regions of the easy stage, how precise they had to be, and counts by setting."""

    precision: float
    regions: Sequence[str]
    counts: Mapping[str, Counts]
    build: str

    def __str__(self) -> str:
        return ", ".join(
            f"{setting} {percent(uas, words).strip()} {percent(las, words).strip()}"
            for setting in ("plain", *WAYS)
            for words, uas, las in [totals([self], setting)]
        )


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:8.2f}" if whole else f"{'-':>8}"


def totals(outcomes: Sequence[Outcome], setting: str, tag: str | None = None) -> list[int]:
    """Words, right heads, right heads and labels: of all tags, or of one."""
    found = [outcome.counts[setting] for outcome in outcomes]
    chosen = [[by[tag]] if tag in by else [] if tag else list(by.values()) for by in found]
    return [sum(count[i] for group in chosen for count in group) for i in range(3)]


def row(outcomes: Sequence[Outcome], tag: str | None = None) -> str:
    """How many words the easy stage attaches, and how well; then scores of all settings."""
    words, (easy, right, _) = totals(outcomes, "plain", tag)[0], totals(outcomes, "easy", tag)
    cells = "".join(
        f"{percent(uas, words):>15}{percent(las, words)}"
        for _, uas, las in (totals(outcomes, setting, tag) for setting in ("plain", *WAYS))
    )
    return f"{percent(easy, words):>16}{percent(right, easy):>11}{cells}"


def report(found: Mapping[str, Sequence[Outcome]]) -> list[str]:
    header = "".join(f"{f'{setting} UAS':>15}{'LAS':>8}" for setting in ("plain", *WAYS))
    header = f"{'easy: coverage':>16}{'precision':>11}{header}"
    every = [outcome for group in found.values() for outcome in group]
    lines = [f"{'treebank':12}{'seeds':>6}{header}"]
    lines += [f"{name:12}{len(group):6}{row(group)}" for name, group in found.items()]
    lines += ["", "by tag, all treebanks: UAS and LAS; of the easy stage how many words it attaches, and how well", ""]
    lines.append(f"{'tag':10}{'words':>8}{header}")
    for tag in sorted({tag for outcome in every for tag in outcome.counts["plain"]}):
        lines.append(f"{tag:10}{totals(every, 'plain', tag)[0]:8}{row(every, tag)}")
    lines += ["", "regions of the easy stage, first seed:"]
    lines += [f"{name:12}{group[0].precision:.2f}  {'; '.join(group[0].regions)}" for name, group in found.items()]
    return lines


def main() -> None:
    parser = arguments(__doc__, "cascades", "1,2,3")
    parser.set_defaults(treebanks=TREEBANKS)
    options = parser.parse_args()
    names, seeds = chosen(options)
    wanted = {name: [Task(name, seed) for seed in seeds] for name in names}
    results = finish(options, [task for group in wanted.values() for task in group], Outcome)
    found = {name: [results[task.key] for task in group if task.key in results] for name, group in wanted.items()}
    publish(options, report({name: group for name, group in found.items() if group}))


if __name__ == "__main__":
    main()
