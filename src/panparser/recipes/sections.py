"""Sections of recipes, and what each may hold."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from panparser.base.checks import MAX_BEAM, MAX_EPOCHS, MAX_SEEDS, NON_NEGATIVE, POSITIVE, SHARE
from panparser.base.kinds import BOOLEAN, TABLE, Kind, check, integer, number, one_of, path_exists, read_values, text
from panparser.base.options import FormName, Option, Options, check_names
from panparser.errors import DeclarationError, PanParserError, SpecError
from panparser.features.templates import Templates, templates
from panparser.learning.strategies import STRATEGIES, TrainingStrategy
from panparser.learning.training import Subsampling, TrainingConfig
from panparser.networks.network import NETWORKS, NetworkInput, NetworkSpec, NetworkTraining, is_named, named
from panparser.parsing.spec import ParserSpec, fitting_templates
from panparser.systems.registry import BUILT_IN, has_single_root
from panparser.systems.registry import system as named_system
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank, concatenated
from panparser.trees.gold import ROOTS

if TYPE_CHECKING:
    from panparser.parsing.constraints import Constraints

T = TypeVar("T")


# --- Sections and their keys ---


class Section:
    """What a section of a recipe states; keys that it leaves open are None.

    A subclass declares its own keys by `key`, and has those of a class of `options`; `order` is that in files, and
    `stored` has the names that some have in keys of results.
    """

    keys: ClassVar[Mapping[str, Option]]
    _stored_names: ClassVar[Mapping[str, str]]
    _stated_options: ClassVar[Mapping[str, Option]]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    if TYPE_CHECKING:

        def __init__(self, **values: Any) -> None: ...
        def __getattr__(self, key: str) -> Any: ...

    def __init_subclass__(
        cls, options: type[Options] | None = None, order: str = "", stored: Mapping[str, str] | None = None
    ) -> None:
        cls._stored_names = stored or {}
        declared = options.declarations.values() if options is not None else ()
        cls._stated_options = {option.recipe.key: option for option in declared if option.recipe is not None}
        own = {name: value.named(name) for name, value in vars(cls).items() if isinstance(value, Option)}
        known = {**cls._stated_options, **own}
        cls.keys = {name: known[name] for name in order.split() or known}
        cls.__annotations__ = dict.fromkeys(cls.keys, Any)
        for name in cls.keys:
            setattr(cls, name, None)
        dataclass(frozen=True, kw_only=True)(cls)

    def __post_init__(self) -> None:
        for name, option in self.keys.items():
            value = getattr(self, name)
            if isinstance(value, list):
                object.__setattr__(self, name, value := tuple(value))
            if value is not None and option.recipe is not None and option.recipe.kind is not None:
                check(value, option.recipe.kind, name, SpecError)

    @classmethod
    def from_values(cls, values: Any, place: str) -> Self:
        """Return the section of plain values. Raise SpecError, with place and key, if they do not fit."""
        check(values, TABLE, place, SpecError)
        check_names(values, list(cls.keys), place)
        try:
            return cls(**values)
        except SpecError as error:
            raise SpecError(f"{place} {error}") from None

    def filled(self, values: Mapping[str, Any]) -> Self:
        """Return the section with values for keys that it leaves open."""
        return replace(self, **{name: value for name, value in values.items() if getattr(self, name) is None})

    def to_values(self, form: FormName = "recipe") -> dict[str, Any]:
        """Return plain values, as in a file, or with the names that keys of results have."""
        stated = {name: value for name in self.keys if (value := getattr(self, name)) is not None}
        return stated if form == "recipe" else {self._stored_names.get(name, name): v for name, v in stated.items()}

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the class of options that are stated."""
        arguments = {}
        for name, option in self._stated_options.items():
            if option.recipe is not None and (value := getattr(self, name)) is not None:
                arguments[option.name] = within(name, partial(option.recipe.decode, value))
        return arguments


def key(kind: Kind, help: str = "", *, usual: str = "none") -> Any:
    """Declare a key that only recipes have."""
    return Option(kind=kind, help=help, usual=usual)


def some_of(names: Sequence[str]) -> Kind:
    """Return the kind of lists of some of these names."""
    return Kind(
        f"a list of {', '.join(names)}",
        lambda value: isinstance(value, tuple) and len(value) > 0 and all(name in names for name in value),
    )


def is_lines(value: Any) -> bool:
    return isinstance(value, tuple) and len(value) > 0 and all(isinstance(line, str) and line for line in value)


FILE, FILES = text("a file", minimum=1), Kind("a list of files", is_lines)
WEIGHTS = Kind(
    "a list of numbers > 0",
    lambda value: isinstance(value, tuple) and len(value) > 0 and all(map(number(POSITIVE).test, value)),
)
DELEXICALIZED = Kind('true, false or "feats"', lambda value: isinstance(value, bool) or value == "feats")


def is_cascade(path: str | os.PathLike[str]) -> bool:
    """Whether a recipe file describes a cascade."""
    return describes_cascade(read_toml(path))


def describes_cascade(values: Iterable[str]) -> bool:
    """Whether these are the tables of a cascade's recipe."""
    return not {"stages", "cascade"}.isdisjoint(values)


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


# --- [data], [[sources]], [typology], [cross_validation] ---


class DataSection(Section):
    """[data]: the treebanks. Paths count from the folder of the recipe."""

    train: Any = key(FILES, "Training treebanks, a list of files.", usual="")
    weights: Any = key(
        WEIGHTS,
        "A number above 0 for each of them: an epoch learns from a sentence of weight 25 as if it stood 25 times, from "
        "one of weight 0.5 every other time; for single parsers, without folds.",
        usual="1 each",
    )
    dev: Any = key(FILE, "The development set.")
    format: Any = key(one_of("auto", "conllu", "conllx"), '`"conllu"`, `"conllx"`, or `"auto"`.', usual='`"auto"`')


class CrossValidationSection(Section, stored={"output": "predictions"}):
    """[cross_validation]: parsers of parts of the training data, before the parser of all of it."""

    count: Any = key(integer(2), "Cross-validation on the training data with this many folds.", usual="no folds")
    output: Any = key(FILE, "A file for the treebank, each sentence parsed by a parser that did not learn from it.")


class SourceSection(Section):
    """[[sources]]: a treebank of another language."""

    path: Any = key(FILE, "A file.", usual="")
    weight: Any = key(number(POSITIVE), "A number above 0: how often an epoch learns from its sentences.", usual="1")
    sentences: Any = key(integer(1), "The number of its sentences, at most, drawn by the seed.", usual="all")
    blank: Any = key(
        BOOLEAN, "Words lose all that belongs to their language: only UPOS, heads and labels remain.", usual="true"
    )


# Functions of families, by the section of a recipe or of a training record that they interpret; imported on demand.
EXTENSIONS = {
    "sources": "panparser.transfer.recipe_sections:read_source_treebanks",
    "typology": "panparser.transfer.recipe_sections:recipe_typology",
    "transfer": "panparser.transfer.transfer_report:record_rows",
}


def read_sources(values: Any, place: str) -> tuple[SourceSection, ...]:
    """The tables under `sources`."""
    if not isinstance(values, list | tuple) or not values:
        raise SpecError(f"{place}: [[sources]]: expected tables of sources, found {values!r}")
    sources = []
    for i, table in enumerate(values, start=1):
        source = SourceSection.from_values(table, f"{place}: [[sources]] number {i}")
        if source.path is None:
            raise SpecError(f"{place}: [[sources]] number {i}: path is missing")
        sources.append(source)
    return tuple(sources)


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


# --- [parser], [network] ---

NAMED_TEMPLATES = ("rich", "rich-stack", "lean", "easy", "zn11", "fast")


class ParserSection(
    Section,
    options=ParserSpec,
    order="system root single_root beam templates labeled delexicalized labels given nonprojective vectors network",
):
    """[parser]: what the parser is made of."""

    system: Any = key(
        Kind("a name, a file or a table", lambda value: isinstance(value, str | Mapping) and len(value) > 0),
        "A built-in name, a file, or a table: that of a transition system, or name and options of a built-in one.",
        usual='`"arc-eager"`',
    )
    root: Any = key(
        one_of(*ROOTS),
        'Where Root stands: `"first"`, `"last"`, or `"none"`, if no token stands for it.',
        usual='`"last"`',
    )
    single_root: Any = key(BOOLEAN, "Trees have one child of Root.", usual="true wherever words must have heads")
    templates: Any = key(
        Kind(
            "rich, rich-stack, lean, easy, zn11, fast, a file or a list of lines",
            lambda value: (isinstance(value, str) and value != "") or is_lines(value),
        ),
        "A name, a file, or a list of lines.",
        usual='`"lean"`, `"easy"`, `"rich"` or `"rich-stack"`, whichever fits the system',
    )
    delexicalized: Any = key(
        DELEXICALIZED,
        'true: leave out templates that read anything of one language, so that only UPOS remains; `"feats"`: keep '
        "those that read universal features one by one.",
        usual="false",
    )
    given: Any = key(BOOLEAN, 'Add the templates of `pp.templates("given")`, which read constraints.', usual="false")
    vectors: Any = key(
        FILE, "A file of embeddings, for templates such as `S0.vector`, or for a network that reads them."
    )
    network: Any = key(
        Kind(f"one of {', '.join(NETWORKS)}", lambda value: isinstance(value, str) and is_named(value)),
        '`"bilstm"`, `"feed-forward"` or `"stack-lstm"`: a network learns instead of a perceptron; `[network]` '
        "describes one of your own.",
    )

    def spec(self, network: NetworkSpec | None = None) -> ParserSpec:
        """The parser that the table describes. With a network it is arc-hybrid and greedy, unless it is told."""
        if network is not None and self.templates is not None:
            raise SpecError("templates are for a perceptron; a network reads its inputs and positions")
        values = self.arguments()
        if network is not None:
            values = {"beam": 1} | values
        system = within("system", lambda: self._find_system("arc-eager" if network is None else "arc-hybrid"))
        return ParserSpec(system=system, templates=within("templates", lambda: self._find_templates(system)), **values)

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
    def of(cls, spec: ParserSpec, network: NetworkSpec | None = None) -> ParserSection:
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


def read_network(values: Any, place: str) -> NetworkSpec:
    """Return the network of a section, or of a name. Raise SpecError, with section and key, if it is not valid."""
    try:
        if isinstance(values, str):
            return named(values)
        if isinstance(values, Mapping):
            _check_network_names(values, place)
        return NetworkSpec.from_values(values, form="recipe")
    except SpecError as error:
        message = str(error)
        raise SpecError(message if message.startswith(place) else f"{place}: {message}") from None


def _check_network_names(values: Mapping[str, Any], place: str) -> None:
    """Suggest the closest name for one that is unknown."""
    check_names(values, ["base", *NetworkSpec.key_names("recipe")], place)
    if isinstance(training := values.get("training"), Mapping):
        check_names(training, NetworkTraining.key_names("recipe"), f"{place} training")
    inputs = values.get("inputs")
    for i, one in enumerate(inputs if isinstance(inputs, list) else [], start=1):
        if isinstance(one, Mapping):
            check_names(one, NetworkInput.key_names("recipe"), f"{place} input {i}")


# --- [training] ---


class TrainingSection(
    Section,
    options=TrainingConfig,
    order="strategy epochs patience seed seeds members prune margin batch model_size subsample init",
):
    """[training]: how it learns."""

    seeds: Any = key(
        Kind(
            f"a list of at most {MAX_SEEDS} different integers >= 0",
            lambda value: (
                isinstance(value, tuple)
                and integer(0).fits_all(value)
                and 0 < len(value) == len(set(value)) <= MAX_SEEDS
            ),
        ),
        f"Several, at most {MAX_SEEDS:,}; the parser that is best on the development set is kept.",
        usual="",
    )
    init: Any = key(
        text("a model file", minimum=1), "A model whose weights training starts from; templates may be added."
    )

    def to_values(self, form: FormName = "recipe") -> dict[str, Any]:
        values = super().to_values(form)
        if form == "stored" and self.subsample is not None:
            names = {name: option.stored.key for name, option in Subsampling.declarations.items() if option.stored}
            values["subsample"] = {names.get(name, name): value for name, value in self.subsample.items()}
        return values


def describe_strategy(strategy: TrainingStrategy) -> str | dict[str, Any]:
    """The name of a built-in strategy, or the table of another."""
    names = [name for name, known in STRATEGIES.items() if known == strategy]
    return names[0] if names else strategy.to_values()


# --- [constraints] ---


class ConstraintsSection(Section):
    """[constraints]: a share of the gold heads, or those of other files."""

    share: Any = key(number(SHARE), "Give this share of the gold heads, drawn anew in each epoch.")
    train: Any = key(FILES, "Files with the same sentences as in `[data]`, whose heads are given; `_` is not given.")
    dev: Any = key(FILE, "A file whose heads are given for the development set.")
    labels: Any = key(BOOLEAN, "Give their labels as well.", usual="false")

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


# --- [pipeline] ---


_PARTS = ("tokenizer", "tagger", "lemmatizer", "parser")
_COLUMNS = ("upos", "xpos", "feats")
_EPOCHS = integer(1, MAX_EPOCHS)


class PipelineSection(Section):
    """[pipeline]: the parts, and how those beside the parser learn; `PipelineSpec` is too slow to import for it."""

    parts: Any = key(some_of(_PARTS), "Which of tokenizer, tagger, lemmatizer and parser to train.", usual="all")
    tags: Any = key(
        one_of("by-parser", "jointly", "one-by-one"),
        'One tagger for UPOS, XPOS and FEATS together (a network: and lemmas), or `"one-by-one"`; or the parser\'s own '
        "network predicts them, and lemmas.",
        usual='`"jointly"`; with a network that names what it predicts, `"by-parser"`',
    )
    columns: Any = key(
        some_of(_COLUMNS), 'A list of `"upos"`, `"xpos"`, `"feats"`: tag only these.', usual="all that are annotated"
    )
    lexicon: Any = key(FILES, "A list of files of words and their tags, for the tagger of UPOS.")
    folds: Any = key(
        Kind("0, or an integer >= 2", lambda value: integer(0).test(value) and value != 1),
        "Folds in which taggers and lemmatizers annotate the parser's training data; 0: the parser learns from the "
        "treebank's own tags and lemmas.",
        usual="5",
    )
    tokenizer_epochs: Any = key(_EPOCHS, "Epochs of the tokenizer, at most.", usual="6")
    tagger_epochs: Any = key(_EPOCHS, "Epochs of each tagger, at most.", usual="8, or as many as a network states")
    tagger_beam: Any = key(integer(1, MAX_BEAM), "The beam of taggers.", usual="1")
    tagger_prune: Any = key(
        number(NON_NEGATIVE), "Drop weights of taggers smaller than this many updates.", usual="0.0"
    )
    lemmatizer_epochs: Any = key(_EPOCHS, "Epochs of the lemmatizer, at most.", usual="8")

    def options(self) -> dict[str, Any]:
        """Return the arguments of `PipelineSpec`, except the parser."""
        options = {name: value for name, value in self.to_values().items() if name not in ("tags", "lexicon")}
        if self.tags is not None:
            options |= {"parser_predicts_tags": self.tags == "by-parser", "joint_tagger": self.tags != "one-by-one"}
        return options

    def resolved(self, network: NetworkSpec | None) -> PipelineSection:
        """Return the section with all defaults filled in, for a parser of this network, if any."""
        from panparser.pipeline.pipeline_training import PipelineSpec

        spec = within("[pipeline]", lambda: PipelineSpec(**self.options()).with_defaults(network))
        tags = "by-parser" if spec.parser_predicts_tags else "jointly" if spec.joint_tagger else "one-by-one"
        usual = {name: getattr(spec, name) for name in self.keys if name not in ("tags", "columns", "lexicon")}
        return self.filled({"tags": tags, **usual})
