"""Grid: a recipe with axes, over treebanks."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from pathlib import Path
from typing import Any

from panparser.base.checks import NON_NEGATIVE
from panparser.base.kinds import NAME, TABLE, Kind, check, integer, number, one_of, path_exists, short_repr
from panparser.base.options import check_names
from panparser.errors import SpecError
from panparser.lab.grid_runs import GridRun
from panparser.recipes.recipe import Recipe
from panparser.recipes.recipe_files import read_recipe
from panparser.recipes.sections import FILE, Section, key, read_toml, within

_TREEBANK_KEYS = ["folder", "only", "without"]


@dataclass(frozen=True)
class TreebankFolder:
    """The files of a treebank; `dev` is None if there is none."""

    name: str
    train: str
    dev: str | None
    test: str

    @classmethod
    def find(cls, folder: Path) -> TreebankFolder | None:
        """The treebank of a folder; None if it lacks what is learned from, or what is tested on."""
        train, dev, test = (_file(folder, part) for part in ("train", "dev", "test"))
        if train is None or test is None:
            return None
        return cls(folder.resolve().name, str(train), None if dev is None else str(dev), str(test))


def _file(folder: Path, part: str) -> Path | None:
    """train.conllu, or the only file with a name such as hu_szeged-ud-train.conllu; empty ones count as missing."""
    plain = folder / f"{part}.conllu"
    found = [plain] if plain.is_file() else sorted(folder.glob(f"*-{part}.conllu"))
    if len(found) > 1:
        raise SpecError(f"{folder}: expected one file {part}.conllu, found {', '.join(path.name for path in found)}")
    return found[0].resolve() if found and found[0].stat().st_size else None


def find_treebanks(values: Any, folder: Path, place: str) -> list[TreebankFolder]:
    """The treebanks that an axis names: a folder of them, a list of folders, or a table with folder, only, without."""
    if isinstance(values, list) and values and all(isinstance(each, str) for each in values):
        return [_one(folder / each, place) for each in values]
    table = {"folder": values} if isinstance(values, str) else values
    if not isinstance(table, dict) or not isinstance(table.get("folder"), str):
        expected = "a folder, a list of folders, or a table with folder, only and without"
        raise SpecError(f"{place}: expected {expected}, found {short_repr(values)}")
    check_names(table, _TREEBANK_KEYS, place)
    whole = folder / table["folder"]
    if not path_exists(whole, Path.is_dir):
        raise SpecError(f"{place}: expected a folder, found none at {whole}")
    if "only" in table:
        return [_one(whole / name, place) for name in _names(table, "only", whole, place)]
    left_out = _names(table, "without", whole, place)
    found = [
        TreebankFolder.find(each) for each in sorted(whole.iterdir()) if each.is_dir() and each.name not in left_out
    ]
    complete = [each for each in found if each is not None]
    if not complete:
        raise SpecError(f"{place}: expected folders with train.conllu and test.conllu in {whole}, found none")
    return complete


def _names(table: dict[str, Any], key: str, whole: Path, place: str) -> list[str]:
    names = table.get(key, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise SpecError(f"{place} {key}: expected a list of names, found {short_repr(names)}")
    for name in names:
        if not path_exists(whole / name, Path.is_dir):
            raise SpecError(f"{place} {key}: {whole} has no treebank {name}")
    return names


def _one(folder: Path, place: str) -> TreebankFolder:
    if not path_exists(folder, Path.is_dir):
        raise SpecError(f"{place}: expected the folder of a treebank, found none at {folder}")
    found = TreebankFolder.find(folder)
    if found is None:
        raise SpecError(f"{place}: expected train.conllu and test.conllu in {folder}, found not both")
    return found


TABLES = (  # of recipes
    "data", "sources", "typology", "parser", "network", "training", "constraints", "cross_validation", "pipeline",
    "cascade", "stages",
)  # fmt: skip
TREEBANK, SEED = "treebank", "seed"  # axes that tables treat as such
_NAME = re.compile(r"\w[\w-]*")


@dataclass(frozen=True)
class AxisValue:
    """A value on an axis: its name, and the part of a recipe that it sets; a treebank also sets what is tested on."""

    label: str
    recipe: Mapping[str, Any]
    test: str | None = None


@dataclass(frozen=True)
class Axis:
    """What varies, and its settings."""

    name: str
    values: tuple[AxisValue, ...]


def read_axes(values: Any, folder: Path, place: str) -> tuple[Axis, ...]:
    """The axes of the table [axes]: `treebank`, keys of recipes with lists of values, others with named settings."""
    check(values, TABLE, place, SpecError)
    found: list[tuple[tuple[str, ...], tuple[AxisValue, ...]]] = []
    for name, value in values.items():
        if name == TREEBANK:
            found.append(((name,), _treebanks(value, folder, f"{place} {name}")))
        elif name in TABLES:
            found += _of_recipe((name,), value, place)
        else:
            found.append(((name,), _named(name, value, f"{place} {name}")))
    last = Counter(path[-1] for path, _ in found)
    axes = tuple(Axis(path[-1] if last[path[-1]] == 1 else ".".join(path), settings) for path, settings in found)
    for axis in axes:
        twice = [label for label, count in Counter(each.label for each in axis.values).items() if count > 1]
        if twice:
            raise SpecError(f"{place} {axis.name}: expected different values, found {twice[0]} twice")
    return axes


def _treebanks(value: Any, folder: Path, place: str) -> tuple[AxisValue, ...]:
    settings = []
    for each in find_treebanks(value, folder, place):
        data: dict[str, Any] = {"train": [each.train]} | ({} if each.dev is None else {"dev": each.dev})
        settings.append(AxisValue(each.name, {"data": data}, each.test))
    return tuple(settings)


def _of_recipe(
    path: tuple[str, ...], value: Any, place: str
) -> Iterator[tuple[tuple[str, ...], tuple[AxisValue, ...]]]:
    """An axis for each list below a table of the recipe."""
    name = ".".join(path)
    if isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _of_recipe((*path, key), inside, place)
        return
    if not isinstance(value, list) or not value:
        raise SpecError(f"{place} {name}: expected a list of values, found {short_repr(value)}")
    yield path, tuple(AxisValue(label_of(each), _nested(path, each)) for each in value)


def _nested(path: Sequence[str], value: Any) -> Any:
    return {path[0]: _nested(path[1:], value)} if path else value


def label_of(value: Any) -> str:
    """The name of a value: itself, or its JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _named(name: str, value: Any, place: str) -> tuple[AxisValue, ...]:
    """Settings with names of their own: tables with parts of recipes."""
    if not _NAME.fullmatch(name):
        raise SpecError(f"{place}: expected a name of letters, digits and hyphens")
    if not isinstance(value, Mapping) or not value:
        kinds = "a table with a name and a part of a recipe for each setting"
        hint = f"; keys of recipes begin with {', '.join(TABLES[:-1])} or {TABLES[-1]}"
        raise SpecError(f"{place}: expected {kinds}, found {short_repr(value)}{hint}")
    for label, part in value.items():
        check_part(part, f"{place} {label}")
    return tuple(AxisValue(label, part) for label, part in value.items())


def check_part(part: Any, place: str) -> None:
    """Raises SpecError for what is not a part of a recipe."""
    check(part, TABLE, place, SpecError)
    check_names(part, list(TABLES), place)


def merged(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A recipe with other values in it: keys of tables are replaced; tables within [network] are merged, too."""
    found = dict(base)
    for name, table in more.items():
        own = found.get(name)
        if not isinstance(table, Mapping) or not isinstance(own, Mapping):
            found[name] = table
        elif name == "network":
            found[name] = _deeply(own, table)
        else:
            found[name] = {**own, **table}
    return found


def _deeply(base: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    both = {
        k: _deeply(base[k], v) for k, v in more.items() if isinstance(v, Mapping) and isinstance(base.get(k), Mapping)
    }
    return {**base, **more, **both}


# --- Combinations ---


@dataclass(frozen=True)
class AxisCondition:
    """Some values on some axes."""

    allowed: Mapping[str, frozenset[str]]

    @classmethod
    def read(cls, values: Any, axes: Sequence[Axis], place: str) -> AxisCondition:
        check(values, TABLE, place, SpecError)
        known = {axis.name: [each.label for each in axis.values] for axis in axes}
        check_names(values, list(known), place)
        allowed = {}
        for name, value in values.items():
            labels = [label_of(each) for each in (value if isinstance(value, list) else [value])]
            check_names(labels, known[name], f"{place} {name}")
            allowed[name] = frozenset(labels)
        return cls(allowed)

    def holds(self, labels: Mapping[str, str]) -> bool:
        return all(labels[name] in allowed for name, allowed in self.allowed.items())


@dataclass(frozen=True)
class Configuration:
    """One combination: the name on each axis, the recipe, and what is tested on, if an axis says so."""

    labels: Mapping[str, str]
    recipe: Mapping[str, Any]
    test: str | None


def combinations(
    base: Mapping[str, Any],
    axes: Sequence[Axis],
    left_out: Sequence[AxisCondition] = (),
    changes: Sequence[tuple[AxisCondition, Mapping[str, Any]]] = (),
) -> Iterator[Configuration]:
    """All combinations but those that are left out; later axes vary first."""
    for settings in product(*(axis.values for axis in axes)):
        labels = {axis.name: setting.label for axis, setting in zip(axes, settings, strict=True)}
        if any(condition.holds(labels) for condition in left_out):
            continue
        recipe, test = dict(base), None
        for setting in settings:
            recipe, test = merged(recipe, setting.recipe), setting.test or test
        for condition, part in changes:
            if condition.holds(labels):
                recipe = merged(recipe, part)
        yield Configuration(labels, recipe, test)


_KEYS = ["name", "results", "recipe", "axes", "exclude", "when", "evaluation", "limits"]
_FOLDER = Kind("a folder", lambda value: isinstance(value, str) and bool(value))
MAX_RUNS = 100_000


class EvaluationSection(Section):
    """[evaluation]: `test`, a file, if no axis of treebanks has it; `input` of pipelines: "tokens" or "text"."""

    test: Any = key(FILE)
    input: Any = key(one_of("tokens", "text"))


class LimitsSection(Section):
    """[limits]: the `seconds` that a run may take, and how often it is tried again if its process dies."""

    seconds: Any = key(number(NON_NEGATIVE))
    retries: Any = key(integer(0, 100))


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
        evaluation = EvaluationSection.from_values(values.get("evaluation", {}), f"{place}: [evaluation]")
        limits = LimitsSection.from_values(values.get("limits", {}), f"{place}: [limits]")
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
    evaluation: EvaluationSection,
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
        if len(runs) >= MAX_RUNS:
            raise SpecError(f"{place}: expected at most {MAX_RUNS:,} runs, found more")
        name = ", ".join(f"{axis} {label}" for axis, label in point.labels.items())
        if point.test is not None and evaluation.test is not None:
            found = f"those of the axis {TREEBANK}, too"
            raise SpecError(f"{place}: [evaluation] test: expected one test set for a run, found {found}")
        test = point.test or (None if evaluation.test is None else os.path.abspath(folder / evaluation.test))
        runs.append(
            GridRun.create(
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
        raise SpecError(f"{place}: [[{key}]]: expected a list of tables, found {short_repr(rows)}")
    return [(row, f"{place}: [[{key}]] {number}") for number, row in enumerate(rows, start=1)]
