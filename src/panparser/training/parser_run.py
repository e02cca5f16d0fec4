"""Training runs of parsers: what perceptrons and classifiers share."""

from __future__ import annotations

import os
import time
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from panparser import _engine
from panparser.base.kinds import Kind
from panparser.base.types import IntArray
from panparser.batches.classifier import Classifier, CompositeClassifier
from panparser.errors import ModelError, NoLegalTransitionError, SpecError, TreebankError
from panparser.learning.epochs import SUBSAMPLING_STREAM, EpochLoop, Weights, digests
from panparser.learning.layers import Labels
from panparser.learning.listeners import EpochReport, Replacement
from panparser.learning.training import TrainingConfig
from panparser.learning.training_record import CLASSIFIER, TrainingRecord
from panparser.networks.network import NetworkSpec
from panparser.networks.network_classifier import NetworkClassifier
from panparser.parsing.calibrating import calibration_from_evidence, gold_labels
from panparser.parsing.confidence import Calibration
from panparser.parsing.constraints import Constraints
from panparser.parsing.known_tags import Tags, merge_tags, tags_of
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.storage.containers import Arrays
from panparser.storage.stored import restoring
from panparser.training.corpus import TrainingCorpus, TreebankWeights, fitting_spec, gather_labels
from panparser.training.training_constraints import TrainingConstraints, kept_arcs
from panparser.training.training_state import TrainingState, load_state, save_state
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank, check_treebanks
from panparser.trees.gold import UNKNOWN, GoldTree

CHECKPOINT_INTERVAL = 10.0  # seconds


def score(
    parser: Parser, gold: Treebank, constraints: Constraints | None = None, threads: int = 1
) -> tuple[float, float | None]:
    """UAS and LAS (full labels, all words) of a parser on gold tokens; only words with a gold head count."""
    return score_found(parser, gold, *parser.predict(gold, threads=threads, constraints=constraints, relax=True))


def score_found(parser: Parser, gold: Treebank, heads: IntArray, labels: IntArray) -> tuple[float, float | None]:
    # In a system that leaves words headless, headless words are annotation, too.
    known = gold.heads >= (UNKNOWN if parser.spec.system.partial else 0)
    total = max(1, int(known.sum()))
    right = (heads == gold.heads) & known
    if not parser.spec.labeled:
        return 100 * int(right.sum()) / total, None
    both = right & ((labels == gold_labels(parser, gold)) | (gold.heads == UNKNOWN))
    return 100 * int(right.sum()) / total, 100 * int(both.sum()) / total


@dataclass(kw_only=True)
class ParserRun(EpochLoop[Weights, Parser]):
    """A training run that makes a parser."""

    spec: ParserSpec
    treebank: Treebank
    dev: Treebank | None
    training: TrainingConfig
    checkpoint: str | os.PathLike[str] | None
    init: Parser | None = None
    constraints: TrainingConstraints | None = None
    treebank_weights: TreebankWeights | None = None
    found_before: IntArray | None = None  # heads of `dev`, by a parser that learned from all arcs, for subsampling
    calibration: Calibration | None = None
    _dev_constraints: Constraints | None = None
    _saved: float | None = None  # time of the last checkpoint
    declared: ClassVar[Mapping[str, Kind]]  # values of its checkpoints

    def check(self) -> None:
        """Raises an error if the treebank cannot be learned from."""
        check_treebanks("train", self.treebank, self.dev)
        self.spec = fitting_spec(self.spec, self.treebank)
        if self.reads("upos") and self.spec.used_templates.is_delexicalized and tags_of(self.treebank) == ("_",):
            raise TreebankError(
                f"{self.treebank.path}: expected tags (UPOS), as the parser reads nothing else of words; found none"
            )
        init = self.init
        if isinstance(init, Parser) and self.spec.labels == "universal" and init.spec.labels == "full":
            raise SpecError("train: init has labels with subtypes; the new parser has universal labels")

    def prepare(self, known: Labels) -> None:
        """Prepares the treebank for training; its labels come after those already known."""
        self.corpus = TrainingCorpus(self.spec, self.treebank, self.treebank_weights)
        self.labels = gather_labels(self.corpus, known) if self.spec.labeled else Labels()
        self.digests = digests(self.treebank, self.dev)

    @property
    def epoch_words(self) -> int:
        """The words that an epoch learns from: those of the treebank, as often as it learns from their sentences."""
        return self.treebank.words if self.treebank_weights is None else self.treebank_weights.words(self.treebank)

    def weight_values(self) -> list[dict[str, Any]] | None:
        """The weights of treebanks in plain values."""
        return None if self.treebank_weights is None else self.treebank_weights.to_values()

    def replaced(self, sentence: int, instead: Replacement) -> Treebank:
        """A treebank of the one sentence that a listener put in the place of another."""
        if self.constraints is not None:
            raise SpecError("train: constraints cannot be used with a listener that replaces sentences")
        other = instead.sentence
        if other is not None and not isinstance(other, Sentence):
            raise SpecError(f"Replacement: sentence must be a Sentence; got {other!r}")
        one = self.treebank[[sentence]] if other is None else other.treebank[[other.position]]
        if instead.gold is not None:
            gold = GoldTree.from_heads(instead.gold)
            if len(gold) != one.words:
                raise SpecError(f"Replacement: gold must have {one.words} heads, one for each word; got {len(gold)}")
            one.heads[:] = gold.codes()
            if gold.labels is not None:
                one.column("deprel")[:] = [one.id_of("deprel", label or "_") for label in gold.labels]
        return one

    @abstractmethod
    def progress(self) -> tuple[int, int]:
        """Words and updates so far."""

    @abstractmethod
    def parser_of(self, weights: Weights, training: TrainingRecord | None = None) -> Parser: ...

    @abstractmethod
    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        """Sets other heads and labels to learn from."""

    def before_training(self, epoch: int) -> None:
        subsample = self.training.subsample
        if subsample is not None:
            rng = np.random.default_rng([self.training.seed, epoch, SUBSAMPLING_STREAM])
            predicted = self.found_before
            if subsample.criterion == "accuracy" and self.dev is not None and self.best_weights is not None:
                predicted, _ = self.parser_of(self.weights()).predict(self.dev)
            kept = kept_arcs(subsample, self.treebank, rng, self.dev, predicted)
            self.replace_reference(*self.corpus.reference(self.labels, kept))

    def make_report(self, epoch: int) -> EpochReport:
        return EpochReport(epoch, *self.progress())

    def score(self, parser: Parser, dev: Treebank) -> tuple[float, float | None]:
        """UAS and LAS on the development set."""
        return score(parser, dev)

    def evaluate(self, report: EpochReport, weights: Weights) -> None:
        if self.has_listener("after_training_pass"):
            self.notify_of_evaluation("after_training_pass", report.epoch, self.parser_of(weights))
        if self.dev is not None:
            self.notify_of_evaluation("before_evaluation", report.epoch)
            report.uas, report.las = self.score(self.parser_of(weights), self.dev)
            self.notify_of_evaluation("after_evaluation", report)

    def run(self, resume: bool = False) -> Parser:
        """Run all epochs; with `resume`, those after the one that the checkpoint holds."""
        if resume and self.checkpoint is not None and Path(self.checkpoint).exists():
            self._resume(Path(self.checkpoint))
        try:
            return super().run()
        except _engine.Stuck as error:
            raise NoLegalTransitionError(f"{self.spec.system.name}: {error}") from None

    # --- Checkpoints ---

    @abstractmethod
    def identity(self) -> dict[str, Any]:
        """Return what a checkpoint must have in common with the run that resumes from it."""

    @abstractmethod
    def state(self) -> TrainingState:
        """Return what is needed to resume after this epoch."""

    @abstractmethod
    def restore(self, state: TrainingState) -> None:
        """Restore the learner and the best weights."""

    def make_state(self, arrays: Arrays, values: Mapping[str, Any]) -> TrainingState:
        """Return the state after this epoch, with what the learner and the best weights are made of."""
        best = self.history.index(self.best_epoch()[0])
        return TrainingState(self.epoch, self.history, best, arrays, values)

    def _resume(self, path: Path) -> None:
        state = load_state(path, self.identity(), self.declared)
        with restoring("checkpoint", str(path)):
            self.restore(state)
        self.epoch, self.history = state.epoch, state.history
        self.best = state.history[state.best]

    def after_epoch(self) -> None:
        """Write the checkpoint, unless the last one is recent: a resumed run gives the same parser anyway.

        If it cannot be written, training goes on without: a full disk may still have room for the model.
        """
        is_last = self.epoch == self.training.epochs or self._is_patience_exhausted()
        if self.checkpoint is None or not (is_last or self.is_checkpoint_due()):
            return
        try:
            save_state(self.state(), self.identity(), Path(self.checkpoint))
        except ModelError as error:
            self.checkpoint = None
            self.send_notice(f"{error}; training goes on without checkpoints")
        self._saved = time.monotonic()

    def is_checkpoint_due(self) -> bool:
        if self.checkpoint is None:
            return False
        return self._saved is None or time.monotonic() - self._saved > CHECKPOINT_INTERVAL

    # --- The result ---

    def finish(self, *, interrupted: bool) -> Parser:
        return replace(self.parser(interrupted=interrupted), training_tags=self._tags())

    def _tags(self) -> Tags | None:
        """The tags that the parser has learned from, if it reads them."""
        own = tags_of(self.treebank) if self.reads("upos") else None
        return own if self.init is None else merge_tags((self.init.training_tags, own))

    def reads(self, column: str) -> bool:
        """Does the parser read a column? False if that cannot be known."""
        return any(column in atom.names for atom in self.spec.used_templates.atoms)

    def after_all(self) -> None:
        if self.dev is not None and self._dev_constraints is None:  # confidence is about parsing without constraints
            parser = self.parser()
            self.calibration = calibration_from_evidence(
                parser, parser.gather_evidence(self.dev, threads=self.threads), self.dev
            )

    def parser(self, *, interrupted: bool = False) -> Parser:
        parser = self.parser_of(self.best_epoch()[1], self.record(interrupted=interrupted))
        return replace(parser, calibration=self.calibration)

    def record(self, *, interrupted: bool = False) -> TrainingRecord:
        """How the parser was trained."""
        return TrainingRecord(
            written=CLASSIFIER,
            **self.training.to_values(),
            **self.epoch_record(),
            data=self.digests,
            sentences=len(self.treebank),
            words=self.treebank.words,
            treebank_weights=self.weight_values(),
            interrupted=interrupted,
        )


def network_of(classifier: Classifier | None) -> NetworkSpec | None:
    """The network of a classifier, or of the first part that has one."""
    if isinstance(classifier, NetworkClassifier):
        return classifier.network
    parts = classifier.parts if isinstance(classifier, CompositeClassifier) else ()
    return next((found for part in parts if (found := network_of(part)) is not None), None)


def choose_classifier(
    owner: str, classifier: Classifier | None, network: NetworkSpec | None, init: Parser | None = None
) -> Classifier | None:
    """What learns: the classifier, or one of the network, or that of the parser to continue from; None: a perceptron.

    A network given beside `init` may only differ from that of `init` in how it learns, and in its precision.
    """
    if network is not None and not isinstance(network, NetworkSpec):
        hint = f"; pp.{network.upper().replace('-', '_')} is one" if isinstance(network, str) else ""
        raise SpecError(f"{owner}: network must be a Network; got {network!r}{hint}")
    if network is not None and classifier is not None:
        raise SpecError(f"{owner} takes a network or a classifier; got both")
    known = init.classifier if isinstance(init, Parser) else None
    if network is None:
        return known if classifier is None else classifier
    if not isinstance(known, NetworkClassifier):
        return NetworkClassifier(network)
    if replace(network, training=known.network.training, precision=known.network.precision) != known.network:
        raise SpecError(
            f"{owner}: network must be that of init, except for learning and precision: it keeps its weights"
        )
    return known.with_network(network)
