"""All transition systems, greedy and with a beam of 8: accuracy, crossing arcs, speed.

    panparser grid benchmarks/grids/systems.toml --treebanks FOLDER    # FOLDER/*/{train,dev,test}.conllu
    python benchmarks/systems.py                                       # the tables of what is there, in systems.txt

Each system has its default templates, and is trained with its dynamic oracle, if it has one, with exploration when it
is greedy (SwapStandard then with its static-dynamic one); Root is last. Scores are of test sets with gold tags, all
words, labels with subtypes. The recall of crossing arcs is the share of words whose gold arc crosses another one and
whose head was found. Treebanks are sorted by the share of sentences in their training sets that are not projective.
"""

from __future__ import annotations

from scores import Scores, main, number

import panparser as pp

BEAMS = ("1", "8")
TITLES = {"FullLAS": "LAS", "UAS": "UAS", "Crossing": "Recall of crossing arcs"}


def average(values: list[float]) -> float:
    """Not a number if one is missing."""
    return sum(values) / len(values) if values else float("nan")


def report(results: pp.lab.GridResults) -> list[str]:
    """Tables for each beam, a line for each system and a column for each treebank; then speeds."""
    scores, systems = Scores(results, "system", "beam"), results.axes["system"]
    share = {name: scores.fact(name, "crossing_percent") for name in scores.treebanks}
    known = sorted(share, key=lambda name: share[name])
    lines = []
    for beam in BEAMS:
        kind = "greedy" if beam == "1" else f"beam {beam}"
        for metric, title in TITLES.items():
            lines += [f"{title}, {kind}, mean of seeds {scores.seeds}"]
            lines += [f"{'':25}" + "".join(f"{name:>11}" for name in known) + f"{'average':>11}"]
            lines += [f"{'sentences that cross, %':25}" + "".join(number(share[name], 11, 1) for name in known)]
            for system in systems:
                values = [scores.value(name, f"{system} {beam}", metric) for name in known]
                lines += [f"{system:25}" + "".join(number(value, 11) for value in (*values, average(values)))]
            lines += [""]
        lines += [f"{'Speed, ' + kind:44}{'s of training':>15}{'words/s':>12}"]
        for system in systems:
            setting = f"{system} {beam}"
            trained = average([scores.value(name, setting, "training_cpu_seconds") for name in known])
            speeds = [
                scores.value(name, setting, "test_words") / max(1e-6, scores.value(name, setting, "test_cpu_seconds"))
                for name in known
            ]
            lines += [f"{system:44}{number(trained, 15, 0)}{number(average(speeds), 12, 0)}"]
        lines += [""]
    return [*lines, *scores.notes]


if __name__ == "__main__":
    main("systems", __doc__, report)
