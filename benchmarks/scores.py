"""Scores of a grid's runs by treebank and setting, as means over seeds: what tables of benchmarks are made of.

`panparser grid benchmarks/grids/NAME.toml --treebanks FOLDER` runs the grid, with results in benchmarks/results/NAME
or a folder that grids share; the script of that name makes its table of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path

import panparser as pp
from panparser.lab.result_tables import value_of
from panparser.work.keys import own_build

FOLDER = Path(__file__).parent / "results"


class Scores:
    """Of the treebanks that have all runs. A setting is the names on some axes, with spaces between them."""

    def __init__(self, results: pp.lab.GridResults, *axes: str, split: str = "test") -> None:
        self.results, self.split = results, split
        self._runs: dict[tuple[str, str], list[pp.lab.RunOutcome]] = {}
        incomplete = set()
        for row in results.rows:
            name = row.labels["treebank"]
            if row.outcome is None or not row.outcome.is_finished:
                incomplete.add(name)
                continue
            setting = " ".join(row.labels[axis] for axis in axes)
            self._runs.setdefault((name, setting), []).append(row.outcome)
        self.treebanks = [name for name in results.axes["treebank"] if name not in incomplete]
        self.missing = [name for name in results.axes["treebank"] if name in incomplete]

    @property
    def seeds(self) -> str:
        return ", ".join(self.results.axes.get("seed", ("1",)))

    def value(self, treebank: str, setting: str, metric: str = "UAS") -> float:
        """The mean over seeds; not a number if it was not scored."""
        found = [value_of(outcome, self.split, metric) for outcome in self._runs[treebank, setting]]
        values = [value for value in found if value is not None]
        return sum(values) / len(values) if values else float("nan")

    def average(self, names: Sequence[str], setting: str, metric: str = "UAS") -> float:
        """Over treebanks; not a number if there are none."""
        return sum(self.value(name, setting, metric) for name in names) / len(names) if names else float("nan")

    def fact(self, treebank: str, name: str) -> float:
        """Of the treebank, the same in all settings."""
        return next(runs for (known, _), runs in self._runs.items() if known == treebank)[0].facts[name]

    @property
    def notes(self) -> list[str]:
        """What a reader of the table must know: gaps, the runs, and whether they are of this build."""
        notes = [f"not finished, so not in the table: {', '.join(self.missing)}"] if self.missing else []
        builds = {row.outcome.build for row in self.results.finished_runs if row.outcome is not None}
        if builds - {own_build()}:
            notes.append(f"some results are of another build of panparser ({len(builds)} builds in all)")
        return [*notes, self.results.signature()]


def number(value: float, width: int = 8, digits: int = 2) -> str:
    return f"{'-':>{width}}" if value != value else f"{value:{width}.{digits}f}"  # noqa: PLR0124 - not a number


def made(results: pp.lab.GridResults) -> str:
    """When and on what the runs were run, whoever makes a table of them."""
    outcomes = [row.outcome.values for row in results.finished_runs if row.outcome is not None]
    days = sorted({each["started"][:10] for each in outcomes})
    about = [sorted({str(each["machine"].get(name, "?")) for each in outcomes}) for name in ("processor", "python")]
    versions = sorted({each["run"]["panparser"] for each in outcomes})
    day = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else "nothing finished"
    processor, python = (" and ".join(each) for each in about)
    return f"panparser {' and '.join(versions)}, {day}, {processor}, Python {python}, one thread a run"


def main(
    name: str, doc: str | None, report: Callable[[pp.lab.GridResults], list[str]], *, folder: str | None = None
) -> None:
    """A command that makes a report of the results of a grid, which are in `folder` of FOLDER, and writes it there."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--results", type=Path, default=FOLDER / (folder or name), help="folder of results")
    parser.add_argument("--print", action="store_true", help="write nothing")
    options = parser.parse_args()
    results = pp.lab.GridResults.read(options.results, name)
    text = "\n".join([made(results), "", *report(results)])
    if not options.print:
        options.results.with_name(f"{name}.txt").write_text(text + "\n", encoding="utf-8")
    print(text)
