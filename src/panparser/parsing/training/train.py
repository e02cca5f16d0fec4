"""train: epochs over a treebank, selection on a development set, listeners, checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from panparser import _engine
from panparser._arrays import IntArray
from panparser.errors import SpecError
from panparser.features.vectors import Vectors
from panparser.learning.layers import Layer, VectorWeights, multiplied
from panparser.learning.listeners import EpochReport, Listener, Update
from panparser.learning.record import CONSTRAINED, PERCEPTRON, TrainingRecord
from panparser.learning.strategies import Strategy
from panparser.parsing.confidence import Calibration, fitted, gather
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.labels import Labels
from panparser.parsing.models.classifier import Classifier
from panparser.parsing.parser import Parser
from panparser.parsing.spec import ParserSpec, program
from panparser.parsing.training import checkpoint as _checkpoint
from panparser.parsing.training.classifier import ClassifierRun
from panparser.parsing.training.constraints import Source, TrainingConstraints, lowered
from panparser.parsing.training.corpus import choose_vectors
from panparser.parsing.training.pruning import prune, room_for_layer
from panparser.parsing.training.run import Epochs, score, score_found
from panparser.parsing.training.strategies import parser_training
from panparser.treebank.treebank import Treebank

_CHUNK = 64  # sentences between two looks at the clock and the keyboard
_FINE = 256  # units of an update where parts of one are needed
_FAR = 1 << 32  # between the seeds of members
_LARGE = 100_000  # words: there, most weights come from one update or two, and tell next to nothing
_LARGE_PRUNE, _LARGE_GREEDY_PRUNE = 1.5, 1.0  # updates: a greedy parser learns by fewer
_MARGIN = 0.01  # share of sentences; more would cost accuracy
_MOMENT = 10  # seconds of work that may be lost
_SAMPLE = 2000  # words that tell what rounding costs
_MEMBERS = ((10_000, 4), (_LARGE, 2), (float("inf"), 1))  # below so many words, so many: the smaller, the more it helps


def train(
    spec: ParserSpec,
    treebank: Treebank,
    *,
    dev: Treebank | None = None,
    vectors: Vectors | None = None,
    classifier: Classifier | None = None,
    init: Parser | None = None,
    constraints: Source | None = None,
    dev_constraints: Constraints | None = None,
    listeners: Sequence[Listener] = (),
    checkpoint: str | os.PathLike[str] | None = None,
    resume: bool = False,
    **options: Any,
) -> Parser:
    """A parser for a treebank; `options` are those of `Training`.

    The strategy defaults to max-violation, by the static oracle if the system has no other.
    With `dev` the epoch that scores best on it is kept (LAS, or UAS of an unlabeled parser), without it the last.
    Templates such as `S0.vector` need `vectors`, which become a part of the parser. `init` is a parser to go on from:
    same system, templates, labeledness and vectors; new labels and tags are fine. A `checkpoint` file holds the state
    after each epoch; with `resume` training goes on from it, and ends with the same parser as if it had never stopped.
    Ctrl-C ends training with the best parser so far, if there is one. A `classifier` learns instead of the perceptron;
    vectors, init, constraints, checkpoint, resume, members, prune and max_size are not for it.

    Under `constraints` the search is restricted as it is when a parser is given some: a share of the gold heads (above
    0, at most 1), drawn anew in each epoch, or Constraints of the treebank, such as what another parser found; then
    `dev_constraints` are those of the development set.
    """
    if classifier is not None:
        given: dict[str, Any] = {"vectors": vectors, "init": init, "checkpoint": checkpoint, "resume": resume or None}
        given |= {"constraints": constraints, "dev_constraints": dev_constraints}
        if named := [name for name, value in given.items() if value is not None]:
            raise SpecError(f"{named[0]} of train is for the perceptron, and a classifier is given")
        training = parser_training(spec, options)
        return ClassifierRun(
            spec=spec, treebank=treebank, dev=dev, listeners=listeners, training=training, classifier=classifier
        ).run()
    training = parser_training(spec, options)
    if constraints is None and dev_constraints is not None:
        raise SpecError("dev_constraints of train are given, but constraints are not")
    run = _Run(
        spec=spec,
        treebank=treebank,
        dev=dev,
        vectors=vectors,
        init=init,
        listeners=listeners,
        checkpoint=checkpoint,
        training=training,
        constraints=None
        if constraints is None
        else TrainingConstraints(constraints, dev_constraints, treebank, dev, training.seed),
    )
    return run.run(resume)


@dataclass(kw_only=True)
class _Run(Epochs[Layer]):
    """Training of the perceptron."""

    vectors: Vectors | None
    init: Parser | None
    checkpoint: str | os.PathLike[str] | None
    constraints: TrainingConstraints | None = None
    rounding: dict[str, Any] | None = None
    margin: int | None = None
    calibration: Calibration | None = None
    _saved: float | None = None  # when the checkpoint was
    _dev_constraints: Constraints | None = None
    # A development set is small, and an average that is longer is better: among epochs that are close, the best is
    # the best by chance.
    as_good: ClassVar[float] = 0.5

    def __post_init__(self) -> None:
        self.check()
        self._check_init()
        self.vectors = choose_vectors(self.spec, self.vectors, self.init)
        if self.vectors and (self.training.members or 1) > 1:
            raise SpecError(f"members of train must be 1 where there are vectors; got {self.training.members}")
        self.prepare(self.init.labels if self.init else Labels())
        if self.vectors:
            self.digests["vectors"] = self.vectors.digest
        if self.constraints:
            self._dev_constraints = self.constraints.of_dev()
        system = self.spec.system
        self._program = program(self.spec)
        self._unit = _FINE if self.init or self.vectors or self._is_focused() else 1
        self.learners = [
            _engine.Learner(
                system._lowered.engine,
                self._program,
                list(self.labels.of_root),
                list(self.labels.of_words),
                multiplied(self.init.layers, system, self._unit) if self.init else [],
                self._unit,
                self.spec.beam,
                [system.names.index(name) for name in system.ties],
                self.training.seed + _FAR * member,
                self.vectors.engine if self.vectors else None,
            )
            for member in range(self.training.members_for(self.treebank.words) if not self.vectors else 1)
        ]
        self._engine_corpus = self.corpus.engine(self._program, self.labels, self.vectors)

    def _check_init(self) -> None:
        if self.init is None:
            return
        if not isinstance(self.init, Parser):
            raise SpecError(f"init of train must be a Parser; got {self.init!r}")
        if self.init.voters:
            raise SpecError(f"init of train must be one parser; got a vote of {len(self.init.voters)}")
        for name in ("system", "used_templates", "labeled"):
            if getattr(self.init.spec, name) != getattr(self.spec, name):
                what = name.removeprefix("used_")
                raise SpecError(f"init of train must have the {what} of the new parser; they differ")

    def _is_focused(self) -> bool:
        return not isinstance(self.training.strategy, Strategy) or self.training.strategy.focus != 1

    def run(self, resume: bool = False) -> Parser:
        if resume and self.checkpoint is not None and Path(self.checkpoint).exists():
            _checkpoint.load(self, Path(self.checkpoint))
        return super().run()

    def after_all(self) -> None:
        if self.dev is None:
            return
        if not (self.init or self.vectors or self.rounding or self.constraints):
            self._measure_rounding(self.dev)
        share = _MARGIN if self.training.margin is None else self.training.margin
        if self.spec.beam > 1 and share and len(self.dev):
            parser = self.parser_of(self.finished()[1])
            self.margin = fitting_margin(parser, self.dev, share, self._dev_constraints)
        if self._dev_constraints is None:  # confidence is for parsing without constraints
            parser = self.parser()
            self.calibration = fitted(parser, gather(parser, self.dev), self.dev)

    def _measure_rounding(self, dev: Treebank) -> None:
        """What it costs, in the last epoch, that weights become bytes. Not known on top of others, or with vectors."""
        best, weights = self.finished()
        is_last = best.epoch == self.epoch and best.pruning is None
        parser = self.parser_of(weights if is_last else self.weights())
        sample = dev[: max(1, int(np.searchsorted(dev.offsets, _SAMPLE, side="right")) - 1)]
        found = _engine.parse_averaged(self.learners, sample._store, self.spec.beam)
        scores = {
            "before": score_found(parser, sample, *parser.lowered(sample, *found)),
            "after": score(parser, sample),
        }
        self.rounding = {when: {"uas": uas, "las": las} for when, (uas, las) in scores.items()}
        self.rounding["sentences"] = len(sample)

    def parser(self, *, interrupted: bool = False) -> Parser:
        parser = super().parser(interrupted=interrupted)
        parser.margin = self.margin
        parser.calibration = self.calibration
        return parser

    def after_epoch(self) -> None:
        """Writes the checkpoint, unless the last one is of a moment ago: what comes of a resumed run is the same."""
        if self.checkpoint is None:
            return
        is_last = self.epoch == self.training.epochs or self._is_stale()
        if is_last or self._saved is None or time.monotonic() - self._saved > _MOMENT:
            _checkpoint.save(self, Path(self.checkpoint))
            self._saved = time.monotonic()

    def score(self, parser: Parser, dev: Treebank) -> tuple[float, float | None]:
        return score(parser, dev, self._dev_constraints)

    def before_learning(self, epoch: int) -> None:
        super().before_learning(epoch)
        if self.constraints:
            bare = Parser(self.spec, self.labels, [], {})
            self._engine_corpus.constrain(self.constraints.lowered(bare, epoch))

    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        self._engine_corpus.replace(heads, labels)

    def learn(self, epoch: int) -> None:
        for member, learner in enumerate(self.learners):
            order = self.corpus.order(np.random.default_rng([self.training.seed, epoch, member]))
            self._learn(epoch, learner, order)

    def progress(self) -> tuple[int, int]:
        done = [learner.progress for learner in self.learners]
        return sum(words for _, words, *_ in done), sum(updates for _, _, updates, *_ in done)

    def _learn(self, epoch: int, learner: _engine.Learner, order: Any) -> None:
        hear = self._heard(epoch) if self.hears("before_update", "after_update") else None
        single = hear is not None or self.hears("before_sentence", "after_sentence")
        chunk = 1 if single or not isinstance(self.training.strategy, Strategy) else _CHUNK
        told = 0
        for start in range(0, len(order), chunk):
            part = order[start : start + chunk]
            sentence = int(part[0])
            if single:
                self._now = sentence
                self.tell("before_sentence", epoch, sentence)
            strategy = self.training.strategy_for(epoch, sentence)
            learner.train(self._engine_corpus, part, strategy.lowered(epoch), hear)
            if single:
                self.tell("after_sentence", epoch, sentence)
            if start + chunk - told >= _CHUNK:
                told = start + chunk
                self.tell("after_words", epoch, *self.progress())

    def _heard(self, epoch: int) -> Any:
        names = self.spec.system.names

        def hear(event: Any, applied: bool) -> None:
            positive, negative, *numbers = event
            derivations = [tuple(names[action] for action in actions) for actions in (positive, negative)]
            update = Update(epoch, self._now, derivations[0], derivations[1], *numbers)
            self.tell("after_update" if applied else "before_update", update)

        return hear

    def kept(self, report: EpochReport, weights: Layer) -> Layer:
        """The layer that the model gets; the report says what pruning cost."""
        least = self.training.prune
        if least is None:
            large = _LARGE_PRUNE if self.spec.beam > 1 else _LARGE_GREEDY_PRUNE
            least = large if self.treebank.words >= _LARGE else 0.0
        if least == 0 and self.training.max_size is None:
            return weights
        parser = self.parser_of(weights, self.record())
        room = room_for_layer(self.training.max_size, parser, self.training.epochs - self.epoch)
        least, layer = prune(self.weights, least, room)
        parser = self.parser_of(layer)
        scores = (None, None) if self.dev is None else self.score(parser, self.dev)
        report.pruning = {
            "least": least,
            "whole_size": weights.size,
            "size": layer.size,
            "uas": scores[0],
            "las": scores[1],
        }
        return layer

    def weights(self, least: float = 0.0) -> Layer:
        lines, label_lines, tables, label_rows, action_scale, label_scale = _engine.compact(self.learners, least)
        vectors = None
        if self.vectors:
            vectors = VectorWeights(*self.learners[0].compact_vectors(action_scale, label_scale))
        return Layer(lines, label_lines, tables, label_rows, action_scale, label_scale, len(self.labels.names), vectors)

    def parser_of(self, weights: Layer, training: TrainingRecord | None = None) -> Parser:
        layers = [*(self.init.layers if self.init else []), weights]
        return Parser(self.spec, self.labels, layers, training or {}, self.vectors)

    def record(self, *, interrupted: bool = False) -> TrainingRecord:
        return replace(
            super().record(interrupted=interrupted),
            written=CONSTRAINED if self.constraints else PERCEPTRON,
            members=len(self.learners),
            init=self.init.training if self.init else None,
            rounding=self.rounding,
            losses=self._losses(),
            constraints=self.constraints.to_values() if self.constraints else None,
        )

    def _losses(self) -> dict[str, int] | None:
        """In how many states costs came from a loss that is approximate now and then, and in how many it was."""
        states, approximate = (sum(learner.progress[i] for learner in self.learners) for i in (4, 5))
        return {"states": states, "approximate": approximate} if states else None


def fitting_margin(
    parser: Parser, dev: Treebank, share: float = _MARGIN, constraints: Constraints | None = None
) -> int | None:
    """The margin with which at most this share of the sentences would lose the tree that they now get."""
    if parser.spec.beam == 1 or not len(dev):
        return None
    engine = None if constraints is None else lowered(parser, dev, constraints)
    _, _, behind, _ = parser._parse(dev, parser.spec.beam, 1, None, engine)
    return int(np.quantile(behind, 1 - share, method="higher"))
