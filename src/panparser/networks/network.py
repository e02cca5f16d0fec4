"""Network: what a neural classifier looks at, and how, as data; and three named ones.

C&M 2014: Chen & Manning, "A Fast and Accurate Dependency Parser using Neural Networks". K&G 2016: Kiperwasser &
Goldberg, "Simple and Accurate Dependency Parsing Using Bidirectional LSTM Feature Representations". D 2015: Dyer et
al., "Transition-Based Dependency Parsing with Stack Long Short-Term Memory". D&M 2017: Dozat & Manning, "Deep Biaffine
Attention for Neural Dependency Parsing".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any, Literal, get_args

from panparser.base.checks import (
    MAX_EPOCHS,
    NON_NEGATIVE,
    POSITIVE,
    PROBABILITY,
    RATE,
    check_choice,
    check_count,
    check_number,
)
from panparser.base.kinds import TEXT, Kind, ListOf, Nullable, Table, check, integer, number, one_of
from panparser.errors import SpecError, TemplateError
from panparser.features.atoms import Address

Column = Literal["form", "lower", "characters", "lemma", "upos", "xpos", "feats", "vector", "given_head"]
Characters = Literal["cnn", "lstm"]
Precision = Literal["float32", "float16", "int8"]
TAGS = ("upos", "xpos", "feats", "lemma")  # columns that can be predicted
_OF_ONE_LANGUAGE = ("form", "lower", "characters", "lemma", "xpos", "feats", "vector")
MAX_SIZE = 4096  # of any layer
MAX_LAYERS = 8
MAX_POSITIONS = 64
_LEAST_BATCH, _MOST_BATCH = 100, 5000  # words
MAX_HISTORY = 4  # actions that a state remembers


def _check_addresses(name: str, addresses: tuple[str, ...]) -> None:
    if len(addresses) > MAX_POSITIONS:
        raise SpecError(f"NetworkSpec: {name} must be <= {MAX_POSITIONS} addresses; got {len(addresses)}")
    if len(set(addresses)) < len(addresses):
        raise SpecError(f"NetworkSpec: {name} must be different; got {', '.join(map(str, addresses))}")
    for address in addresses:
        try:
            is_of_sequence = Address(*str(address).split(".", 1)).is_of_sequence
        except TemplateError as error:
            raise SpecError(f"NetworkSpec: {name}: {error}") from None
        if is_of_sequence:
            raise SpecError(f"NetworkSpec: {name} must be of a parser's state; got {address}")


@dataclass(frozen=True, kw_only=True)
class NetworkInput:
    """Something that is known of a word, and the size of its vector.

    `column`: `form`, `lower` (the form in lower case), `characters` (of the form), `lemma`, `upos`, `xpos`, `feats`
    (the sum of the vectors of its features), `vector` (pre-trained, through a layer of this size), or `given_head`
    (where the head is that constraints give). `least`: a value that is rarer in training is an unknown one.
    `encoder`: how characters become a vector, by convolutions ("cnn") or a BiLSTM ("lstm").
    """

    column: Column
    size: int = 100
    least: int = 1
    encoder: Characters = "cnn"

    def __post_init__(self) -> None:
        check_choice("NetworkInput: column", self.column, get_args(Column))
        check_choice("NetworkInput: encoder", self.encoder, get_args(Characters))
        check_count("NetworkInput: size", self.size, maximum=MAX_SIZE)
        check_count("NetworkInput: least", self.least)
        if self.column == "characters" and self.encoder == "lstm" and self.size % 2:
            raise SpecError(f"NetworkInput: size must be even for a BiLSTM, half for each direction; got {self.size}")


@dataclass(frozen=True, kw_only=True)
class NetworkTraining:
    """How a network learns: Adam, with a rate that rises for some updates and falls to nothing by the last.

    `updates`: about how many there are in all; `batch`: words that one learns from, whatever their number; 0: as many
    as make the number. `dropout`: of all that one layer passes to the next, the same for all words of
    a sentence; `input_dropout`: of each input of a word as a whole, so that none is relied upon; `word_dropout`: how
    often a word is seen as an unknown one, the rarer the more often (as in K&G 2016).
    `average`: how much of the average of all weights remains after an update; the average is what parses.
    `arc_loss`: weight of a loss on the head of each word among all words (D&M 2017), beside that on actions;
    `label_loss` and `tag_loss`: weights of the losses on labels, and on the tags that are predicted.
    `advice`: the share of those three losses that teachers have, if there are any (see NetworkClassifier).
    `evaluations`: times that the development set is parsed meanwhile, about; 0: after each epoch. `epochs` and
    `patience` apply where training is not told otherwise. `seconds`: after so many, training ends, and the rate has
    fallen to nothing by then; what is learned depends on how busy the machine is. 0: there is no limit.
    """

    updates: int = 6000
    batch: int = 0
    rate: float = 0.002
    warm_up: int = 200
    dropout: float = 0.33
    input_dropout: float = 0.2
    word_dropout: float = 0.25
    clip: float = 5.0
    average: float = 0.998
    arc_loss: float = 0.5
    label_loss: float = 3.0
    tag_loss: float = 1.0
    advice: float = 0.5
    evaluations: int = 8
    epochs: int = 40
    patience: int | None = None
    seconds: float = 0.0

    def __post_init__(self) -> None:
        check_count("NetworkTraining: updates", self.updates)
        for name in ("warm_up", "batch", "evaluations"):
            check_count(f"NetworkTraining: {name}", getattr(self, name), minimum=0)
        check_count("NetworkTraining: epochs", self.epochs, maximum=MAX_EPOCHS)
        if self.patience is not None:
            check_count("NetworkTraining: patience", self.patience)
        for name, interval in (
            ("rate", POSITIVE),
            ("dropout", RATE),
            ("input_dropout", RATE),
            ("word_dropout", NON_NEGATIVE),
            ("clip", POSITIVE),
            ("average", RATE),
            ("arc_loss", NON_NEGATIVE),
            ("label_loss", NON_NEGATIVE),
            ("tag_loss", NON_NEGATIVE),
            ("advice", PROBABILITY),
            ("seconds", NON_NEGATIVE),
        ):
            check_number(f"NetworkTraining: {name}", getattr(self, name), interval)

    def batch_for(self, words: int, epochs: int) -> int:
        """Words that one update learns from, of a treebank of so many."""
        return self.batch or min(max(round(words * epochs / self.updates), _LEAST_BATCH), _MOST_BATCH)


@dataclass(frozen=True, kw_only=True)
class NetworkSpec:
    """What a neural classifier is made of.

    `inputs`: what is known of a word. `layers` and `size`: of the BiLSTM that reads the sentence, `size` in each
    direction; with 0 layers words are seen alone. `positions`: the words of a state that are looked at, by the
    addresses of templates; `labels_of`: those of them (or others) whose labels are seen, too; `history`: the last
    actions that are. `memory`: the size of the LSTMs that read the actions so far and the stack (D 2015), or 0.
    `hidden`: the layer of the scorer. `arcs`: the size in which an arc that an action makes is scored by its head and
    dependent (D&M 2017), or 0; `labels`: the size in which its label is, or 0: from the scorer's hidden layer.
    `tags`: columns that are predicted from the same encoder, some of `upos`, `xpos`, `feats` and `lemma`; a network
    without `positions` predicts only those. `tag_hidden`: the layer between encoder and classes; `tag_layer`: the layer
    of the encoder that it reads, from 1, or 0: the last. `precision`: of the numbers in a file.
    """

    inputs: tuple[NetworkInput, ...]
    layers: int = 0
    size: int = 0
    positions: tuple[str, ...] = ()
    labels_of: tuple[str, ...] = ()
    history: int = 0
    memory: int = 0
    hidden: int = 200
    arcs: int = 0
    labels: int = 0
    tags: tuple[str, ...] = ()
    tag_hidden: int = 128
    tag_layer: int = 0
    precision: Precision = "float32"
    learning: NetworkTraining = NetworkTraining()

    def __post_init__(self) -> None:
        object.__setattr__(self, "inputs", tuple(self.inputs))
        for name in ("positions", "labels_of", "tags"):
            if isinstance(getattr(self, name), str):
                raise SpecError(f"NetworkSpec: {name} must be a list of texts; got {getattr(self, name)!r}")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if not self.inputs or not all(isinstance(one, NetworkInput) for one in self.inputs):
            raise SpecError(f"NetworkSpec: inputs must be one or more NetworkInputs; got {self.inputs!r}")
        columns = [one.column for one in self.inputs]
        if len(set(columns)) < len(columns):
            raise SpecError(f"NetworkSpec: inputs must have different columns; got {', '.join(columns)}")
        if not isinstance(self.learning, NetworkTraining):
            raise SpecError(f"NetworkSpec: learning must be a Learning; got {self.learning!r}")
        check_count("NetworkSpec: layers", self.layers, minimum=0, maximum=MAX_LAYERS)
        for name in ("size", "memory", "arcs", "labels"):
            check_count(f"NetworkSpec: {name}", getattr(self, name), minimum=0, maximum=MAX_SIZE)
        for name in ("hidden", "tag_hidden"):
            check_count(f"NetworkSpec: {name}", getattr(self, name), maximum=MAX_SIZE)
        check_count("NetworkSpec: tag_layer", self.tag_layer, minimum=0, maximum=self.layers)
        check_count("NetworkSpec: history", self.history, minimum=0, maximum=MAX_HISTORY)
        if bool(self.layers) != bool(self.size):
            raise SpecError(f"NetworkSpec: size must be > 0 if, and only if, layers > 0; got {self.size}")
        for name in ("positions", "labels_of"):
            _check_addresses(name, getattr(self, name))
        self._check_tags()
        check_choice("NetworkSpec: precision", self.precision, get_args(Precision))

    def _check_tags(self) -> None:
        if len(set(self.tags)) < len(self.tags):
            raise SpecError(f"NetworkSpec: tags must be different; got {', '.join(map(str, self.tags))}")
        for tag in self.tags:
            check_choice("NetworkSpec: tags", tag, TAGS)
            if tag in self.columns:
                raise SpecError(f"{tag} is predicted by the Network: it cannot be among its inputs")
        if not self.positions and not self.tags:
            raise SpecError("NetworkSpec: positions must be addresses, such as S0, unless it has tags; got none")
        for name in ("labels_of", "history", "memory", "arcs"):
            if getattr(self, name) and not self.positions:
                raise SpecError(f"NetworkSpec: {name} must be none without positions; got {getattr(self, name)!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        """What is known of a word."""
        return tuple(one.column for one in self.inputs)

    @property
    def width(self) -> int:
        """The size of what the scorer sees of a word."""
        return 2 * self.size if self.layers else sum(one.size for one in self.inputs)

    def without(self, *columns: str) -> NetworkSpec:
        """The same without some inputs."""
        return replace(self, inputs=tuple(one for one in self.inputs if one.column not in columns))

    def delexicalized(self) -> NetworkSpec:
        """The same without what is of one language alone: of a word's annotation, UPOS is read."""
        return self.without(*_OF_ONE_LANGUAGE)

    def with_given_head(self) -> NetworkSpec:
        """The same with an input for the heads that constraints give."""
        if "given_head" in self.columns:
            return self
        return replace(self, inputs=(*self.inputs, NetworkInput(column="given_head", size=25)))

    def joint(self, *columns: str) -> NetworkSpec:
        """The same, but these columns are predicted instead of read."""
        return replace(self.without(*columns), tags=columns)

    def tagger(self, *columns: str) -> NetworkSpec:
        """A network with the same encoder that only predicts these columns; no tags are read."""
        return replace(
            self.without(*TAGS), positions=(), labels_of=(), history=0, memory=0, arcs=0, labels=0, tags=columns
        )

    def description(self) -> dict[str, str]:
        """What it is made of, by name, for people."""
        encoder = f"{self.layers} layer{'s' * (self.layers > 1)} of 2 x {self.size}" if self.layers else "none"
        seen = [("positions", self.positions), ("labels of", self.labels_of)]
        sizes = {"hidden": self.hidden, "arcs": self.arcs, "labels": self.labels, "memory": self.memory}
        return {
            "network": ", ".join(f"{one.column} {one.size}" for one in self.inputs),
            "encoder": f"BiLSTM, {encoder}" if self.layers else encoder,
            **{name: " ".join(addresses) for name, addresses in seen if addresses},
            **({"predicts": " ".join(self.tags)} if self.tags else {}),
            **(
                {"scorer": ", ".join(f"{name} {size}" for name, size in sizes.items() if size)}
                if self.positions
                else {}
            ),
        }

    def to_values(self) -> dict[str, Any]:
        """Plain values: a table of a recipe, and what a model file holds."""
        values: dict[str, Any] = {own.name: getattr(self, own.name) for own in fields(self)}
        for name in ("positions", "labels_of", "tags"):
            values[name] = list(values[name])
        values["inputs"] = [asdict(one) for one in self.inputs]
        values["learning"] = asdict(self.learning) | {"patience": self.learning.patience or 0}
        return values

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> NetworkSpec:
        """The network of a table; with `base`, the one of that name, changed."""
        check(values, NETWORK, "network", SpecError)
        given = dict(values)
        base = named(given.pop("base")) if "base" in given else None
        learning = dict(given.pop("learning", {}))
        if "patience" in learning:
            learning["patience"] = learning["patience"] or None
        if "inputs" in given:
            given["inputs"] = tuple(NetworkInput(**one) for one in given["inputs"])
        if base is None:
            if "inputs" not in given:
                raise SpecError("network: expected inputs, or the name of a network as base; found neither")
            return cls(**given, learning=NetworkTraining(**learning))
        return replace(base, **given, learning=replace(base.learning, **learning))


# --- Plain values ---

_INPUT = Table(
    {"column": one_of(*get_args(Column))},
    {"size": integer(1, MAX_SIZE), "least": integer(1), "encoder": one_of(*get_args(Characters))},
    closed=True,
)
_NUMBERS = (
    *("rate", "dropout", "input_dropout", "word_dropout", "clip", "average"),
    *("arc_loss", "label_loss", "tag_loss", "advice", "seconds"),
)
_LEARNING = Table(
    {},
    {
        **dict.fromkeys(_NUMBERS, number(NON_NEGATIVE)),
        **dict.fromkeys(("warm_up", "batch", "evaluations"), integer(0)),
        **{"updates": integer(1), "epochs": integer(1, MAX_EPOCHS)},
        "patience": Nullable(integer(0)),  # 0: never
    },
    closed=True,
)
NETWORK: Kind = Table(
    {},
    {
        "base": TEXT,
        "inputs": ListOf(_INPUT, minimum=1),
        "layers": integer(0, MAX_LAYERS),
        **dict.fromkeys(("size", "memory", "arcs", "labels"), integer(0, MAX_SIZE)),
        **dict.fromkeys(("hidden", "tag_hidden"), integer(1, MAX_SIZE)),
        "tag_layer": integer(0, MAX_LAYERS),
        "history": integer(0, MAX_HISTORY),
        **dict.fromkeys(("positions", "labels_of", "tags"), ListOf(TEXT)),
        "precision": one_of(*get_args(Precision)),
        "learning": _LEARNING,
    },
    closed=True,
)  # of a recipe, and of a manifest


# --- Named networks ---

_TAGS = (
    NetworkInput(column="upos", size=50),
    NetworkInput(column="xpos", size=50),
    NetworkInput(column="feats", size=100),
)

BILSTM = NetworkSpec(
    inputs=(
        NetworkInput(column="form", size=100, least=2),
        NetworkInput(column="characters", size=100),
        NetworkInput(column="lemma", size=100, least=2),
        *_TAGS,
    ),
    layers=3,
    size=320,
    positions=("S2", "S1", "S0", "B0", "B1"),
    hidden=256,
    arcs=320,
    labels=96,
)

FEED_FORWARD = NetworkSpec(
    inputs=(NetworkInput(column="form", size=50, least=2), *_TAGS),
    positions=(
        *("S0", "S1", "S2", "B0", "B1", "B2"),
        *(f"{base}.{path}" for base in ("S0", "S1", "B0") for path in ("left[0]", "left[1]", "right[0]", "right[1]")),
    ),
    labels_of=tuple(
        f"{base}.{path}" for base in ("S0", "S1", "B0") for path in ("left[0]", "left[1]", "right[0]", "right[1]")
    ),
    history=2,
    hidden=300,
    learning=NetworkTraining(arc_loss=0.0, dropout=0.4),
)

STACK_LSTM = replace(
    BILSTM,
    layers=1,
    size=200,
    positions=("S0", "B0"),
    memory=100,
    arcs=0,
    labels=0,
    learning=NetworkTraining(arc_loss=0.0),
)

NETWORKS: Mapping[str, NetworkSpec] = {"bilstm": BILSTM, "feed-forward": FEED_FORWARD, "stack-lstm": STACK_LSTM}


def is_named(name: str) -> bool:
    """Is there a network of that name?"""
    return _plain(name) in map(_plain, NETWORKS)


def named(name: str) -> NetworkSpec:
    """The network of a name; case and hyphens do not matter."""
    for known, network in NETWORKS.items():
        if _plain(known) == _plain(name):
            return network
    raise SpecError(f"expected the name of a network: {', '.join(NETWORKS)}; found {name!r}")


def _plain(name: str) -> str:
    return name.lower().replace("-", "").replace("_", "")
