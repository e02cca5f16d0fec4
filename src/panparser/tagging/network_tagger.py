"""NetworkTagger: tags and lemmas by a network over whole sentences, and its training."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from panparser.base.checks import check_threads
from panparser.base.kinds import TABLE, Table, integer
from panparser.base.threads import resolve_threads
from panparser.base.types import LongArray
from panparser.batches.classifier import (
    CLASSIFIER_PREFIX,
    STORED,
    ActionNames,
    ClassifierSetup,
    checked_arrays,
    classifier_values,
    copied,
)
from panparser.errors import ModelError, SpecError, TreebankError
from panparser.features.vectors import WordVectors
from panparser.learning.epochs import EpochLoop, digests
from panparser.learning.layers import Labels
from panparser.learning.listeners import SKIP, Listener, Replacement, SequenceEpochReport
from panparser.learning.training import NetworkOptions, TrainingConfig, check_options
from panparser.learning.training_record import NETWORK_TAGGER, TrainingRecord
from panparser.networks.network import NetworkSpec
from panparser.networks.network_classifier import NetworkClassifier
from panparser.storage.containers import Arrays
from panparser.storage.stored import ModelSource, StoredModel, prefixed, without_prefix
from panparser.treebank.treebank import Treebank

_VECTORS = Table({"bits": integer(0, 30)})


class NetworkTagger(StoredModel, kind="network-tagger", newest=1, prefix="tagger."):
    """A trained tagger, made by `train_tagger` from a network that only predicts tags, or by `load`."""

    declared = Table({"classifier": STORED, "training": TABLE}, {"vectors": _VECTORS})

    def __init__(
        self, classifier: NetworkClassifier, training: TrainingRecord, vectors: WordVectors | None = None
    ) -> None:
        self.classifier = classifier
        self.training = training
        self.vectors = vectors

    def __repr__(self) -> str:
        return f"<NetworkTagger {'+'.join(self.columns)}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """What is tagged."""
        return self.classifier.network.tags

    def annotate(self, treebank: Treebank, *, threads: int = 1) -> None:
        """Writes the tags into the columns of a treebank."""
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"predict: treebank must be a Treebank; got {treebank!r}")
        check_threads("annotate: threads", threads)
        treebank.check()
        if treebank.words:
            self.classifier.write_tags(treebank, self.classifier.tag(treebank, self.vectors, threads))

    def tag(self, treebank: Treebank, *, threads: int = 1) -> Treebank:
        """A copy of the treebank with the tagger's tags."""
        tagged = treebank.copy() if isinstance(treebank, Treebank) else treebank
        self.annotate(tagged, threads=threads)
        return tagged

    def accuracy(self, gold: Treebank, *, threads: int = 1) -> dict[str, float]:
        """Percent of the words whose column is correct, by column, and under `all` those with every column correct.

        Words of which nothing is known do not count.
        """
        found = self.tag(gold, threads=threads)
        right, known = {}, {}
        for column in self.columns:
            own, others = (np.array(each.vocabulary(column))[each.column(column)] for each in (gold, found))
            right[column] = own == others
            known[column] = (own != "_") | (column == "feats" and bool(gold.column("feats").any()))
        right["all"] = np.logical_and.reduce([right[name] | ~known[name] for name in self.columns])
        known["all"] = np.logical_or.reduce([*known.values()])
        return {
            name: 100 * int(flags[known[name]].sum()) / max(1, int(known[name].sum())) for name, flags in right.items()
        }

    # --- Files ---

    def to_arrays(self) -> Arrays:
        """What was learned, as a model file holds it."""
        arrays = prefixed(CLASSIFIER_PREFIX, checked_arrays(self.classifier))
        return arrays | (self.vectors.to_arrays() if self.vectors else {})

    def to_values(self) -> dict[str, Any]:
        """The rest, as a manifest holds it."""
        return {
            "classifier": classifier_values(self.classifier),
            **({"vectors": {"bits": self.vectors.bits}} if self.vectors else {}),
            "training": self.training.to_values(),
        }

    @classmethod
    def from_parts(cls, arrays: Arrays, values: Mapping[str, Any], source: ModelSource) -> NetworkTagger:
        vectors = WordVectors.from_arrays(arrays, values["vectors"]["bits"]) if "vectors" in values else None
        if values["classifier"]["name"] != NetworkClassifier.name:
            raise ModelError(f"expected the classifier {NetworkClassifier.name}, found {values['classifier']['name']}")
        own = without_prefix(CLASSIFIER_PREFIX, arrays)
        classifier = NetworkClassifier.from_arrays(own, values["classifier"]["values"])
        _check_network("a network tagger", classifier.network, vectors)
        classifier.connect(vectors)
        return cls(classifier, TrainingRecord.from_values(values["training"]), vectors)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> NetworkTagger:
        """The tagger of a file; raises ModelError if the file is not a valid one."""
        return cls.read(path)


def train_network_tagger(
    network: NetworkSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None,
    listeners: Sequence[Listener],
    vectors: WordVectors | None,
    threads: int | None,
    options: Mapping[str, Any],
) -> NetworkTagger:
    """What `train_tagger` does with a network."""
    check_options(
        "train_tagger with a network",
        options,
        NetworkOptions.__annotations__,
        ("dev", "listeners", "vectors", "threads"),
    )
    _check_network("train_tagger", network, vectors)
    if not treebank.words:
        raise TreebankError(f"{treebank.path}: expected training words, found none")
    treebank.check()
    usual = {"epochs": network.training.epochs, "patience": network.training.patience}
    run: dict[str, Any] = {"network": network, "treebank": treebank, "dev": dev, "vectors": vectors}
    run |= {"training": TrainingConfig(**(usual | dict(options))), "listeners": listeners}
    return NetworkRun(**run, threads=resolve_threads("train_tagger: threads", threads)).run()


def _check_network(owner: str, network: NetworkSpec, vectors: WordVectors | None) -> None:
    if network.positions or not network.tags:
        raise SpecError(f"{owner}: network must only predict tags, as network.as_tagger('upos') does")
    if ("vector" in network.columns) != (vectors is not None):
        what = "missing, and the network reads them" if vectors is None else "given, but no input is a vector"
        raise SpecError(f"{owner}: vectors are {what}")


@dataclass(kw_only=True)
class NetworkRun(EpochLoop[NetworkClassifier, NetworkTagger]):
    """Training of a network that tags."""

    network: NetworkSpec
    treebank: Treebank
    dev: Treebank | None
    vectors: WordVectors | None
    classifier: NetworkClassifier = field(init=False)
    words: int = 0
    updates: int = 0

    def __post_init__(self) -> None:
        self.classifier = NetworkClassifier(self.network)
        self.classifier.prepare(
            ClassifierSetup(
                system=ActionNames(()),
                templates=None,
                labels=Labels(),
                sentences=self.treebank,
                seed=self.training.seed,
                vectors=self.vectors,
                epochs=self.training.epochs,
                threads=self.threads,
            )
        )

    def train_epoch(self, epoch: int) -> None:
        lengths = np.diff(self.treebank.offsets)
        order = np.random.default_rng([self.training.seed, epoch, 0]).permutation(np.flatnonzero(lengths))
        for sentences in self.classifier.batches(order, lengths, learning=True):
            chosen = self._chosen(epoch, sentences)
            if len(chosen):
                self.classifier.learn_tags(chosen)
                self.words += int(lengths[chosen].sum())
                self.updates += 1
            for sentence in chosen.tolist():
                self.notify("after_sentence", epoch, sentence)
            self.notify("on_progress", epoch, self.words, self.updates)

    def _chosen(self, epoch: int, sentences: LongArray) -> LongArray:
        """Those that no listener wants to be skipped."""
        decisions = [self.sentence_decision(epoch, sentence) for sentence in sentences.tolist()]
        if any(isinstance(decision, Replacement) for decision in decisions):
            raise SpecError("network taggers: a listener may skip sentences, but not replace them")
        return sentences[[decision is not SKIP for decision in decisions]]

    def should_evaluate(self, epoch: int) -> bool:
        return self.dev is None or self.is_stopped or self.is_evaluation_epoch(epoch, self.classifier.evaluations)

    def make_report(self, epoch: int) -> SequenceEpochReport:
        return SequenceEpochReport(epoch, self.words, self.updates)

    def weights(self) -> NetworkClassifier:
        found: Any = copied(self.classifier)
        own: NetworkClassifier = found
        return own

    def accuracy(self, weights: NetworkClassifier) -> float | None:
        if self.dev is None:
            return None
        tagger = NetworkTagger(weights, TrainingRecord(), self.vectors)
        return tagger.accuracy(self.dev, threads=self.evaluation_threads)["all"]

    def finish(self, *, interrupted: bool) -> NetworkTagger:
        record = TrainingRecord(
            written=NETWORK_TAGGER,
            **{name: getattr(self.training, name) for name in NetworkOptions.__annotations__},
            **self.epoch_record(),
            sentences=len(self.treebank),
            words=self.treebank.words,
            data=digests(self.treebank, self.dev),
            interrupted=interrupted,
        )
        return NetworkTagger(self.best_epoch()[1], record, self.vectors)
