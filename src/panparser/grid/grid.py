"""Grid: a recipe with axes, as a TOML file or plain values, and the runs that it stands for."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from panparser.errors import SpecError
from panparser.grid.axes import TREEBANK, Axis, AxisCondition, check_part, combinations, read_axes
from panparser.grid.runs import GridRun
from panparser.recipes.reading import read_recipe
from panparser.recipes.recipe import Recipe
from panparser.recipes.tables import Part, check_names, integer, number, one_of, read_toml, text, within
from panparser.storage.values import NAME, TABLE, Kind, check, shown

_KEYS = ["name", "results", "recipe", "axes", "exclude", "when", "evaluation", "limits"]
_FOLDER = Kind("a folder", lambda value: isinstance(value, str) and bool(value))
_MOST_RUNS = 100_000


@dataclass(frozen=True, kw_only=True)
class EvaluationPart(Part):
    """[evaluation]: `test`, a file, if no axis of treebanks has it; `input` of pipelines: "tokens" or "text"."""

    test: str | None = text("a file")
    input: str | None = one_of("tokens", "text")


@dataclass(frozen=True, kw_only=True)
class LimitsPart(Part):
    """[limits]: the `seconds` that a run may take, and how often it is tried again if its process dies."""

    seconds: float | None = number(0)
    retries: int | None = integer(0, 100)


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Runs and where their results go. `name` tells grids apart that share a folder of results."""

    name: str
    results: Path
    axes: tuple[Axis, ...] = field(repr=False)
    runs: tuple[GridRun, ...] = field(repr=False)
    seconds: float | None = None
    retries: int = 2

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        treebanks: str | os.PathLike[str] | None = None,
        results: str | os.PathLike[str] | None = None,
    ) -> Grid:
        """The grid of a TOML file; `treebanks` and `results` are other folders than the file names.

        Raises SpecError, with file and key, if it is not a valid one.
        """
        place = os.fspath(path)
        values = read_toml(path)
        if treebanks is not None:
            values = _with_treebanks(values, os.path.abspath(treebanks), place)
        values.setdefault("name", Path(path).stem)
        grid = cls.from_values(values, folder=Path(path).parent, place=place)
        return grid if results is None else replace(grid, results=Path(results))

    @classmethod
    def from_values(
        cls, values: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".", place: str = "grid"
    ) -> Grid:
        """The grid in plain values, as a file has them; relative paths count from the folder."""
        folder = Path(folder)
        check(values, TABLE, place, SpecError)
        check_names(values, _KEYS, place)
        name, results = values.get("name", "grid"), values.get("results", "results")
        check(name, NAME, f"{place}: name", SpecError)
        check(results, _FOLDER, f"{place}: results", SpecError)
        evaluation = EvaluationPart.from_values(values.get("evaluation", {}), f"{place}: [evaluation]")
        limits = LimitsPart.from_values(values.get("limits", {}), f"{place}: [limits]")
        axes = read_axes(values.get("axes", {}), folder, f"{place}: [axes]")
        base = _base(values.get("recipe", {}), folder, f"{place}: recipe")
        runs = _runs(values, base, axes, evaluation, folder, place)
        retries = {} if limits.retries is None else {"retries": limits.retries}
        return cls(name=name, results=folder / results, axes=axes, runs=runs, seconds=limits.seconds or None, **retries)


def _with_treebanks(values: dict[str, Any], folder: str, place: str) -> dict[str, Any]:
    """The grid with another folder of treebanks."""
    axes = values.get("axes")
    if not isinstance(axes, dict) or TREEBANK not in axes:
        raise SpecError(f"{place}: [axes]: expected an axis {TREEBANK}, whose folder is to be replaced; found none")
    given = axes[TREEBANK]
    table = {"only": given} if isinstance(given, list) else given if isinstance(given, dict) else {}
    return {**values, "axes": {**axes, TREEBANK: {**table, "folder": folder}}}


def _base(value: Any, folder: Path, place: str) -> Mapping[str, Any]:
    """The recipe that all runs share, a table or a file, in plain values."""
    if not isinstance(value, str):
        check_part(value, place)
        return dict(value)
    path = folder / value
    found = within(place, lambda: read_recipe(path))
    if isinstance(found, Recipe):
        return found.with_paths(os.path.abspath).to_values()
    if path.parent.resolve() != folder.resolve():
        raise SpecError(f"{place}: the recipe of a cascade must be in the folder of the grid, found {value}")
    return read_toml(path)


def _runs(
    values: Mapping[str, Any],
    base: Mapping[str, Any],
    axes: Sequence[Axis],
    evaluation: EvaluationPart,
    folder: Path,
    place: str,
) -> tuple[GridRun, ...]:
    left_out = [AxisCondition.read(each, axes, where) for each, where in _rows(values, "exclude", place)]
    changes = []
    for each, where in _rows(values, "when", place):
        check(each, TABLE, where, SpecError)
        check_names(each, ["axes", "recipe"], where)
        check_part(each.get("recipe"), f"{where} recipe")
        changes.append((AxisCondition.read(each.get("axes"), axes, f"{where} axes"), each["recipe"]))
    runs: list[GridRun] = []
    for point in combinations(base, axes, left_out, changes):
        if len(runs) >= _MOST_RUNS:
            raise SpecError(f"{place}: expected at most {_MOST_RUNS:,} runs, found more")
        name = ", ".join(f"{axis} {label}" for axis, label in point.labels.items())
        if point.test is not None and evaluation.test is not None:
            found = f"those of the axis {TREEBANK}, too"
            raise SpecError(f"{place}: [evaluation] test: expected one test set for a run, found {found}")
        test = point.test or (None if evaluation.test is None else os.path.abspath(folder / evaluation.test))
        runs.append(
            GridRun.of(
                point.recipe,
                folder=str(folder),
                test=test,
                input=evaluation.input or "tokens",
                labels=point.labels,
                place=f"{place}: {name}" if name else place,
            )
        )
    if not runs:
        raise SpecError(f"{place}: expected runs, found none: all are excluded")
    return tuple(runs)


def _rows(values: Mapping[str, Any], key: str, place: str) -> list[tuple[Any, str]]:
    rows = values.get(key, [])
    if not isinstance(rows, list):
        raise SpecError(f"{place}: [[{key}]]: expected a list of tables, found {shown(rows)}")
    return [(row, f"{place}: [[{key}]] {number}") for number, row in enumerate(rows, start=1)]
