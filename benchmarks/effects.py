"""The effects that the papers report: dynamic oracles, training on non-projective sentences, restart; three seeds.

    python benchmarks/effects.py FOLDER    # every FOLDER/*/{train,dev,test}.conllu; goes on where it was stopped

1. Oracles (Goldberg & Nivre 2012): static, dynamic with spurious ambiguity, dynamic with exploration.
2. Non-projective sentences (Aufrant, Wisniewski & Yvon 2018): left out, reduced to the largest projective part, made
   pseudo-projective, or taken as they are with actions of minimum cost; by their share of the training set.
3. Restart after a global update (Aufrant, Wisniewski & Yvon 2017), against going to the next sentence.

Test sets, gold tags, all tokens; the epoch that is best on the development set. Where nothing else is said, parsers are
ArcEager with Root last, several roots allowed and ZN11 templates. Finished tasks are kept in
benchmarks/results/effects.jsonl, the tables in effects.txt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from grid import Scores, Task, Tasks, arguments, chosen, finish, flat, number, publish

WAYS = ("leave-out", "reduce", "pseudo", "as-is")
GROUPS = {"over 50 %": (50, 101), "25 to 50 %": (25, 50), "10 to 25 %": (10, 25), "under 10 %": (0, 10)}
GREEDY = {"system": ("arc-eager", "last", False), "templates": "zn11", "beam": 1, "patience": 0, "members": 1}
GLOBAL = {**GREEDY, "beam": 8, "labeled": False}


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Settings as fields of tasks, and pairs of them of which the second is expected to be better."""

    title: str
    settings: Mapping[str, Mapping[str, Any]]
    expected: Sequence[tuple[str, str]]
    fields: Sequence[str] = ("uas", "las")
    grouped: bool = False

    def tasks(self, names: Sequence[str], seeds: Sequence[int], epochs: int) -> Tasks:
        tasks: Tasks = {}
        for name in names:
            for setting, values in self.settings.items():
                tasks[name, setting] = [Task(treebank=name, seed=seed, epochs=epochs, **values) for seed in seeds]
        return tasks


EFFECTS = (
    Effect(
        title="Oracles: greedy, labeled",
        settings={
            name: {**GREEDY, "labeled": True, "nonprojective": "as-is", "strategy": name}
            for name in ("static", "dynamic-ambiguity", "dynamic-explore")
        },
        expected=[("static", "dynamic-ambiguity"), ("dynamic-ambiguity", "dynamic-explore")],
    ),
    Effect(
        title="Non-projective sentences: greedy, dynamic oracle, labeled",
        settings={way: {**GREEDY, "labeled": True, "nonprojective": way, "strategy": "dynamic"} for way in WAYS},
        expected=[("leave-out", way) for way in WAYS if way != "leave-out"],
        grouped=True,
    ),
    Effect(
        title="Restart: beam 8, unlabeled",
        settings={
            name + restart: {**GLOBAL, "nonprojective": "as-is", "strategy": name + restart}
            for name in ("early-update", "max-violation")
            for restart in ("", "-restart")
        },
        expected=[(name, f"{name}-restart") for name in ("early-update", "max-violation")],
        fields=("uas",),
    ),
)


def rows(effect: Effect, scores: Scores, field: str) -> list[str]:
    """One for each treebank, by share of non-projective sentences if that matters, then the average."""
    wide = max(10, *(len(setting) + 2 for setting in effect.settings))

    def row(what: str, fact: str, values: Sequence[float]) -> str:
        return f"{what:30}{fact:>10}" + "".join(number(value, wide) for value in values)

    share = {name: scores.fact(name, "crossing") for name in scores.treebanks}
    groups = {"": (0, 101)} if not effect.grouped else GROUPS
    titles = "".join(f"{setting:>{wide}}" for setting in effect.settings)
    lines = ["", f"{field.upper():30}{'crossing %':>10}{titles}"]
    for group, (least, most) in groups.items():
        names = sorted((name for name in share if least <= share[name] < most), key=lambda name: -share[name])
        lines += [
            row(name, f"{share[name]:.1f}", [scores.value(name, setting, field) for setting in effect.settings])
            for name in names
        ]
        if group and names:
            means = [scores.average(names, setting, field) for setting in effect.settings]
            lines += [row(f"  {group} ({len(names)})", "", means)]
    means = [scores.average(scores.treebanks, setting, field) for setting in effect.settings]
    return [*lines, row(f"average ({len(scores.treebanks)})", "", means)]


def verdicts(effect: Effect, scores: Scores, field: str) -> list[str]:
    """Whether each second setting is better on average, and on how many treebanks."""
    lines, names = [], scores.treebanks
    for lower, higher in effect.expected if names else ():
        gain = scores.average(names, higher, field) - scores.average(names, lower, field)
        better = sum(scores.value(name, higher, field) > scores.value(name, lower, field) for name in names)
        verdict = "" if gain > 0 else "; NOT as expected"
        counts = f"better on {better} of {len(names)} treebanks"
        lines.append(f"{higher} against {lower}: {gain:+.2f} {field.upper()}, {counts}{verdict}")
    return lines


def report(effect: Effect, scores: Scores) -> list[str]:
    lines = [effect.title, *(f"({note})" for note in scores.notes)]
    for field in effect.fields:
        lines += [*rows(effect, scores, field), *verdicts(effect, scores, field)]
    return [*lines, "", ""]


def main() -> None:
    parser = arguments(__doc__, "effects", "1,2,3")
    parser.add_argument("--epochs", type=int, default=10, help="default 10")
    options = parser.parse_args()
    names, seeds = chosen(options)
    tasks = [effect.tasks(names, seeds, options.epochs) for effect in EFFECTS]
    results = finish(options, chain.from_iterable(map(flat, tasks)))
    lines = [f"Test sets, all tokens, {options.epochs} epochs, mean over seeds {options.seeds}", ""]
    for effect, wanted in zip(EFFECTS, tasks, strict=True):
        lines += report(effect, Scores(results, wanted))
    publish(options, lines[:-2])


if __name__ == "__main__":
    main()
