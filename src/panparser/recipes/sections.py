"""Sections of recipes, and what each may hold."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args

from panparser.base import kinds as values
from panparser.base.checks import (
    MAX_BEAM,
    MAX_EPOCHS,
    MAX_INT,
    MAX_MEMBERS,
    MAX_SEEDS,
    NON_NEGATIVE,
    POSITIVE,
    RATE,
    SHARE,
    Interval,
    is_whole,
)
from panparser.base.kinds import TABLE, Kind, check, path_exists, read_values, short_repr
from panparser.errors import DeclarationError, PanParserError, SpecError
from panparser.features.templates import Templates, templates
from panparser.learning.strategies import STRATEGIES, TrainingStrategy
from panparser.learning.training import Subsampling, TrainingConfig
from panparser.networks.network import NETWORKS, NetworkInput, NetworkSpec, NetworkTraining, is_named, named
from panparser.parsing.spec import LabelSet, Nonprojective, ParserSpec, fitting_templates
from panparser.systems.registry import BUILT_IN, has_single_root
from panparser.systems.registry import system as named_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated
from panparser.trees.gold import ROOTS

if TYPE_CHECKING:
    from panparser.parsing.constraints import Constraints

T = TypeVar("T")
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KIB": 1 << 10, "MIB": 1 << 20, "GIB": 1 << 30}


def optional(kind: Kind) -> Any:
    """A value that a recipe may leave out, and what it must be."""
    return field(default=None, metadata={"kind": kind})


def that(expected: str, test: Callable[[Any], bool]) -> Any:
    """A value that a recipe may leave out, and the test that it must pass."""
    return optional(Kind(expected, test))


def integer(least: int, most: int = MAX_INT) -> Any:
    return optional(values.integer(least, most))


def number(interval: Interval) -> Any:
    return optional(values.number(interval))


def boolean() -> Any:
    return optional(values.BOOLEAN)


def one_of(*names: str) -> Any:
    return optional(values.one_of(*names))


def text(what: str) -> Any:
    return optional(values.text(what, minimum=1))


def table(what: str = "a table") -> Any:
    return that(what, values.TABLE.test)


def is_lines(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(isinstance(line, str) and line for line in value)


def size_of(value: str) -> int | None:
    """The number of bytes in "8MB" (10**6 each) or "8 MiB" (2**20 each); None if the value is not a size."""
    match = re.fullmatch(r"(\d{1,18}(?:\.\d{1,18})?) ?([A-Za-z]*)", value)
    if match is None or match[2].upper() not in _UNITS:
        return None
    return int(float(match[1]) * _UNITS[match[2].upper()])


@dataclass(frozen=True)
class Part:
    """A table of a recipe; fields that are None are left out."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(value, list):
                object.__setattr__(self, each.name, value := tuple(value))
            if value is not None:
                check(value, each.metadata["kind"], each.name, SpecError)

    @classmethod
    def from_values(cls, values: Any, place: str) -> Self:
        check(values, TABLE, place, SpecError)
        check_names(values, [each.name for each in fields(cls)], place)
        try:
            return cls(**values)
        except SpecError as error:
            raise SpecError(f"{place} {error}") from None

    def filled(self, values: Mapping[str, Any]) -> Self:
        """The table, with values for what it leaves out."""
        return replace(self, **{name: value for name, value in values.items() if getattr(self, name) is None})

    def to_values(self) -> dict[str, Any]:
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: value for name, value in values.items() if value is not None}


def is_cascade(path: str | os.PathLike[str]) -> bool:
    """Whether a recipe file describes a cascade."""
    return describes_cascade(read_toml(path))


def describes_cascade(values: Iterable[str]) -> bool:
    """Whether these are the tables of a cascade's recipe."""
    return not {"stages", "cascade"}.isdisjoint(values)


def check_names(values: Iterable[str], known: list[str], place: str) -> None:
    """Raises SpecError for an unknown name, and suggests the closest one."""
    for each in values:
        if each not in known:
            near = get_close_matches(each, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(known)}"
            raise SpecError(f"{place}: {short_repr(each)[1:-1]} is unknown; {hint}")


def within(place: str, work: Callable[[], T]) -> T:
    """The result of `work`; its errors name the place."""
    try:
        return work()
    except PanParserError as error:
        raise SpecError(f"{place}: {error}") from None
    except (TypeError, ValueError, OverflowError) as error:
        raise SpecError(f"{place}: a value of the wrong type: {error}") from None


def read_toml(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The values of a TOML file. Raises SpecError if it cannot be read."""
    found: dict[str, Any] = read_values(path, "TOML", SpecError)
    return found


NAMED_TEMPLATES = ("rich", "rich-stack", "lean", "easy", "zn11", "fast")


@dataclass(frozen=True, kw_only=True)
class ParserPart(Part):
    """[parser]: what the parser is made of.

    `system`: a built-in name, a file, or a table: that of a transition system, or name and options of a built-in one
    (`{ name = "arc-eager-span", k = 3 }`). `templates`: rich, rich-stack, lean, easy, zn11, fast, a file, or a list of
    lines. `delexicalized`: without those that read anything but UPOS (true), or UPOS and universal features ("feats").
    `given`: with those that read constraints. `vectors`: a file, for templates such as `S0.vector`. `network`:
    the name of one, which learns instead of a perceptron over templates; [network] describes one.
    """

    system: str | Mapping[str, Any] | None = that(
        "a name, a file or a table", lambda value: isinstance(value, str | Mapping) and len(value) > 0
    )
    root: str | None = one_of(*ROOTS)
    single_root: bool | None = boolean()
    beam: int | None = integer(1, MAX_BEAM)
    templates: str | tuple[str, ...] | None = that(
        "rich, rich-stack, lean, easy, zn11, fast, a file or a list of lines",
        lambda value: (isinstance(value, str) and value != "") or is_lines(value),
    )
    labeled: bool | None = boolean()
    delexicalized: bool | str | None = that(
        'true, false or "feats"', lambda value: isinstance(value, bool) or value == "feats"
    )
    labels: str | None = one_of(*get_args(LabelSet))
    given: bool | None = boolean()
    nonprojective: str | None = one_of(*get_args(Nonprojective))
    vectors: str | None = text("a file")
    network: str | None = that(
        f"one of {', '.join(NETWORKS)}", lambda value: isinstance(value, str) and is_named(value)
    )

    def spec(self, network: NetworkSpec | None = None) -> ParserSpec:
        """The parser that the table describes. With a network it is arc-hybrid and greedy, unless it is told."""
        if network is not None and self.templates is not None:
            raise SpecError("templates are for a perceptron; a network reads its inputs and positions")
        values = {key: getattr(self, key) for key in ("beam", "labeled", "labels", "nonprojective")}
        if network is not None and self.beam is None:
            values["beam"] = 1
        system = within("system", lambda: self._find_system("arc-eager" if network is None else "arc-hybrid"))
        return ParserSpec(
            system=system,
            templates=within("templates", lambda: self._find_templates(system)),
            **{key: value for key, value in values.items() if value is not None},
        )

    def changed(self, network: NetworkSpec) -> NetworkSpec:
        """A network that reads UPOS alone, or with given heads, if the table says so."""
        if self.delexicalized:
            if self.delexicalized == "feats":
                raise SpecError(
                    "delexicalized: feats is for templates; a network reads all features of a word, or none"
                )
            network = within("delexicalized", network.delexicalized)
        return network.with_given_head() if self.given else network

    def _find_system(self, default: str) -> TransitionSystem:
        options = {key: getattr(self, key) for key in ("root", "single_root") if getattr(self, key) is not None}
        chosen = default if self.system is None else self.system
        if isinstance(chosen, Mapping):
            if "transitions" in chosen:
                return _same(TransitionSystem.from_values(dict(chosen)), options)
            options = {key: value for key, value in chosen.items() if key != "name"} | options
            chosen = chosen.get("name", "")
        is_file = Path(chosen).suffix.lower() in (".json", ".toml")
        if not is_file and "single_root" not in options and has_single_root(chosen):
            options["single_root"] = True  # one root, as in Universal Dependencies, wherever words must have heads
        return named_system(chosen, **options)

    def _find_templates(self, system: TransitionSystem) -> Templates:
        if self.templates is None:
            result = fitting_templates(system)
        elif isinstance(self.templates, tuple):
            result = Templates.parse("\n".join(self.templates))
        else:
            is_named = self.templates in NAMED_TEMPLATES
            result = templates(self.templates) if is_named else _read_templates(self.templates)
        if self.delexicalized:
            result = result.delexicalized(feats=self.delexicalized == "feats")
        return result + templates("given") if self.given else result

    @classmethod
    def of(cls, spec: ParserSpec, network: NetworkSpec | None = None) -> ParserPart:
        """The table that describes a parser, without mention of files; templates are of no use to a network."""
        system = spec.system
        table: dict[str, Any] = {"system": _described(system), "root": system.root, "single_root": system.single_root}
        table |= {key: getattr(spec, key) for key in ("beam", "labeled", "nonprojective")}
        table["labels"] = spec.labels if spec.labeled else None
        if network is not None:
            return cls(**table)
        constraints = templates("given")
        bare = spec.templates - constraints
        given = bare != spec.templates and bare + constraints == spec.templates
        bare = bare if given else spec.templates
        stated: str | tuple[str, ...] = tuple(map(str, bare))
        delexicalized: bool | str = False
        for key in NAMED_TEMPLATES:
            known = templates(key)
            ways = (known, known.delexicalized(), known.delexicalized(feats=True))
            if bare in ways:
                stated, delexicalized = key, (False, True, "feats")[ways.index(bare)]
        return cls(**table, templates=stated, delexicalized=delexicalized, given=given or None)


def _same(table: TransitionSystem, options: Mapping[str, Any]) -> TransitionSystem:
    for key, value in options.items():
        if getattr(table, key) != value:
            raise SpecError(f"the table has {key} = {getattr(table, key)!r}; found {value!r} beside it")
    return table


def _described(system: TransitionSystem) -> str | dict[str, Any]:
    """Name and options of a built-in system, or the table of another."""
    options: dict[str, Any] = {} if system.max_span is None else {"k": system.max_span}
    if system.potential == "swap-loss":
        options["oracle"] = "static-dynamic" if system.static_oracle else "dynamic"
    elif system.static_oracle == "swap-eager":
        options["oracle"] = "eager"
    if system.name in BUILT_IN:
        try:
            found = named_system(system.name, root=system.root, single_root=system.single_root, **options)
        except DeclarationError:  # a table of that name with options that the built-in system does not have
            found = None
        if found == system:
            return {"name": system.name, **options} if options else system.name
    values = {key: value for key, value in system.to_values().items() if value is not None}
    return values | {"ties": list(values["ties"])}


def _read_templates(path: str) -> Templates:
    if not path_exists(path):
        raise SpecError(f"expected {', '.join(NAMED_TEMPLATES)} or a file, found {path!r}")
    return Templates.read(path)


@dataclass(frozen=True, kw_only=True)
class TrainingPart(Part):
    """[training]: how it learns.

    `strategy`: a name, or a table with fields of `TrainingStrategy` on top of the one named by `base`. `patience = 0`:
    never stop early. `seeds`: several, of which the one that is best on the development set is kept. `members`:
    perceptrons of which the parser is the mean. `prune`: drops weights smaller than this many updates. `margin`: the
    share of the development set whose best trees a narrower beam may lose. `batch`: sentences that are searched by the
    same weights. `model_size`: the largest file, such as "8MB". `init`: a model to continue from.
    """

    strategy: str | Mapping[str, Any] | None = that(
        f"one of {', '.join(STRATEGIES)}, or a table", lambda value: isinstance(value, str | Mapping)
    )
    epochs: int | None = integer(1, MAX_EPOCHS)
    patience: int | None = integer(0)
    seed: int | None = integer(0)
    seeds: tuple[int, ...] | None = that(
        f"a list of at most {MAX_SEEDS} different integers >= 0",
        lambda value: (
            isinstance(value, tuple)
            and all(is_whole(seed) and seed >= 0 for seed in value)
            and 0 < len(value) == len(set(value)) <= MAX_SEEDS
        ),
    )
    members: int | None = integer(1, MAX_MEMBERS)
    prune: float | None = number(NON_NEGATIVE)
    margin: float | None = that(f"a number {RATE}", lambda value: value in RATE)
    batch: int | None = integer(1)
    model_size: str | None = that('a size such as "8MB"', lambda value: isinstance(value, str) and bool(size_of(value)))
    subsample: Mapping[str, Any] | None = table("a table with share, by and where")
    init: str | None = text("a model file")

    def options(self, network: NetworkSpec | None = None) -> dict[str, Any]:
        """The options of `train`; a network has its own defaults of epochs and patience."""
        defaults = TrainingConfig() if network is None else network.learning
        strategy = self.strategy  # defaults to one that fits the system, which is not known here
        found = (
            {} if strategy is None else {"strategy": within("strategy", lambda: TrainingStrategy.from_values(strategy))}
        )
        patience = defaults.patience if self.patience is None else self.patience
        return found | {
            "epochs": defaults.epochs if self.epochs is None else self.epochs,
            "patience": patience or None,
            "seed": TrainingConfig().seed if self.seed is None else self.seed,
            "members": self.members,
            "prune": None if self.prune is None else float(self.prune),
            "margin": self.margin,
            "batch": TrainingConfig().batch if self.batch is None else self.batch,
            "max_size": size_of(self.model_size) if self.model_size else None,
            "subsample": within("subsample", self._find_subsample),
        }

    def _find_subsample(self) -> Subsampling | None:
        if self.subsample is None:
            return None
        check_names(self.subsample, [each.name for each in fields(Subsampling)], "the table")
        if "share" not in self.subsample:
            raise SpecError("share is missing")
        return Subsampling(**self.subsample)


def describe_strategy(strategy: TrainingStrategy) -> str | dict[str, Any]:
    """The name of a built-in strategy, or the table of another."""
    names = [name for name, known in STRATEGIES.items() if known == strategy]
    return names[0] if names else strategy.to_values()


def read_network(values: Any, place: str) -> NetworkSpec:
    """The network of a table, or of a name; raises SpecError, with table and key, if it is not a valid one."""
    try:
        if isinstance(values, str):
            return named(values)
        if isinstance(values, Mapping):
            _check_names(values, place)
        return NetworkSpec.from_values(values)
    except SpecError as error:
        message = str(error)
        raise SpecError(message if message.startswith(place) else f"{place}: {message}") from None


def _check_names(values: Mapping[str, Any], place: str) -> None:
    """Suggests the closest name for one that is unknown."""
    check_names(values, ["base", *(own.name for own in fields(NetworkSpec))], place)
    if isinstance(learning := values.get("learning"), Mapping):
        check_names(learning, [own.name for own in fields(NetworkTraining)], f"{place} learning")
    inputs = values.get("inputs")
    for number, one in enumerate(inputs if isinstance(inputs, list) else [], start=1):
        if isinstance(one, Mapping):
            check_names(one, [own.name for own in fields(NetworkInput)], f"{place} input {number}")


_PARTS = ("tokenizer", "tagger", "lemmatizer", "parser")
_COLUMNS = ("upos", "xpos", "feats")
_OWN = ("folds", "tagger_beam", "tagger_prune", "tokenizer_epochs", "tagger_epochs", "lemmatizer_epochs")


@dataclass(frozen=True, kw_only=True)
class PipelinePart(Part):
    """[pipeline]: the parts (by default all that the treebank annotates), and how those beside the parser learn.

    `tags`: UPOS, XPOS and FEATS jointly, or one by one, by taggers; or by the parser's network, and lemmas with them
    (the default if it names some); `columns`: only these of them. `lexicon`: files of words and their tags, for the
    tagger of UPOS. `folds`: the parser learns from tags and lemmas predicted in this many folds; 0: from those of the
    treebank. `tagger_prune`: drops weights of taggers that are smaller than this many updates.
    """

    parts: tuple[str, ...] | None = that(
        f"a list of {', '.join(_PARTS)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(part in _PARTS for part in value),
    )
    tags: str | None = one_of("by-parser", "jointly", "one-by-one")
    columns: tuple[str, ...] | None = that(
        f"a list of {', '.join(_COLUMNS)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(name in _COLUMNS for name in value),
    )
    lexicon: tuple[str, ...] | None = that("a list of files", is_lines)
    folds: int | None = that("0, or an integer >= 2", lambda value: is_whole(value) and value >= 0 and value != 1)
    tokenizer_epochs: int | None = integer(1, MAX_EPOCHS)
    tagger_epochs: int | None = integer(1, MAX_EPOCHS)
    tagger_beam: int | None = integer(1, MAX_BEAM)
    tagger_prune: float | None = number(NON_NEGATIVE)
    lemmatizer_epochs: int | None = integer(1, MAX_EPOCHS)

    def options(self) -> dict[str, Any]:
        """The options of `PipelineSpec`, except the parser."""
        found: dict[str, Any] = {name: getattr(self, name) for name in ("parts", "columns", *_OWN)}
        if self.tags is not None:
            found |= {"by_parser": self.tags == "by-parser", "joint": self.tags != "one-by-one"}
        return {name: value for name, value in found.items() if value is not None}

    def resolved(self, network: NetworkSpec | None) -> PipelinePart:
        """The table with all defaults filled in, for a parser of this network, if any."""
        from panparser.pipeline.pipeline_training import PipelineSpec

        spec = within("[pipeline]", lambda: PipelineSpec(**self.options()).completed(network))
        tags = "by-parser" if spec.by_parser else "jointly" if spec.joint else "one-by-one"
        return self.filled({"parts": spec.parts, "tags": tags, **{name: getattr(spec, name) for name in _OWN}})


@dataclass(frozen=True, kw_only=True)
class ConstraintsPart(Part):
    """[constraints]: a `share` of the gold heads, or those of other files.

    `train` and `dev`: the same sentences as in [data], with the heads that are given (and the labels, with
    `labels = true`), such as a partial parser wrote them; `_` is not given.
    """

    share: float | None = that(f"a number {SHARE}", lambda value: value in SHARE)
    train: tuple[str, ...] | None = that("a list of files", is_lines)
    dev: str | None = text("a file")
    labels: bool | None = boolean()

    def options(self, treebank: Treebank, dev: Treebank | None, format: Any) -> dict[str, Any]:
        """The options of `train`."""
        if self.share is not None:
            if self.train or self.dev or self.labels is not None:
                raise SpecError("a share is of the gold heads: expected no files beside it, and no labels")
            return {"constraints": self.share}
        if self.train is None:
            if self.dev or self.labels is not None:
                raise SpecError("expected a share, or files under train")
            return {}
        found = {"constraints": self._read(self.train, treebank, format)}
        if dev is not None:
            if self.dev is None:
                raise SpecError("dev: expected a file with what is given of the development set, found none")
            found["dev_constraints"] = self._read((self.dev,), dev, format)
        return found

    def _read(self, files: Sequence[str], treebank: Treebank, format: Any) -> Constraints:
        from panparser.parsing.constraints import Constraints

        given = concatenated([read_conllu(file, format=format) for file in files])
        if given.offsets.tolist() != treebank.offsets.tolist():
            raise SpecError(f"{', '.join(files)}: expected the sentences of {treebank.path}, found others")
        return Constraints.from_treebank(given, keep={"heads", "labels"} if self.labels else {"heads"})


# Functions of families, by the section of a recipe or of a training record that they interpret; imported on demand.
EXTENSIONS = {
    "sources": "panparser.transfer.recipe_sections:read_source_treebanks",
    "typology": "panparser.transfer.recipe_sections:recipe_typology",
    "transfer": "panparser.transfer.transfer_report:record_rows",
}


@dataclass(frozen=True, kw_only=True)
class DataPart(Part):
    """[data]: the treebanks. Paths count from the folder of the recipe.

    `weights`: how often an epoch learns from the sentences of each file under `train`.
    """

    train: tuple[str, ...] | None = that("a list of files", is_lines)
    weights: tuple[float, ...] | None = that(
        f"a list of numbers {POSITIVE}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(v in POSITIVE for v in value),
    )
    dev: str | None = text("a file")
    format: str | None = one_of("auto", "conllu", "conllx")


@dataclass(frozen=True, kw_only=True)
class FoldsPart(Part):
    """[folds]: cross-validation on the training data; `predictions` is a file for the jackknifed treebank."""

    count: int | None = integer(2)
    predictions: str | None = text("a file")


@dataclass(frozen=True, kw_only=True)
class SourcePart(Part):
    """[[sources]]: a treebank of another language.

    `weight`: how often an epoch learns from its sentences. `sentences`: at most so many, drawn by the seed. `blank`:
    words lose all that belongs to their language, and only UPOS, heads and labels remain.
    """

    path: str | None = text("a file")
    weight: float | None = that(f"a number {POSITIVE}", lambda value: value in POSITIVE)
    sentences: int | None = integer(1)
    blank: bool | None = boolean()


def read_sources(values: Any, place: str) -> tuple[SourcePart, ...]:
    """The tables under `sources`."""
    if not isinstance(values, list | tuple) or not values:
        raise SpecError(f"{place}: [[sources]]: expected tables of sources, found {values!r}")
    found = []
    for number, each in enumerate(values, start=1):
        part = SourcePart.from_values(each, f"{place}: [[sources]] number {number}")
        if part.path is None:
            raise SpecError(f"{place}: [[sources]] number {number}: path is missing")
        found.append(part)
    return tuple(found)


def read_typology(values: Any, place: str) -> dict[str, Any]:
    """The table `typology`, checked."""
    check(values, TABLE, f"{place}: [typology]", SpecError)
    within(f"{place}: [typology]", lambda: extension("typology")(values))
    return dict(values)


def extension(section: str) -> Callable[..., Any]:
    """Return the function that interprets a section which the core only stores."""
    module, _, name = EXTENSIONS[section].partition(":")
    function: Callable[..., Any] = getattr(import_module(module), name)
    return function
