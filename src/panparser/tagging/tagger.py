"""TaggerSpec, train_tagger and Tagger: configuration, training and use of taggers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np

from panparser.base.checks import MAX_BEAM, NON_NEGATIVE
from panparser.base.kinds import ANYTHING, COUNT, TABLE, TEXT, Kind, ListOf, Nullable, Row, Table, integer, number
from panparser.base.options import Form, Options, instance_of, option
from panparser.base.types import IntArray
from panparser.batches.classifier import Classifier
from panparser.errors import SpecError, TreebankError
from panparser.features.templates import STORED_TEMPLATES, TemplatesField, tagging_templates
from panparser.learning.listeners import Listener
from panparser.learning.training import NetworkOptions, SequenceOptions, check_options
from panparser.learning.training_record import TrainingRecord
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, StoredModel
from panparser.tagging.sequences import (
    OTHER_CLASS,
    UNKNOWN,
    AllowedLabels,
    LabelSet,
    SequenceFeatures,
    SequenceItems,
    SequenceModel,
)
from panparser.tagging.tag_dictionary import LEXICON_COLUMNS, TagDictionary, TagDictionaryThresholds
from panparser.treebank.treebank import Treebank, check_treebanks

if TYPE_CHECKING:
    from panparser.features.vectors import WordVectors
    from panparser.networks.network import NetworkSpec
    from panparser.tagging.lexicon import Lexicon
    from panparser.tagging.network_tagger import NetworkTagger

COLUMNS = ("upos", "xpos", "feats")  # that can be tagged; combined tags have them in this order
_RULE = TagDictionaryThresholds()
_MEMBERS = 4  # perceptrons whose mean is the tagger
_LARGE_TREEBANK = 400_000  # words; one perceptron is enough


def _columns(value: Any) -> Any:
    """Return columns in their usual order, and what is not a selection of them as it is."""
    names = (value,) if isinstance(value, str) else value
    return tuple(name for name in COLUMNS if name in names) if _COLUMNS.test(names) else value


_COLUMNS = Kind(
    f"some of {', '.join(COLUMNS)}",
    lambda value: (
        isinstance(value, tuple | list)
        and 0 < len(value) == len(set(map(str, value)))
        and all(name in COLUMNS for name in value)
    ),
)


class TaggerSpec(Options):
    """What is tagged, and how."""

    columns: tuple[str, ...] = option(
        _COLUMNS,
        default=("upos",),
        convert=_columns,
        stored=Form(kind=ListOf(TEXT), encode=list, decode=tuple),
        help="The columns that are tagged; one class is the values of all of them together.",
    )
    templates: TemplatesField = option(
        ANYTHING,
        default=TemplatesField(),
        stored=STORED_TEMPLATES,
        help="Feature templates; by default `tagging_templates(columns)`. `T-1` is the tag before, `T-1.upos` the UPOS "
        "in it; with a lexicon, `W0.lexicon` is the tags that a word may have, and `W0.ending` the tag of words that "
        "end alike.",
    )
    beam: int = option(integer(1, MAX_BEAM), default=1, stored=Form(kind=integer(1)), help="Hypotheses kept.")
    dictionary: TagDictionaryThresholds | None = option(
        Nullable(instance_of(TagDictionaryThresholds)),
        default=_RULE,
        stored=Form(
            kind=Nullable(Row(integer(1), number(NON_NEGATIVE))),
            encode=lambda rule: list(astuple(rule)) if rule else None,
            decode=lambda values: TagDictionaryThresholds(*values) if values else None,
        ),
        help="Words that get their only tag without classification; None: no word does.",
    )

    def check(self) -> None:
        if self.templates is None:
            object.__setattr__(self, "templates", tagging_templates(self.columns))
        seen = {atom.name for atom in self.window.templates.atoms if atom.addresses[0].base.startswith("W")}
        if own := [name for name in self.columns if name in seen]:
            raise SpecError(f"TaggerSpec: templates must not read what is tagged; got {own[0]} (T-1.{own[0]} may do)")

    @property
    def window(self) -> SequenceFeatures:
        """The window that features read."""
        read = {atom.name for atom in self.templates.atoms}
        columns = tuple(name for name in LEXICON_COLUMNS if name in read)
        return SequenceFeatures(templates=self.templates, columns=columns, parts=self.columns)

    def with_lexicon(self) -> TaggerSpec:
        """The same with templates that read a lexicon, unless it has some."""
        from panparser.tagging.lexicon import lexicon_templates  # only here: few taggers have one

        first = f"T-1.{self.columns[0]}" if len(self.columns) > 1 else "T-1"
        return replace(self, templates=lexicon_templates(self.templates, first))

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> TaggerSpec:
        """Return the spec of a model file."""
        return cls(**cls.arguments(values))


class Tagger(StoredModel, kind="tagger", newest=1, prefix="tagger."):
    """A trained tagger, made by `train_tagger` or `load`. `tags` are its classes, each the texts of its columns."""

    declared = Table(
        {
            "spec": TaggerSpec.table(is_complete=True, is_closed=False),
            "tags": ListOf(ListOf(TEXT)),
            "model": TABLE,
            "dictionary": ListOf(Row(COUNT, ListOf(TEXT))),
            "training": TABLE,
        },
        {"lexicon": ListOf(Row(ListOf(TEXT), ListOf(TEXT)))},
    )

    def __init__(
        self,
        spec: TaggerSpec,
        tags: Sequence[tuple[str, ...]],
        model: SequenceModel,
        dictionary: TagDictionary,
        training: TrainingRecord,
        lexicon: Lexicon | None = None,
    ) -> None:
        self.spec = spec
        self.tags = tuple(tags)
        self.model = model
        self.dictionary = dictionary
        self.training = training
        self.lexicon = lexicon

    def __repr__(self) -> str:
        return f"<Tagger {'+'.join(self.spec.columns)}, {len(self.tags)} tags, beam {self.spec.beam}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """What is tagged."""
        return self.spec.columns

    def predict(self, treebank: Treebank, *, beam: int | None = None, threads: int = 1) -> IntArray:
        """The tag of each word, as an index into `tags`."""
        _check_treebank(treebank)
        items = _items(treebank, self.tags, self.dictionary, self.lexicon)
        return self.model.predict(items, beam=self.spec.beam if beam is None else beam, threads=threads)

    def annotate(self, treebank: Treebank, *, beam: int | None = None, threads: int = 1) -> None:
        """Writes the tags into the columns of a treebank."""
        found = self.predict(treebank, beam=beam, threads=threads)
        for place, column in enumerate(self.spec.columns):
            treebank.set_column(column, [tag[place] for tag in self.tags], found)

    def tag(self, treebank: Treebank, *, beam: int | None = None, threads: int = 1) -> Treebank:
        """A copy of the treebank with the tagger's tags."""
        _check_treebank(treebank)
        tagged = treebank.copy()
        self.annotate(tagged, beam=beam, threads=threads)
        return tagged

    def accuracy(self, gold: Treebank, *, beam: int | None = None, threads: int = 1) -> dict[str, float]:
        """Percent of the words whose column is correct, by column, and under `all` those with every column correct.

        Words without UPOS, where that is tagged, do not count.
        """
        found = self.predict(gold, beam=beam, threads=threads)
        known = right_tags(gold, self.spec.columns, self.tags) != UNKNOWN
        right = {}
        for place, column in enumerate(self.spec.columns):
            texts = np.array([tag[place] for tag in self.tags])[found]
            right[column] = (texts == np.array(gold.vocabulary(column))[gold.column(column)])[known]
        right["all"] = np.logical_and.reduce(list(right.values()))
        return {name: 100 * int(flags.sum()) / max(1, len(flags)) for name, flags in right.items()}

    # --- Files ---

    @property
    def weight_bytes(self) -> int:
        """Of the weights, in bytes."""
        return self.model.size

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        return self.model.to_arrays()

    def to_values(self) -> dict[str, Any]:
        """The rest, as a manifest holds it."""
        return {
            "spec": self.spec.to_values(),
            "tags": [list(tag) for tag in self.tags],
            "model": self.model.to_values(),
            "dictionary": self.dictionary.to_values(),
            "training": self.training.to_values(),
            **({} if self.lexicon is None else {"lexicon": self.lexicon.to_values()}),
        }

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Tagger:
        tags = [tuple(tag) for tag in values["tags"]]
        spec = TaggerSpec.from_values(values["spec"])
        model = _restore_model(arrays, values["model"], source)
        dictionary = TagDictionary.from_values(values["dictionary"])
        if len(tags) != model.classes.size or any(len(tag) != len(spec.columns) for tag in tags):
            raise ValueError("its tags are not those of its weights")
        if not all(number < len(tags) for number in dictionary.class_of.values()):
            raise ValueError("its dictionary has unknown tags")
        lexicon = _restored_lexicon(values["lexicon"]) if "lexicon" in values else None
        if (lexicon is None) != (not spec.window.columns):
            raise ValueError("its templates and its lexicon do not fit")
        if lexicon is not None and not lexicon.all_tags <= {tag[0] for tag in tags}:
            raise ValueError("its lexicon has unknown tags")
        return cls(spec, tags, model, dictionary, TrainingRecord.from_values(values["training"]), lexicon)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Tagger:
        """The tagger of a file; raises ModelError if the file is not a valid tagger."""
        return cls.read(path)


@overload
def train_tagger(
    spec: TaggerSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    listeners: Sequence[Listener] = (),
    classifier: Classifier | None = None,
    lexicon: Lexicon | None = None,
    threads: int | None = None,
    **options: Unpack[SequenceOptions],
) -> Tagger: ...


@overload
def train_tagger(
    spec: NetworkSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    listeners: Sequence[Listener] = (),
    vectors: WordVectors | None = None,
    threads: int | None = None,
    **options: Unpack[NetworkOptions],
) -> NetworkTagger: ...


def train_tagger(
    spec: TaggerSpec | NetworkSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    listeners: Sequence[Listener] = (),
    classifier: Classifier | None = None,
    vectors: WordVectors | None = None,
    lexicon: Lexicon | None = None,
    threads: int | None = None,
    **options: Unpack[SequenceOptions],
) -> Tagger | NetworkTagger:
    """A tagger for a treebank; `options` are those of `train_sequences`: strategy, epochs, patience, seed, members,
    prune.

    With `dev` the epoch that tags it most accurately is kept, without it the last. Ctrl-C ends training with the
    best tagger so far, if there is one. `members` defaults to four, or one for more than 400 thousand words. A
    `classifier` learns instead of the engine's perceptron. `threads` (None: one for each core) change no byte.

    A `lexicon` tells the tags that words may have, for a treebank of UPOS that is too small to tell; templates that
    read it are added, unless the spec has some. It becomes a part of the tagger, with the tags of the treebank added.

    In place of a spec, a network that only predicts tags, such as `BILSTM.as_tagger("upos", "lemma")`; then options are
    epochs and patience, whose defaults are those of the network, and seed. It needs torch, and perhaps `vectors`.
    """
    # Imported here so that using a model does not load the training code.
    from panparser.networks.network import NetworkSpec
    from panparser.tagging.sequence_training import record_of, train_sequence_model

    check_treebanks("train_tagger", treebank, dev)
    if isinstance(spec, NetworkSpec):
        if classifier is not None or lexicon is not None:
            found = "classifier" if classifier is not None else "lexicon"
            raise SpecError(f"train_tagger takes a network or a {found}; got both")
        from panparser.tagging.network_tagger import train_network_tagger

        return train_network_tagger(
            spec, treebank, dev=dev, listeners=listeners, vectors=vectors, threads=threads, options=options
        )
    if not isinstance(spec, TaggerSpec):
        raise SpecError(
            f"train_tagger: spec must be a TaggerSpec, or a NetworkSpec that only predicts tags; got {spec!r}"
        )
    if vectors is not None:
        raise SpecError("train_tagger: vectors require a network; got a TaggerSpec")
    check_options(
        "train_tagger", options, SequenceOptions.__annotations__, ("dev", "listeners", "classifier", "threads")
    )
    if "members" not in options and classifier is None:
        options["members"] = _MEMBERS if treebank.words <= _LARGE_TREEBANK else 1
    tags = gather_tags(treebank, spec.columns)
    if lexicon is not None:
        spec, lexicon = _with_lexicon(spec, lexicon, treebank)
        missing = lexicon.all_tags - {tag[0] for tag in tags}
        tags = sorted([*tags, *((tag, *["_"] * (len(spec.columns) - 1)) for tag in missing)])
    elif spec.window.columns:
        raise SpecError(f"train_tagger: templates that read {spec.window.columns[0]} require a lexicon")
    right = right_tags(treebank, spec.columns, tags)
    dictionary = TagDictionary.from_treebank(treebank, right, spec.dictionary) if spec.dictionary else TagDictionary({})

    def items(of: Treebank) -> SequenceItems:
        return _items(of, tags, dictionary, lexicon)

    model = train_sequence_model(
        spec.window,
        items(treebank),
        right,
        LabelSet(len(tags), _parts(tags, spec.columns)),
        beam=spec.beam,
        dev=(items(dev), right_tags(dev, spec.columns, tags)) if dev is not None else None,
        listeners=listeners,
        names=["+".join(tag) for tag in tags],
        classifier=classifier,
        threads=threads,
        **options,
    )
    return Tagger(spec, tags, model, dictionary, record_of(model, treebank, dev), lexicon)


def _with_lexicon(spec: TaggerSpec, lexicon: Lexicon, treebank: Treebank) -> tuple[TaggerSpec, Lexicon]:
    """The spec of a tagger that learns with a lexicon, and that lexicon with what the treebank tells of its words."""
    from panparser.tagging.lexicon import Lexicon  # only here: few taggers have one

    if not isinstance(lexicon, Lexicon):
        raise SpecError(f"train_tagger: lexicon must be a Lexicon; got {lexicon!r}")
    if "upos" not in spec.columns:
        raise SpecError(f"train_tagger: lexicon requires the column upos; got {', '.join(spec.columns)}")
    return spec.with_lexicon(), lexicon.with_tags_from(treebank)


def _items(
    treebank: Treebank, tags: Sequence[tuple[str, ...]], dictionary: TagDictionary, lexicon: Lexicon | None
) -> SequenceItems:
    """The words of a treebank, and the tags that each may have."""
    if lexicon is None:
        return SequenceItems.from_treebank(treebank, allowed=dictionary.allowed(treebank))
    classes: dict[str, list[int]] = {}
    for place, tag in enumerate(tags):
        classes.setdefault(tag[0], []).append(place)
    sets: dict[tuple[int, ...], int] = {}
    table = []
    for form in treebank.vocabulary("form"):
        only = dictionary.class_of.get(form)
        chosen = (only,) if only is not None else tuple(n for tag in lexicon.get(form) for n in classes[tag])
        table.append(sets.setdefault(chosen, len(sets)) if chosen else -1)
    allowed = AllowedLabels(np.array(table, dtype=np.int32)[treebank.column("form")], list(sets))
    return SequenceItems.from_treebank(treebank, lexicon.columns(treebank), allowed)


def _restore_model(arrays: Arrays, values: dict[str, Any], source: ModelSource) -> SequenceModel:
    if "classifier" not in values:
        return SequenceModel.from_file(arrays, values)
    from panparser.tagging.sequence_states import ClassifierSequences  # only here: most taggers have none

    return SequenceModel.from_file(arrays, values, scorer=ClassifierSequences, source=source)


def _restored_lexicon(values: list[list[Any]]) -> Lexicon:
    from panparser.tagging.lexicon import Lexicon  # only here: few taggers have one

    return Lexicon.from_values(values)


def _check_treebank(treebank: object) -> None:
    if not isinstance(treebank, Treebank):
        raise TreebankError(f"predict: treebank must be a Treebank; got {treebank!r}")


def gather_tags(treebank: Treebank, columns: Sequence[str]) -> list[tuple[str, ...]]:
    """The tags that words have, in order. A word without UPOS, where that is tagged, has none."""
    treebank.check()
    numbers = np.unique(np.stack([treebank.column(name) for name in columns]), axis=1)
    texts = [treebank.vocabulary(name) for name in columns]
    found = {tuple(texts[i][n] for i, n in enumerate(tag)) for tag in numbers.T.tolist()}
    tags = sorted(tag for tag in found if not _is_missing(tag, columns))
    if not tags:
        raise TreebankError(f"{treebank.path}: expected words with {'+'.join(columns)} for training, found none")
    return tags


def right_tags(treebank: Treebank, columns: Sequence[str], tags: Sequence[tuple[str, ...]]) -> IntArray:
    """The tag of each word as an index into `tags`; -1 if it has none, -2 if the tag is not among them."""
    index = {tag: number for number, tag in enumerate(tags)}
    texts = [treebank.vocabulary(name) for name in columns]
    stacked = np.stack([treebank.column(name) for name in columns])
    distinct, inverse = np.unique(stacked, axis=1, return_inverse=True)
    table = []
    for numbers in distinct.T.tolist():
        tag = tuple(texts[i][n] for i, n in enumerate(numbers))
        table.append(UNKNOWN if _is_missing(tag, columns) else index.get(tag, OTHER_CLASS))
    return np.array(table, dtype=np.int32)[inverse.reshape(-1)]


def _is_missing(tag: tuple[str, ...], columns: Sequence[str]) -> bool:
    """`_` means that nothing is known: in UPOS, or where that is not tagged in XPOS; in FEATS it is a value."""
    others = [text for text, column in zip(tag, columns, strict=True) if column != "feats"]
    return tag[0] == "_" if columns[0] == "upos" else bool(others) and all(text == "_" for text in others)


def _parts(tags: Sequence[tuple[str, ...]], columns: Sequence[str]) -> dict[str, list[int]]:
    found = {}
    for place, column in enumerate(columns):
        texts = sorted({tag[place] for tag in tags})
        found[column] = [texts.index(tag[place]) for tag in tags]
    return found
