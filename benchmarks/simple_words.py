"""Why simple words gain more from other languages here, and complex ones in the slides of Aufrant's thesis (2018).

    python benchmarks/simple_words.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,test}.conllu; resumable

Three reasons are tried on the targets, samples and test sentences of sample_worth.py, whose results it reads, transfer
among them. Which words are simple: those of eight tags before their heads (the criterion `difficulty`, which are the
slides' eight most learnable classes), or the eight least complex classes of the slides, where nouns after their heads
take the place of subordinators. And what a parser of the sample reads: LEAN, with lemmas, XPOS and FEATS, or ZN11
(Zhang & Nivre 2011), words and UPOS alone. Other settings as there. And which languages: those with as many simple
words as the slides have, whose figures (73.4, 55.8 and 66.1 for simple, complex and all words) make 58 %, and others.
Finished tasks are kept in benchmarks/results/simple_words.jsonl, the tables in simple_words.txt.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measured import claims, keep
from sample_worth import CLASSES, LEARNING, SAMPLES, SIZES, SPEC, count, groups
from sample_worth import Outcome as Worth
from tasks import arguments, build, finish, number, one_seed, publish, read
from transfer import TESTED

import panparser as pp
from panparser.lab import analysis

WORTH = Path(__file__).parent / "results" / "sample_worth.jsonl"
_LEARNABILITY, _COMPLEXITY = 0, 2  # among the figures of CLASSES
THESIS = {"simple": "14", "complex": "60", "all": "32"}
SHOWN = (10, 50, 200)
MANY = 0.55  # share of simple words, by the second definition


def first(place: int, sign: int) -> tuple[str, ...]:
    """The slides' eight classes with the largest, or least, figures."""
    return tuple(sorted(CLASSES, key=lambda name: sign * CLASSES[name][place])[:8])


DEFINITIONS = {"most learnable": first(_LEARNABILITY, -1), "least complex": first(_COMPLEXITY, 1)}
READ = ("lean", "zn11")  # templates


@dataclass(frozen=True)
class Task:
    """Curves of a parser that reads words and UPOS alone."""

    target: str
    seed: int

    @property
    def key(self) -> str:
        return json.dumps({"target": self.target, "seed": self.seed})

    def __str__(self) -> str:
        return f"{self.target}, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        return (folder / self.target / "test.conllu").stat().st_size

    def run(self, folder: Path) -> Outcome:
        start = time.process_time()
        train, test = (pp.read_conllu(folder / self.target / f"{part}.conllu") for part in ("train", "test"))
        spec = pp.ParserSpec(templates=pp.templates("zn11"), **SPEC)
        curves = analysis.sample_curves(
            spec, train, pp.sample_sentences(test, TESTED), SIZES, "upos,direction,difficulty,kind",
            samples_per_size=SAMPLES, seed=self.seed, **LEARNING,
        )  # fmt: skip
        words, classes = curves.words[:-1], {}
        for name, chosen in groups(curves.index[:-1]).items():
            scores = curves.scores[:-1][chosen].mean(axis=2)
            mean = (scores * words[chosen, None]).sum(axis=0) / words[chosen].sum()
            classes[name] = {"words": int(words[chosen].sum()), "scores": [round(float(each), 3) for each in mean]}
        return Outcome(classes, time.process_time() - start, build())


@dataclass(frozen=True)
class Outcome:
    """Of one target: words and scores by class."""

    classes: Mapping[str, Mapping[str, Any]]
    cpu: float
    build: str

    def __str__(self) -> str:
        return f"10 sentences {self.classes['all']['scores'][2]:.1f}, 500 {self.classes['all']['scores'][-1]:.1f}"


def joined(classes: Mapping[str, Mapping[str, Any]], names: Sequence[str], key: str) -> tuple[float, Any]:
    """How many words some classes have together, and the sum of their scores, by word."""
    rows = [classes[name] for name in names if name in classes]
    return sum(row["words"] for row in rows), sum(row["words"] * np.array(row[key]) for row in rows)


def parts(classes: Mapping[str, Mapping[str, Any]], simple: Sequence[str], key: str) -> dict[str, Any]:
    """The scores of simple words, of all others and of all."""
    words, total = joined(classes, simple, key)
    every, sum_of_all = joined(classes, ["all"], key)
    return {"simple": total / words, "complex": (sum_of_all - total) / (every - words), "all": sum_of_all / every}


def share(outcome: Worth, simple: Sequence[str]) -> float:
    """Of simple words among all."""
    return float(joined(outcome.classes, simple, "scores")[0] / outcome.classes["all"]["words"])


Figures = dict[tuple[str, str, str], dict[str, float]]  # by definition of simple classes, templates, and part


def figures(worth: Mapping[str, Worth], other: Mapping[str, Outcome]) -> Figures:
    """Scores, where they meet transfer, and in how many targets that is later for simple words than for others."""
    found: Figures = {}
    for name, simple in DEFINITIONS.items():
        transfer = {target: parts(one.classes, simple, "transfer") for target, one in worth.items()}
        both: tuple[Mapping[str, Any], ...] = (worth, other)
        for templates, outcomes in zip(READ, both, strict=True):
            own = {target: parts(one.classes, simple, "scores") for target, one in outcomes.items()}
            each = {
                part: {target: even(scores[part], transfer[target][part]) for target, scores in own.items()}
                for part in THESIS
            }
            for part in THESIS:
                mean = np.mean([scores[part] for scores in own.values()], axis=0)
                far = float(np.mean([scores[part] for scores in transfer.values()]))
                row = {f"UAS of {n}": float(mean[SIZES.index(n)]) for n in SHOWN}
                found[name, templates, part] = {**row, "transfer": far, "break-even": even(mean, far)}
            found[name, templates, "simple"] |= {
                "% of words": float(100 * np.mean([share(one, simple) for one in worth.values()])),
                "later": sum(each["simple"][target] > each["complex"][target] for target in own),
                "targets": len(own),
            }
    return found


def table(found: Figures) -> list[str]:
    lines = []
    for name, simple in DEFINITIONS.items():
        words = found[name, READ[0], "simple"]["% of words"]
        lines.append(f"simple: the slides' {name} classes, {words:.0f} % of words")
        lines.append(f"  {', '.join(simple)}")
        scores = [f"UAS of {n}" for n in SHOWN]
        lines.append(
            f"{'':26}" + "".join(f"{f'UAS, {n}':>10}" for n in SHOWN) + "  transfer  break-even  later  slides"
        )
        for templates in READ:
            for part, slides in THESIS.items():
                row = found[name, templates, part]
                cells = "".join(number(row[score], 10, 1) for score in (*scores, "transfer"))
                later = f"{row['later']:>7}" if "later" in row else f"{'':7}"
                lines.append(f"{templates + ', ' + part:26}{cells}{count(row['break-even']):>12}{later}{slides:>8}")
        lines.append("")
    return lines


def even(scores: Any, level: float) -> float:
    """The sentences at which a curve meets a level; not a number, if it never does."""
    curves = analysis.Curves(
        index=["all"],
        words=np.array([1]),
        sizes=SIZES,
        scores=np.array(scores)[None, :, None],
        baseline=np.array([level]),
    )
    return float(curves.break_even()["sentences"].iloc[0])


def main() -> None:
    options = arguments(__doc__, "simple_words", "1").parse_args()
    known = {json.loads(key)["target"]: one for key, one in read(WORTH, Worth).items()}
    names = options.treebanks.split(",") if options.treebanks else sorted(known)
    tasks = {name: Task(name, one_seed(options)) for name in names}
    results = finish(options, tasks.values(), Outcome)
    done = {name: results[task.key] for name, task in tasks.items() if task.key in results}
    cpu = sum(outcome.cpu for outcome in done.values())
    title = f"{', '.join(done)}; gold tags, without punctuation; {cpu / 60:.0f} minutes of CPU"
    later = "later: of so many targets, simple words need more sentences than complex ones"
    many = [name for name in done if share(known[name], DEFINITIONS["least complex"]) >= MANY]
    lines = [title, later, ""]
    rows: dict[str, dict[str, float]] = {}
    for what, short, chosen in (
        ("all targets", "all", list(done)),
        (f"at least {MANY:.0%} of words are simple", "many", many),
        ("fewer words are simple", "fewer", [name for name in done if name not in many]),
    ):
        if chosen:
            found = figures({name: known[name] for name in chosen}, {name: done[name] for name in chosen})
            lines += [f"=== {what}: {', '.join(chosen)}", "", *table(found)]
            rows |= {", ".join((short, *place)): row for place, row in found.items()}
    publish(options, lines)
    if not options.report:
        every = (*done.values(), *(known[name] for name in done))
        keep("simple_words", claims("simple_words", rows, every), options.results.parent)


if __name__ == "__main__":
    main()
