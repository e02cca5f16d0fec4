"""Table 2 of Aufrant & Wisniewski (2018): two systems, two positions of Root, four ways to train; UAS on test sets.

    panparser grid benchmarks/grids/table2.toml --treebanks FOLDER    # FOLDER/*/{train,dev,test}.conllu
    python benchmarks/table2.py                                       # the table of what is there, in table2.txt

ZN11 templates, unlabeled, several roots allowed, gold tags, all tokens; the epoch that is best on the development set.
Greedy: static oracle, on non-projective sentences too. Greedy dynamic: goes on from the wrong state after each update.
Early update and max-violation: beam 8, global dynamic oracles, no restart. Small treebanks have under 500 sentences to
train on.
"""

from __future__ import annotations

import csv
from itertools import pairwise, product
from pathlib import Path

from scores import Scores, main, number

import panparser as pp

SYSTEMS = ("arc-eager", "arc-hybrid")
ROOTS = ("first", "last")
SETTINGS = {"greedy": "greedy", "greedy dynamic": "dynamic", "early update": "early", "max-violation": "max-viol"}
SMALL = 500  # sentences
GROUPS = ("all", "under 500", "500 or more")  # as the published table names them
PUBLISHED = Path(__file__).parent / "published" / "table2.csv"


def published() -> dict[tuple[str, str, str, str], float]:
    """The paper's figures, of the 73 treebanks of UD 2.0, by system, root, setting and group."""
    with open(PUBLISHED, encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    return {(row["system"], row["root"], row["setting"], group): float(row[group]) for row in rows for group in GROUPS}


def name_of(system: str, root: str, setting: str) -> str:
    return f"{system} {root} {setting}"


def table(scores: Scores) -> list[str]:
    """The paper's rows: the averages here, and beside them the paper's."""
    small = [name for name in scores.treebanks if scores.fact(name, "sentences") < SMALL]
    large = [name for name in scores.treebanks if name not in small]
    groups = {"all": scores.treebanks, "small": small, "large": large}
    paper = published()
    width = 9 * len(SETTINGS)
    titles = "".join(f"{SETTINGS[setting]:>9}" for setting in SETTINGS)
    counts = f"{len(scores.treebanks)} treebanks ({len(small)} small)"
    lines = [
        f"{'':28}{counts:>{width}}   {'the paper, 73 treebanks':>{width}}",
        f"{'system':12}{'root':8}{'':8}{titles}   {titles}",
    ]
    for system, root in product(SYSTEMS, ROOTS):
        for place, (group, names) in enumerate(groups.items()):
            ours = [scores.average(names, name_of(system, root, setting)) for setting in SETTINGS]
            theirs = [paper[system, root, setting, GROUPS[place]] for setting in SETTINGS]
            figures = "   ".join("".join(number(value, 9) for value in row) for row in (ours, theirs))
            lines.append(f"{system if place == 0 else '':12}{root if place == 0 else '':8}{group:8}{figures}")
    return lines


def order(scores: Scores) -> list[str]:
    """Whether greedy < greedy dynamic < early update <= max-violation, in words."""
    if not scores.treebanks:
        return ["no treebank is finished"]
    lines = []
    for system, root in product(SYSTEMS, ROOTS):
        values = {setting: scores.average(scores.treebanks, name_of(system, root, setting)) for setting in SETTINGS}
        wrong = []
        for lower, higher in pairwise(SETTINGS):
            may_tie = higher == "max-violation"
            if not (values[lower] < values[higher] or (may_tie and values[lower] == values[higher])):
                claim = "is below" if may_tie else "is not above"
                wrong.append(f"{higher} ({values[higher]:.2f}) {claim} {lower} ({values[lower]:.2f})")
        lines.append(f"{system}, root {root}: {'; '.join(wrong) if wrong else 'as in the paper'}")
    return lines


def per_treebank(scores: Scores) -> list[str]:
    lines = []
    for system, root in product(SYSTEMS, ROOTS):
        lines += ["", f"{f'{system}, root {root}':28}" + "".join(f"{setting:>16}" for setting in SETTINGS)]
        for name in scores.treebanks:
            values = (scores.value(name, name_of(system, root, setting)) for setting in SETTINGS)
            lines.append(
                f"{name:20}{scores.fact(name, 'sentences'):8.0f}" + "".join(number(value, 16) for value in values)
            )
    return lines


def report(results: pp.lab.GridResults) -> list[str]:
    scores = Scores(results, "system", "root", "setting")
    title = f"Test UAS, all tokens, mean over seeds {scores.seeds}"
    checks = ["Greedy < greedy dynamic < early update <= max-violation, on average over all treebanks?", *order(scores)]
    return [title, "", *table(scores), "", *scores.notes, *checks, *per_treebank(scores)]


if __name__ == "__main__":
    main("table2", __doc__, report, folder="papers")
