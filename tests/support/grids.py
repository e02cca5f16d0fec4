"""Small grids: treebanks of few sentences in folders, and runs of a tenth of a second."""

from __future__ import annotations

import panparser as pp
from places import ENGLISH

RECIPE = {"parser": {"beam": 1, "templates": "zn11"}, "training": {"epochs": 1, "members": 1, "prune": 0}}


def write_treebanks(folder, count=2):
    """Treebanks t1, t2, ... with 15 sentences to learn from, 10 and 12 to be scored on."""
    treebank = pp.read_conllu(ENGLISH)
    for number in range(count):
        own = folder / f"t{number + 1}"
        own.mkdir(parents=True)
        for part, first, last in (("train", 0, 15), ("dev", 20, 30), ("test", 30, 42)):
            pp.write_conllu(own / f"{part}.conllu", treebank[first + 40 * number : last + 40 * number])
    return folder


def small_grid(folder, **more):
    """Two treebanks, two seeds, two settings: eight runs."""
    values = {
        "name": "small",
        "results": "results",
        "recipe": RECIPE,
        "axes": {
            "treebank": "treebanks",
            "training": {"seed": [1, 2]},
            "setting": {
                "static": {"training": {"strategy": "static"}},
                "dynamic": {"training": {"strategy": "dynamic"}},
            },
        },
    }
    return pp.lab.Grid.from_values(values | more, folder=folder)


def made_outcome(key, *, correct, words=10, split="test", **more):
    """An outcome with these numbers of correct heads, of sentences of so many words, as a run would have it."""
    import numpy as np

    from panparser.lab.outcomes import RunOutcome, sentence_counts
    from panparser.work.keys import digest

    gold = np.full(len(correct), words)
    counts = sentence_counts({"UAS": correct, "LAS": correct}, gold, gold)
    score = 100 * sum(correct) / int(gold.sum())
    run = {"recipe": {"name": key}, "splits": {}, "panparser": "0", "build": "b"}
    values = {
        "format": 1,
        "key": digest(run),
        "content": digest(run["recipe"]),
        "status": "done",
        "error": None,
        "run": run,
        "data": {},
        "started": "2026-01-02T03:04:05+00:00",
        "seconds": 1.5,
        "cpu_seconds": 1.0,
        "machine": {},
        "facts": {"words": 7},
        "scores": {split: {"UAS": score, "LAS": score}},
        "sentences": {split: counts},
    }
    return RunOutcome(values | more)


def made_results(runs, name="made"):
    """Results of runs, a list of labels and correct words by sentence; None: it was not run."""
    from panparser.lab.results import GridResult, GridResults

    axes = {axis: tuple(dict.fromkeys(labels[axis] for labels, _ in runs)) for axis in runs[0][0]}
    rows = []
    for labels, correct in runs:
        outcome = None if correct is None else made_outcome(str(labels), correct=correct)
        rows.append(GridResult(labels, outcome.key if outcome else "0", outcome))
    return GridResults(name, axes, tuple(rows))
