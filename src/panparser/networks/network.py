"""NetworkSpec: the inputs, layers and training of a network as data; and three named networks.

C&M 2014: Chen & Manning, "A Fast and Accurate Dependency Parser using Neural Networks". K&G 2016: Kiperwasser &
Goldberg, "Simple and Accurate Dependency Parsing Using Bidirectional LSTM Feature Representations". D 2015: Dyer et
al., "Transition-Based Dependency Parsing with Stack Long Short-Term Memory". D&M 2017: Dozat & Manning, "Deep Biaffine
Attention for Neural Dependency Parsing".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, get_args

from panparser.base.checks import MAX_COUNT, MAX_EPOCHS, NON_NEGATIVE, POSITIVE, PROBABILITY, RATE, check_count
from panparser.base.kinds import TEXT, Kind, ListOf, Nullable, Table, check, integer, number, one_of
from panparser.base.options import Form, FormName, Options, instance_of, option
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


TEXTS = Kind("a list of texts", lambda value: isinstance(value, tuple) and all(isinstance(text, str) for text in value))
LIST_OF_TEXTS = Form(kind=ListOf(TEXT), encode=list, decode=tuple)


def _addresses(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _check_addresses(name: str, addresses: tuple[str, ...]) -> None:
    if len(addresses) > MAX_POSITIONS:
        raise SpecError(f"NetworkSpec: {name} must be <= {MAX_POSITIONS} addresses; got {len(addresses)}")
    if len(set(addresses)) < len(addresses):
        raise SpecError(f"NetworkSpec: {name} must be different; got {', '.join(map(str, addresses))}")
    for address in addresses:
        try:
            is_of_sequence = Address(*address.split(".", 1)).is_of_sequence
        except TemplateError as error:
            raise SpecError(f"NetworkSpec: {name}: {error}") from None
        if is_of_sequence:
            raise SpecError(f"NetworkSpec: {name} must be of a parser's state; got {address}")


class NetworkInput(Options):
    """Something that is known of a word, and the size of its vector."""

    column: Column = option(
        one_of(*get_args(Column)),
        help="`form`, `lower` (the form in lower case), `characters` (of the form), `lemma`, `upos`, `xpos`, `feats` "
        "(the sum of the vectors of its features), `vector` (pre-trained, through a layer of this size), or "
        "`given_head` (where the head is that constraints give).",
    )
    size: int = option(integer(1, MAX_SIZE), default=100, help="The size of the vector.")
    min_count: int = option(
        integer(1, MAX_COUNT),
        default=1,
        stored=Form("least", integer(1)),
        help="A value that is rarer in training is an unknown one.",
    )
    encoder: Characters = option(
        one_of(*get_args(Characters)),
        default="cnn",
        help="Encoder of characters: by convolutions (`cnn`) or a BiLSTM (`lstm`).",
    )

    def check(self) -> None:
        if self.column == "characters" and self.encoder == "lstm" and self.size % 2:
            raise SpecError(f"NetworkInput: size must be even for a BiLSTM, half for each direction; got {self.size}")


class NetworkTraining(Options):
    """How a network learns: Adam, with a rate that rises for some updates and falls to nothing by the last."""

    updates: int = option(integer(1, MAX_COUNT), default=6000, help="The number of updates in all, about.")
    batch: int = option(
        integer(0, MAX_COUNT),
        default=0,
        help="Words that an update learns from; 0: as many as make the number of updates.",
    )
    learning_rate: float = option(
        number(POSITIVE),
        default=0.002,
        stored=Form("rate", number(NON_NEGATIVE)),
        help="The rate of Adam at its highest.",
    )
    warmup_updates: int = option(
        integer(0, MAX_COUNT), default=200, stored=Form("warm_up"), help="Updates during which the rate rises."
    )
    dropout: float = option(
        number(RATE),
        default=0.33,
        stored=Form(kind=number(NON_NEGATIVE)),
        help="Dropout of everything that one layer passes to the next, the same for all words of a sentence.",
    )
    input_dropout: float = option(
        number(RATE),
        default=0.2,
        stored=Form(kind=number(NON_NEGATIVE)),
        help="Dropout of each input of a word as a whole, so that none is relied upon.",
    )
    word_dropout: float = option(
        number(NON_NEGATIVE),
        default=0.25,
        help="Rate at which words are replaced by the unknown word, the rarer the more often (as in K&G 2016).",
    )
    max_gradient_norm: float = option(
        number(POSITIVE), default=5.0, stored=Form("clip", number(NON_NEGATIVE)), help="The largest norm of a gradient."
    )
    weight_averaging: float = option(
        number(RATE),
        default=0.998,
        stored=Form("average", number(NON_NEGATIVE)),
        help="Share of the average of all weights that remains after an update; the average is what parses.",
    )
    arc_loss: float = option(
        number(NON_NEGATIVE),
        default=0.5,
        help="Weight of a loss on the head of each word among all words (D&M 2017), beside that on actions.",
    )
    label_loss: float = option(number(NON_NEGATIVE), default=3.0, help="Weight of the loss on labels.")
    tag_loss: float = option(
        number(NON_NEGATIVE), default=1.0, help="Weight of the loss on the tags that are predicted."
    )
    distillation_weight: float = option(
        number(PROBABILITY),
        default=0.5,
        stored=Form("advice", number(NON_NEGATIVE)),
        help="The share of those three losses that teachers have, if there are any (see NetworkClassifier).",
    )
    evaluations: int = option(
        integer(0, MAX_COUNT),
        default=8,
        help="Times that the development set is parsed meanwhile, about; 0: after each epoch.",
    )
    epochs: int = option(
        integer(1, MAX_EPOCHS), default=40, help="Passes over the treebank, where `[training]` states none."
    )
    patience: int | None = option(
        Nullable(integer(1)),
        default=None,
        stored=Form(
            kind=Nullable(integer(0)), encode=lambda patience: patience or 0, decode=lambda patience: patience or None
        ),
        help="Epochs without a better score before training stops, where `[training]` states none; in files 0: never.",
    )
    max_seconds: float = option(
        number(NON_NEGATIVE),
        default=0.0,
        stored=Form("seconds"),
        help="Training ends after this many seconds, and the rate has fallen to nothing by then; what is learned "
        "depends on how busy the machine is; 0: no limit.",
    )

    def batch_for(self, words: int, epochs: int) -> int:
        """Words that one update learns from, of a treebank of so many."""
        return self.batch or min(max(round(words * epochs / self.updates), _LEAST_BATCH), _MOST_BATCH)


_TRAINING = Form("learning", NetworkTraining.table(), encode=NetworkTraining.to_values, decode=NetworkTraining.restore)


class NetworkSpec(Options):
    """What a neural classifier is made of."""

    inputs: tuple[NetworkInput, ...] = option(
        Kind(
            "NetworkInputs, at least one",
            lambda value: (
                isinstance(value, tuple) and len(value) > 0 and all(isinstance(one, NetworkInput) for one in value)
            ),
        ),
        convert=_addresses,
        stored=Form(
            kind=ListOf(NetworkInput.table(), minimum=1),
            encode=lambda inputs: [one.to_values() for one in inputs],
            decode=lambda inputs: tuple(map(NetworkInput.restore, inputs)),
        ),
        help="Inputs of a word: a list of tables with `column`, `size`, `least` and `encoder`.",
    )
    num_layers: int = option(
        integer(0, MAX_LAYERS),
        default=0,
        stored=Form("layers"),
        help="Layers of the BiLSTM that reads the sentence; 0: words are seen alone.",
    )
    hidden_size: int = option(
        integer(0, MAX_SIZE), default=0, stored=Form("size"), help="The size of the BiLSTM, in each direction."
    )
    positions: tuple[str, ...] = option(
        TEXTS,
        default=(),
        convert=_addresses,
        stored=LIST_OF_TEXTS,
        help="The words of a state that are looked at, by the addresses of templates.",
    )
    label_inputs: tuple[str, ...] = option(
        TEXTS,
        default=(),
        convert=_addresses,
        stored=replace(LIST_OF_TEXTS, key="labels_of"),
        help="Those of the positions (or others) whose labels are seen, too.",
    )
    action_history: int = option(
        integer(0, MAX_HISTORY), default=0, stored=Form("history"), help="The last actions that are seen, at most 4."
    )
    stack_lstm: int = option(
        integer(0, MAX_SIZE),
        default=0,
        stored=Form("memory"),
        help="The size of the LSTMs that read the actions so far and the stack (D 2015); 0: none.",
    )
    hidden: int = option(integer(1, MAX_SIZE), default=200, help="The size of the layer that scores actions.")
    arcs: int = option(
        integer(0, MAX_SIZE),
        default=0,
        help="The size in which an arc that an action makes is scored by its head and dependent (D&M 2017); 0: it is "
        "not.",
    )
    labels: int = option(
        integer(0, MAX_SIZE),
        default=0,
        help="The size in which labels are scored in the same way; 0: by the hidden layer.",
    )
    tags: tuple[str, ...] = option(
        TEXTS,
        default=(),
        convert=_addresses,
        stored=LIST_OF_TEXTS,
        help="Columns that are predicted from the same encoder, some of `upos`, `xpos`, `feats` and `lemma`; a network "
        "without `positions` predicts only those.",
    )
    tag_hidden: int = option(integer(1, MAX_SIZE), default=128, help="The size of the layer between encoder and tags.")
    tag_layer: int = option(
        integer(0, MAX_LAYERS), default=0, help="The layer of the encoder that tags read, from 1; 0: the last."
    )
    precision: Precision = option(
        one_of(*get_args(Precision)),
        default="float32",
        help="Precision of the numbers in a file: `float32`, `float16` or `int8`.",
    )
    training: NetworkTraining = option(
        instance_of(NetworkTraining),
        default=NetworkTraining(),
        stored=_TRAINING,
        recipe=replace(_TRAINING, key="training"),
        help="Training of the network: a table of the keys below.",
    )

    def check(self) -> None:
        columns = [one.column for one in self.inputs]
        if len(set(columns)) < len(columns):
            raise SpecError(f"NetworkSpec: inputs must have different columns; got {', '.join(columns)}")
        check_count("NetworkSpec: tag_layer", self.tag_layer, minimum=0, maximum=self.num_layers)
        if bool(self.num_layers) != bool(self.hidden_size):
            raise SpecError(
                f"NetworkSpec: hidden_size must be > 0 if, and only if, it has layers; got {self.hidden_size}"
            )
        for name in ("positions", "label_inputs"):
            _check_addresses(name, getattr(self, name))
        self._check_tags()

    def _check_tags(self) -> None:
        if len(set(self.tags)) < len(self.tags):
            raise SpecError(f"NetworkSpec: tags must be different; got {', '.join(self.tags)}")
        for tag in self.tags:
            if tag not in TAGS:
                raise SpecError(f"NetworkSpec: tags must be one of {', '.join(TAGS)}; got {tag!r}")
            if tag in self.columns:
                raise SpecError(f"{tag} is predicted by the Network: it cannot be among its inputs")
        if not self.positions and not self.tags:
            raise SpecError("NetworkSpec: positions must be addresses, such as S0, unless it has tags; got none")
        for name in ("label_inputs", "action_history", "stack_lstm", "arcs"):
            if getattr(self, name) and not self.positions:
                raise SpecError(f"NetworkSpec: {name} must be none without positions; got {getattr(self, name)!r}")

    @property
    def columns(self) -> tuple[str, ...]:
        """What is known of a word."""
        return tuple(one.column for one in self.inputs)

    @property
    def width(self) -> int:
        """The size of what the scorer sees of a word."""
        return 2 * self.hidden_size if self.num_layers else sum(one.size for one in self.inputs)

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

    def as_tagger(self, *columns: str) -> NetworkSpec:
        """A network with the same encoder that only predicts these columns; no tags are read."""
        return replace(
            self.without(*TAGS),
            positions=(),
            label_inputs=(),
            action_history=0,
            stack_lstm=0,
            arcs=0,
            labels=0,
            tags=columns,
        )

    def describe(self) -> dict[str, str]:
        """What it is made of, by name, for people."""
        encoder = (
            f"{self.num_layers} layer{'s' * (self.num_layers > 1)} of 2 x {self.hidden_size}"
            if self.num_layers
            else "none"
        )
        seen = [("positions", self.positions), ("labels of", self.label_inputs)]
        sizes = {"hidden": self.hidden, "arcs": self.arcs, "labels": self.labels, "memory": self.stack_lstm}
        return {
            "network": ", ".join(f"{one.column} {one.size}" for one in self.inputs),
            "encoder": f"BiLSTM, {encoder}" if self.num_layers else encoder,
            **{name: " ".join(addresses) for name, addresses in seen if addresses},
            **({"predicts": " ".join(self.tags)} if self.tags else {}),
            **(
                {"scorer": ", ".join(f"{name} {size}" for name, size in sizes.items() if size)}
                if self.positions
                else {}
            ),
        }

    @classmethod
    def from_values(cls, values: Mapping[str, Any], place: str = "network", form: FormName = "stored") -> NetworkSpec:
        """Return the network of a table; with `base`, the one of that name, changed."""
        table = cls.table(form)
        check(values, Table({}, {"base": TEXT, **table.may, **table.must}, closed=True), place, SpecError)
        arguments = cls.arguments({key: value for key, value in values.items() if key != "base"}, form)
        if "base" not in values:
            if "inputs" not in values:
                raise SpecError("network: expected inputs, or the name of a network as base; found neither")
            return cls(**arguments)
        base = named(values["base"])
        if "training" in arguments:
            stated = values["learning" if form == "stored" else "training"]
            arguments["training"] = replace(base.training, **NetworkTraining.arguments(stated))
        return replace(base, **arguments)


# --- Named networks ---

_TAGS = (
    NetworkInput(column="upos", size=50),
    NetworkInput(column="xpos", size=50),
    NetworkInput(column="feats", size=100),
)

BILSTM = NetworkSpec(
    inputs=(
        NetworkInput(column="form", size=100, min_count=2),
        NetworkInput(column="characters", size=100),
        NetworkInput(column="lemma", size=100, min_count=2),
        *_TAGS,
    ),
    num_layers=3,
    hidden_size=320,
    positions=("S2", "S1", "S0", "B0", "B1"),
    hidden=256,
    arcs=320,
    labels=96,
)

FEED_FORWARD = NetworkSpec(
    inputs=(NetworkInput(column="form", size=50, min_count=2), *_TAGS),
    positions=(
        *("S0", "S1", "S2", "B0", "B1", "B2"),
        *(f"{base}.{path}" for base in ("S0", "S1", "B0") for path in ("left[0]", "left[1]", "right[0]", "right[1]")),
    ),
    label_inputs=tuple(
        f"{base}.{path}" for base in ("S0", "S1", "B0") for path in ("left[0]", "left[1]", "right[0]", "right[1]")
    ),
    action_history=2,
    hidden=300,
    training=NetworkTraining(arc_loss=0.0, dropout=0.4),
)

STACK_LSTM = replace(
    BILSTM,
    num_layers=1,
    hidden_size=200,
    positions=("S0", "B0"),
    stack_lstm=100,
    arcs=0,
    labels=0,
    training=NetworkTraining(arc_loss=0.0),
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
