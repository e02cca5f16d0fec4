"""How accurate the default parser is, how long its training takes, how large its model is; three seeds.

    panparser grid benchmarks/grids/accuracy.toml --treebanks FOLDER    # FOLDER/*/{train,dev,test}.conllu
    python benchmarks/accuracy.py                                       # the table of what is there, in accuracy.txt

The parser of `panparser train -t train.conllu -d dev.conllu`, with no option but the seed. Test sets, gold tags, full
labels, all tokens. CPU seconds are those of training, with reading and evaluation on the development set.
"""

from __future__ import annotations

from collections.abc import Sequence

from scores import Scores, main, number

import panparser as pp

BARS = {  # the least UAS and LAS that the default parser must reach
    "hu": (81.2, 77.3),
    "fr_sequoia": (89.1, 87.6),
    "sv_lines": (86.3, 81.8),
    "got": (83.2, 79.2),
    "ta": (81.2, 75.0),
    "el": (87.5, 84.5),
    "tr": (69.0, 61.0),
    "en": (87.5, 85.2),
}
SETTING = ""  # there is but one
METRICS, FACTS = ("UAS", "FullLAS"), ("training_cpu_seconds", "model_bytes")


def row(name: str, sentences: str, values: Sequence[float], bars: Sequence[float], rest: Sequence[float]) -> str:
    """Scores beside their bars, CPU seconds, megabytes, and a word where a bar is missed."""
    missed = [field for field, value, bar in zip(("UAS", "LAS"), values, bars, strict=True) if round(value, 2) < bar]
    figures = "".join(
        f"{number(value)}{number(bar)}{number(value - bar)}" for value, bar in zip(values, bars, strict=True)
    )
    return (
        f"{name:14}{sentences:>10}{figures}"
        + "".join(number(value, 10, 1) for value in rest)
        + (f"  below in {' and '.join(missed)}" if missed else "")
    )


def table(scores: Scores) -> list[str]:
    titles = "".join(f"{field:>8}{'bar':>8}{'':8}" for field in ("UAS", "LAS"))
    lines = [f"{'treebank':14}{'sentences':>10}{titles}{'CPU s':>10}{'MB':>10}"]
    none = (float("nan"), float("nan"))
    for name in scores.treebanks:
        values = [scores.value(name, SETTING, metric) for metric in METRICS]
        seconds, size = (scores.value(name, SETTING, fact) for fact in FACTS)
        sentences = f"{scores.fact(name, 'sentences'):.0f}"
        lines.append(row(name, sentences, values, BARS.get(name, none), (seconds, size / 1e6)))
    names = [name for name in scores.treebanks if name in BARS]
    if names:
        values = [scores.average(names, SETTING, metric) for metric in METRICS]
        bars = [sum(BARS[name][i] for name in names) / len(names) for i in (0, 1)]
        seconds, size = (scores.average(names, SETTING, fact) for fact in FACTS)
        lines.append(row(f"average ({len(names)})", "", values, bars, (seconds, size / 1e6)))
    return lines


def report(results: pp.lab.GridResults) -> list[str]:
    scores = Scores(results)
    title = f"The default parser on test sets, mean over seeds {scores.seeds}; the bar is what it must reach"
    return [title, "", *table(scores), "", *scores.notes]


if __name__ == "__main__":
    main("accuracy", __doc__, report)
