"""Attardi's system with a dynamic oracle against its static one, and against ArcEager; three seeds.

    panparser grid benchmarks/grids/attardi.toml --treebanks FOLDER    # FOLDER/*/{train,dev,test}.conllu
    python benchmarks/attardi.py                                       # the tables of what is there, in attardi.txt

Gómez-Rodríguez, Sartorio & Satta (2014), Table 1: greedy, labeled, and after each step training follows the prediction,
right or wrong. All sentences are trained on, also those that the system cannot derive. ArcEager is trained in the same
way, with pseudo-projective labels and without them. Root last, one child of Root, the templates that fit the system.
Test sets, gold tags, all tokens; the epoch that is best on the development set; by the share of non-projective
sentences in the training set. Then what the oracle costs, and how often its costs are approximate: also in one epoch
with a beam of 8, where states are worst: those of wrong derivations that run on to the end.
"""

from __future__ import annotations

from effects import Effect
from effects import report as of_effect
from scores import Scores, main

import panparser as pp

STATIC, DYNAMIC = "attardi, static", "attardi, dynamic"
COMPARISON = Effect(
    title="Greedy, labeled",
    settings=(STATIC, DYNAMIC, "arc-eager", "arc-eager, pseudo"),
    expected=[(STATIC, DYNAMIC)],
    grouped=True,
)
PAPER = "The paper, 20 data sets: UAS 83.57 static, 84.12 dynamic (better on 14); LAS 78.39 and 79.12; 4 times the time"


def costs(scores: Scores) -> list[str]:
    """What the dynamic oracle costs, and in which share of the states it is approximate."""
    lines = [f"{'':30}{'CPU s static':>14}{'dynamic':>10}{'ratio':>8}{'approximate %':>16}{'with a beam':>14}"]
    for name in scores.treebanks:
        static, dynamic = (scores.value(name, setting, "training_cpu_seconds") for setting in (STATIC, DYNAMIC))
        shares = [scores.value(name, setting, "approximate_percent") for setting in (DYNAMIC, "beam")]
        lines.append(f"{name:30}{static:14.1f}{dynamic:10.1f}{dynamic / static:8.2f}{shares[0]:16.4f}{shares[1]:14.4f}")
    return lines


def report(results: pp.lab.GridResults) -> list[str]:
    scores = Scores(results, "setting")
    title = f"Test sets, all tokens, mean over seeds {scores.seeds}"
    return [title, PAPER, "", *of_effect(COMPARISON, scores)[:-1], *costs(scores)]


if __name__ == "__main__":
    main("attardi", __doc__, report)
