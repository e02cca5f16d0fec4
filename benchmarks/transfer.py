"""How well are languages parsed by what was learned from others? Pairs, sources by similarity, sources rewritten.

    python benchmarks/transfer.py FOLDER    # FOLDER/LANGUAGE[_NAME]/{train,dev,test}.conllu; goes on where it stopped

Every treebank with a test set is a target, every one with at least 100 sentences to learn from a source of all targets
of other languages. Of each source 500 sentences are drawn by the seed, and a greedy, delexicalized parser learns from
them (one perceptron, 5 epochs of dynamic-explore): from the sentences as they are, and rewritten by what WALS says of
the target (cautious, full). Sources are ranked by KLcpos3 of the same sentences; trees are combined with weights 1,
1/KL and KL^-4; the nearest four sources are pooled.
Gold tags; UAS and LAS without subtypes, all tokens, of at most 300 sentences of development and test sets. Methods are
compared, and defaults chosen, on development sets; a target without one is told on the test set alone. Nothing but the
tags of the set that is parsed is known of the target. Finished tasks are kept in benchmarks/results/transfer.jsonl, the
tables in transfer.txt, what the page about the thesis prints in transfer, and pairs by families in families.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import add
from pathlib import Path
from statistics import mean, median
from typing import Literal, cast

import numpy as np
from measured import Measurement, claims, keep, measured
from tasks import arguments, build, finish, number, publish

import panparser as pp
from panparser.treebank.universal import base_label

SENTENCES, MIN_PROBABILITY, TESTED, NEAREST = 500, 100, 300, 4
STRATEGY, EPOCHS = pp.STRATEGIES["dynamic-explore"], 5
PLAIN = "as it is"
GOALS: tuple[Literal["cautious", "full"], ...] = ("cautious", "full")
WAYS = (PLAIN, *GOALS)
POWERS = {"uniform": 0, "1/KL": 1, "KL^-4": 4}
RELATIVES = {"fo": "ice", "kmr": "krd"}  # WALS knows next to nothing of these: Icelandic, Central Kurdish
PARTS = ("dev", "test")
Pair = Sequence[float]  # UAS and LAS
Scores = Mapping[str, Pair]  # by part


FAMILIES = {"Romance": ("fr", "pt"), "Germanic": ("en", "sv"), "Finno-Ugric": ("et", "hu")}
THESIS = {  # UAS without and with rewriting by WALS, from a family to another (Aufrant 2018, slides)
    ("Romance", "Romance"): (67.1, 67.2),
    ("Romance", "Germanic"): (60.4, 61.7),
    ("Romance", "Finno-Ugric"): (46.4, 52.5),
    ("Germanic", "Romance"): (61.2, 65.8),
    ("Germanic", "Germanic"): (65.9, 65.8),
    ("Germanic", "Finno-Ugric"): (57.2, 58.5),
    ("Finno-Ugric", "Romance"): (46.3, 52.3),
    ("Finno-Ugric", "Germanic"): (57.1, 57.6),
    ("Finno-Ugric", "Finno-Ugric"): (64.1, 64.2),
}


def language(treebank: str) -> str:
    return treebank.partition("_")[0]


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
        """Trains parsers of all sources in each way, and parses the target by each of them and by all together."""
        start = time.process_time()
        paths = {part: folder / self.target / f"{part}.conllu" for part in PARTS}
        parts = {
            part: pp.sample_sentences(pp.read_conllu(path), TESTED)
            for part, path in paths.items()
            if path.exists() and path.stat().st_size
        }
        names = [name for name in sources(folder) if language(name) != language(self.target)]
        drawn = {
            name: pp.sample_sentences(pp.read_conllu(folder / name / "train.conllu"), SENTENCES, seed=self.seed)
            for name in names
        }
        ranks = {part: pp.transfer.rank_sources(gold, list(drawn.values())) for part, gold in parts.items()}
        divergences = {part: {names[each.index]: each.divergence for each in rank} for part, rank in ranks.items()}
        pairs: dict[str, dict[str, Scores]] = {}
        together: dict[str, Scores] = {}
        for way, rewrite in ways(language(self.target), self.seed).items():
            rewritten = {name: rewrite(treebank) for name, treebank in drawn.items()}
            found = {name: parsed(treebank, parts, self.seed) for name, treebank in rewritten.items()}
            pairs[way] = {
                name: {part: scores(gold, found[name][part]) for part, gold in parts.items()} for name in names
            }
            together |= combined(way, parts, found, divergences)
            pools = {part: tuple(sorted(names[each.index] for each in rank[:NEAREST])) for part, rank in ranks.items()}
            trees = {
                pool: parsed(reduce(add, [rewritten[name] for name in pool]), parts, self.seed)
                for pool in {*pools.values()}
            }
            together[f"{NEAREST} nearest pooled, {way}"] = {
                part: scores(gold, trees[pools[part]][part]) for part, gold in parts.items()
            }
        return Outcome(divergences, pairs, together, time.process_time() - start, build())


def sources(folder: Path) -> list[str]:
    """Names of the treebanks with enough sentences to learn from."""
    found = sorted(path.parent.name for path in folder.glob("*/train.conllu"))
    return [name for name in found if len(pp.read_conllu(folder / name / "train.conllu")) >= MIN_PROBABILITY]


def ways(target: str, seed: int) -> dict[str, Callable[[pp.Treebank], pp.Treebank]]:
    """What can be done to the sentences of a source; nothing but to leave them, if WALS does not know the language."""
    found: dict[str, Callable[[pp.Treebank], pp.Treebank]] = {PLAIN: lambda treebank: treebank}
    try:
        typology = pp.transfer.Typology.from_language(target, related_language=RELATIVES.get(target))
    except pp.SpecError:
        return found

    def rewriting(goal: Literal["cautious", "full"]) -> Callable[[pp.Treebank], pp.Treebank]:
        return lambda treebank: pp.transfer.rewrite_word_order(treebank, typology, strength=goal, seed=seed)[0]

    return found | {goal: rewriting(goal) for goal in GOALS}


def parsed(treebank: pp.Treebank, parts: Mapping[str, pp.Treebank], seed: int) -> dict[str, pp.Treebank]:
    """The parts of the target, as parsed by a parser that learned from a treebank."""
    spec = pp.ParserSpec(templates=pp.templates("lean").delexicalized(), beam=1, labels="universal")
    parser = pp.train(spec, treebank, strategy=STRATEGY, epochs=EPOCHS, members=1, seed=seed, threads=1)
    if parser.training["interrupted"]:
        raise KeyboardInterrupt
    # Small sources lack rare tags.
    return {part: parser.parse(gold, allow_unseen_tags=True) for part, gold in parts.items()}


def combined(
    way: str,
    parts: Mapping[str, pp.Treebank],
    found: Mapping[str, Mapping[str, pp.Treebank]],
    divergences: Mapping[str, Mapping[str, float]],
) -> dict[str, Scores]:
    """Scores of the trees of all sources together, by their weights."""
    rows: dict[str, dict[str, Pair]] = {f"combined {name}, {way}": {} for name in POWERS}
    for part, gold in parts.items():
        nearest = sorted(found, key=divergences[part].__getitem__)  # ties go to the first
        trees = [found[name][part] for name in nearest]
        for name, power in POWERS.items():
            weights = [max(divergences[part][source], MIN_PROBABILITY) ** -power for source in nearest]
            best = pp.combine_trees(trees, weights=[weight / weights[0] for weight in weights])
            rows[f"combined {name}, {way}"][part] = scores(gold, best)
    return cast("dict[str, Scores]", rows)


def scores(gold: pp.Treebank, predicted: pp.Treebank) -> Pair:
    """UAS, and LAS without subtypes."""
    known = gold.heads >= 0
    heads = (gold.heads == predicted.heads) & known
    texts = [
        np.array([base_label(name) for name in each.vocabulary("deprel")], dtype=object)[each.labels]
        for each in (gold, predicted)
    ]
    total = max(1, int(known.sum()))
    return [100 * int(heads.sum()) / total, 100 * int((heads & (texts[0] == texts[1])).sum()) / total]


@dataclass(frozen=True)
class Outcome:
    """Of one target: divergences of sources by part, scores by way, source and part, and scores of methods by part."""

    divergences: Mapping[str, Mapping[str, float]]
    pairs: Mapping[str, Mapping[str, Scores]]
    together: Mapping[str, Scores]
    cpu: float
    build: str

    def __str__(self) -> str:
        rows = self.rows("test")
        shown = ("mean of sources", "nearest source", "combined 1/KL")
        return ", ".join(f"{name} {rows[f'{name}, {PLAIN}'][0]:.2f}" for name in shown) + f", {self.cpu:.0f} s"

    def rows(self, part: str) -> dict[str, Pair]:
        """Scores on a part by method, also of single sources: their mean, the nearest, the best."""
        found: dict[str, Pair] = {}
        divergences = self.divergences[part]
        for way, pairs in self.pairs.items():
            by_source = {name: pairs[name][part] for name in divergences}
            found[f"mean of sources, {way}"] = [mean(each[i] for each in by_source.values()) for i in (0, 1)]
            found[f"nearest source, {way}"] = by_source[min(divergences, key=divergences.__getitem__)]
            found[f"best source, {way}"] = [max(each[i] for each in by_source.values()) for i in (0, 1)]
        return found | {name: each[part] for name, each in self.together.items()}


Outcomes = Mapping[str, Sequence[Outcome]]  # of a target, one for each seed


def in_wals(outcomes: Outcomes, part: str) -> Outcomes:
    """The targets that have a part, and that WALS knows."""
    return {
        name: group for name, group in outcomes.items() if part in group[0].divergences and GOALS[0] in group[0].pairs
    }


def spread_of(values: Sequence[float], plain: Sequence[float]) -> dict[str, float]:
    """How scores of pairs are spread, and what they gain over those of the same pairs as they are."""
    gains = [new - old for new, old in zip(values, plain, strict=True)]
    return {
        "least": min(values),
        "median": median(values),
        "most": max(values),
        "mean": mean(values),
        "gain": mean(gains),
        "better": sum(gain > 0 for gain in gains),
        "worse": sum(gain < 0 for gain in gains),
        "pairs": len(values),
    }


def spread(outcomes: Outcomes, part: str) -> dict[str, dict[str, float]]:
    """How UAS of pairs is spread, and what rewriting gains, by way, over the targets that WALS knows."""
    known = in_wals(outcomes, part)
    if not known:
        return {}
    values = {
        way: [
            mean(one.pairs[way][source][part][0] for one in group)
            for group in known.values()
            for source in group[0].divergences[part]
        ]
        for way in WAYS
    }
    return {way: spread_of(found, values[PLAIN]) for way, found in values.items()}


def of_pairs(outcomes: Outcomes, part: str) -> list[str]:
    """How the scores of pairs are spread, and what rewriting gains."""
    rows = spread(outcomes, part)
    if not rows:
        return []
    lines = [f"UAS of {rows[PLAIN]['pairs']} pairs, {part} sets{'':>6}min  median     max    mean  better   worse"]
    for way, row in rows.items():
        cells = [number(row[name]) for name in ("least", "median", "most", "mean")]
        more = "" if way == PLAIN else f"{row['better']:8}{row['worse']:8}"
        lines.append(f"{way:28}" + "".join(cells) + more)
    return [*lines, ""]


def average(outcomes: Outcomes, part: str, row: str, place: int) -> float:
    """UAS (place 0) or LAS (1) of a method over the targets; not a number, if some have none."""
    found = [[one.rows(part) for one in group] for group in outcomes.values()]
    if any(row not in one for group in found for one in group):
        return float("nan")
    return mean(mean(one[row][place] for one in group) for group in found)


def of_methods(outcomes: Outcomes, part: str) -> list[str]:
    """UAS and LAS of each method on the average, over all targets and over those that WALS knows."""
    all_targets = {name: group for name, group in outcomes.items() if part in group[0].divergences}
    known = in_wals(outcomes, part)
    if not known:
        return []
    lines = [f"{part + ' sets':32}{f'{len(all_targets)} targets':>16}{f'{len(known)} in WALS':>16}"]
    for row in next(iter(known.values()))[0].rows(part):
        cells = [number(average(group, part, row, place)) for group in (all_targets, known) for place in (0, 1)]
        lines.append(f"{row:32}" + "".join(cells))
    return [*lines, ""]


def by_target(outcomes: Outcomes) -> list[str]:
    """UAS of some methods on the test set of each target, and the sources that are nearest and best."""
    shown = ("mean of sources", "nearest source", "best source", "combined 1/KL", f"{NEAREST} nearest pooled")
    rows = [f"{name}, {way}" for way in (PLAIN, "full") for name in shown]
    lines = ["UAS on test sets, by target: " + "; ".join(rows)]
    for name, group in outcomes.items():
        first, tables = group[0], [one.rows("test") for one in group]
        divergences, pairs = first.divergences["test"], first.pairs[PLAIN]
        nearest = min(divergences, key=divergences.__getitem__)
        best = max(divergences, key=lambda source: pairs[source]["test"][0])
        cells = [
            number(mean(one[row][0] for one in tables) if row in tables[0] else float("nan"), 7, 1) for row in rows
        ]
        lines.append(
            f"{name:14}" + "".join(cells) + f"   nearest {nearest} (KL {divergences[nearest]:.2f}), best {best}"
        )
    return [*lines, ""]


def between(outcomes: Outcomes, source: str, target: str) -> dict[str, dict[str, float]]:
    """Mean UAS on test sets of pairs from a family to another, and what rewriting gains, by way."""
    found = {
        way: [
            mean(one.pairs[way][name]["test"][0] for one in group)
            for own, group in outcomes.items()
            for name in group[0].divergences["test"]
            if language(own) in FAMILIES[target] and language(name) in FAMILIES[source]
        ]
        for way in WAYS
    }
    means = {way: mean(values) for way, values in found.items()}
    return {way: {"UAS": value, "gain": value - means[PLAIN], "pairs": len(found[way])} for way, value in means.items()}


def by_family(outcomes: Outcomes) -> list[str]:
    """Mean UAS on test sets by families of source and target, as it is and rewritten, beside that of the thesis."""
    lines = [
        f"{'families, source and target':30}{'pairs':>6}{'as it is':>10}{'cautious':>10}{'full':>10}{'thesis':>16}"
    ]
    for (source, target), theirs in THESIS.items():
        found = between(outcomes, source, target)
        cells = "".join(number(found[way]["UAS"], 10, 1) for way in WAYS)
        lines.append(f"{f'{source}, {target}':30}{found[PLAIN]['pairs']:>6}{cells}{' '.join(map(str, theirs)):>16}")
    return [*lines, ""]


def measurements(outcomes: Outcomes, seeds: Sequence[int]) -> list[Measurement]:
    """UAS and LAS on test sets by families of source and target, treebanks, way and seed."""
    found = []
    for families in THESIS:
        from_languages, to_languages = (FAMILIES[name] for name in families)
        for target, group in outcomes.items():
            for source in group[0].divergences["test"]:
                if language(source) not in from_languages or language(target) not in to_languages:
                    continue
                for seed, one in zip(seeds, group, strict=True):
                    for way in WAYS:
                        labels = {"families": ", ".join(families), "from": source, "to": target, "way": way}
                        uas, las = one.pairs[way][source]["test"]
                        figures = {"UAS": uas, "LAS": las}
                        found.append(measured("families", labels | {"seed": str(seed)}, figures, build=one.build))
    return found


def claimed(outcomes: Outcomes) -> dict[str, dict[str, float]]:
    """What the page about the thesis prints: pairs, several sources, and families, on test sets."""
    rows = {f"pairs, {way}": figures for way, figures in spread(outcomes, "test").items()}
    known = in_wals(outcomes, "test")
    plain = average(known, "test", f"combined 1/KL, {PLAIN}", 0)
    for way in WAYS:
        uas = average(known, "test", f"combined 1/KL, {way}", 0)
        rows[f"combined 1/KL, {way}"] = {"UAS": uas, "gain": uas - plain, "targets": len(known)}
    cells = {families: between(outcomes, *families) for families in THESIS}
    for families, found in cells.items():
        rows |= {f"{', '.join(families)}, {way}": figures for way, figures in found.items()}
    pairs = [found[PLAIN]["pairs"] for found in cells.values()]
    rows["pairs of two families"] = {"least": min(pairs), "most": max(pairs)}
    for way in GOALS:
        apart = [found[way]["gain"] for families, found in cells.items() if {*families} == {"Romance", "Finno-Ugric"}]
        within = [found[way]["gain"] for (source, target), found in cells.items() if source == target]
        for name, gains in (("Romance and Finno-Ugric", apart), ("the same family", within)):
            rows[f"gain, {name}, {way}"] = {"least": min(gains), "most": max(gains)}
    return rows


def matrix(outcomes: Outcomes) -> list[str]:
    """UAS on test sets of each source (row) and target (column), as it is."""
    names = sorted({source for group in outcomes.values() for source in group[0].divergences["test"]})
    lines = ["UAS on test sets, sources in rows", f"{'':12}" + "".join(f"{name[:6]:>7}" for name in outcomes)]
    for source in names:
        cells = [
            number(
                mean(one.pairs[PLAIN][source]["test"][0] for one in group)
                if source in group[0].divergences["test"]
                else float("nan"),
                7,
                1,
            )
            for group in outcomes.values()
        ]
        lines.append(f"{source:12}" + "".join(cells))
    return lines


def main() -> None:
    parser = arguments(__doc__, "transfer", "1")
    options = parser.parse_args()
    found = sorted(path.parent.name for path in options.folder.glob("*/test.conllu") if path.stat().st_size)
    names = options.treebanks.split(",") if options.treebanks else found
    if not found or set(names) - set(found):
        parser.error(f"{options.folder}: expected treebanks with test.conllu: {', '.join(names) or 'at least one'}")
    seeds = [int(seed) for seed in options.seeds.split(",")]
    wanted = {name: [Task(name, seed) for seed in seeds] for name in names}
    results = finish(options, [task for group in wanted.values() for task in group], Outcome)
    outcomes = {name: [results[task.key] for task in group if task.key in results] for name, group in wanted.items()}
    done = {name: group for name, group in outcomes.items() if len(group) == len(seeds)}
    if not done:
        publish(options, ["no target is finished"])
        return
    missing = [name for name in names if name not in done]
    notes = [f"not finished, so not in the tables: {', '.join(missing)}"] if missing else []
    cpu = sum(outcome.cpu for group in done.values() for outcome in group)
    title = f"mean over seeds {options.seeds}; {cpu / 60:.0f} minutes of CPU"
    tables = [line for part in PARTS for table in (of_pairs, of_methods) for line in table(done, part)]
    publish(options, [title, "", *tables, *by_target(done), *by_family(done), *matrix(done), *notes])
    if not options.report:
        keep("families", measurements(done, seeds), options.results.parent)
        every = [one for group in done.values() for one in group]
        keep("transfer", claims("transfer", claimed(done), every), options.results.parent)


if __name__ == "__main__":
    main()
