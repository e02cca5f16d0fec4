"""How accurate the default parser is, how long its training takes, how large its model is; three seeds.

    python benchmarks/accuracy.py FOLDER    # FOLDER/*/{train,dev,test}.conllu; goes on where it was stopped

The parser of `panparser train -t train.conllu -d dev.conllu`, with no option but the seed. Test sets, gold tags, full
labels, all tokens. CPU seconds are those of the training process, with its start, reading and evaluation on the
development set. Finished tasks are kept in benchmarks/results/accuracy.jsonl, the table in accuracy.txt.
"""

from __future__ import annotations

from collections.abc import Sequence

from grid import Scores, Task, Tasks, arguments, chosen, finish, flat, number, publish

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
SETTING = "default"


def tasks(names: Sequence[str], seeds: Sequence[int]) -> Tasks:
    return {(name, SETTING): [Task(treebank=name, seed=seed) for seed in seeds] for name in names}


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
    sizes = {field: [scores.value(name, SETTING, field) for name in scores.treebanks] for field in ("cpu", "size")}
    for place, name in enumerate(scores.treebanks):
        values = [scores.value(name, SETTING, field) for field in ("uas", "las")]
        rest = (sizes["cpu"][place], sizes["size"][place] / 1e6)
        lines.append(row(name, str(scores.fact(name, "sentences")), values, BARS.get(name, none), rest))
    names = [name for name in scores.treebanks if name in BARS]
    if names:
        values = [scores.average(names, SETTING, field) for field in ("uas", "las")]
        bars = [sum(BARS[name][i] for name in names) / len(names) for i in (0, 1)]
        rest = (scores.average(names, SETTING, "cpu"), scores.average(names, SETTING, "size") / 1e6)
        lines.append(row(f"average ({len(names)})", "", values, bars, rest))
    return lines


def main() -> None:
    parser = arguments(__doc__, "accuracy", "1,2,3")
    parser.set_defaults(treebanks=",".join(BARS))
    options = parser.parse_args()
    names, seeds = chosen(options)
    wanted = tasks(names, seeds)
    scores = Scores(finish(options, flat(wanted)), wanted)
    title = f"The default parser on test sets, mean over seeds {options.seeds}; the bar is what it must reach"
    publish(options, [title, "", *table(scores), *(f"\n{note}" for note in scores.notes)])


if __name__ == "__main__":
    main()
