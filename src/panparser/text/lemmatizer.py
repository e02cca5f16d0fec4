"""Lemmatizer: the choice of an edit script for each word."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from panparser import _engine
from panparser.base.kinds import COUNT, TABLE, TEXT, ListOf, Row, Table
from panparser.base.types import IntArray
from panparser.errors import TreebankError
from panparser.features.templates import templates
from panparser.learning.listeners import Listener
from panparser.learning.training_record import TrainingRecord
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, StoredModel
from panparser.tagging.sequences import SequenceFeatures, SequenceModel
from panparser.text.lemma_dictionary import LemmaDictionary
from panparser.treebank.treebank import Treebank, check_treebanks


@lru_cache
def lemmatizer_window() -> SequenceFeatures:
    return SequenceFeatures(templates=templates("lemmatizer"), columns=("own", "hint", "other"))


EPOCHS = 8


@dataclass(frozen=True)
class Lemmatizer(StoredModel, kind="lemmatizer", newest=1, prefix="lemmatizer."):
    """Writes lemmas; made by `train_lemmatizer` or `Lemmatizer.load`."""

    model: SequenceModel
    dictionary: LemmaDictionary
    training: TrainingRecord = field(default_factory=TrainingRecord)

    def __repr__(self) -> str:
        return f"<Lemmatizer {len(self.dictionary.scripts)} scripts, {len(self.dictionary.known)} known words>"

    def annotate(self, treebank: Treebank, *, threads: int = 1) -> None:
        """Writes the lemma of every word, by its form and tags."""
        treebank.column("lemma")[:] = self.predict(treebank, threads=threads)

    def predict(self, treebank: Treebank, *, threads: int = 1) -> IntArray:
        """The lemma of every word, as ids of the treebank's vocabulary, which is extended if necessary."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"lemmatizer: treebank must be a Treebank; got {treebank!r}")
        if not treebank.words:
            return np.empty(0, dtype=np.int32)
        scripts, forms = self.dictionary.scripts, treebank.vocabulary("form")
        chosen = self.model.predict(self.dictionary.items(treebank), threads=threads)
        # A lemma for each different pair of a form and a script.
        found, of_word = _engine.distinct(treebank.column("form").astype(np.int64) * len(scripts) + chosen)
        pairs = [(forms[code // len(scripts)], code % len(scripts)) for code in found.tolist()]
        return treebank.ids_of("lemma", self.dictionary.lemmas(pairs))[of_word]

    def accuracy(self, gold: Treebank, *, threads: int = 1) -> float:
        """Percent of the words whose lemma is correct, using the treebank's tags; a gold `_` does not count."""
        found, right = self.predict(gold, threads=threads), gold.column("lemma")
        known = right != 0
        return 100 * int((found == right)[known].sum()) / max(1, int(known.sum()))

    # --- Files ---

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Lemmatizer:
        """The lemmatizer of a file; raises ModelError if the file is not a valid lemmatizer."""
        return cls.read(path)

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        return self.model.to_arrays() | self.dictionary.to_arrays()

    def to_values(self) -> dict[str, Any]:
        """The rest, as a manifest holds it."""
        return {"model": self.model.to_values(), "training": self.training.to_values(), **self.dictionary.to_values()}

    declared = Table(
        {
            "model": TABLE,
            "training": TABLE,
            "scripts": ListOf(TEXT),
            "ends": ListOf(Row(TEXT, rest=COUNT)),
        }
    )

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> Lemmatizer:
        model = SequenceModel.from_file(arrays, values["model"])
        dictionary = LemmaDictionary.from_file(arrays, values)
        if model.window != lemmatizer_window() or model.classes.size != len(dictionary.scripts):
            raise ValueError("its weights are for other scripts")
        return cls(model, dictionary, TrainingRecord.from_values(values["training"]))


def train_lemmatizer(
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    epochs: int = EPOCHS,
    seed: int = 1,
    listeners: Sequence[Listener] = (),
    threads: int | None = None,
) -> Lemmatizer:
    """A lemmatizer from a treebank's forms, tags and lemmas; with `dev`, that of the best epoch on it.

    If the tags of the treebank are predicted, the lemmatizer adapts to their errors. `threads` (None: one for each
    core) change no byte.
    """
    # Imported here so that using a model does not load the training code.
    from panparser.tagging.sequence_training import record_of, train_sequence_model

    check_treebanks("train_lemmatizer", treebank, dev)
    if not treebank.words or not treebank.column("lemma").any():
        raise TreebankError(f"{treebank.path}: expected words with lemmas for training, found none")
    dictionary = LemmaDictionary.learn(treebank)
    options: dict[str, Any] = {"epochs": epochs, "seed": seed, "listeners": listeners, "threads": threads}
    if dev is not None:
        options["dev"] = (dictionary.items(dev), dictionary.gold_rows(dev))
    # Words are learned as if they were new: those in the dictionary would teach nothing about unknown words.
    items, right = dictionary.items(treebank, as_new=True), dictionary.gold_rows(treebank)
    model = train_sequence_model(lemmatizer_window(), items, right, len(dictionary.scripts), **options)
    return Lemmatizer(model, dictionary, record_of(model, treebank, dev))
