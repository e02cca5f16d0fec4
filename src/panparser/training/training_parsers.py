"""`train`: one function that trains a parser of any kind."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Unpack

from panparser.base.threads import resolve_threads
from panparser.batches.classifier import Classifier
from panparser.batches.python_perceptron import Perceptron
from panparser.errors import SpecError
from panparser.features.vectors import WordVectors
from panparser.learning.folds import HEAD, Fold
from panparser.learning.folds import jackknife as jackknife_columns
from panparser.learning.listeners import Listener, check_listeners, notify
from panparser.learning.training import TrainingConfig, TrainingOptions, check_options
from panparser.learning.training_record import whole
from panparser.networks.network import NetworkSpec
from panparser.parsing.constraints import Constraints
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.training.batch_parser_run import ClassifierRun
from panparser.training.corpus import pooled
from panparser.training.default_strategies import default_strategy, fitting_strategy
from panparser.training.engine_parser_run import PerceptronRun
from panparser.training.parser_run import choose_classifier, network_of
from panparser.training.training_constraints import Source, TrainingConstraints
from panparser.treebank.treebank import Treebank


class ParserTrainingOptions(TrainingOptions, total=False):
    """Options of `train` for one parser, except its data."""

    vectors: WordVectors | None
    classifier: Classifier | None
    network: NetworkSpec | None
    init: Parser | None
    constraints: float | None  # a share of the gold heads


_ARGUMENTS = (
    *("dev", "treebank_weights", "vectors", "classifier", "network", "init", "constraints", "listeners", "checkpoint"),
    "resume",
)


def parser_training(spec: ParserSpec, options: Mapping[str, Any], network: NetworkSpec | None = None) -> TrainingConfig:
    """The options of `train`, with the defaults of a network; the strategy must be one that fits the system."""
    if not isinstance(spec, ParserSpec):
        raise SpecError(f"train: spec must be a ParserSpec; got {spec!r}")
    check_options("train", options, TrainingConfig.declarations, _ARGUMENTS)
    training = TrainingConfig(**{**default_options(spec, network), **options})
    return replace(training, strategy=fitting_strategy(spec.system, training.strategy))


def default_options(spec: ParserSpec, network: NetworkSpec | None = None) -> dict[str, Any]:
    """Options of `TrainingConfig` that differ from its own defaults."""
    options: dict[str, Any] = {"strategy": default_strategy(spec, network)}
    if network is not None:
        options |= {"epochs": network.training.epochs, "patience": network.training.patience}
    return options


def train(
    spec: ParserSpec,
    treebank: Treebank | Sequence[Treebank],
    *,
    dev: Treebank | None = None,
    treebank_weights: Sequence[float] | None = None,
    vectors: WordVectors | None = None,
    classifier: Classifier | None = None,
    network: NetworkSpec | None = None,
    init: Parser | None = None,
    constraints: Source | None = None,
    dev_constraints: Constraints | None = None,
    listeners: Sequence[Listener] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    threads: int | None = None,
    **options: Unpack[TrainingOptions],
) -> Parser:
    """A parser for a treebank; `options` are those of `TrainingConfig`.

    Several treebanks are learned from together, each with one of the `treebank_weights`, if these are given: an epoch
    learns from a sentence of weight 25 as if it stood 25 times, and from one of weight 0.5 every other time, at random.

    The strategy defaults to max-violation, by the static oracle if the system has no other.
    With `dev` the epoch that scores best on it is kept (LAS, or UAS of an unlabeled parser), without it the last.
    Templates such as `S0.vector` need `vectors`, which become part of the parser. `init` is a parser to continue from:
    same system, labeledness and vectors; new labels and tags are fine. A perceptron may have more templates than
    `init`, whose weights begin at 0; those of `init` come first. A `checkpoint` file holds the state
    after each epoch; with `resume` training continues from it, and gives the same parser as if it had never stopped.
    Ctrl-C ends training with the best parser so far, if there is one. A `classifier` learns instead of the engine's
    perceptron; members, prune_threshold, max_model_bytes and margin apply only to the latter. A system written in
    Python is learned by a perceptron over states in Python, or by a classifier.

    A `network` is short for `classifier=NetworkClassifier(network)`, and needs torch. Its `training` has the defaults
    of epochs and patience; with a beam of 1 the strategy defaults to DYNAMIC, or to STATIC if the system has no dynamic
    oracle. Beside `init`, which has a network, it may differ in `learning` and `precision`.

    `threads` (None: one for each core) change no byte of the parser: members learn at the same time, and the
    development set is parsed while the next epoch is learned. What learns in Python, and what listeners act on, takes
    one.

    With `constraints` the search is restricted as in parsing with constraints: a share of the gold heads (above
    0, at most 1), drawn anew in each epoch, or Constraints of the treebank, such as those found by another parser; then
    `dev_constraints` are those of the development set.
    """
    check_listeners("train", listeners)
    treebank, sentence_weights = pooled(treebank, treebank_weights)
    classifier = choose_classifier("train", classifier, network, init)
    training = parser_training(spec, options, network_of(classifier))
    if constraints is None and dev_constraints is not None:
        raise SpecError("train: dev_constraints requires constraints")
    restriction = None
    if constraints is not None:
        restriction = TrainingConstraints(constraints, dev_constraints, treebank, dev, training.seed)
    common: dict[str, Any] = {"spec": spec, "treebank": treebank, "dev": dev, "vectors": vectors, "init": init}
    common |= {"listeners": listeners, "checkpoint": checkpoint, "training": training, "constraints": restriction}
    common |= {"treebank_weights": sentence_weights}
    common |= {"threads": resolve_threads("train: threads", threads)}
    if classifier is None and not spec.is_native:
        classifier = Perceptron()
    if training.subsample is not None and training.subsample.criterion == "accuracy-once" and dev is not None:
        before = common | {"training": replace(training, subsample=None), "checkpoint": None}
        first = _run(before | {"listeners": [_Progress(listeners)]}, classifier).run()
        common["found_before"] = whole(first).predict(dev)[0]
    return _run(common, classifier).run(resume)


def _run(common: dict[str, Any], classifier: Classifier | None) -> ClassifierRun | PerceptronRun:
    return PerceptronRun(**common) if classifier is None else ClassifierRun(**common, classifier=classifier)


class _Progress(Listener):
    """Tells other listeners of progress alone."""

    is_passive = True

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = listeners

    def on_progress(self, epoch: int, words: int, updates: int) -> None:
        notify(self.listeners, "on_progress", epoch, words, updates)


TREES = (HEAD, "deprel")  # the columns that a parser writes


def jackknife(
    spec: ParserSpec,
    treebank: Treebank,
    folds: int = 10,
    *,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> Treebank:
    """The treebank with each sentence parsed by a parser that was not trained on it; the order is kept."""

    def learn(rest: Treebank, fold: Fold, stop: Listener) -> Parser:
        return train(spec, rest, listeners=[stop], **options)

    def parse(parser: Parser, held_out: Treebank) -> tuple[str, ...]:
        parser.annotate(held_out)
        return TREES

    return jackknife_columns(treebank, folds, learn, parse, threads=threads)
