"""CascadeRecipe: everything that makes a cascade, as plain values in a TOML file with [[stages]]."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, get_args

from panparser.ensembles.cascade import Stage, check_stages
from panparser.ensembles.cascade_training import Given
from panparser.ensembles.regions import Region, estimate_regions
from panparser.errors import SpecError
from panparser.recipes.parser import ParserPart
from panparser.recipes.recipe import HEADER, Recipe
from panparser.recipes.tables import (
    Part,
    check_names,
    integer,
    is_cascade,
    one_of,
    read_toml,
    table,
    text,
    that,
    within,
)
from panparser.recipes.training import TrainingPart
from panparser.storage.files import write_whole
from panparser.storage.toml import to_toml
from panparser.treebank.treebank import Treebank

_TABLES = ("data", "parser", "training", "network", "cascade", "stages")
_OF_STAGES = ("parser", "training", "network")
_OF_SYSTEM = ("system", "root", "single_root")  # those of [parser] are for the last stage
PARTIAL = "arc-eager-partial"


@dataclass(frozen=True, kw_only=True)
class CascadePart(Part):
    """[cascade]: what stages after the first learn under: "predicted" (in `folds` folds), "gold" or "none"."""

    given: str | None = one_of(*get_args(Given))
    folds: int | None = integer(2)


@dataclass(frozen=True, kw_only=True)
class StagePart(Part):
    """One of [[stages]]: `regions`, a table or several, or `estimate`, the options of `estimate_regions`.

    `parser`, `training` and `network` are tables as in any recipe; [parser] and [training] supply what they leave out,
    [network] is for stages without a network of their own.
    """

    name: str | None = text("a name")
    regions: Mapping[str, Any] | tuple[Any, ...] | None = that(
        "a table, or a list of tables", lambda value: isinstance(value, Mapping | tuple)
    )
    estimate: Mapping[str, Any] | None = table()
    parser: Mapping[str, Any] | None = table()
    training: Mapping[str, Any] | None = table()
    network: Mapping[str, Any] | None = table()

    def find_regions(self) -> tuple[Region, ...]:
        tables = (self.regions,) if isinstance(self.regions, Mapping) else self.regions or ()
        return within("regions", lambda: tuple(map(Region.from_values, tables)))


@dataclass(frozen=True, kw_only=True)
class CascadeRecipe:
    """Data, stages and what they have in common; `recipes` are those of the stages, as a single parser has one."""

    base: Recipe = field(default_factory=Recipe)
    cascade: CascadePart = field(default_factory=CascadePart)
    stages: tuple[StagePart, ...] = ()
    recipes: tuple[Recipe, ...] = ()

    @staticmethod
    def is_one(path: str | os.PathLike[str]) -> bool:
        """Whether a recipe file describes a cascade."""
        return is_cascade(path)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> CascadeRecipe:
        """The recipe of a TOML file. Raises SpecError, with file, table and key, if it is not a valid one."""
        place = os.fspath(path)
        recipe = cls.from_values(read_toml(path), place)
        return recipe._with_paths(lambda file: os.path.join(os.path.dirname(place), file))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], place: str = "recipe") -> CascadeRecipe:
        check_names(values, list(_TABLES), place)
        base = Recipe.from_values({key: values[key] for key in _TABLES[:4] if key in values}, place)
        cascade = CascadePart.from_values(values.get("cascade", {}), f"{place}: [cascade]")
        rows = values.get("stages")
        if not isinstance(rows, list) or len(rows) < 2:
            raise SpecError(f"{place}: [[stages]]: expected at least two, found {rows!r}")
        stages, recipes = [], []
        for number, row in enumerate(rows, start=1):
            where = f"{place}: [[stages]] {number}"
            stage = StagePart.from_values(row, where)
            tables = {key: table for key in _OF_STAGES if (table := getattr(stage, key)) is not None}
            own = Recipe.from_values(tables, where)
            if number == len(rows) and (stage.regions is not None or stage.estimate is not None):
                raise SpecError(f"{where}: the last stage finds all arcs: expected no regions, and nothing to estimate")
            if number < len(rows) and (stage.regions is None) == (stage.estimate is None):
                raise SpecError(f"{where}: expected regions or what to estimate, one of the two")
            within(where, stage.find_regions)
            stages.append(stage)
            recipes.append(cls._filled(base, own, number == len(rows)))
        for recipe in (base, *recipes):
            training = recipe.training
            unsuited = (training.seeds, training.init, recipe.parser.vectors, recipe.data.weights)
            if any(value is not None for value in unsuited):
                raise SpecError(f"{place}: seeds, init, vectors and weights are for single parsers, not for a cascade")
        return cls(base=base, cascade=cascade, stages=tuple(stages), recipes=tuple(recipes))

    @staticmethod
    def _filled(base: Recipe, own: Recipe, is_last: bool) -> Recipe:
        """The recipe of a stage, with defaults from the tables that all stages share."""
        parser = base.parser.to_values()
        if not is_last:
            parser = {key: value for key, value in parser.items() if key not in _OF_SYSTEM} | {"system": PARTIAL}
        network = own.network
        if network is None and own.parser.network is None:
            network = base.network
        else:
            parser.pop("network", None)
        training = own.training.filled(base.training.to_values())
        return replace(own, parser=own.parser.filled(parser), network=network, training=training)

    def with_flags(self, data: Mapping[str, Any], training: Mapping[str, Any]) -> CascadeRecipe:
        """The recipe with other values in [data], and in [training] of all stages."""
        base = replace(
            self.base, data=replace(self.base.data, **data), training=replace(self.base.training, **training)
        )
        recipes = tuple(replace(each, training=replace(each.training, **training)) for each in self.recipes)
        return replace(self, base=base, recipes=recipes)

    def options(self) -> dict[str, Any]:
        """The options of `train_cascade`."""
        return {"given": self.cascade.given or "predicted", "folds": self.cascade.folds or 5}

    def build(self, treebank: Treebank) -> tuple[Stage, ...]:
        """The stages; regions that the recipe leaves to be estimated are, on the treebank."""
        stages = []
        for number, (part, recipe) in enumerate(zip(self.stages, self.recipes, strict=True), start=1):
            where = f"stage {number}"
            regions = part.find_regions()
            if part.estimate is not None:
                regions = within(f"{where}: estimate", partial(_estimated, treebank, part.estimate))
            stages.append(
                Stage(
                    name=part.name or where,
                    regions=regions,
                    spec=within(where, recipe.spec),
                    options=within(where, recipe.options),
                )
            )
        check_stages(stages)
        return tuple(stages)

    def described(self, stages: tuple[Stage, ...]) -> CascadeRecipe:
        """The complete recipe: regions as estimated, and parsers without reference to files."""
        parts, recipes = [], []
        for stage, part, recipe in zip(stages, self.stages, self.recipes, strict=True):
            network = recipe.chosen_network()
            full = replace(recipe, parser=ParserPart.of(stage.spec, network), network=network).resolved()
            regions = tuple(region.to_values() for region in stage.regions) or None
            tables: dict[str, Any] = {key: value for key, value in full.to_values().items() if key in _OF_STAGES}
            parts.append(replace(part, name=stage.name, regions=regions, estimate=None, **tables))
            recipes.append(full)
        base = replace(self.base, parser=ParserPart(), network=None, training=TrainingPart())
        cascade = self.cascade.filled(self.options())
        return CascadeRecipe(base=base, cascade=cascade, stages=tuple(parts), recipes=tuple(recipes))

    def to_values(self) -> dict[str, Any]:
        """Plain values, as the file holds them."""
        values = self.base.to_values()
        if cascade := self.cascade.to_values():
            values["cascade"] = cascade
        rows = [part.to_values() for part in self.stages]
        values["stages"] = [
            row | ({"regions": list(row["regions"])} if isinstance(row.get("regions"), tuple) else {}) for row in rows
        ]
        return values

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the recipe to a file; relative paths in it count from its folder."""
        folder = os.path.realpath(os.path.dirname(os.fspath(path)) or ".")
        moved = self._with_paths(lambda file: os.path.relpath(os.path.realpath(file), folder))
        write_whole(Path(path), (HEADER + "\n" + to_toml(moved.to_values())).encode(), SpecError)

    def inputs(self) -> list[str]:
        """The files that it reads."""
        return [file for recipe in (self.base, *self.recipes) for file in recipe.inputs()]

    def _with_paths(self, change: Callable[[str], str]) -> CascadeRecipe:
        recipes = tuple(recipe._with_paths(change) for recipe in self.recipes)
        return replace(self, base=self.base._with_paths(change), recipes=recipes)


def _estimated(treebank: Treebank, options: Mapping[str, Any] | None) -> tuple[Region, ...]:
    known = ["precision", "by", "least", "folds", "epochs", "seed"]
    check_names(options or {}, known, "the table")
    found = estimate_regions(treebank, **(options or {}))
    if not found:
        raise SpecError("no class of arcs is precise enough; a lower precision, or another choice of classes, may help")
    return found
