"""The effects that the papers report: dynamic oracles, training on non-projective sentences, restart; three seeds.

    panparser grid benchmarks/grids/effects.toml --treebanks FOLDER    # FOLDER/*/{train,dev,test}.conllu
    python benchmarks/effects.py                                       # the tables of what is there, in effects.txt

1. Oracles (Goldberg & Nivre 2012): static, dynamic with spurious ambiguity, dynamic with exploration.
2. Non-projective sentences (Aufrant, Wisniewski & Yvon 2018): left out, reduced to the largest projective part, made
   pseudo-projective, or taken as they are with actions of minimum cost; by their share of the training set.
3. Restart after a global update (Aufrant, Wisniewski & Yvon 2017), against going to the next sentence.

Test sets, gold tags, all tokens; the epoch that is best on the development set. Parsers are ArcEager with Root last,
several roots allowed and ZN11 templates. Differences are tested by `panparser results benchmarks/results/papers
--baseline "oracle static"`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from scores import Scores, main, number

import panparser as pp

GROUPS = {"over 50 %": (50, 101), "25 to 50 %": (25, 50), "10 to 25 %": (10, 25), "under 10 %": (0, 10)}


@dataclass(frozen=True, kw_only=True)
class Effect:
    """Settings of a grid, and pairs of them of which the second is expected to be better."""

    title: str
    settings: Sequence[str]
    expected: Sequence[tuple[str, str]]
    fields: Sequence[str] = ("UAS", "FullLAS")
    grouped: bool = False


_ORACLES = [f"oracle {name}" for name in ("static", "dynamic-ambiguity", "dynamic-explore")]
_WAYS = [f"crossing {name}" for name in ("leave-out", "reduce", "pseudo", "as-is")]
_RESTART = [f"restart {name}{more}" for name in ("early-update", "max-violation") for more in ("", "-restart")]
EFFECTS = (
    Effect(
        title="Oracles: greedy, labeled",
        settings=_ORACLES,
        expected=[(_ORACLES[0], _ORACLES[1]), (_ORACLES[1], _ORACLES[2])],
    ),
    Effect(
        title="Non-projective sentences: greedy, dynamic oracle, labeled",
        settings=_WAYS,
        expected=[*((_WAYS[0], way) for way in _WAYS[1:]), (_WAYS[2], _WAYS[3])],
        grouped=True,
    ),
    Effect(
        title="Restart: beam 8, unlabeled",
        settings=_RESTART,
        expected=[(_RESTART[0], _RESTART[1]), (_RESTART[2], _RESTART[3])],
        fields=("UAS",),
    ),
)


def rows(effect: Effect, scores: Scores, field: str) -> list[str]:
    """One for each treebank, by share of non-projective sentences if that matters, then the average."""
    wide = max(10, *(len(setting) + 2 for setting in effect.settings))

    def row(what: str, fact: str, values: Sequence[float]) -> str:
        return f"{what:30}{fact:>10}" + "".join(number(value, wide) for value in values)

    share = {name: scores.fact(name, "crossing_percent") for name in scores.treebanks}
    groups = {"": (0, 101)} if not effect.grouped else GROUPS
    titles = "".join(f"{setting:>{wide}}" for setting in effect.settings)
    lines = ["", f"{field:30}{'crossing %':>10}{titles}"]
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
        lines.append(f"{higher} against {lower}: {gain:+.2f} {field}, {counts}{verdict}")
    return lines


def report(effect: Effect, scores: Scores) -> list[str]:
    """The tables of an effect, and whether it is as expected."""
    lines = [effect.title, *(f"({note})" for note in scores.notes)]
    for field in effect.fields:
        lines += [*rows(effect, scores, field), *verdicts(effect, scores, field)]
    return [*lines, "", ""]


def report_all(results: pp.lab.GridResults) -> list[str]:
    scores = Scores(results, "setting")
    lines = [f"Test sets, all tokens, mean over seeds {scores.seeds}", ""]
    for effect in EFFECTS:
        lines += report(effect, scores)
    return lines[:-2]


if __name__ == "__main__":
    main("effects", __doc__, report_all, folder="papers")
