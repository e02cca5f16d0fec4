"""Learning from partial annotation: half of the annotations (words at random) against all, and half of the sentences.

    python benchmarks/partial.py FOLDER --treebanks fr_sequoia

FOLDER/NAME/{train,dev,test}.conllu, as in Universal Dependencies. For each treebank and seed the same parser learns
from the whole training set, from one where a share of the words has lost head and label, and from so large a share
of the sentences; development and test sets stay whole. The seed also draws words and sentences.
"""

from __future__ import annotations

import grid
from grid import Scores, Task, Tasks, arguments, chosen, finish, flat, number, publish

SETTINGS = {"all": None, "annotations": "annotations", "sentences": "sentences"}
MOST_LOST = 1.5  # UAS, against all annotations


def build_tasks(names: list[str], seeds: list[int], share: float) -> Tasks:
    return {
        (name, setting): [Task(treebank=name, seed=seed, part=(kind, share) if kind else None) for seed in seeds]
        for name in names
        for setting, kind in SETTINGS.items()
    }


def report(scores: Scores, share: float) -> list[str]:
    lines = [
        f"UAS and LAS on the test set; {100 * share:g} % of the annotations (words at random), or of the sentences"
    ]
    header = "".join(f"{f'{setting} {metric}':>18}" for setting in SETTINGS for metric in ("UAS", "LAS"))
    lines += ["", f"{'treebank':16}{header}{'lost':>8}{'gained':>8}"]
    for name in scores.treebanks:
        uas = {setting: scores.value(name, setting) for setting in SETTINGS}
        cells = "".join(number(scores.value(name, setting, m), 18) for setting in SETTINGS for m in ("uas", "las"))
        lost, gained = uas["all"] - uas["annotations"], uas["annotations"] - uas["sentences"]
        verdict = "" if lost <= MOST_LOST and gained > 0 else "  not as wanted"
        lines.append(f"{name:16}{cells}{number(lost)}{number(gained)}{verdict}")
    lines += ["", "lost: UAS against all annotations", "gained: UAS against as many of the sentences"]
    return [*lines, *scores.notes]


def main() -> None:
    parser = arguments(__doc__, "partial", "1,2,3")
    parser.add_argument("--share", type=float, default=0.5, help="of what is kept; default 0.5")
    options = parser.parse_args()
    if not options.treebanks:
        options.treebanks = "fr_sequoia"
    names, seeds = chosen(options)
    tasks = build_tasks(names, seeds, options.share)
    publish(options, report(grid.Scores(finish(options, flat(tasks)), tasks), options.share))


if __name__ == "__main__":
    main()
