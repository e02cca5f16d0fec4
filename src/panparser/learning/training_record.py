"""TrainingRecord: how something was trained, as stored in model files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Protocol, TypeVar

from panparser.base.kinds import (
    BOOLEAN,
    COUNT,
    NOTHING,
    NUMBER,
    TABLE,
    TEXT,
    ListOf,
    Nullable,
    OneOf,
    Table,
    TableOf,
    check,
    integer,
)
from panparser.errors import SpecError
from panparser.learning.listeners import EpochReport, SequenceEpochReport
from panparser.learning.training import TrainingConfig

# Keys in model files, in their order, by what was trained.
_BATCH = "batch"  # written only if it is not 1
_TREEBANK_WEIGHTS = "treebank_weights"  # written only if they are not all 1
_RESTRICTED = "restricted"  # written only if it is
_TRANSFER = "transfer"  # written only if `train_transfer` made it
_SELF_TRAINING = "self_training"  # written only if it was
_OPTIONS = tuple(key for key in TrainingConfig.key_names() if key != _BATCH)
_EPOCHS = ("best_epoch", "history", "interrupted")
CLASSIFIER = (*_OPTIONS, "data", "sentences", "words", *_EPOCHS)
PERCEPTRON = (*CLASSIFIER, "init", "rounding", "losses")
CONSTRAINED = (*PERCEPTRON, "constraints")
SEQUENCES = (*_OPTIONS, "sequences", "items", *_EPOCHS)
ANNOTATOR = (*SEQUENCES, "sentences", "words", "data")  # taggers, tokenizers, lemmatizers
NETWORK_TAGGER = ("epochs", "patience", "seed", *_EPOCHS, "sentences", "words", "data")
TASK = (*_OPTIONS, "history", "interrupted")
VOTE = ("weights",)
LEARNED_VOTE = ("weights", "data", "dev_score")
CASCADE = ("given", "folds", "seed", "sentences", "words", "data")
PIPELINE = ("seed", "folds", "left_out", "sentences", "words", "data", "dev")


_SCORES = Table({"uas": NUMBER, "las": Nullable(NUMBER)})
_PRUNING = Table(
    {"least": NUMBER, "whole_size": COUNT, "size": COUNT},
    {"uas": Nullable(NUMBER), "las": Nullable(NUMBER), "accuracy": Nullable(NUMBER)},
)
REPORT = Table(
    {"epoch": COUNT, "words": COUNT, "updates": COUNT},
    {**dict.fromkeys(("uas", "las", "accuracy"), Nullable(NUMBER)), "pruning": Nullable(_PRUNING)},
    closed=True,
)
_TRANSFERRED = Table(
    {
        "method": TEXT,
        "scored_on": TEXT,
        "scores": ListOf(Table({"method": TEXT, "uas": NUMBER, "las": NUMBER})),
        "sources": ListOf(
            Table({"name": TEXT, "license": TEXT, "divergence": Nullable(NUMBER), "used": COUNT, "is_near": BOOLEAN})
        ),
    }
)
_SELF_TRAINED = Table(
    {
        "chosen": COUNT,
        "least": NUMBER,
        "text": COUNT,
        "rounds": ListOf(Table({"words": COUNT, "uas": NUMBER, "las": NUMBER}), minimum=1),
    }
)
RECORD = Table(
    {},
    {
        **dict.fromkeys(("epochs", "patience", "members", "max_size", "folds"), Nullable(COUNT)),
        **dict.fromkeys(("sentences", "words", "sequences", "items", "best_epoch", "batch"), COUNT),
        **dict.fromkeys(("prune", "margin", "dev_score"), Nullable(NUMBER)),
        **dict.fromkeys(("weights", "given"), Nullable(TEXT)),
        "strategy": OneOf(TEXT, TABLE, NOTHING),
        "seed": Nullable(COUNT),
        "subsample": Nullable(TABLE),
        _TREEBANK_WEIGHTS: Nullable(ListOf(Table({"sentences": COUNT, "weight": NUMBER}))),
        _RESTRICTED: Nullable(ListOf(TEXT)),
        _TRANSFER: Nullable(_TRANSFERRED),
        _SELF_TRAINING: Nullable(_SELF_TRAINED),
        "data": TableOf(Nullable(TEXT)),
        "history": ListOf(REPORT),
        "interrupted": BOOLEAN,
        "init": Nullable(TABLE),
        "rounding": Nullable(Table({"before": _SCORES, "after": _SCORES, "sentences": COUNT})),
        "losses": Nullable(Table({"approximate": COUNT, "states": integer(1)})),
        "constraints": Nullable(Table({}, {"share": NUMBER})),
        "left_out": TableOf(TEXT),
        "dev": Nullable(TableOf(TableOf(NUMBER))),
    },
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TrainingRecord(Mapping[str, Any]):
    """How something was trained: options, data, epochs, and what is special to its kind.

    `written` are the fields that apply, in the order of the model file; the others have their defaults. As a mapping,
    a record has those keys and plain values: `record["history"]` is a list of dictionaries, as in the file.
    """

    written: tuple[str, ...] = ()
    # Options, as in Training.
    strategy: dict[str, Any] | str | None = None
    epochs: int | None = None
    patience: int | None = None
    seed: int = 0
    members: int | None = None
    prune: float | None = None
    max_size: int | None = None
    subsample: dict[str, Any] | None = None
    margin: float | None = None
    batch: int = 1
    # Data: digests by name ("train", "dev", "vectors"), and sizes.
    data: dict[str, str | None] = field(default_factory=dict)
    sentences: int = 0
    words: int = 0
    treebank_weights: list[dict[str, Any]] | None = None  # of a parser: sentences and weight of each treebank
    sequences: int = 0
    item_count: int = 0  # "items" in files
    # Epochs.
    best_epoch: int = 0
    history: tuple[EpochReport, ...] = ()
    interrupted: bool = False
    # Of a perceptron: the record of the parser it started from, scores before and after rounding to bytes, states
    # whose costs were approximate, the constraints that it learned under.
    init: TrainingRecord | None = None
    rounding: dict[str, Any] | None = None
    losses: dict[str, int] | None = None
    constraints: dict[str, Any] | None = None
    restricted: list[str] | None = None  # the templates that were kept, if the parser was restricted to some of them
    transfer: dict[str, Any] | None = None  # of a language with little data: sources, rules, scores, licenses
    self_training: dict[str, Any] | None = None  # the rounds, how sure heads had to be, and the round that was kept
    # Of a vote: where its weights come from, and their score on the development set.
    weights: str | None = None
    dev_score: float | None = None
    # Of cascades and pipelines: arcs given to later stages, folds, parts left out and why, scores on the dev set.
    given: str | None = None
    folds: int | None = None
    left_out: dict[str, str] = field(default_factory=dict)
    dev: dict[str, dict[str, float]] | None = None
    more: dict[str, Any] = field(default_factory=dict)  # what other versions of panparser wrote

    def __post_init__(self) -> None:
        if self.batch != 1 and _BATCH not in self.written:
            at = len(_OPTIONS)
            object.__setattr__(self, "written", (*self.written[:at], _BATCH, *self.written[at:]))
        for name in (_TREEBANK_WEIGHTS, _RESTRICTED, _TRANSFER, _SELF_TRAINING):
            if getattr(self, name) is not None and name not in self.written:
                object.__setattr__(self, "written", (*self.written, name))

    @property
    def best(self) -> EpochReport | None:
        """The report of the epoch that was kept."""
        return next((report for report in self.history if report.epoch == self.best_epoch), None)

    # --- Plain values ---

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        return dict(self)

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> TrainingRecord:
        """The record of plain values; a record is one already. Raises SpecError if they are not one."""
        if isinstance(values, TrainingRecord):
            return values
        check(values, RECORD, "training", SpecError)
        known = {_attribute(name): value for name, value in values.items() if name in _FIELDS}
        more = {name: value for name, value in values.items() if name not in _FIELDS}
        if "history" in known:
            known["history"] = tuple(map(_report, known["history"]))
        if known.get("init") is not None:
            known["init"] = cls.from_values(known["init"])
        return cls(written=tuple(values), more=more, **known)

    # --- The mapping ---

    def __getitem__(self, name: str) -> Any:
        if name not in self.written:
            raise KeyError(name)
        if name == "history":
            return [dict(vars(report)) for report in self.history]
        if name == "init":
            return self.init.to_values() if self.init is not None else None
        return self.more[name] if name in self.more else getattr(self, _attribute(name))

    def __iter__(self) -> Iterator[str]:
        return iter(self.written)

    def __len__(self) -> int:
        return len(self.written)

    def __repr__(self) -> str:
        return f"TrainingRecord({self.to_values()!r})"


_ATTRIBUTES = {"items": "item_count"}  # keys whose name is one of a mapping's methods
_FIELDS = frozenset({*_ATTRIBUTES, *(each.name for each in fields(TrainingRecord))}) - {"written", "more", "item_count"}


def _attribute(key: str) -> str:
    return _ATTRIBUTES.get(key, key)


def _report(values: dict[str, Any]) -> EpochReport:
    return (SequenceEpochReport if "accuracy" in values else EpochReport)(**values)


class Trained(Protocol):
    """Anything trained: a parser, tagger, tokenizer, lemmatizer, pipeline, cascade, model of a task."""

    @property
    def training(self) -> TrainingRecord: ...


Model = TypeVar("Model", bound=Trained)


def whole(model: Model) -> Model:
    """The model, if its training was completed; raises KeyboardInterrupt if Ctrl-C cut it short."""
    if model.training.interrupted:
        raise KeyboardInterrupt
    return model
