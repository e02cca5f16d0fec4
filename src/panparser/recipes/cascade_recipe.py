"""CascadeRecipe: everything that makes a cascade, as plain values in a TOML file with [[stages]]."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from panparser.base.kinds import TABLE, Kind, integer, one_of, text
from panparser.base.options import FormName, check_names
from panparser.ensembles.cascade import CascadeStage, check_stages
from panparser.ensembles.cascade_training import StageConstraints, estimate_regions
from panparser.errors import SpecError
from panparser.recipes.recipe import HEADER, Recipe, moved
from panparser.recipes.sections import (
    DELEXICALIZED,
    FILES,
    WEIGHTS,
    ParserSection,
    Section,
    TrainingSection,
    is_cascade,
    key,
    read_toml,
    within,
)
from panparser.storage.atomic import write_whole
from panparser.storage.toml_text import to_toml
from panparser.treebank.arc_regions import ArcRegion
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated

if TYPE_CHECKING:
    from panparser.parsing.parser import Parser

_TABLES = ("data", "parser", "training", "network", "cascade", "stages")
_OF_STAGES = ("parser", "training", "network")
_OF_SYSTEM = ("system", "root", "single_root")  # those of [parser] are for the last stage
PARTIAL = "arc-eager-partial"


class CascadeSection(Section, stored={"stage_constraints": "given"}):
    """[cascade]: what stages after the first learn under."""

    stage_constraints: Any = key(
        one_of(*get_args(StageConstraints)),
        'What later stages learn under: arcs `"predicted"` by earlier stages that had not seen the sentence, '
        '`"gold"` ones, or `"none"`.',
        usual='`"predicted"`',
    )
    folds: Any = key(integer(2), "Parsers of each stage that make these predictions.", usual="5")


_REGIONS = Kind("a table, or a list of tables", lambda value: isinstance(value, Mapping | tuple))


class StageSection(Section, stored={"keep_regions": "keep"}):
    """One of [[stages]]; [parser] and [training] supply what its tables leave out."""

    name: Any = key(text("a name", minimum=1), "The name of the stage.", usual="")
    regions: Any = key(_REGIONS, "The arcs that the stage is competent for: a table, or a list of tables.", usual="")
    keep_regions: Any = key(
        _REGIONS, "Or, for a parser that learns all arcs: those that are kept of what it finds.", usual=""
    )
    estimate: Any = key(TABLE, "Or how to find them: `precision`, `by`, `least`, `folds`.", usual="")
    model: Any = key(
        text("a model file", minimum=1),
        "A parser that is trained already, with `keep_regions`, or as the last stage.",
        usual="",
    )
    train: Any = key(
        FILES, "Treebanks of its own; a single file of `[data]` may be among them.", usual="that of `[data]`"
    )
    weights: Any = key(WEIGHTS, "How often to learn from each of its treebanks.", usual="")
    delexicalized: Any = key(DELEXICALIZED, "As in `parser`.", usual="")
    parser: Any = key(TABLE, "As the section; `[parser]` fills in what it leaves out.", usual="")
    training: Any = key(TABLE, "As the section; `[training]` fills in what it leaves out.", usual="")
    network: Any = key(TABLE, "As the section; `[network]` is for stages without a network of their own.", usual="")

    def find_regions(self, name: str = "regions") -> tuple[ArcRegion, ...]:
        """The regions of `regions`, or of `keep_regions`."""
        value = getattr(self, name)
        tables = (value,) if isinstance(value, Mapping) else value or ()
        return within(name, lambda: tuple(map(ArcRegion.from_values, tables)))

    def check(self, is_last: bool) -> None:
        """Raises SpecError if it has what does not go together."""
        found = [name for name in ("regions", "estimate", "keep_regions") if getattr(self, name) is not None]
        if is_last and found:
            raise SpecError("the last stage finds all arcs: expected no regions, nothing to keep or to estimate")
        if not is_last and len(found) != 1:
            raise SpecError("expected regions or what to estimate, or what to keep, one of them")
        if self.model is not None:
            for name in ("train", "weights", "estimate", "delexicalized", *_OF_STAGES):
                if getattr(self, name) is not None:
                    raise SpecError(f"{name}: the model is trained already; expected none")
        if self.weights is not None and len(self.weights) != len(self.train or ()):
            count = len(self.train or ())
            raise SpecError(f"weights: expected one for each of {count} files under train, found {len(self.weights)}")
        if self.delexicalized is not None and "delexicalized" in (self.parser or {}):
            raise SpecError("delexicalized: expected it here or in parser; found both")
        for name in ("regions", "keep_regions"):
            self.find_regions(name)

    def with_paths(self, change: Callable[[str], str]) -> StageSection:
        """The table with the path of every file changed; not those of its tables."""
        train = None if self.train is None else tuple(map(change, self.train))
        return replace(self, train=train, model=None if self.model is None else change(self.model))

    def tables(self) -> dict[str, Any]:
        """What a recipe of its own would have."""
        tables: dict[str, Any] = {key: table for key in _OF_STAGES if (table := getattr(self, key)) is not None}
        if self.delexicalized is not None:
            tables["parser"] = {**tables.get("parser", {}), "delexicalized": self.delexicalized}
        return tables


@dataclass(frozen=True, kw_only=True)
class CascadeRecipe:
    """Data, stages and what they have in common; `recipes` are those of the stages, as a single parser has one."""

    base: Recipe = field(default_factory=Recipe)
    cascade: CascadeSection = field(default_factory=CascadeSection)
    stages: tuple[StageSection, ...] = ()
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
        return recipe.with_paths(lambda file: moved(file, lambda own: os.path.join(os.path.dirname(place), own)))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], place: str = "recipe") -> CascadeRecipe:
        check_names(values, list(_TABLES), place)
        base = Recipe.from_values({key: values[key] for key in _TABLES[:4] if key in values}, place)
        cascade = CascadeSection.from_values(values.get("cascade", {}), f"{place}: [cascade]")
        rows = values.get("stages")
        if not isinstance(rows, list) or len(rows) < 2:
            raise SpecError(f"{place}: [[stages]]: expected at least two, found {rows!r}")
        stages, recipes = [], []
        for number, row in enumerate(rows, start=1):
            where = f"{place}: [[stages]] {number}"
            stage = StageSection.from_values(row, where)
            own = Recipe.from_values(stage.tables(), where)
            within(where, partial(stage.check, number == len(rows)))
            stages.append(stage)
            recipes.append(cls._filled(base, own, is_complete=number == len(rows) or stage.keep_regions is not None))
        for recipe in (base, *recipes):
            training = recipe.training
            unsuited = (training.seeds, training.init, recipe.parser.vectors, recipe.data.weights)
            if any(value is not None for value in unsuited):
                raise SpecError(f"{place}: seeds, init, vectors and weights are for single parsers, not for a cascade")
        return cls(base=base, cascade=cascade, stages=tuple(stages), recipes=tuple(recipes))

    @staticmethod
    def _filled(base: Recipe, own: Recipe, *, is_complete: bool) -> Recipe:
        """The recipe of a stage, with defaults from the tables that all stages share."""
        parser = base.parser.to_values()
        if not is_complete:
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
        return {"stage_constraints": self.cascade.stage_constraints or "predicted", "folds": self.cascade.folds or 5}

    @property
    def needs_data(self) -> bool:
        """Whether a stage learns from [data] train."""
        return any(part.model is None and part.train is None for part in self.stages)

    def treebanks(self) -> tuple[Treebank | None, Treebank | None]:
        """Training data, if there are any, and development set."""
        if self.base.data.train or self.needs_data:
            return self.base.treebanks()
        dev = self.base.data.dev
        return None, None if dev is None else read_conllu(dev, format=self._format)

    @property
    def _format(self) -> Any:
        return self.base.data.format or "auto"

    def build(self, treebank: Treebank | None) -> tuple[CascadeStage, ...]:
        """The stages; regions that the recipe leaves to be estimated are, on the treebank."""
        stages = []
        for number, (part, recipe) in enumerate(zip(self.stages, self.recipes, strict=True), start=1):
            where = f"stage {number}"
            name, keep = part.name or where, part.find_regions("keep_regions")
            regions = part.find_regions()
            if part.model is not None:
                model = within(f"{where}: model", partial(_loaded, part.model))
                stages.append(
                    within(where, partial(CascadeStage, name=name, regions=regions, keep_regions=keep, model=model))
                )
                continue
            own = None if part.train is None else within(where, partial(self._own_data, part.train, treebank))
            if part.estimate is not None:
                estimated_on = treebank if own is None else concatenated(own)
                regions = within(f"{where}: estimate", partial(_estimated, estimated_on, part.estimate))
            weights = {} if part.weights is None else {"treebank_weights": part.weights}
            stages.append(
                CascadeStage(
                    name=name,
                    regions=regions,
                    keep_regions=keep,
                    train=own,
                    spec=within(where, recipe.spec),
                    options=within(where, recipe.options) | weights,
                )
            )
        check_stages(stages)
        return tuple(stages)

    def _own_data(self, files: tuple[str, ...], treebank: Treebank | None) -> tuple[Treebank, ...]:
        """The treebanks of a stage; that of [data], if its file is among them, is the one that others learn from."""
        common = {os.path.realpath(file) for file in self.base.data.train or ()}
        found = []
        for file in files:
            if os.path.realpath(file) not in common:
                found.append(read_conllu(file, format=self._format))
            elif len(common) == 1 and treebank is not None:
                found.append(treebank)
            else:
                raise SpecError(f"train: {file} is one of several files of [data], which are one treebank")
        return tuple(found)

    def described(self, stages: tuple[CascadeStage, ...]) -> CascadeRecipe:
        """The complete recipe: regions as estimated, and parsers without reference to files."""
        parts, recipes = [], []
        for stage, part, recipe in zip(stages, self.stages, self.recipes, strict=True):
            regions = tuple(region.to_values() for region in stage.regions) or None
            named = replace(part, name=stage.name, regions=regions, estimate=None, delexicalized=None)
            if part.model is not None:
                parts.append(named)
                recipes.append(recipe)
                continue
            network = recipe.chosen_network()
            full = replace(recipe, parser=ParserSection.of(stage.spec, network), network=network).resolved()
            tables: dict[str, Any] = {key: value for key, value in full.to_values().items() if key in _OF_STAGES}
            parts.append(replace(named, **tables))
            recipes.append(full)
        base = replace(self.base, parser=ParserSection(), network=None, training=TrainingSection())
        cascade = self.cascade.filled(self.options())
        return CascadeRecipe(base=base, cascade=cascade, stages=tuple(parts), recipes=tuple(recipes))

    def to_values(self, form: FormName = "recipe") -> dict[str, Any]:
        """Return plain values, as in a file, or with the names that keys of results have."""
        values = self.base.to_values(form)
        if cascade := self.cascade.to_values(form):
            values["cascade"] = cascade
        rows = [part.to_values(form) for part in self.stages]
        values["stages"] = [
            {key: list(value) if isinstance(value, tuple) else value for key, value in row.items()} for row in rows
        ]
        return values

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the recipe to a file; relative paths in it count from its folder."""
        folder = os.path.realpath(os.path.dirname(os.fspath(path)) or ".")
        written = self.with_paths(lambda file: moved(file, lambda own: os.path.relpath(os.path.realpath(own), folder)))
        write_whole(Path(path), (HEADER + "\n" + to_toml(written.to_values())).encode(), SpecError)

    def inputs(self) -> list[str]:
        """The files that it reads."""
        own = [file for part in self.stages for file in (*(part.train or ()), part.model) if file is not None]
        return [*own, *(file for recipe in (self.base, *self.recipes) for file in recipe.inputs())]

    def with_paths(self, change: Callable[[str], str]) -> CascadeRecipe:
        """The recipe with the path of every file changed."""
        recipes = tuple(recipe.with_paths(change) for recipe in self.recipes)
        stages = tuple(part.with_paths(change) for part in self.stages)
        return replace(self, base=self.base.with_paths(change), stages=stages, recipes=recipes)


def _loaded(path: str) -> Parser:
    from panparser.pipeline.loading import load_parser  # only here: few stages are models

    return load_parser(path)


def _estimated(treebank: Treebank | None, options: Mapping[str, Any] | None) -> tuple[ArcRegion, ...]:
    known = ["precision", "by", "least", "folds", "epochs", "seed"]
    check_names(options or {}, known, "the table")
    assert treebank is not None  # a stage without treebanks of its own needs that of the cascade
    names = {"by": "group_by", "least": "min_count"}
    found = estimate_regions(treebank, **{names.get(name, name): value for name, value in (options or {}).items()})
    if not found:
        raise SpecError("no class of arcs is precise enough; a lower precision, or another choice of classes, may help")
    return found
