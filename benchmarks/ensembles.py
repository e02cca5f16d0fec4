"""Is a vote of five seeds, and is the combination of five different parsers, better than the best one of the five?

    python benchmarks/ensembles.py FOLDER    # FOLDER/*/{train,dev,test}.conllu; goes on where it was stopped

Each repetition trains nine parsers on a treebank, by `panparser train` with a development set and no option but those
below: five that differ by their seed alone, and four that differ from the first of them in transition system, place of
Root or templates: with it they are five different ones.
The seeds vote; the trees of the different ones are combined. Of each five, the best is told twice: the one that is best
on the development set, which is the one that a user would take, and the one that happens to be best on the test set.
Test sets, gold tags, full labels, all tokens. Finished tasks are kept in benchmarks/results/ensembles.jsonl, the table
in ensembles.txt.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any, Literal

import numpy as np
from tasks import arguments, build, chosen, finish, number, publish

import panparser as pp
from panparser.training.parser_run import score

TREEBANKS = "hu,el,tr,ta,ga,got"
SEEDS = 5
OTHERS: tuple[tuple[str, Literal["first", "last"], dict[str, Any]], ...] = (  # name, Root, the rest of the spec
    ("arc-hybrid", "first", {}),
    ("arc-standard", "last", {}),
    ("swap-standard", "first", {}),
    ("non-monotonic-arc-eager", "first", {"templates": pp.templates("fast")}),
)
Pair = Sequence[float]  # UAS and LAS


@dataclass(frozen=True)
class Repetition:
    """One treebank, with seeds of its own."""

    treebank: str
    number: int

    @property
    def key(self) -> str:
        return json.dumps({"treebank": self.treebank, "repetition": self.number})

    def __str__(self) -> str:
        return f"{self.treebank}, repetition {self.number}"

    @property
    def seeds(self) -> list[int]:
        return [SEEDS * (self.number - 1) + i for i in range(1, SEEDS + 1)]

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        return (folder / self.treebank / "train.conllu").stat().st_size

    def run(self, folder: Path) -> Outcome:
        """Trains nine parsers, and lets them vote and be combined."""
        start = time.process_time()
        treebank, dev, test = (
            pp.read_conllu(folder / self.treebank / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        alike = [pp.train(pp.ParserSpec(), treebank, dev=dev, seed=seed) for seed in self.seeds]
        others = [
            pp.train(
                pp.ParserSpec(system=pp.system(name, root=root, single_root=True), **rest), treebank, dev=dev, seed=seed
            )
            for seed, (name, root, rest) in zip(self.seeds[1:], OTHERS, strict=True)
        ]
        different = [alike[0], *others]
        if any(parser.training["interrupted"] for parser in alike + others):
            raise KeyboardInterrupt
        on_dev, on_test = ([parser.parse(part) for parser in different] for part in (dev, test))
        weights = {by: pp.ensembles.estimate_arc_weights(dev, on_dev, column=by) for by in (None, "upos")}
        together = {
            "vote": pp.make_voting_parser(alike).parse(test),
            "vote, dev: weights": pp.make_voting_parser(alike, dev=dev).parse(test),
            "combined": pp.combine_trees(on_test),
            "combined, dev: weights": pp.combine_trees(on_test, weights=weights[None]),
            "combined, weights by tag": pp.combine_trees(on_test, weights=weights["upos"]),
            "seeds combined": pp.combine_trees([parser.parse(test) for parser in alike]),
        }
        return Outcome(
            alike=[[both(parser, part) for parser in alike] for part in (dev, test)],
            different=[[both(parser, part) for parser in different] for part in (dev, test)],
            together={name: scores(test, found) for name, found in together.items()},
            cpu=time.process_time() - start,
            build=build(),
        )


@dataclass(frozen=True)
class Outcome:
    """Scores of the parsers on development and test set, and of what they are together on the test set."""

    alike: Sequence[Sequence[Pair]]
    different: Sequence[Sequence[Pair]]
    together: Mapping[str, Pair]
    cpu: float
    build: str

    def __str__(self) -> str:
        return ", ".join(f"{name} {uas:.2f} {las:.2f}" for name, (uas, las) in self.rows().items())

    def rows(self) -> dict[str, Pair]:
        """Everything by name; each score of the best one is its own."""
        found: dict[str, Pair] = {}
        for name, (dev, test) in (("seeds", self.alike), ("different", self.different)):
            by_dev = max(range(len(dev)), key=[las for _, las in dev].__getitem__)
            found[f"{name}: mean"] = [mean(pair[i] for pair in test) for i in (0, 1)]
            found[f"{name}: best on dev"] = test[by_dev]
            found[f"{name}: best on test"] = [max(pair[i] for pair in test) for i in (0, 1)]
        return found | dict(self.together)


def both(parser: pp.Parser, gold: pp.Treebank) -> Pair:
    uas, las = score(parser, gold)
    return [uas, las or 0.0]


def scores(gold: pp.Treebank, predicted: pp.Treebank) -> Pair:
    """UAS and LAS as `score` counts them: full labels, words with a gold head."""
    known = gold.heads >= 0
    heads = (gold.heads == predicted.heads) & known
    names = {name: i for i, name in enumerate(gold.vocabulary("deprel"))}
    own = np.array([names.get(name, -1) for name in predicted.vocabulary("deprel")])
    same = own[predicted.labels] == gold.labels
    total = max(1, int(known.sum()))
    return [100 * int(heads.sum()) / total, 100 * int((heads & same).sum()) / total]


BARS = (  # what must be above what on the average, in UAS and LAS
    ("vote", "seeds: best on dev"),
    ("vote", "seeds: best on test"),
    ("combined, dev: weights", "different: best on dev"),
    ("combined, dev: weights", "different: best on test"),
)


def table(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """UAS / LAS of each treebank (mean over repetitions), and their average."""
    means = {
        name: {row: [mean(outcome.rows()[row][i] for outcome in group) for i in (0, 1)] for row in group[0].rows()}
        for name, group in outcomes.items()
    }
    rows = list(next(iter(means.values())))
    average = {row: [mean(means[name][row][i] for name in means) for i in (0, 1)] for row in rows}
    lines = [f"{'':26}" + "".join(f"{name:>16}" for name in means) + f"{'average':>16}"]
    for row in rows:
        cells = [*(means[name][row] for name in means), average[row]]
        lines.append(f"{row:26}" + "".join(f"{number(uas)}{number(las)}" for uas, las in cells))
    lines.append("")
    for better, worse in BARS:
        gains = [average[better][i] - average[worse][i] for i in (0, 1)]
        verdict = "above" if min(gains) > 0 else "NOT ABOVE"
        lines.append(f"{better}: {verdict} {worse} (UAS {gains[0]:+.2f}, LAS {gains[1]:+.2f})")
    return lines


def main() -> None:
    parser = arguments(__doc__, "ensembles", "1,2,3")
    parser.set_defaults(treebanks=TREEBANKS)
    options = parser.parse_args()
    names, repetitions = chosen(options)
    wanted = {name: [Repetition(name, i) for i in repetitions] for name in names}
    results = finish(options, [task for group in wanted.values() for task in group], Outcome)
    found = {name: [results[task.key] for task in group if task.key in results] for name, group in wanted.items()}
    done = {name: group for name, group in found.items() if len(group) == len(repetitions)}
    if not done:
        publish(options, ["no treebank is finished"])
        return
    missing = [name for name in names if name not in done]
    notes = [f"not finished, so not in the table: {', '.join(missing)}"] if missing else []
    cpu = sum(outcome.cpu for group in done.values() for outcome in group)
    title = f"UAS and LAS on test sets, mean over repetitions {options.seeds}; {cpu / 3600:.2f} hours of CPU"
    publish(options, [title, "", *table(done), *notes])


if __name__ == "__main__":
    main()
