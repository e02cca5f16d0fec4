"""What a parser with words loses with them: does it depend on what it reads beside words, or on how much it learned?

    python benchmarks/lost_words.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,test}.conllu; resumable

A parser that learned with words and then lost them (Delex(Lex)) against one that never had any (Delex), and the same
of parsers of another language X, on its own test set. In the slides of Aufrant's thesis (2018) the first loses 1.7, and
that of another language gains 0.4. Tried are three sets of templates: LEAN, which also reads lemmas, XPOS and FEATS;
the part of it that reads words and UPOS alone, and has the same templates once words are lost; and ZN11, the set of
Zhang & Nivre (2011), which reads words and UPOS. And numbers of sentences to learn from, in Portuguese. Greedy, 8
epochs, universal labels, gold tags; UAS of all words, one seed.
Finished tasks are kept in benchmarks/results/lost_words.jsonl, the tables in lost_words.txt.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import Any

from measured import claims, keep
from tasks import Scored, arguments, build, finish, number, one_seed, publish

import panparser as pp

X = {"fr_sequoia": "pt", "en_lines": "sv_lines", "hu": "et"}
SETS = {
    "lean": pp.templates("lean"),
    "lean, words": pp.templates("lean").without("lemma", "xpos", "feats"),
    "zn11": pp.templates("zn11"),
}
SENTENCES = (300, 1200)
LARGE = {"pt": (4800,)}  # treebanks, and more sentences
MODELS = ("Lex", "Delex", "Delex(Lex)", "X-Delex", "Delex(X-Lex)")
OPTIONS: dict[str, Any] = {"strategy": pp.STRATEGIES["dynamic-explore"], "epochs": 8, "members": 1, "threads": 1}
SLIDES = (88.31, 85.44, 83.73, 69.68, 70.10)


@dataclass(frozen=True)
class Task:
    """One target, with templates of some set, and so many sentences of each language."""

    target: str
    templates: str
    sentences: int
    seed: int

    @property
    def key(self) -> str:
        return json.dumps(vars(self))

    def __str__(self) -> str:
        return f"{self.target}, {self.templates}, {self.sentences} sentences, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        return -float(self.sentences)

    def run(self, folder: Path) -> Scored:
        start = time.process_time()
        rich = pp.ParserSpec(templates=SETS[self.templates], beam=1, labels="universal")
        bare = replace(rich, templates=rich.templates.delexicalized())
        test = pp.read_conllu(folder / self.target / "test.conllu")
        found: dict[str, pp.Parser] = {}
        for name, mark in ((self.target, ""), (X.get(self.target), "X-")):
            if name is None:
                continue
            train = pp.sample_sentences(pp.read_conllu(folder / name / "train.conllu"), self.sentences, seed=self.seed)
            words = pp.train(rich, train, seed=self.seed, **OPTIONS)
            found |= {"Lex": words} if not mark else {}
            found[f"{mark}Delex"] = pp.train(bare, train, seed=self.seed, **OPTIONS)
            found[f"Delex({mark}Lex)"] = words.restricted_to(bare.templates)
        scores = {}
        for name, parser in found.items():
            parsed = parser.parse(test, allow_unseen_tags=True)  # other languages may lack some
            scores[name] = pp.evaluate(test, parsed, bootstrap_samples=0).uas
        return Scored(scores, time.process_time() - start, build())


def figures(found: list[Scored]) -> dict[str, float]:
    """Means over targets, and what is lost with words."""
    nothing = float("nan")
    means = {model: mean(one.scores.get(model, nothing) for one in found) for model in MODELS}
    lost = {f"{x}lost": means[f"Delex({x}Lex)"] - means[f"{x}Delex"] for x in ("", "X-")}
    return means | lost


def row(name: str, found: dict[str, float]) -> str:
    return f"{name:32}" + "".join(number(value, 14 if model in MODELS else 8, 1) for model, value in found.items())


def main() -> None:
    options = arguments(__doc__, "lost_words", "1").parse_args()
    names = options.treebanks.split(",") if options.treebanks else [*X, *LARGE]
    seed = one_seed(options)
    tasks = [
        Task(name, each, size, seed) for name in names for size in (*SENTENCES, *LARGE.get(name, ())) for each in SETS
    ]
    results = finish(options, tasks, Scored)
    lines = [f"{'UAS':32}" + "".join(f"{model:>14}" for model in MODELS) + f"{'lost':>8}{'X lost':>8}"]
    rows: dict[str, dict[str, float]] = {}
    for title, chosen in ((f"mean of {', '.join(X)}", tuple(X)), *((name, (name,)) for name in names)):
        lines += ["", title]
        for size in sorted({task.sentences for task in tasks}):
            for each in SETS:
                own = [
                    task for task in tasks if task.target in chosen and (task.templates, task.sentences) == (each, size)
                ]
                if own and all(task.key in results for task in own):
                    found = figures([results[task.key] for task in own])
                    lines.append(row(f"  {each}, {size:,} sentences", found))
                    rows[f"{title.partition(' ')[0]}, {each}, {size}"] = found
    slides = "".join(number(value, 14, 1) for value in SLIDES)
    lines += [
        "",
        f"{'slides, French, 14,553 sentences':32}{slides}{SLIDES[2] - SLIDES[1]:8.1f}{SLIDES[4] - SLIDES[3]:8.1f}",
    ]
    cpu = sum(results[task.key].cpu for task in tasks if task.key in results)
    publish(options, [f"{cpu / 60:.0f} minutes of CPU", "", *lines])
    if not options.report:
        every = [results[task.key] for task in tasks if task.key in results]
        keep("lost_words", claims("lost_words", rows, every), options.results.parent)


if __name__ == "__main__":
    main()
