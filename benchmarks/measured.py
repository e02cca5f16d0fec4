"""Measurements with keys: what benchmarks found, kept as runs of grids are, so that `panparser results` prints it.

A measurement has names on axes, as a run of a grid has, and figures. Which benchmark it is of, its names, and version
and build of panparser make its key; machine and time stand beside it. So every figure on a page can be traced, whether
a grid or a stopwatch found it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import panparser as pp
from panparser.lab.results import pack
from panparser.work.keys import digest

FOLDER = Path(__file__).parent / "results"
Measurement = tuple[Mapping[str, str], pp.lab.RunOutcome]


def measured(
    benchmark: str, labels: Mapping[str, str], figures: Mapping[str, float | None], *, build: str | None = None
) -> Measurement:
    """One measurement: its names on the axes, and what was found; nothing that is None or not a number.

    `build`: that of panparser which it was made with, if it is not this one.
    """
    recipe = {"benchmark": benchmark, "names": dict(labels)}
    facts = {name: float(value) for name, value in figures.items() if value is not None and value == value}  # noqa: PLR0124
    outcome = pp.lab.external_outcome(recipe, {}, facts=facts)
    if build is None:
        return labels, outcome
    described = {**outcome.values["run"], "build": build}
    return labels, pp.lab.RunOutcome({**outcome.values, "run": described, "key": digest(described)})


def claims(benchmark: str, rows: Mapping[str, Mapping[str, float]], outcomes: Iterable[Any]) -> list[Measurement]:
    """What a page prints, by what it is of; made from outcomes of tasks, whose builds it has, with + between them."""
    build = "+".join(sorted({outcome.build for outcome in outcomes}))
    return [measured(benchmark, {"what": what}, figures, build=build) for what, figures in rows.items()]


def keep(benchmark: str, found: Sequence[Measurement], folder: Path = FOLDER) -> None:
    """Keeps measurements in FOLDER/BENCHMARK, in place of those of an earlier run, so that no two builds are mixed."""
    place = folder / benchmark
    for old in (*place.glob("*.json"), *place.glob("*.jsonl*"), *place.glob("grids/*.json")):
        old.unlink()
    pp.lab.GridResults.from_outcomes(benchmark, found).write(place)
    pack(place)
