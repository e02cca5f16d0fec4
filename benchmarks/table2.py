"""Table 2 of Aufrant & Wisniewski (2018): two systems, two positions of Root, four ways to train; UAS on test sets.

    python benchmarks/table2.py FOLDER    # every FOLDER/*/{train,dev,test}.conllu; goes on where it was stopped

ZN11 templates, unlabeled, several roots allowed, gold tags, all tokens; the epoch that is best on the development set.
Greedy: static oracle, on non-projective sentences too. Greedy dynamic: goes on from the wrong state after each update.
Early update and max-violation: beam 8, global dynamic oracles, no restart. Small treebanks have under 500 sentences to
train on. Finished tasks are kept in benchmarks/results/table2.jsonl, the table in table2.txt.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

from grid import Scores, Task, Tasks, arguments, chosen, finish, flat, number, publish

SYSTEMS = ("arc-eager", "arc-hybrid")
ROOTS = ("first", "last")
SETTINGS = {  # strategy and beam
    "greedy": ("static", 1),
    "greedy dynamic": ("dynamic", 1),
    "early update": ("early-update", 8),
    "max-violation": ("max-violation", 8),
}
SHORT = {"greedy": "greedy", "greedy dynamic": "dynamic", "early update": "early", "max-violation": "max-viol"}
SMALL = 500  # sentences
PAPER = {  # of the 73 treebanks of UD 2.0: all, small, large; greedy, greedy dynamic, early update, max-violation
    ("arc-eager", "first"): ((77.89, 78.97, 80.29, 80.36), (66.27, 68.17, 68.48, 68.42), (81.15, 82.00, 83.60, 83.71)),
    ("arc-eager", "last"): ((78.63, 79.43, 80.35, 80.40), (67.60, 68.70, 68.58, 68.87), (81.72, 82.44, 83.66, 83.63)),
    ("arc-hybrid", "first"): ((75.72, 76.54, 79.39, 79.78), (66.56, 66.49, 66.72, 68.43), (78.29, 79.36, 82.95, 82.96)),
    ("arc-hybrid", "last"): ((76.02, 77.05, 79.70, 79.86), (66.74, 67.42, 68.39, 68.61), (78.62, 79.76, 82.87, 83.02)),
}


def name_of(system: str, root: str, setting: str) -> str:
    return f"{system} {root} {setting}"


def tasks(names: Sequence[str], seeds: Sequence[int], epochs: int) -> Tasks:
    return {
        (name, name_of(system, root, setting)): [
            Task(
                treebank=name,
                seed=seed,
                system=(system, root, False),
                templates="zn11",
                beam=beam,
                labeled=False,
                nonprojective="as-is",
                strategy=strategy,
                epochs=epochs,
                patience=0,
                members=1,
            )
            for seed in seeds
        ]
        for name in names
        for system, root in PAPER
        for setting, (strategy, beam) in SETTINGS.items()
    }


def table(scores: Scores) -> list[str]:
    """The paper's rows: the averages here, and beside them the paper's."""
    small = [name for name in scores.treebanks if scores.fact(name, "sentences") < SMALL]
    large = [name for name in scores.treebanks if name not in small]
    groups = {"all": scores.treebanks, "small": small, "large": large}
    width = 9 * len(SETTINGS)
    titles = "".join(f"{SHORT[setting]:>9}" for setting in SETTINGS)
    counts = f"{len(scores.treebanks)} treebanks ({len(small)} small)"
    lines = [
        f"{'':28}{counts:>{width}}   {'the paper, 73 treebanks':>{width}}",
        f"{'system':12}{'root':8}{'':8}{titles}   {titles}",
    ]
    for system, root in product(SYSTEMS, ROOTS):
        for place, (group, names) in enumerate(groups.items()):
            ours = [scores.average(names, name_of(system, root, setting)) for setting in SETTINGS]
            figures = "   ".join(
                "".join(number(value, 9) for value in row) for row in (ours, PAPER[system, root][place])
            )
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
                f"{name:20}{scores.fact(name, 'sentences'):8}" + "".join(number(value, 16) for value in values)
            )
    return lines


def main() -> None:
    parser = arguments(__doc__, "table2", "1")
    parser.add_argument("--epochs", type=int, default=10)
    options = parser.parse_args()
    names, seeds = chosen(options)
    wanted = tasks(names, seeds, options.epochs)
    scores = Scores(finish(options, flat(wanted)), wanted)
    title = f"Test UAS, all tokens, {options.epochs} epochs, mean over seeds {options.seeds}"
    checks = ["Greedy < greedy dynamic < early update <= max-violation, on average over all treebanks?", *order(scores)]
    publish(options, [title, "", *table(scores), "", *scores.notes, *checks, *per_treebank(scores)])


if __name__ == "__main__":
    main()
