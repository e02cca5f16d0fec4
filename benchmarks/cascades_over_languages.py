"""What models, text and parsers of other languages bring: reuse of weights, self-training, cascades, partial parsers.

    python benchmarks/cascades_over_languages.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,dev,test}.conllu

Four parts, each with gold tags, on test sets (of the parts with samples: at most 300 sentences, without punctuation):

- reuse: a parser with words (Lex), one without (Delex), one with words that has lost them (Delex(Lex)), the same of
  another language (X), and parsers with words that begin with the weights of these (+Lex). Greedy, universal labels.
  Norms and numbers of features are of the weights of actions, of features that the development set has.
- self-training: samples of 10 and 50 sentences, and 500 others of which the tags alone are known.
- plans: cascades over languages against joint training, with samples of 10, 20 and 50 sentences.
- partial: which words parsers attach in a region, and how well: a complete parser, of which the arcs of the region are
  kept (std), a complete one that learned from these arcs alone, and a partial one; `common` are the words that all
  three attach. Then the UAS of a complete parser under what they find, with and without training under gold arcs.

Sources of samples are all other treebanks of the folder with at least 100 sentences, except those of the same language;
300 sentences of each, rewritten by what WALS says of the target. Finished tasks are kept in
benchmarks/results/cascades_over_languages.jsonl, the tables in cascades_over_languages.txt.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial as partial_function
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from low_resource import sources, typology
from measured import claims, keep
from tasks import PARTS, Scored, arguments, build, finish, number, publish

import panparser as pp
from panparser.ensembles.cascade_training import guided, within
from panparser.lab import analysis
from panparser.transfer.candidates import PLANS, Method, MethodRunner, SourceTreebank
from panparser.transfer.self_training import run_self_training
from panparser.treebank.arc_regions import Arcs, in_regions

SIZES = {"reuse": (0,), "self-training": (10, 50), "plans": (10, 20, 50), "partial": (0,)}  # of samples
SENTENCES, TESTED, TEXT = 300, 300, 500
X = {"fr_sequoia": "pt", "en_lines": "sv_lines", "hu": "et"}  # another language to begin with
LEFT_OF_HEADS = ("DET", "ADP", "AUX", "PRON", "SCONJ")  # the classes that 10 sentences teach best, in the slides
REGIONS = {
    "easy": (pp.ArcRegion(upos=LEFT_OF_HEADS, direction="right"),),
    "length 1": (pp.ArcRegion(max_length=1),),
    "length <= 2": (pp.ArcRegion(max_length=2),),
}
OPTIONS: dict[str, Any] = {"strategy": pp.STRATEGIES["dynamic-explore"], "members": 1, "threads": 1}
MODELS = (
    "Lex",
    "Delex",
    "Delex(Lex)",
    "X-Delex",
    "Delex(X-Lex)",
    "Delex+Lex",
    "Delex(Lex)+Lex",
    "X-Delex+Lex",
    "Delex(X-Lex)+Lex",
)
SLIDES = {  # of the thesis: French, beside another language, and means over treebanks that are not named
    "reuse": (88.31, 85.44, 83.73, 69.68, 70.10, 88.50, 88.73, 88.82, 88.84),
    "easy words": (28.9, 35.6, 27.1),
    "easy precision": (86.88, 68.89, 85.98),
    "easy std precision": (86.88, 86.22, 88.31),
    "easy common": (88.61, 87.28, 86.81),
    "length 1 words": (44.4, 80.1, 43.5),
    "length 1 precision": (87.42, 50.61, 87.06),
    "length 1 std precision": (87.42, 80.77, 87.68),
    "length 1 common": (88.76, 88.03, 88.34),
    "length <= 2 words": (65.0, 80.9, 64.0),
    "length <= 2 precision": (85.31, 69.93, 85.30),
    "length <= 2 std precision": (85.31, 80.90, 85.49),
    "length <= 2 common": (86.54, 85.93, 86.46),
    "easy constrained": (76.73, 74.50, 72.46),
    "easy std": (76.00, 75.40, 73.99),
    "length 1 constrained": (77.39, 71.14, 69.60),
    "length 1 std": (70.46, 69.99, 70.09),
    "length <= 2 constrained": (74.80, 64.30, 62.99),
    "length <= 2 std": (64.87, 62.94, 62.76),
}
WAYS = ("sample", "all", "joint", *PLANS)
SELF: tuple[Method, ...] = ("sample", "joint")
TARGETS = {
    "reuse": tuple(X),
    "self-training": ("hu", "fr_sequoia", "el"),
    "plans": ("hu", "fr_sequoia", "el", "lv", "id"),
    "partial": ("fr_sequoia", "hu", "el"),
}
Scores = dict[str, float]


# --- Weights of other models ---


def reuse(folder: Path, target: str, size: int, seed: int) -> Scores:
    train, dev, test = (pp.read_conllu(folder / target / f"{part}.conllu") for part in PARTS)
    other = pp.read_conllu(folder / X[target] / "train.conllu")
    rich = pp.ParserSpec(templates=pp.templates("lean"), beam=1, labels="universal")
    bare = replace(rich, templates=rich.templates.delexicalized())
    options: dict[str, Any] = {**OPTIONS, "seed": seed, "dev": dev}
    models = {"Lex": pp.train(rich, train, **options), "Delex": pp.train(bare, train, **options)}
    models["Delex(Lex)"] = models["Lex"].restricted_to(bare.templates)
    models["X-Delex"] = pp.train(bare, other, **{**options, "dev": None})
    models["Delex(X-Lex)"] = pp.train(rich, other, **{**options, "dev": None}).restricted_to(bare.templates)
    for name in MODELS[1:5]:
        models[f"{name}+Lex"] = pp.train(rich, train, init=models[name], **options)
    found = {}
    for name, parser in models.items():
        found[f"{name} UAS"] = pp.evaluate(
            test, parser.parse(test, allow_unseen_tags=True), bootstrap_samples=0
        ).uas  # other languages may lack some
    for name, parser in models.items() if seed == 1 else ():
        table = analysis.shared(models["Lex"], parser, dev, group_by="kind").set_index("kind")
        for kind in ("tags", "words"):
            has = kind in table.index
            found[f"{name} {kind} norm"] = table.loc[kind, "second_norm"] if has else 0.0
            found[f"{name} {kind} significant"] = float(table.loc[kind, "second_significant"]) if has else 0.0
            own = analysis.shared(models["Lex"], models["Lex"], dev, group_by="kind").set_index("kind")
            found[f"{name} {kind} distance"] = table.loc[kind, "distance"] if has else own.loc[kind, "first_norm"]
    return found


# --- Samples ---


def prepared(folder: Path, target: str, size: int, seed: int) -> tuple[MethodRunner, pp.Treebank, pp.Treebank]:
    """Candidates with a sample, text that is not in the sample, and what is tested on."""
    treebank = pp.read_conllu(folder / target / "train.conllu")
    order = np.random.default_rng(seed).permutation(len(treebank)).tolist()
    sample, text = treebank[sorted(order[:size])], treebank[sorted(order[size : size + TEXT])]
    test = pp.sample_sentences(pp.read_conllu(folder / target / "test.conllu"), TESTED)
    treebanks = [pp.read_conllu(each.path) for each in sources(folder, target)]
    known = typology(target)
    chosen = []
    for each in pp.transfer.rank_sources(sample, treebanks):
        drawn = pp.sample_sentences(treebanks[each.index], SENTENCES, seed=seed)
        chosen.append(
            SourceTreebank(each.path, pp.transfer.rewrite_word_order(drawn, known, seed=seed)[0], each.divergence)
        )
    text.heads[:] = -1
    return MethodRunner(sources=chosen, max_sources=4, sample=sample, dev=None, seed=seed, threads=1), text, test


def plans(folder: Path, target: str, size: int, seed: int) -> Scores:
    candidates, _, test = prepared(folder, target, size, seed)
    assert candidates.sample is not None
    return {way: candidates.count_attachments(candidates.make(way, candidates.sample), test).uas for way in WAYS}  # type: ignore[arg-type]


def kept(
    parsers: list[pp.Parser],
    candidates: MethodRunner,
    method: Method,
    trees: pp.Treebank,
    text: pp.Treebank | None,
    stop: pp.Listener,
) -> pp.Parser:
    """A parser by a method, which is also added to a list."""
    parsers.append(candidates.learn(method, trees, stop, text))
    return parsers[-1]


def self_training(folder: Path, target: str, size: int, seed: int) -> Scores:
    candidates, text, test = prepared(folder, target, size, seed)
    assert candidates.sample is not None
    found = {}
    for method in SELF:
        parsers: list[pp.Parser] = []

        learn = partial_function(kept, parsers, candidates, method)
        made = run_self_training(learn, candidates.sample, text, rounds=2, threads=1)
        of_all = parsers[5::6]  # five folds, and the whole sample
        for number_, (each, parser) in enumerate(zip(made.rounds, of_all, strict=True)):
            found[f"{method} round {number_}"] = candidates.count_attachments(parser, test).uas
            found[f"{method} words {number_}"] = 100 * each.words / text.words
        found[f"{method} kept"] = candidates.count_attachments(made.parser, test).uas
        found[f"{method} chosen"] = float(made.selected_round)
    return found


# --- Regions ---


def partial(folder: Path, target: str, size: int, seed: int) -> Scores:
    train, dev, test = (pp.read_conllu(folder / target / f"{part}.conllu") for part in PARTS)
    spec = pp.ParserSpec(templates=pp.templates("lean"), beam=1)
    headless = pp.ParserSpec(system=pp.system("arc-eager-partial"), templates=pp.templates("lean"), beam=1)
    options: dict[str, Any] = {**OPTIONS, "seed": seed}
    std = pp.train(spec, train, dev=dev, **options)
    whole = std.parse(test)
    counted = test.heads >= 0
    found: Scores = {"std UAS": percent(whole.heads == test.heads, counted)}
    for region, conditions in REGIONS.items():
        own, own_dev = within(train, conditions), within(dev, conditions)
        parsed = {
            "std": whole,
            "partial training": pp.train(spec, own, dev=own_dev, **options).parse(test),
            "partial parser": pp.train(headless, own, dev=own_dev, **options).parse(test),
        }
        inside = {name: in_regions(conditions, Arcs.from_treebank(each)) & counted for name, each in parsed.items()}
        common = np.logical_and.reduce(list(inside.values()))
        found[f"{region} ref"] = percent(in_regions(conditions, Arcs.from_treebank(test)), counted)
        found[f"{region} common"] = percent(common, counted)
        guide = guided(spec)
        under = pp.Constraints.from_treebank(own, keep={"heads", "labels"})
        last = pp.train(
            guide, train, constraints=pp.Constraints(train, under.heads, under.labels, under.texts), **options
        )
        for name, each in parsed.items():
            right = each.heads == test.heads
            found[f"{region} {name} words"] = percent(inside[name], counted)
            found[f"{region} {name} precision"] = percent(right, inside[name])
            found[f"{region} {name} std precision"] = percent(whole.heads == test.heads, inside[name])
            found[f"{region} {name} common"] = percent(right, common)
        arcs = {
            "gold": (test, in_regions(conditions, Arcs.from_treebank(test))),
            **{n: (parsed[n], inside[n]) for n in parsed},
        }
        for name, (each, chosen) in arcs.items():
            if name == "partial training":
                continue
            for training, parser in (("std", std), ("constrained", last)):
                given = pp.Constraints.from_treebank(test, keep=())
                given.heads[:] = np.where(chosen, each.heads, -1)
                heads = parser.predict(test, constraints=given, relax=True)[0]
                found[f"{region} under {name} {training}"] = percent(heads == test.heads, counted)
    return found


def percent(part: Any, of: Any) -> float:
    return 100 * float((part & of).sum()) / max(1, int(of.sum()))


# --- Tasks ---

WORK: dict[str, Callable[[Path, str, int, int], Scores]] = {
    "reuse": reuse,
    "self-training": self_training,
    "plans": plans,
    "partial": partial,
}


@dataclass(frozen=True)
class Task:
    """A part, for one target; `size` is that of its sample, 0 if it has none."""

    part: str
    target: str
    size: int
    seed: int

    @property
    def key(self) -> str:
        return json.dumps({"part": self.part, "target": self.target, "size": self.size, "seed": self.seed})

    def __str__(self) -> str:
        return f"{self.part}, {self.target}, {self.size or 'all'} sentences, seed {self.seed}"

    def effort(self, folder: Path) -> float:
        return list(WORK).index(self.part) * 100 + self.size

    def run(self, folder: Path) -> Scored:
        start = time.process_time()
        scores = WORK[self.part](folder, self.target, self.size, self.seed)
        return Scored({name: float(value) for name, value in scores.items()}, time.process_time() - start, build())


class Table:
    """Means over targets and seeds."""

    def __init__(self, results: Mapping[str, Scored], tasks: Sequence[Task]) -> None:
        self.results, self.tasks = results, tasks

    def value(self, part: str, name: str, target: str | None = None, size: int = 0, seed: int | None = None) -> float:
        found = [
            self.results[task.key].scores[name]
            for task in self.tasks
            if (task.part, task.size) == (part, size)
            and task.target == (target or task.target)
            and task.seed == (seed or task.seed)
            and task.key in self.results
        ]
        return mean(found) if found else float("nan")

    def targets(self, part: str) -> list[str | None]:
        """None, for their mean, and those that there are results of."""
        done = {task.target for task in self.tasks if task.part == part and task.key in self.results}
        return [None, *(target for target in TARGETS[part] if target in done)]

    def seeds(self, part: str) -> str:
        return ", ".join(map(str, sorted({task.seed for task in self.tasks if task.part == part})))


def of_reuse(table: Table) -> list[str]:
    names = [name for name in table.targets("reuse") if name is not None]
    lines = [f"seeds {table.seeds('reuse')}; X: " + ", ".join(f"{X[name]} for {name}" for name in names)]
    lines.append(f"{'reuse: UAS':20}" + "".join(f"{name:>12}" for name in (*names, "mean", "slides, fr")))
    for model, slide in zip(MODELS, SLIDES["reuse"], strict=True):
        cells = [number(table.value("reuse", f"{model} UAS", name), 12) for name in (*names, None)]
        lines.append(f"{model:20}" + "".join(cells) + number(slide, 12))
    lines += ["", f"reuse: weights of tags and of words, {names[0]}, seed 1 (significant: at least one update)"]
    columns = [f"{kind} {what}" for what in ("norm", "distance", "significant") for kind in ("tags", "words")]
    lines.append(f"{'':20}" + "".join(f"{column:>20}" for column in columns))
    for model in MODELS:
        values = [table.value("reuse", f"{model} {column}", names[0], seed=1) for column in columns]
        lines.append(f"{model:20}" + "".join(number(value, 20, 0) for value in values))
    return [*lines, ""]


def of_sizes(table: Table, part: str, rows: Mapping[str, str], title: str) -> list[str]:
    lines = [f"{title} (seeds {table.seeds(part)})"]
    for target in table.targets(part):
        name = f"{len(table.targets(part)) - 1} targets" if target is None else target
        lines.append(f"{name:32}" + "".join(f"{size:>8}" for size in SIZES[part]))
        for row, score in rows.items():
            cells = [number(table.value(part, score, target, size), 8, 1) for size in SIZES[part]]
            lines.append(f"{row:32}" + "".join(cells))
        lines.append("")
    return lines


def of_partial(table: Table) -> list[str]:
    parsers = ("std", "partial training", "partial parser")
    lines = []
    for target in table.targets("partial"):
        what = "mean" if target is None else target
        uas = number(table.value("partial", "std UAS", target), 0)
        lines.append(f"partial: {what} (seeds {table.seeds('partial')}); UAS of std {uas}; in brackets: the slides")
        lines.append(f"{'regions: words':36}" + "".join(f"{name:>22}" for name in parsers))
        for region in REGIONS:
            shares = [table.value("partial", f"{region} {what}", target) for what in ("ref", "common")]
            for measure in ("words", "precision", "std precision", "common"):
                told = {"words": f"% words (ref {shares[0]:.1f})", "common": f"common ({shares[1]:.1f} %)"}
                values = [table.value("partial", f"{region} {name} {measure}", target) for name in parsers]
                slides = SLIDES[f"{region} {measure}"] if target is None else None
                lines.append(f"{f'{region}: {told.get(measure, measure)}':36}" + beside(values, slides))
        lines += ["", f"{'UAS under arcs of':36}" + "".join(f"{name:>22}" for name in ("gold", *parsers[::2]))]
        for region in REGIONS:
            for training in ("constrained", "std"):
                names = [f"{region} under {name} {training}" for name in ("gold", *parsers[::2])]
                values = [table.value("partial", name, target) for name in names]
                slides = SLIDES[f"{region} {training}"] if target is None else None
                lines.append(f"{f'{region}: {training} training':36}" + beside(values, slides))
        lines.append("")
    return lines


def beside(values: Sequence[float], slides: Sequence[float] | None) -> str:
    """Figures, and those of the slides in brackets."""
    texts = [number(value, 0) for value in values]
    if slides is not None:
        texts = [f"{text} ({slide:.1f})" for text, slide in zip(texts, slides, strict=True)]
    return "".join(f"{text:>22}" for text in texts)


def claimed(table: Table) -> dict[str, dict[str, float]]:
    """What the page about the thesis prints."""
    rows: dict[str, dict[str, float]] = {}
    for model in MODELS:
        values = {target or "mean": table.value("reuse", f"{model} UAS", target) for target in table.targets("reuse")}
        gains = {name: value - table.value("reuse", "Lex UAS", target_of(name)) for name, value in values.items()}
        rows |= {f"reuse, {model}": values, f"reuse, {model}, less Lex": gains}
    for other, without in (("Lex", "Delex"), ("X-Lex", "X-Delex")):
        lost, bare = rows[f"reuse, Delex({other})"], rows[f"reuse, {without}"]
        rows[f"reuse, words of {other} lost"] = {name: lost[name] - bare[name] for name in lost}
    for way in WAYS:
        rows[f"plans, {way}"] = {f"{size}": table.value("plans", way, size=size) for size in SIZES["plans"]}
    joint = rows["plans, joint"]
    less = [joint[size] - rows[f"plans, {plan}"][size] for plan in PLANS for size in joint]
    rows["plans, joint less cascades"] = {"least": min(less), "most": max(less)}
    lead = [
        table.value("partial", f"{region} under std {training}")
        - table.value("partial", f"{region} under partial parser {training}")
        for region in REGIONS
        for training in ("constrained", "std")
    ]
    rows["partial, arcs of std less those of a partial parser"] = {
        "least": min(lead), "most": max(lead), "ahead": sum(each > 0 for each in lead), "cells": len(lead)
    }  # fmt: skip
    for region in REGIONS:
        rows[f"partial, {region}"] = {
            f"{name} {measure}": table.value("partial", f"{region} {name} {measure}")
            for name in ("std", "partial training", "partial parser")
            for measure in ("words", "precision")
        }
        rows[f"partial, {region}"]["ref"] = table.value("partial", f"{region} ref")
    return rows


def target_of(name: str) -> str | None:
    return None if name == "mean" else name


def main() -> None:
    parser = arguments(__doc__, "cascades_over_languages", "1,2,3")
    parser.add_argument("--parts", default=",".join(WORK), help=f"default {','.join(WORK)}")
    parser.add_argument("--sample-seeds", default="1", help="of the parts with samples; default 1")
    options = parser.parse_args()
    tasks = []
    for part in options.parts.split(","):
        has_samples = part in ("plans", "self-training")
        seeds = options.sample_seeds if has_samples else options.seeds
        names = [name for name in TARGETS[part] if not options.treebanks or name in options.treebanks.split(",")]
        for size in SIZES[part]:
            tasks += [Task(part, name, size, int(seed)) for seed in seeds.split(",") for name in names]
    results = finish(options, tasks, Scored)
    table = Table(results, tasks)
    told = {
        "round 0": "without text",
        "round 1": "round 1",
        "round 2": "round 2",
        "kept": "the round that is kept",
        "words 1": "% of words in round 1",
    }
    rows = {f"{method}, {text}": f"{method} {name}" for method in SELF for name, text in told.items()}
    lines = {
        "reuse": lambda: of_reuse(table),
        "self-training": lambda: of_sizes(table, "self-training", rows, f"self-training on {TEXT} sentences: UAS"),
        "plans": lambda: of_sizes(table, "plans", {way: way for way in WAYS}, "plans: UAS"),
        "partial": lambda: of_partial(table),
    }
    cpu = sum(results[task.key].cpu for task in tasks if task.key in results)
    title = f"{cpu / 60:.0f} minutes of CPU"
    publish(options, [title, "", *(line for part in options.parts.split(",") for line in lines[part]())])
    if not options.report:
        every = [results[task.key] for task in tasks if task.key in results]
        keep(
            "cascades_over_languages", claims("cascades_over_languages", claimed(table), every), options.results.parent
        )


if __name__ == "__main__":
    main()
