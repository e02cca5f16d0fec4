"""What do models of tags gain in transfer between languages? Sources selected, reordered, rewritten by typology.

    python benchmarks/tag_models.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,dev,test}.conllu; goes on where it stopped

Of each source 500 sentences are drawn, and a greedy, delexicalized parser learns from them (as in transfer.py): as they
are; the nine tenths of them whose tags are most probable in the target; reordered by a model of its tags; rewritten by
what WALS says of it; rewritten, then reordered. The model learns from the tags of at most 1000 sentences of the
target's training set. Sources are seven of different families, targets the first treebank of each language.
Gold tags; UAS of all tokens of at most 300 sentences of the test set. Finished tasks are kept in
benchmarks/results/tag_models.jsonl, the tables in tag_models.txt, the first of them also in tag_models.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from measured import claims, keep
from tasks import arguments, build, finish, number, publish
from transfer import PLAIN, SENTENCES, TESTED, language, parsed, scores, spread_of, ways

import panparser as pp

SOURCES = ("en", "fr_sequoia", "el", "et", "id", "ta", "tr")
TAGGED, SHARE = 1000, 0.9
ROWS = (PLAIN, "selected", "reordered", "rewritten", "rewritten, reordered")
THESIS = {PLAIN: "49.2", "selected": "-0.1", "reordered": "+2.3", "rewritten": "+2.9"}  # means of 40 languages


@dataclass(frozen=True)
class Task:
    """One target, with what is drawn and learned by one seed."""

    target: str
    seed: int

    @property
    def key(self) -> str:
        return json.dumps({"target": self.target, "seed": self.seed})

    def __str__(self) -> str:
        return f"{self.target}, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        """About how long it takes, in no unit."""
        return (folder / self.target / "test.conllu").stat().st_size

    def run(self, folder: Path) -> Outcome:
        start = time.process_time()
        test = pp.sample_sentences(pp.read_conllu(folder / self.target / "test.conllu"), TESTED)
        model = pp.transfer.TagLanguageModel.from_treebank(
            pp.sample_sentences(pp.read_conllu(folder / self.target / "train.conllu"), TAGGED, seed=self.seed)
        )
        rewrite = ways(language(self.target), self.seed).get("full")
        found: dict[str, dict[str, float]] = {}
        for name in SOURCES:
            if language(name) == language(self.target):
                continue
            drawn = pp.sample_sentences(pp.read_conllu(folder / name / "train.conllu"), SENTENCES, seed=self.seed)
            made = {
                PLAIN: drawn,
                "selected": pp.transfer.select_similar_sentences(drawn, model, share=SHARE),
                "reordered": pp.transfer.reorder_words(drawn, model)[0],
            }
            if rewrite is not None:
                made["rewritten"] = rewrite(drawn)
                made["rewritten, reordered"] = pp.transfer.reorder_words(made["rewritten"], model)[0]
            found[name] = {
                row: scores(test, parsed(treebank, {"test": test}, self.seed)["test"])[0]
                for row, treebank in made.items()
            }
        return Outcome(found, time.process_time() - start, build())


@dataclass(frozen=True)
class Outcome:
    """Of one target: UAS by source and way."""

    scores: Mapping[str, Mapping[str, float]]
    cpu: float
    build: str

    def __str__(self) -> str:
        rows = (mean(each[row] for each in self.scores.values() if row in each) for row in ROWS[:3])
        return ", ".join(f"{row} {value:.2f}" for row, value in zip(ROWS, rows, strict=False)) + f", {self.cpu:.0f} s"


def spread(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """How UAS of pairs is spread, and what each way gains."""
    pairs = [each for one in outcomes.values() for each in one.scores.values() if "rewritten" in each]
    return {row: spread_of([each[row] for each in pairs], [each[PLAIN] for each in pairs]) for row in ROWS}


def of_pairs(outcomes: Mapping[str, Outcome]) -> list[str]:
    """How the scores of pairs are spread, and what each way gains."""
    rows = spread(outcomes)
    lines = [
        f"UAS of {rows[PLAIN]['pairs']} pairs".ljust(24)
        + "     min  median     max    mean    gain  better   worse   thesis"
    ]
    for row, figures in rows.items():
        cells = "".join(number(figures[name]) for name in ("least", "median", "most", "mean", "gain"))
        shares = f"{figures['better']:8}{figures['worse']:8}"
        lines.append(f"{row:24}{cells}{shares}{THESIS.get(row, '-'):>9}")
    return [*lines, ""]


def by_target(outcomes: Mapping[str, Outcome]) -> list[str]:
    """The mean over sources of each target."""
    lines = ["mean over sources".ljust(16) + "".join(f"{row:>22}" for row in ROWS)]
    for name, one in outcomes.items():
        values = [[each[row] for each in one.scores.values() if row in each] for row in ROWS]
        cells = "".join(number(mean(each) if each else float("nan"), 22, 1) for each in values)
        lines.append(f"{name:16}{cells}")
    return lines


def main() -> None:
    parser = arguments(__doc__, "tag_models", "1")
    options = parser.parse_args()
    large = sorted(path.parent.name for path in options.folder.glob("*/train.conllu") if path.stat().st_size)
    first = {language(name): name for name in reversed(large)}
    names = options.treebanks.split(",") if options.treebanks else sorted(first.values())
    if missing := {*names, *SOURCES} - {*large}:
        parser.error(f"{options.folder}: expected treebanks with train.conllu: {', '.join(sorted(missing))}")
    tasks = {name: Task(name, int(options.seeds.split(",")[0])) for name in names}
    results = finish(options, tasks.values(), Outcome)
    done = {name: results[task.key] for name, task in tasks.items() if task.key in results}
    if not done:
        publish(options, ["no target is finished"])
        return
    cpu = sum(outcome.cpu for outcome in done.values())
    publish(options, [f"seed {options.seeds}; {cpu / 60:.0f} minutes of CPU", "", *of_pairs(done), *by_target(done)])
    if not options.report:
        keep("tag_models", claims("tag_models", spread(done), done.values()), options.results.parent)


if __name__ == "__main__":
    main()
