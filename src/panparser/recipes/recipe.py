"""Recipes: everything that makes a parser, as plain values in a TOML file. Reading one never runs code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import reduce
from pathlib import Path
from typing import Any, get_args

from panparser.errors import PanParserError, SpecError
from panparser.features.sets import FAST, GIVEN, RICH, RICH_STACK, ZN11
from panparser.features.templates import Templates
from panparser.features.vectors import Vectors, read_vectors
from panparser.learning.options import Training
from panparser.learning.strategies import STRATEGIES, Strategy
from panparser.learning.subsampling import Subsample
from panparser.parsing.parser import Parser
from panparser.parsing.spec import Nonprojective, ParserSpec, fitting_templates
from panparser.pipeline.loading import load_parser
from panparser.recipes.constraints import ConstraintsPart
from panparser.recipes.pipeline import PipelinePart
from panparser.recipes.tables import (
    Part,
    check_names,
    choice,
    flag,
    integer,
    is_lines,
    name,
    number,
    read_toml,
    said,
    size_of,
    within,
)
from panparser.storage.files import write_whole
from panparser.storage.toml import to_toml
from panparser.systems.registry import BUILT_IN
from panparser.systems.registry import system as named_system
from panparser.systems.table import TransitionSystem
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank

NAMED_TEMPLATES = {"rich": RICH, "rich-stack": RICH_STACK, "zn11": ZN11, "fast": FAST}
WRITTEN = "# A complete recipe of panparser: `panparser train --recipe` with this file makes the same model again.\n"


@dataclass(frozen=True, kw_only=True)
class DataPart(Part):
    """[data]: the treebanks. Paths count from the folder of the recipe."""

    train: tuple[str, ...] | None = said("a list of files", is_lines)
    dev: str | None = name("a file")
    format: str | None = choice("auto", "conllu", "conllx")


@dataclass(frozen=True, kw_only=True)
class ParserPart(Part):
    """[parser]: what the parser is made of.

    `system`: a built-in name, a file, or a table: that of a transition system, or name and options of a built-in one
    (`{ name = "arc-eager-span", k = 3 }`). `templates`: rich, rich-stack, zn11, fast, a file, or a list of
    lines. `given`: with those that read constraints. `vectors`: a file, for templates such as `S0.vector`.
    """

    system: str | Mapping[str, Any] | None = said(
        "a name, a file or a table", lambda value: isinstance(value, str | Mapping) and len(value) > 0
    )
    root: str | None = choice("first", "last")
    single_root: bool | None = flag()
    beam: int | None = integer(1)
    templates: str | tuple[str, ...] | None = said(
        "rich, rich-stack, zn11, fast, a file or a list of lines",
        lambda value: (isinstance(value, str) and value != "") or is_lines(value),
    )
    labeled: bool | None = flag()
    delexicalized: bool | None = flag()
    given: bool | None = flag()
    nonprojective: str | None = choice(*get_args(Nonprojective))
    vectors: str | None = name("a file")

    def spec(self) -> ParserSpec:
        """The parser that the table describes."""
        values = {key: getattr(self, key) for key in ("beam", "labeled", "nonprojective")}
        system = within("system", self._find_system)
        return ParserSpec(
            system=system,
            templates=within("templates", lambda: self._find_templates(system)),
            **{key: value for key, value in values.items() if value is not None},
        )

    def _find_system(self) -> TransitionSystem:
        options = {key: getattr(self, key) for key in ("root", "single_root") if getattr(self, key) is not None}
        chosen = "arc-eager" if self.system is None else self.system
        if isinstance(chosen, Mapping):
            if "transitions" in chosen:
                return _same(TransitionSystem.from_values(dict(chosen)), options)
            options = {key: value for key, value in chosen.items() if key != "name"} | options
            chosen = chosen.get("name", "")
        if Path(chosen).suffix.lower() not in (".json", ".toml") and "single_root" not in options:
            try:  # one root, as Universal Dependencies have it, wherever words must have heads
                return named_system(chosen, single_root=True, **options)
            except PanParserError:
                pass
        return named_system(chosen, **options)

    def _find_templates(self, system: TransitionSystem) -> Templates:
        chosen = self.templates
        if chosen is None:
            templates = fitting_templates(system)
        elif isinstance(chosen, tuple):
            templates = Templates.parse("\n".join(chosen))
        else:
            templates = NAMED_TEMPLATES[chosen] if chosen in NAMED_TEMPLATES else _read_templates(chosen)
        templates = templates.delexicalized() if self.delexicalized else templates
        return templates + GIVEN if self.given else templates

    @classmethod
    def of(cls, spec: ParserSpec) -> ParserPart:
        """The table that describes a parser, without mention of files."""
        bare = spec.templates - GIVEN
        given = bare != spec.templates and bare + GIVEN == spec.templates
        bare = bare if given else spec.templates
        templates: str | tuple[str, ...] = tuple(map(str, bare))
        delexicalized = False
        for key, known in NAMED_TEMPLATES.items():
            if bare in (known, known.delexicalized()):
                templates, delexicalized = key, bare != known
        return cls(
            system=_described(spec.system),
            root=spec.system.root,
            single_root=spec.system.single_root,
            beam=spec.beam,
            templates=templates,
            labeled=spec.labeled,
            delexicalized=delexicalized,
            given=given or None,
            nonprojective=spec.nonprojective,
        )


@dataclass(frozen=True, kw_only=True)
class TrainingPart(Part):
    """[training]: how it learns.

    `strategy`: a name, or a table with fields of `Strategy` on top of the one named by `base`. `patience = 0`: never
    stop early. `seeds`: several, of which the one that is best on the development set is kept. `members`: perceptrons
    of which the parser is the mean. `prune`: weights below so many updates are left out. `margin`: the share of the
    development set whose best trees a narrower beam may lose. `model_size`: the largest file, such as "8MB". `init`: a
    model to go on from.
    """

    strategy: str | Mapping[str, Any] | None = said(
        f"one of {', '.join(STRATEGIES)}, or a table", lambda value: isinstance(value, str | Mapping)
    )
    epochs: int | None = integer(1)
    patience: int | None = integer(0)
    seed: int | None = integer(0)
    seeds: tuple[int, ...] | None = said(
        "a list of different integers >= 0",
        lambda value: (
            isinstance(value, tuple)
            and 0 < len(value) == len(set(value))
            and all(type(seed) is int and seed >= 0 for seed in value)
        ),
    )
    members: int | None = integer(1)
    prune: float | None = number(0)
    margin: float | None = said(
        "a number from 0 to below 1", lambda value: isinstance(value, int | float) and 0 <= value < 1
    )
    model_size: str | None = said('a size such as "8MB"', lambda value: isinstance(value, str) and bool(size_of(value)))
    subsample: Mapping[str, Any] | None = said("a table with share and by", lambda value: isinstance(value, Mapping))
    init: str | None = name("a model file")

    def options(self) -> dict[str, Any]:
        """The options of `train`."""
        defaults = Training()
        strategy = "max-violation" if self.strategy is None else self.strategy
        patience = defaults.patience if self.patience is None else self.patience
        return {
            "strategy": within("strategy", lambda: Strategy.from_values(strategy)),
            "epochs": defaults.epochs if self.epochs is None else self.epochs,
            "patience": patience or None,
            "seed": defaults.seed if self.seed is None else self.seed,
            "members": self.members,
            "prune": None if self.prune is None else float(self.prune),
            "margin": self.margin,
            "max_size": size_of(self.model_size) if self.model_size else None,
            "subsample": within("subsample", self._find_subsample),
        }

    def _find_subsample(self) -> Subsample | None:
        if self.subsample is None:
            return None
        check_names(self.subsample, [each.name for each in fields(Subsample)], "the table")
        if "share" not in self.subsample:
            raise SpecError("share is missing")
        return Subsample(**self.subsample)


@dataclass(frozen=True, kw_only=True)
class FoldsPart(Part):
    """[folds]: cross-validation on the training data; `predictions` is a file for the jackknifed treebank."""

    count: int | None = integer(2)
    predictions: str | None = name("a file")


_PARTS: dict[str, type[Part]] = {
    "data": DataPart,
    "parser": ParserPart,
    "training": TrainingPart,
    "constraints": ConstraintsPart,
    "folds": FoldsPart,
    "pipeline": PipelinePart,
}
_PATHS = {
    "constraints": ("train", "dev"),
    "data": ("train", "dev"),
    "parser": ("system", "templates", "vectors"),
    "training": ("init",),
    "folds": ("predictions",),
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Data, parser and training in plain values; what is None is not said, and `resolved` says it.

    With `pipeline` it is the recipe of a pipeline, with a parser as its last part.
    """

    data: DataPart = field(default_factory=DataPart)
    parser: ParserPart = field(default_factory=ParserPart)
    training: TrainingPart = field(default_factory=TrainingPart)
    constraints: ConstraintsPart = field(default_factory=ConstraintsPart)
    folds: FoldsPart = field(default_factory=FoldsPart)
    pipeline: PipelinePart | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Recipe:
        """The recipe of a TOML file. `SpecError` names file, table and key, what was expected and what was found."""
        place = os.fspath(path)
        recipe = cls.from_values(read_toml(path), place)
        return recipe._with_paths(lambda file: os.path.join(os.path.dirname(place), file))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], place: str = "recipe") -> Recipe:
        """The recipe in plain values, checked."""
        check_names(values, list(_PARTS), place)
        parts: dict[str, Any] = {
            key: part.from_values(values[key], f"{place}: [{key}]") for key, part in _PARTS.items() if key in values
        }
        recipe = cls(**parts)
        within(f"{place}: [training]", recipe.training.options)
        return recipe

    def resolved(self) -> Recipe:
        """The recipe with everything said; files that describe the parser are replaced by what they hold."""
        init = self.load_init()
        described = ParserPart.of(self.parser.spec() if init is None else self._on_top_of(init).spec())
        described = replace(described, vectors=self.parser.vectors)
        options = self.training.options()
        training = self.training.filled(
            {key: options[key] for key in ("epochs", "prune")}
            | ({} if self.training.seeds else {"seed": options["seed"]})
            | {"patience": options["patience"] or 0, "strategy": "max-violation"}
        )
        pipeline = self.pipeline and self.pipeline.resolved()
        data = self.data.filled({"format": "auto"})
        return replace(self, data=data, parser=described, training=training, pipeline=pipeline)

    def load_init(self) -> Parser | None:
        """The parser to go on from, if there is one."""
        return None if self.training.init is None else load_parser(self.training.init)

    def load_vectors(self) -> Vectors | None:
        """The embeddings that templates read, if the recipe names a file of them."""
        return None if self.parser.vectors is None else read_vectors(self.parser.vectors)

    def _on_top_of(self, init: Parser) -> ParserPart:
        known = ParserPart.of(init.spec).to_values()
        if self.parser.system is not None:  # another system has its own Root
            known = {key: value for key, value in known.items() if key not in ("root", "single_root")}
        if self.parser.templates is not None:
            del known["delexicalized"]
        return self.parser.filled(known)

    def treebanks(self) -> tuple[Treebank, Treebank | None]:
        """Training data, all files in one, and development set."""
        if not self.data.train:
            raise SpecError("[data] train: expected files to learn from, found none")
        format: Any = self.data.format or "auto"
        parts = [read_conllu(file, format=format) for file in self.data.train]
        dev = None if self.data.dev is None else read_conllu(self.data.dev, format=format)
        return reduce(lambda first, second: first + second, parts), dev

    def training_constraints(self, treebank: Treebank, dev: Treebank | None) -> dict[str, Any]:
        """The options of `train` for the constraints that it names, if any."""
        return within("[constraints]", lambda: self.constraints.options(treebank, dev, self.data.format or "auto"))

    def to_values(self) -> dict[str, Any]:
        """Plain values, as the file holds them; only what is said."""
        values = {key: part.to_values() for key in _PARTS if (part := getattr(self, key)) is not None}
        return {key: value for key, value in values.items() if value or key == "pipeline"}

    def to_toml(self) -> str:
        return to_toml(self.to_values())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the recipe to a file; relative paths in it count from its folder."""
        folder = os.path.realpath(os.path.dirname(os.fspath(path)) or ".")
        moved = self._with_paths(lambda file: os.path.relpath(os.path.realpath(file), folder))
        write_whole(Path(path), (WRITTEN + "\n" + moved.to_toml()).encode(), SpecError)

    def _with_paths(self, change: Callable[[str], str]) -> Recipe:
        """The recipe with every relative path changed."""
        recipe = self
        for part, key in ((part, key) for part, keys in _PATHS.items() for key in keys):
            value = getattr(getattr(recipe, part), key)
            changed = value
            if isinstance(value, tuple) and key == "train":
                changed = tuple(_moved(file, change) for file in value)
            elif isinstance(value, str) and _is_path(key, value):
                changed = _moved(value, change)
            recipe = replace(recipe, **{part: replace(getattr(recipe, part), **{key: changed})})
        return recipe


def _is_path(key: str, value: str) -> bool:
    if key == "system":
        return Path(value).suffix.lower() in (".json", ".toml")
    return key != "templates" or value not in NAMED_TEMPLATES


def _moved(file: str, change: Callable[[str], str]) -> str:
    return file if file == "-" or os.path.isabs(file) else change(file)


def _same(table: TransitionSystem, options: Mapping[str, Any]) -> TransitionSystem:
    for key, value in options.items():
        if getattr(table, key) != value:
            raise SpecError(f"the table says {key} = {getattr(table, key)!r} itself; found {value!r}")
    return table


def _described(system: TransitionSystem) -> str | dict[str, Any]:
    """Name and options of a built-in system, or the table of another."""
    options: dict[str, Any] = {} if system.max_span is None else {"k": system.max_span}
    if system.static_oracle == "swap-eager":
        options["oracle"] = "eager"
    if system.name in BUILT_IN:
        try:
            found = named_system(system.name, root=system.root, single_root=system.single_root, **options)
        except PanParserError:
            found = None
        if found == system:
            return {"name": system.name, **options} if options else system.name
    values = {key: value for key, value in system.to_values().items() if value is not None}
    return values | {"ties": list(values["ties"])}


def _read_templates(path: str) -> Templates:
    if not Path(path).exists():
        raise SpecError(f"expected {', '.join(NAMED_TEMPLATES)} or a file, found {path!r}")
    return Templates.read(path)
