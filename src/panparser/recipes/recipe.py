"""Recipes: everything that makes a parser, as plain values in a TOML file. Reading one never runs code."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from panparser.base.options import FormName, check_names
from panparser.errors import SpecError
from panparser.learning.training import TrainingConfig
from panparser.networks.network import NetworkSpec, named
from panparser.recipes.sections import (
    NAMED_TEMPLATES,
    ConstraintsSection,
    CrossValidationSection,
    DataSection,
    ParserSection,
    PipelineSection,
    Section,
    SourceSection,
    TrainingSection,
    describe_strategy,
    extension,
    read_network,
    read_sources,
    read_toml,
    read_typology,
    within,
)
from panparser.storage.atomic import write_whole
from panparser.storage.toml_text import to_toml
from panparser.training.default_strategies import default_strategy, fitting_strategy
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated

if TYPE_CHECKING:
    from panparser.features.vectors import WordVectors
    from panparser.parsing.parser import Parser
    from panparser.parsing.spec import ParserSpec
    from panparser.tagging.lexicon import Lexicon

HEADER = "# A complete recipe of panparser: `panparser train --recipe` with this file makes the same model again.\n"


SECTIONS: dict[str, type[Section]] = {
    "data": DataSection,
    "parser": ParserSection,
    "training": TrainingSection,
    "constraints": ConstraintsSection,
    "cross_validation": CrossValidationSection,
    "pipeline": PipelineSection,
}
_ORDER = (
    "data",
    "sources",
    "typology",
    "parser",
    "network",
    "training",
    "constraints",
    "cross_validation",
    "pipeline",
)  # in a file
_STORED_NAMES = {"cross_validation": "folds"}
_PATHS = {
    "constraints": ("train", "dev"),
    "data": ("train", "dev"),
    "parser": ("system", "templates", "vectors"),
    "training": ("init",),
    "cross_validation": ("output",),
    "pipeline": ("lexicon",),
}
_LISTS = ("train", "lexicon")  # keys of several files


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Data, parser and training in plain values; `resolved` fills in what is None.

    `network`: what the parser's network is made of; None: it has none, or a named one. With `pipeline` it is the recipe
    of a pipeline, with a parser as its last part. `sources`: treebanks of other languages that are learned from before
    those of `data`, in the word order of the `typology`.
    """

    data: DataSection = field(default_factory=DataSection)
    parser: ParserSection = field(default_factory=ParserSection)
    network: NetworkSpec | None = None
    training: TrainingSection = field(default_factory=TrainingSection)
    constraints: ConstraintsSection = field(default_factory=ConstraintsSection)
    cross_validation: CrossValidationSection = field(default_factory=CrossValidationSection)
    pipeline: PipelineSection | None = None
    sources: tuple[SourceSection, ...] = ()
    typology: Mapping[str, Any] | None = None

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Recipe:
        """The recipe of a TOML file. Raises SpecError, with file, table and key, if it is not a valid one."""
        place = os.fspath(path)
        recipe = cls.from_values(read_toml(path), place)
        return recipe.with_paths(lambda file: moved(file, lambda own: os.path.join(os.path.dirname(place), own)))

    @classmethod
    def from_values(cls, values: Mapping[str, Any], place: str = "recipe") -> Recipe:
        """The recipe in plain values, checked."""
        check_names(values, [*SECTIONS, "network", "sources", "typology"], place)
        parts: dict[str, Any] = {
            key: part.from_values(values[key], f"{place}: [{key}]") for key, part in SECTIONS.items() if key in values
        }
        if "network" in values:
            parts["network"] = read_network(values["network"], f"{place}: [network]")
        if "sources" in values:
            parts["sources"] = read_sources(values["sources"], place)
        if "typology" in values:
            if "sources" not in values:
                raise SpecError(f"{place}: [typology]: expected [[sources]], whose word order it changes, found none")
            parts["typology"] = read_typology(values["typology"], place)
        recipe = cls(**parts)
        if recipe.network is not None and recipe.parser.network is not None:
            raise SpecError(f"{place}: expected [network], or network of [parser]; found both")
        within(f"{place}: [training]", recipe.training.arguments)
        return recipe

    def with_flags(self, data: Mapping[str, Any], parser: Mapping[str, Any], training: Mapping[str, Any]) -> Recipe:
        """The recipe with other values in three tables.

        A system resets root and single_root, a network the one that is described, a seed resets seeds, other files to
        learn from reset their weights.
        """
        table = self.parser
        if "system" in parser:
            table = replace(table, root=None, single_root=None)
        options = replace(self.training, seeds=None) if "seed" in training else self.training
        return replace(
            self,
            data=replace(self.data, **({"weights": None} if "train" in data else {}) | dict(data)),
            parser=replace(table, **parser),
            network=None if "network" in parser else self.network,
            training=replace(options, **training),
        )

    def resolved(self) -> Recipe:
        """The complete recipe: defaults filled in, and files that describe the parser replaced by their contents."""
        init = self.load_init()
        network = self.chosen_network(init)
        table = self.parser if init is None else self._on_top_of(init)
        spec = within("[parser]", lambda: table.spec(network))
        described = replace(ParserSection.of(spec, network), vectors=self.parser.vectors)
        default = default_strategy(spec, network)
        usual = {} if network is None else {"epochs": network.training.epochs, "patience": network.training.patience}
        arguments = {"strategy": default, **usual, **self.training.arguments()}
        config = within("[training]", lambda: TrainingConfig(**arguments))
        within("[training] strategy", lambda: fitting_strategy(spec.system, config.strategy))
        training = self.training.filled(
            {"epochs": config.epochs, "prune": config.prune_threshold, "patience": config.patience or 0}
            | ({} if self.training.seeds else {"seed": config.seed})
            | {"strategy": describe_strategy(default)}
        )
        pipeline = self.pipeline and self.pipeline.resolved(network)
        data = self.data.filled({"format": "auto"})
        return replace(self, data=data, parser=described, network=network, training=training, pipeline=pipeline)

    def chosen_network(self, init: Parser | None = None) -> NetworkSpec | None:
        """The network that learns, complete: described, named, or that of the parser to continue from."""
        found = self.network
        if self.parser.network is not None:
            found = named(self.parser.network)
        if found is not None:
            return self.parser.changed(found)
        return _network_of(init) if init is not None else None

    def spec(self) -> ParserSpec:
        """What the parser is made of."""
        return self.parser.spec(self.chosen_network())

    def options(self) -> dict[str, Any]:
        """The options of `train`, with the network among them if there is one."""
        network = self.chosen_network()
        return self.training.arguments() | ({} if network is None else {"network": network})

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds to train with."""
        seed = TrainingConfig().seed if self.training.seed is None else self.training.seed
        return self.training.seeds or (seed,)

    def load_init(self) -> Parser | None:
        """The parser that training continues from, if there is one."""
        if self.training.init is None:
            return None
        from panparser.pipeline.loading import load_parser

        return load_parser(self.training.init)

    def load_vectors(self) -> WordVectors | None:
        """The embeddings that templates read, if the recipe names a file of them."""
        if self.parser.vectors is None:
            return None
        from panparser.features.vectors import read_vectors

        return read_vectors(self.parser.vectors)

    def load_lexicon(self) -> Lexicon | None:
        """The words and tags that the tagger of UPOS learns with, if the recipe names files of them."""
        files = None if self.pipeline is None else self.pipeline.lexicon
        if files is None:
            return None
        from panparser.tagging.lexicon import Lexicon

        return Lexicon.read(*files)

    def _on_top_of(self, init: Parser) -> ParserSection:
        known = ParserSection.of(init.spec, _network_of(init)).to_values()
        if self.parser.system is not None:  # another system has its own Root
            known = {key: value for key, value in known.items() if key not in ("root", "single_root")}
        if self.parser.templates is not None:
            known.pop("delexicalized", None)
        return self.parser.filled(known)

    def treebanks(self, read: Callable[..., Treebank] = read_conllu) -> tuple[Treebank, Treebank | None]:
        """Training data, all files in one, and development set."""
        files, dev = self.files(read)
        return concatenated(files), dev

    def read_sources(self) -> list[Treebank]:
        """Return the treebanks of other languages as training data."""
        if not self.sources:
            return []
        read: Callable[..., list[Treebank]] = extension("sources")
        return read(self.sources, self.typology, seed=self.seeds[0], format=self.data.format or "auto")

    def all_weights(self) -> tuple[float, ...] | None:
        """The weights of sources and files, in that order; None: all are 1."""
        if not self.sources:
            return None if self.data.weights is None else tuple(self.data.weights)
        own = self.data.weights or (1.0,) * len(self.data.train or ())
        return (*(1.0 if each.weight is None else each.weight for each in self.sources), *own)

    def files(self, read: Callable[..., Treebank] = read_conllu) -> tuple[list[Treebank], Treebank | None]:
        """Training data, file by file, and development set; `read` is called as `read_conllu` is."""
        files, weights = self.data.train or (), self.data.weights
        if not files and (not self.sources or self.pipeline is not None):
            raise SpecError("[data] train: expected files to learn from, found none")
        if weights is not None and len(weights) != len(files):
            raise SpecError(
                f"[data] weights: expected one for each of the {len(files)} files to learn from, found {len(weights)}"
            )
        format: Any = self.data.format or "auto"
        dev = None if self.data.dev is None else read(self.data.dev, format=format)
        return [read(file, format=format) for file in files], dev

    def training_constraints(self, treebank: Treebank, dev: Treebank | None) -> dict[str, Any]:
        """The options of `train` for the constraints that it names, if any."""
        return within("[constraints]", lambda: self.constraints.options(treebank, dev, self.data.format or "auto"))

    def to_values(self, form: FormName = "recipe") -> dict[str, Any]:
        """Return plain values, as in a file, or with the names that model files and keys of results have."""
        sections: dict[str, Any] = {key: getattr(self, key) for key in _ORDER if getattr(self, key) is not None}
        values: dict[str, Any] = {}
        for key, section in sections.items():
            if key == "sources":
                values[key] = [source.to_values() for source in section]
            elif key == "typology":
                values[key] = dict(section)
            else:
                values[key] = section.to_values(form)
        if form == "stored":
            values = {_STORED_NAMES.get(key, key): value for key, value in values.items()}
        return {key: value for key, value in values.items() if value or key == "pipeline"}

    def to_toml(self) -> str:
        return to_toml(self.to_values())

    def write(self, path: str | os.PathLike[str]) -> None:
        """Writes the recipe to a file; relative paths in it count from its folder."""
        folder = os.path.realpath(os.path.dirname(os.fspath(path)) or ".")
        written = self.with_paths(lambda file: moved(file, lambda own: os.path.relpath(os.path.realpath(own), folder)))
        write_whole(Path(path), (HEADER + "\n" + written.to_toml()).encode(), SpecError)

    def inputs(self) -> list[str]:
        """The files that it reads."""
        found: list[str] = []

        def note(file: str) -> str:
            found.append(file)
            return file

        replace(self, cross_validation=CrossValidationSection()).with_paths(note)
        return found

    def with_paths(self, change: Callable[[str], str]) -> Recipe:
        """The recipe with the path of every file changed; `-`, standard input, is one of them."""
        recipe = self
        for part, key in ((part, key) for part, keys in _PATHS.items() for key in keys):
            if getattr(recipe, part) is None:
                continue
            value = getattr(getattr(recipe, part), key)
            changed = value
            if isinstance(value, tuple) and key in _LISTS:
                changed = tuple(map(change, value))
            elif isinstance(value, str) and _is_path(key, value):
                changed = change(value)
            recipe = replace(recipe, **{part: replace(getattr(recipe, part), **{key: changed})})
        sources = tuple(replace(each, path=change(str(each.path))) for each in recipe.sources)
        return replace(recipe, sources=sources)


def _is_path(key: str, value: str) -> bool:
    if key == "system":
        return Path(value).suffix.lower() in (".json", ".toml")
    return key != "templates" or value not in NAMED_TEMPLATES


def moved(file: str, change: Callable[[str], str]) -> str:
    """The path of a file, changed if it is relative."""
    return file if file == "-" or os.path.isabs(file) else change(file)


def _network_of(parser: Parser) -> NetworkSpec | None:
    from panparser.training.parser_run import network_of  # only here: few recipes go on from a parser

    return network_of(parser.classifier)
