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
from sample_worth import CLASSES, LEARNING, SAMPLES, SIZES, SPEC, count, groups
from sample_worth import Outcome as Worth
from tasks import arguments, build, finish, number, one_seed, publish, read
from transfer import TESTED

import panparser as pp
from panparser import analysis

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
        train, test = (pp.read_conllu(folder / self.target / f"{part}.conllu") for part in ("train", "test"))
        spec = pp.ParserSpec(templates=pp.ZN11, **SPEC)
        curves = analysis.sample_curves(
            spec, train, pp.sample(test, TESTED), SIZES, "upos,direction,difficulty,kind",
            samples=SAMPLES, seed=self.seed, **LEARNING,
        )  # fmt: skip
        words, classes = curves.words[:-1], {}
        for name, chosen in groups(curves.index[:-1]).items():
            scores = curves.scores[:-1][chosen].mean(axis=2)
            mean = (scores * words[chosen, None]).sum(axis=0) / words[chosen].sum()
            classes[name] = {"words": int(words[chosen].sum()), "scores": [round(float(each), 3) for each in mean]}
        return Outcome(classes, time.process_time(), build())


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


def table(worth: Mapping[str, Worth], other: Mapping[str, Outcome]) -> list[str]:
    lines = []
    for name, simple in DEFINITIONS.items():
        shares = [share(one, simple) for one in worth.values()]
        lines.append(f"simple: the slides' {name} classes, {100 * np.mean(shares):.0f} % of words")
        lines.append(f"  {', '.join(simple)}")
        lines.append(
            f"{'':26}" + "".join(f"{f'UAS, {n}':>10}" for n in SHOWN) + "  transfer  break-even  later  slides"
        )
        transfer = {target: parts(one.classes, simple, "transfer") for target, one in worth.items()}
        both: tuple[Mapping[str, Any], ...] = (worth, other)
        for templates, outcomes in zip(READ, both, strict=True):
            own = {target: parts(one.classes, simple, "scores") for target, one in outcomes.items()}
            each = {
                part: {target: even(scores[part], transfer[target][part]) for target, scores in own.items()}
                for part in THESIS
            }
            later = sum(each["simple"][target] > each["complex"][target] for target in own)
            for part, slides in THESIS.items():
                mean = np.mean([scores[part] for scores in own.values()], axis=0)
                far = float(np.mean([scores[part] for scores in transfer.values()]))
                cells = "".join(number(float(mean[SIZES.index(n)]), 10, 1) for n in SHOWN) + number(far, 10, 1)
                told = f"{later:>7}" if part == "simple" else f"{'':7}"
                lines.append(f"{templates + ', ' + part:26}{cells}{count(even(mean, far)):>12}{told}{slides:>8}")
        lines.append("")
    return lines


def even(scores: Any, level: float) -> float:
    """The sentences at which a curve meets a level; not a number, if it never does."""
    curves = analysis.Curves(
        index=["all"],
        words=np.array([1]),
        sizes=SIZES,
        scores=np.array(scores)[None, :, None],
        against=np.array([level]),
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
    for what, chosen in (
        ("all targets", list(done)),
        (f"at least {MANY:.0%} of words are simple", many),
        ("fewer words are simple", [name for name in done if name not in many]),
    ):
        if chosen:
            lines += [f"=== {what}: {', '.join(chosen)}", ""]
            lines += table({name: known[name] for name in chosen}, {name: done[name] for name in chosen})
    publish(options, lines)


if __name__ == "__main__":
    main()
