"""Axes of a grid: what varies from run to run, each with named settings; and all their combinations."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from panparser.errors import SpecError
from panparser.grid.treebanks import find_treebanks
from panparser.recipes.tables import check_names
from panparser.storage.values import TABLE, check, shown

TABLES = (  # of recipes
    "data", "sources", "typology", "parser", "network", "training", "constraints", "folds", "pipeline",
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
    settings: tuple[AxisValue, ...]


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
        twice = [label for label, count in Counter(each.label for each in axis.settings).items() if count > 1]
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
        raise SpecError(f"{place} {name}: expected a list of values, found {shown(value)}")
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
        raise SpecError(f"{place}: expected {kinds}, found {shown(value)}{hint}")
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
        known = {axis.name: [each.label for each in axis.settings] for axis in axes}
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
    for settings in product(*(axis.settings for axis in axes)):
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
