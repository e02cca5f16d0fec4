"""What cascades bring: a partial parser for what is easy, then a complete one, against one parser; by class of words.

    python benchmarks/cascades.py FOLDER --treebanks hu,el,tr,ta,ga,got

FOLDER/NAME/{train,dev,test}.conllu, as in Universal Dependencies. For each treebank and seed: regions (tag and
direction) that a quick parser gets right in 90 % of the cases on held-out folds of the training set, in fewer where
there are none; a cascade of two stages for each way that the second is trained (under predicted, gold or no
constraints); and the plain parser with the same options as the last stage. Scores are of test sets, with gold tags.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
from argparse import Namespace
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from grid import PARTS, arguments, chosen, publish

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


def work(folder: Path, name: str, seed: int) -> dict[str, Any]:
    train, dev, test = (pp.read_conllu(folder / name / f"{part}.conllu") for part in PARTS)
    regions: tuple[pp.Region, ...] = ()
    precision = 0.0
    for precision in PRECISIONS:
        if regions := pp.estimate_regions(train, precision=precision, seed=seed):
            break
    plain = pp.train(pp.ParserSpec(), train, dev=dev, seed=seed)
    found: dict[str, Any] = {"plain": counts(test, plain.parse(test))}
    stages = (pp.Stage(name="easy", regions=regions), pp.Stage(name="rest", spec=pp.ParserSpec()))
    for way in WAYS:
        cascade = pp.train_cascade(stages, train, dev=dev, given=way, seed=seed)  # type: ignore[arg-type]
        found[way] = counts(test, cascade.parse(test))
        if way == "predicted":
            given = cascade.found(test)
            easy = cascade.parsers[0].parse(test, constraints=given, relax=True)
            found["easy"] = counts(test, easy, given.heads >= 0)
    return {
        "treebank": name,
        "seed": seed,
        "precision": precision,
        "regions": [str(region) for region in regions],
        "counts": found,
    }


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:8.2f}" if whole else f"{'-':>8}"


def totals(rows: list[dict[str, Any]], setting: str) -> list[int]:
    """Words, right heads, right heads and labels, of all tags."""
    return [sum(count[i] for row in rows for count in row["counts"][setting].values()) for i in range(3)]


def report(rows: list[dict[str, Any]]) -> list[str]:
    header = "".join(f"{f'{setting} UAS':>15}{'LAS':>8}" for setting in ("plain", *WAYS))
    lines = [f"{'treebank':12}{'seeds':>6}{'easy: coverage':>16}{'precision':>11}{header}"]
    for name in dict.fromkeys(row["treebank"] for row in rows):
        own = [row for row in rows if row["treebank"] == name]
        words, (easy, right, _) = totals(own, "plain")[0], totals(own, "easy")
        cells = "".join(
            f"{percent(uas, total):>15}{percent(las, total)}"
            for total, uas, las in (totals(own, setting) for setting in ("plain", *WAYS))
        )
        lines.append(f"{name:12}{len(own):6}{percent(easy, words):>16}{percent(right, easy):>11}{cells}")
    lines += ["", "by tag, all treebanks: UAS and LAS; of the easy stage how many words it attaches, and how well", ""]
    lines.append(f"{'tag':8}{'words':>8}{'easy: coverage':>16}{'precision':>11}{header}")
    for tag in sorted({tag for row in rows for tag in row["counts"]["plain"]}):
        by = {
            s: [sum(r["counts"][s].get(tag, [0, 0, 0])[i] for r in rows) for i in range(3)] for s in rows[0]["counts"]
        }
        words = by["plain"][0]
        cells = "".join(
            f"{percent(by[setting][1], words):>15}{percent(by[setting][2], words)}" for setting in ("plain", *WAYS)
        )
        attached, well, _ = by["easy"]
        lines.append(f"{tag:8}{words:8}{percent(attached, words):>16}{percent(well, attached):>11}{cells}")
    lines += ["", "regions of the easy stage, first seed:"]
    for row in {row["treebank"]: row for row in reversed(rows)}.values():
        lines.append(f"{row['treebank']:12}{row['precision']:.2f}  {'; '.join(row['regions'])}")
    return lines


def run(options: Namespace, names: list[str], seeds: list[int]) -> list[dict[str, Any]]:
    """All results; those that the file has are not computed again."""
    path: Path = options.results
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    known = {(row["treebank"], row["seed"]) for row in rows}
    tasks = [(name, seed) for name in names for seed in seeds if (name, seed) not in known and not options.report]
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(options.jobs, mp_context=spawn) as executor:
        futures = [executor.submit(work, options.folder, *task) for task in tasks]
        for future in as_completed(futures):
            rows.append(future.result())
            with path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(rows[-1]) + "\n")
            print(f"{rows[-1]['treebank']}, seed {rows[-1]['seed']}: done", file=sys.stderr, flush=True)
    wanted = [row for row in rows if row["treebank"] in names and row["seed"] in seeds]
    return sorted(wanted, key=lambda row: (names.index(row["treebank"]), row["seed"]))


def main() -> None:
    options = arguments(__doc__, "cascades", "1,2,3").parse_args()
    options.treebanks = options.treebanks or TREEBANKS
    names, seeds = chosen(options)
    if rows := run(options, names, seeds):
        publish(options, report(rows))


if __name__ == "__main__":
    main()
