"""How many sentences with trees are worth as much as other languages? By class of words; and what is learned from them.

    python benchmarks/sample_worth.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,dev,test}.conllu; resumable

The first treebank of each language that has 500 sentences to learn from is a target. Parsers learn from random samples
of 2 to 500 of them, five of each size. Transfer is the thesis's: one delexicalized parser for each source (500
sentences of every treebank of another language with at least 100), whose trees are combined with weights 1/KL; the
sources as they are, or rewritten by what WALS says of the target. All parsers: beam 4, one perceptron, 5 epochs. Gold
tags; UAS of at most 300 sentences of the test set, without punctuation.
Classes are simple or complex (the criterion `difficulty`), kinds of labels, and tags with the direction of their arcs.
Break-even, learnability, hardness and complexity are those of `panparser.lab.analysis.Curves`, of curves that are
averaged over the targets.
Sampling: the divergence of the states that the last of 5 epochs learned from, in 1000 sentences, and those that are met
in the development set (beam 8), and UAS by quarter of the sentence.
Finished tasks are kept in benchmarks/results/sample_worth.jsonl, the tables in sample_worth.txt, what the page about
the thesis prints in sample_worth, and divergences of each target in sampling.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from measured import Measurement, claims, keep, measured
from tasks import arguments, build, finish, number, publish
from transfer import SENTENCES, TESTED, language, sources, ways

import panparser as pp
from panparser.lab import analysis

SIZES, SAMPLES = (2, 5, 10, 20, 50, 100, 200, 500), 5
SPEC: dict[str, Any] = {"beam": 4, "labels": "universal"}
LEARNING: dict[str, Any] = {"epochs": 5, "members": 1, "threads": 1}
BY = {"difficulty": ("simple", "complex"), "kind": ("core", "non-core", "function", "multiword")}
LEARNED, QUARTERS, BEAM = 1000, ("1", "2", "3", "4"), 8
STRATEGIES = ("early-update", "early-update-restart", "max-violation", "max-violation-restart")
SHOWN = 0.01  # share of words of a class of tag and direction
# Figures of the slides of Aufrant's thesis (2018): sentences of break-even, over 56 languages, and for a UAS;
# learnability, hardness and complexity, whose formulas are not printed; divergences.
EVEN = {"simple": "14", "complex": "60", "all": "32"}
CAPACITY = {"30": 1, "40": 2, "50": 4, "60": 12, "70": 77, "75": 401}
CLASSES = {
    "DET-right": (91.3, -79.6, -18.7), "ADP-right": (89.0, -72.4, -18.8), "AUX-right": (83.9, -33.2, 0.2),
    "PRON-right": (82.4, -27.2, -0.6), "SCONJ-right": (80.2, 11.0, 35.0), "ADJ-right": (80.0, -20.1, 1.9),
    "CCONJ-right": (77.1, -0.4, 6.3), "ADV-right": (76.1, 7.5, 9.6), "VERB-right": (75.1, 13.3, 12.6),
    "PROPN-right": (69.0, 45.4, 23.4), "PROPN-left": (68.4, 62.6, 49.5), "NOUN-right": (68.2, 59.9, 42.0),
    "NOUN-left": (67.9, 35.8, 7.6), "ADJ-left": (60.6, 90.8, 57.7), "VERB-left": (56.4, 108.7, 52.5),
    "AUX-left": (52.8, 110.0, 68.0), "ADP-left": (48.0, 159.6, 131.2),
}  # fmt: skip
BIAS = dict(zip(STRATEGIES, (".350", ".280", ".357", ".277"), strict=True))
TRANSFERS = {"as it is": "transfer", "full": "transfer, rewritten"}


@dataclass(frozen=True)
class Task:
    """One target, with what is drawn and learned from one seed on."""

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
        train, dev, test = (
            pp.read_conllu(folder / self.target / f"{part}.conllu") for part in ("train", "dev", "test")
        )
        test = pp.sample_sentences(test, TESTED)
        curves = analysis.sample_curves(
            pp.ParserSpec(**SPEC), train, test, SIZES, "upos,direction,difficulty,kind",
            samples_per_size=SAMPLES, seed=self.seed, **LEARNING,
        )  # fmt: skip
        found = transferred(folder, self.target, test, self.seed)
        table = pd.DataFrame(curves.scores.reshape(len(curves.words), -1), index=curves.index)
        fine = analysis.make_frame(test, *found.values(), names=list(found))
        others = analysis.scores(fine, "upos,direction,difficulty,kind", ["uas"]).iloc[:, 1:].to_numpy(dtype=float)
        values = np.hstack([table.to_numpy()[:-1], others.reshape(len(table) - 1, -1)])
        words = curves.words[:-1]
        classes = {}
        for name, chosen in groups(curves.index[:-1]).items():
            mean = (values[chosen] * words[chosen, None]).sum(axis=0) / words[chosen].sum()
            scores = mean[: len(SIZES) * SAMPLES].reshape(len(SIZES), SAMPLES)
            classes[name] = {
                "words": int(words[chosen].sum()),
                "scores": [round(float(each), 3) for each in scores.mean(axis=1)],
                "spread": [round(float(each), 3) for each in scores.std(axis=1, ddof=1)],
                **dict(zip(found, [round(float(each), 3) for each in mean[len(SIZES) * SAMPLES :]], strict=True)),
            }
        bias = {
            name: sampled(name, pp.sample_sentences(train, LEARNED, seed=self.seed), dev, self.seed)
            for name in STRATEGIES
        }
        return Outcome(classes, bias, time.process_time() - start, build())


def groups(index: pd.Index) -> dict[str, npt.NDArray[np.bool_]]:
    """The rows of each class: all, simple and complex, kinds, tags with directions."""
    levels = {name: index.get_level_values(name).to_numpy() for name in index.names}
    found = {"all": np.ones(len(index), dtype=bool)}
    for name, classes in BY.items():
        found |= {each: levels[name] == each for each in classes if (levels[name] == each).any()}
    pairs = levels["upos"] + "-" + levels["direction"]
    return found | {pair: pairs == pair for pair in sorted(set(pairs)) if not pair.endswith("root")}


def transferred(folder: Path, target: str, test: pp.Treebank, seed: int) -> dict[str, pp.Treebank]:
    """The test set as all sources together see it, by way of rewriting."""
    names = [name for name in sources(folder) if language(name) != language(target)]
    drawn = [
        pp.sample_sentences(pp.read_conllu(folder / name / "train.conllu"), SENTENCES, seed=seed) for name in names
    ]
    ranked = pp.transfer.rank_sources(test, drawn)
    found = {}
    for way, rewrite in ways(language(target), seed).items():
        if way in TRANSFERS:
            trees = []
            for each in ranked:
                spec = pp.ParserSpec(templates=pp.templates("lean").delexicalized(), **SPEC)
                parser = pp.train(spec, rewrite(drawn[each.index]), seed=seed, **LEARNING)
                trees.append(parser.parse(test, allow_unseen_tags=True))  # small sources lack rare tags
            found[TRANSFERS[way]] = pp.combine_trees(trees, weights=[each.weight for each in ranked])
    return found


def sampled(strategy: str, train: pp.Treebank, dev: pp.Treebank, seed: int) -> dict[str, float]:
    """Divergences of states, learned from and met, and UAS of each quarter of the sentences."""
    heard = analysis.TrainingStates(train)
    parser = pp.train(
        pp.ParserSpec(beam=BEAM), train, strategy=pp.STRATEGIES[strategy], listeners=[heard], seed=seed, **LEARNING
    )
    met = analysis.states_visited(parser, dev)
    frame = analysis.make_frame(dev, parser.parse(dev, allow_unseen_tags=True))
    quarters = analysis.scores(frame, "quarter", ["uas"])["uas"]
    return {
        "bias": analysis.sampling_bias(heard.counts(parser), met),
        "parted": analysis.sampling_bias(heard.counts(parser, by_halves=True), met),
        **{quarter: float(quarters[quarter]) for quarter in QUARTERS},
        "uas": float(analysis.scores(frame, None, ["uas"])["uas"].iloc[0]),
    }


@dataclass(frozen=True)
class Outcome:
    """Of one target: scores by class, and what the strategies learned from."""

    classes: Mapping[str, Mapping[str, Any]]
    bias: Mapping[str, Mapping[str, float]]
    cpu: float
    build: str

    def __str__(self) -> str:
        scores = self.classes["all"]["scores"]
        return f"10 sentences {scores[2]:.1f}, 500 {scores[-1]:.1f}, transfer {self.classes['all']['transfer']:.1f}"


def averaged(outcomes: Mapping[str, Outcome], names: Sequence[str], against: str) -> analysis.Curves:
    """Curves of classes, `all` last, averaged over the targets that have the class, and the transfer."""
    rows = [[one.classes[name] for one in outcomes.values() if name in one.classes] for name in names]
    return analysis.Curves(
        index=pd.Index(names),
        words=np.array([sum(each["words"] for each in row) for row in rows]),
        sizes=SIZES,
        scores=np.array([np.mean([each["scores"] for each in row], axis=0) for row in rows])[:, :, None],
        baseline=np.array([np.mean([each[against] for each in row]) for row in rows]),
    )


def count(value: float) -> str:
    """A number of sentences, which may lie beyond the sizes."""
    return f"> {SIZES[-1]}" if np.isnan(value) else f"<= {SIZES[0]}" if value == SIZES[0] else f"{value:.0f}"


def _even(outcome: Outcome, name: str) -> float:
    """The sentences that a class of one target needs; infinity, if more than the last size."""
    found = float(averaged({"": outcome}, [name], "transfer").break_even()["sentences"].iloc[0])
    return float("inf") if np.isnan(found) else found


def shown_curves(outcomes: Mapping[str, Outcome]) -> dict[str, analysis.Curves]:
    """Curves of simple and complex classes, kinds and all words, beside each transfer, of targets that have it."""
    names = [*BY["difficulty"], *BY["kind"], "all"]
    known = {name: one for name, one in outcomes.items() if TRANSFERS["full"] in one.classes["all"]}
    return {
        "transfer": averaged(outcomes, names, "transfer"),
        "rewritten": averaged(known, names, TRANSFERS["full"]),
    }


def capacity_of(curves: analysis.Curves) -> Any:
    """The sentences that all words need for each UAS of the slides."""
    return curves.capacity([int(level) for level in CAPACITY])["sentences"]


def of_curves(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Scores by size of simple and complex classes and of kinds, and where they meet transfer."""
    both = shown_curves(outcomes)
    curves, names = both["transfer"], list(both["transfer"].index)
    even, even_rewritten = (each.break_even() for each in both.values())
    spread = np.mean([one.classes["all"]["spread"] for one in outcomes.values()], axis=0)
    lines = [
        f"UAS, {len(outcomes)} targets".ljust(22) + "".join(f"{size:>7}" for size in SIZES) + "  transfer  rewritten"
    ]
    for place, name in enumerate(names):
        cells = [number(value, 7, 1) for value in curves.means[place]]
        cells += [number(float(each.loc[name, "against"]), 11, 1) for each in (even, even_rewritten)]
        lines.append(f"{name:22}" + "".join(cells))
    lines += ["", f"{'spread over samples':22}" + "".join(number(value, 7, 1) for value in spread), ""]
    lines.append(
        "break-even, sentences".ljust(22) + "   transfer  rewritten     median      least       most     thesis"
    )
    for name in names:
        each = sorted(_even(one, name) for one in outcomes.values() if name in one.classes)
        shown = [float("nan") if value == float("inf") else value for value in (np.median(each), each[0], each[-1])]
        counts = [even.loc[name, "sentences"], even_rewritten.loc[name, "sentences"], *shown]
        lines.append(f"{name:22}" + "".join(f"{count(value):>11}" for value in counts) + f"{EVEN.get(name, '-'):>11}")
    ahead = sum(_even(one, "simple") > _even(one, "complex") for one in outcomes.values())
    lines += ["", f"simple words need more sentences than complex ones in {ahead} of {len(outcomes)} targets"]
    capacity = capacity_of(curves)
    lines += ["", "UAS of all words      " + "".join(f"{level:>8}" for level in capacity.index)]
    lines.append("sentences             " + "".join(f"{count(value):>8}" for value in capacity))
    lines.append("thesis                " + "".join(f"{value:>8}" for value in CAPACITY.values()))
    return [*lines, ""]


def measures_of(outcomes: Mapping[str, Outcome]) -> Any:
    """Learnability, hardness and complexity of tags with directions: a table."""
    total = sum(one.classes["all"]["words"] for one in outcomes.values())
    counts: dict[str, int] = {}
    for one in outcomes.values():
        for name, row in one.classes.items():
            counts[name] = counts.get(name, 0) + int(row["words"])
    pairs = [name for name in counts if "-" in name and name.split("-")[1] in ("left", "right")]
    chosen = [name for name in pairs if counts[name] >= SHOWN * total or name in CLASSES]
    curves = averaged(outcomes, [*chosen, "all"], "transfer")
    return curves.classes().assign(share=curves.words / total * 100, even=curves.break_even()["sentences"])


def correlations(measures: Any) -> dict[str, float]:
    """Rank correlations of the measures with those of the thesis, and over how many classes."""
    known = [name for name in CLASSES if name in measures.index]
    ranks = measures.loc[known, ["learnability", "hardness", "complexity"]].rank()
    theirs = pd.DataFrame([CLASSES[name] for name in known], index=known, columns=ranks.columns).rank()
    return {name: float(ranks[name].corr(theirs[name])) for name in ranks} | {"classes": len(known)}


def of_classes(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Learnability, hardness and complexity of tags with directions, the easiest first, and those of the thesis."""
    measures = measures_of(outcomes)
    lines = [
        "tag and direction of head   share  learnability  hardness  complexity  break-even      thesis: the same three"
    ]
    for name, row in measures.sort_values("learnability", ascending=False).iterrows():
        cells = number(row["share"], 9, 1) + number(row["learnability"], 14, 1) + number(row["hardness"], 10, 1)
        others = "".join(number(value, 9, 1) for value in CLASSES.get(str(name), (float("nan"),) * 3))
        lines.append(f"{name:24}{cells}{number(row['complexity'], 12, 1)}{count(row['even']):>12}{others}")
    found = correlations(measures)
    classes = found.pop("classes")
    shown = ", ".join(f"{name} {value:.2f}" for name, value in found.items())
    return [*lines, "", f"rank correlation with the thesis over {classes} classes: {shown}", ""]


def of_sampling(outcomes: Mapping[str, Outcome]) -> list[str]:
    """Divergences and scores by quarter, averaged over the targets."""
    keys = ("bias", "parted", *QUARTERS, "uas")
    lines = [
        "states learned from and met  divergence  parted   quarter 1       2       3       4     UAS  fewer   thesis"
    ]
    for name in STRATEGIES:
        cells = [float(np.mean([one.bias[name][key] for one in outcomes.values()])) for key in keys]
        plain = name.removesuffix("-restart")
        fewer = sum(one.bias[name]["bias"] < one.bias[plain]["bias"] for one in outcomes.values())
        row = f"{name:29}{number(cells[0], 10, 3)}{number(cells[1], 8, 3)}    "
        row += "".join(number(value, 8, 2) for value in cells[2:])
        lines.append(f"{row}{fewer if name != plain else '-':>7}{BIAS[name]:>9}")
    return lines


def sampling(outcomes: Mapping[str, Outcome], seed: int) -> list[Measurement]:
    """Divergences and scores by quarter, of each target and strategy."""
    names = {"bias": "divergence", "parted": "after parting", "uas": "UAS"} | {
        key: f"quarter {key}" for key in QUARTERS
    }
    return [
        measured(
            "sampling",
            {"treebank": target, "strategy": strategy, "seed": str(seed)},
            {names[key]: value for key, value in one.bias[strategy].items()},
            build=one.build,
        )
        for target, one in outcomes.items()
        for strategy in STRATEGIES
    ]


def claimed(outcomes: Mapping[str, Outcome]) -> dict[str, dict[str, float]]:
    """What the page about the thesis prints: sentences worth as much as transfer, or needed for a UAS; ranks."""
    both = shown_curves(outcomes)
    evens = {name: curves.break_even()["sentences"] for name, curves in both.items()}
    rows: dict[str, dict[str, float]] = {
        f"break-even, {part}": {name: even[part] for name, even in evens.items()} for part in both["transfer"].index
    }
    needed = capacity_of(both["transfer"]).items()
    rows |= {f"for UAS {level}": {"sentences": value} for level, value in needed if value > SIZES[0]}
    rows["rank correlation"] = correlations(measures_of(outcomes))
    rows["languages that restart brings closer"] = {
        plain: float(sum(one.bias[f"{plain}-restart"]["bias"] < one.bias[plain]["bias"] for one in outcomes.values()))
        for plain in STRATEGIES
        if f"{plain}-restart" in STRATEGIES
    } | {"all": len(outcomes)}
    return rows


def main() -> None:
    parser = arguments(__doc__, "sample_worth", "1")
    options = parser.parse_args()
    large = [name for name in sources(options.folder) if count_of(options.folder, name) >= SIZES[-1]]
    first = {language(name): name for name in reversed(large)}
    names = options.treebanks.split(",") if options.treebanks else sorted(first.values())
    if not large or set(names) - set(large):
        parser.error(f"{options.folder}: expected treebanks of {SIZES[-1]} sentences or more: {', '.join(names)}")
    tasks = {name: Task(name, int(options.seeds.split(",")[0])) for name in names}
    results = finish(options, tasks.values(), Outcome)
    done = {name: results[task.key] for name, task in tasks.items() if task.key in results}
    if not done:
        publish(options, ["no target is finished"])
        return
    cpu = sum(outcome.cpu for outcome in done.values())
    title = f"{', '.join(done)}; samples of seeds {options.seeds} and on; {cpu / 60:.0f} minutes of CPU"
    publish(options, [title, "", *of_curves(done), *of_classes(done), *of_sampling(done)])
    if not options.report:
        keep("sampling", sampling(done, int(options.seeds.split(",")[0])), options.results.parent)
        keep("sample_worth", claims("sample_worth", claimed(done), done.values()), options.results.parent)


def count_of(folder: Path, name: str) -> int:
    return len(pp.read_conllu(folder / name / "train.conllu"))


if __name__ == "__main__":
    main()
