"""train: epochs over a treebank, selection on a development set, listeners, checkpoints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

from panparser._threads import chosen_threads
from panparser.errors import SpecError
from panparser.features.vectors import WordVectors
from panparser.learning.classifiers import Classifier
from panparser.learning.listeners import Listener, check_listeners, notify
from panparser.learning.options import TrainingOptions
from panparser.learning.perceptron import Perceptron
from panparser.learning.record import whole
from panparser.networks.network import NetworkSpec
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec
from panparser.parsing.training.classifier import ClassifierRun
from panparser.parsing.training.constraints import Source, TrainingConstraints
from panparser.parsing.training.networks import chosen_classifier, network_of
from panparser.parsing.training.perceptron import PerceptronRun
from panparser.parsing.training.strategies import parser_training
from panparser.parsing.training.weighting import pooled
from panparser.treebank.treebank import Treebank


def train(
    spec: ParserSpec,
    treebank: Treebank | Sequence[Treebank],
    *,
    dev: Treebank | None = None,
    weights: Sequence[float] | None = None,
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

    Several treebanks are learned from together, each with one of the `weights`, if these are given: an epoch learns
    from a sentence of weight 25 as if it stood 25 times, and from one of weight 0.5 every other time, at random.

    The strategy defaults to max-violation, by the static oracle if the system has no other.
    With `dev` the epoch that scores best on it is kept (LAS, or UAS of an unlabeled parser), without it the last.
    Templates such as `S0.vector` need `vectors`, which become part of the parser. `init` is a parser to continue from:
    same system, labeledness and vectors; new labels and tags are fine. A perceptron may have more templates than
    `init`, whose weights begin at 0; those of `init` come first. A `checkpoint` file holds the state
    after each epoch; with `resume` training continues from it, and gives the same parser as if it had never stopped.
    Ctrl-C ends training with the best parser so far, if there is one. A `classifier` learns instead of the engine's
    perceptron; members, prune, max_size and margin apply only to the latter. A system written in Python is
    learned by a perceptron over states in Python, or by a classifier.

    A `network` is short for `classifier=NetworkClassifier(network)`, and needs torch. Its `learning` has the defaults
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
    treebank, treebank_weights = pooled(treebank, weights)
    classifier = chosen_classifier("train", classifier, network, init)
    training = parser_training(spec, options, network_of(classifier))
    if constraints is None and dev_constraints is not None:
        raise SpecError("train: dev_constraints are given, but constraints are not")
    restriction = None
    if constraints is not None:
        restriction = TrainingConstraints(constraints, dev_constraints, treebank, dev, training.seed)
    common: dict[str, Any] = {"spec": spec, "treebank": treebank, "dev": dev, "vectors": vectors, "init": init}
    common |= {"listeners": listeners, "checkpoint": checkpoint, "training": training, "constraints": restriction}
    common |= {"treebank_weights": treebank_weights}
    common |= {"threads": chosen_threads("train: threads", threads)}
    if classifier is None and not spec.is_native:
        classifier = Perceptron()
    if training.subsample is not None and training.subsample.by == "accuracy-once" and dev is not None:
        before = common | {"training": replace(training, subsample=None), "checkpoint": None}
        first = _run(before | {"listeners": [_Progress(listeners)]}, classifier).run()
        common["found_before"] = whole(first).predict(dev)[0]
    return _run(common, classifier).run(resume)


def _run(common: dict[str, Any], classifier: Classifier | None) -> ClassifierRun | PerceptronRun:
    return PerceptronRun(**common) if classifier is None else ClassifierRun(**common, classifier=classifier)


class _Progress(Listener):
    """Tells other listeners of progress alone."""

    only_watches = True

    def __init__(self, listeners: Sequence[Listener]) -> None:
        self.listeners = listeners

    def after_words(self, epoch: int, words: int, updates: int) -> None:
        notify(self.listeners, "after_words", epoch, words, updates)
