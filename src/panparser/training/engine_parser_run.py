"""Training runs of the engine's perceptron, and what makes its models small and fast."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from panparser import _engine
from panparser.base.kinds import ListOf
from panparser.base.types import IntArray, LongArray
from panparser.errors import SpecError
from panparser.features.vectors import WordVectors
from panparser.learning.engine_run import UPDATE_UNITS, Callback, PerceptronEnsemble, update_units
from panparser.learning.layers import LAYER, Labels, Layer, VectorWeights, multiplied
from panparser.learning.listeners import EpochReport, Replacement
from panparser.learning.training import LARGE_TREEBANK, MEMBER_SEED_STRIDE
from panparser.learning.training_record import CONSTRAINED, PERCEPTRON, TrainingRecord
from panparser.parsing.constraints import Constraints
from panparser.parsing.engine_model import PerceptronModel, templates_on_top
from panparser.parsing.model_protocol import Search
from panparser.parsing.parser import Parser
from panparser.parsing.spec import program
from panparser.storage.containers import encode
from panparser.storage.stored import prefixed, without_prefix
from panparser.training.corpus import TrainingCorpus, choose_vectors
from panparser.training.parser_run import ParserRun, score, score_found
from panparser.training.training_constraints import lowered
from panparser.training.training_state import BEST, LEARNER_STATE, LearnerState, TrainingState
from panparser.treebank.treebank import Treebank

_SEARCH_STEPS = 12  # for the smallest weight kept
_CALIBRATION_BYTES = 2048  # that a manifest may need for the calibration
_MAX_WEIGHT = 1e6  # updates


def room_for_layer(max_size: int, parser: Parser, epochs: int) -> int:
    """Bytes for the last layer of a parser in a file of that size; `epochs` more will be recorded in it."""
    vectors = parser.vectors.to_arrays() if parser.vectors else {}
    taken = (
        len(encode({}, parser.manifest())) + 512 * (epochs + 1) + 1024 + 1024 * len(parser.layers) + _CALIBRATION_BYTES
    )
    return max_size - taken - sum(layer.size for layer in parser.layers[:-1]) - sum(a.nbytes for a in vectors.values())


def prune(layer: Callable[[float], Layer], min_weight: float, room: int | None) -> tuple[float, Layer]:
    """The smallest weight kept, and the layer: `least`, or larger if needed to fit into `room` (bytes)."""
    found = layer(min_weight)
    if room is None or found.size <= room:
        return min_weight, found
    low, high = min_weight, max(1.0, 2 * min_weight)
    while (found := layer(high)).size > room:
        if high > _MAX_WEIGHT:
            raise SpecError(f"train: max_model_bytes is too small: {found.size - room} more bytes are needed at least")
        low, high = high, 4 * high
    for _ in range(_SEARCH_STEPS):
        middle = (low + high) / 2
        if (tried := layer(middle)).size > room:
            low = middle
        else:
            high, found = middle, tried
    return high, found


# In a large treebank most weights come from one update or two, and contribute almost nothing.
LARGE_PRUNE, LARGE_GREEDY_PRUNE = 1.5, 1.0  # updates: a greedy parser needs fewer of them
MARGIN_SHARE = 0.01  # of the sentences; more would cost accuracy
ROUNDING_SAMPLE = 2000  # words on which the cost of rounding is measured


@dataclass(kw_only=True)
class PerceptronRun(ParserRun[Layer]):
    """Training of the perceptron."""

    vectors: WordVectors | None
    rounding: dict[str, Any] | None = None
    margin: int | None = None
    _base: list[Layer] = field(default_factory=list)  # the layers of `init`
    _averages: _engine.Averages | None = None  # after the last epoch
    _is_training: bool = False  # the next epoch, already
    _unsaved: list[LearnerState] | None = None  # for a checkpoint, if so
    # A development set is small, and averaging for longer is better: among epochs with similar scores, the best is
    # so by chance.
    score_tolerance: ClassVar[float] = 0.5
    declared: ClassVar = {"layer": LAYER, "learners": ListOf(LEARNER_STATE)}

    def __post_init__(self) -> None:
        self.check()
        self._check_init()
        self.vectors = choose_vectors(self.spec, self.vectors, self.init)
        if self.vectors and (self.training.members or 1) > 1:
            raise SpecError(f"train: members must be 1 if there are vectors; got {self.training.members}")
        self.prepare(self.init.labels if self.init else Labels())
        if self.vectors:
            self.digests["vectors"] = self.vectors.digest
        if self.constraints:
            self._dev_constraints = self.constraints.for_dev()
        system = self.spec.system
        self._program = program(self.spec)
        self._unit = UPDATE_UNITS if self.init or self.vectors else update_units(self.training)
        self.learners = [
            _engine.Learner(
                system=system._lowered.engine,
                program=self._program,
                of_root=list(self.labels.of_root),
                of_words=list(self.labels.of_words),
                base=multiplied(self._base, system, self._unit),
                unit=self._unit,
                beam=self.spec.beam,
                ties=[system.names.index(name) for name in system.ties],
                seed=self.training.seed + MEMBER_SEED_STRIDE * member,
                vectors=self.vectors.engine if self.vectors else None,
            )
            for member in range(self.training.members_for(self.epoch_words) if not self.vectors else 1)
        ]
        self._engine_corpus = self.corpus.engine(self._program, self.labels, self.vectors)
        self._members = PerceptronEnsemble(
            self, self.learners, system.step_name, self._train, self._train_on_replacement
        )

    def _check_init(self) -> None:
        if self.init is None:
            return
        if not isinstance(self.init, Parser):
            raise SpecError(f"train: init must be a Parser; got {self.init!r}")
        if self.init.voters:
            raise SpecError(f"train: init must be one parser; got a vote of {len(self.init.voters)}")
        for name in ("system", "labeled"):
            if getattr(self.init.spec, name) != getattr(self.spec, name):
                raise SpecError(f"train: init must have the {name} of the new parser; they differ")
        self.spec = replace(self.spec, templates=templates_on_top(self.init.spec, self.spec))
        self._base = [layer.extended(len(self.spec.key_templates)) for layer in self.init.layers]

    # --- Checkpoints ---

    def identity(self) -> dict[str, Any]:
        layers = self.init.layers if self.init else []
        init = [b"".join(array.tobytes() for array in layer.to_arrays().values()) for layer in layers]
        training = self.training.to_values()
        training.pop("epochs")
        return {
            "spec": self.spec.to_values(),
            "training": training,
            "data": self.digests,
            "treebank_weights": self.weight_values(),
            "constraints": self.constraints.to_values() if self.constraints else None,
            "init": [hashlib.sha256(layer).hexdigest() for layer in init],
        }

    def state(self) -> TrainingState:
        layer = self.best_epoch()[1]
        learners = self._unsaved or self._learner_states()
        arrays = dict(prefixed(BEST, layer.to_arrays()))
        for member, learner in enumerate(learners):
            arrays |= learner.to_arrays(member)
        return self.make_state(
            arrays, {"layer": layer.to_values(), "learners": [learner.to_values() for learner in learners]}
        )

    def _learner_states(self) -> list[LearnerState]:
        return [LearnerState.from_learner(learner, vectors=bool(self.vectors)) for learner in self.learners]

    def restore(self, state: TrainingState) -> None:
        for member, (learner, values) in enumerate(zip(self.learners, state.values["learners"], strict=True)):
            LearnerState.from_arrays(state.arrays, member, values).restore(learner)
        layer = Layer.from_file(dict(without_prefix(BEST, state.arrays)), "", state.values["layer"])
        self.parser_of(layer).model.check()
        self.best_weights = layer

    # --- After epochs ---

    def after_all(self) -> None:
        if self.dev is None:
            return
        if not (self.init or self.vectors or self.rounding or self.constraints):
            self._measure_rounding(self.dev)
        share = MARGIN_SHARE if self.training.margin is None else self.training.margin
        if self.spec.beam > 1 and share and len(self.dev):
            parser = self.parser_of(self.best_epoch()[1])
            self.margin = fitting_margin(parser, self.dev, share, self._dev_constraints, self.threads)
        super().after_all()

    def _measure_rounding(self, dev: Treebank) -> None:
        """The cost, in the last epoch, of rounding weights to bytes. Unknown for stacked layers or with vectors."""
        best, weights = self.best_epoch()
        is_last = best.epoch == self.epoch and best.pruning is None
        parser = self.parser_of(weights if is_last else self.weights())
        sample = dev[: max(1, int(np.searchsorted(dev.offsets, ROUNDING_SAMPLE, side="right")) - 1)]
        found = _engine.parse_averaged(self.learners, sample._store, self.spec.beam, self.threads)
        scores = {
            "before": score_found(parser, sample, *parser._label_encoding.put_back(sample, found.heads, found.labels)),
            "after": score(parser, sample, threads=self.threads),
        }
        self.rounding = {when: {"uas": uas, "las": las} for when, (uas, las) in scores.items()}
        self.rounding["sentences"] = len(sample)

    def parser(self, *, interrupted: bool = False) -> Parser:
        return replace(super().parser(interrupted=interrupted), pruning_margin=self.margin)

    def training_threads(self) -> int | None:
        # What is not among the averages, and what reads more than these.
        alone = self.vectors or self.constraints or self.training.subsample or self.training.max_model_bytes
        return None if alone else self._members.threads

    def snapshot(self, *, training_continues: bool) -> None:
        self._averages = _engine.average(self.learners, self.threads)
        self._is_training = training_continues
        self._unsaved = self._learner_states() if training_continues and super().is_checkpoint_due() else None

    def is_checkpoint_due(self) -> bool:
        # Learners that go on meanwhile are no longer in the state after this epoch.
        return self._unsaved is not None if self._is_training else super().is_checkpoint_due()

    def score(self, parser: Parser, dev: Treebank) -> tuple[float, float | None]:
        return score(parser, dev, self._dev_constraints, self.evaluation_threads)

    def before_training(self, epoch: int) -> None:
        super().before_training(epoch)
        if self.constraints:
            self._engine_corpus.constrain(self.constraints.lowered(self.spec, self.labels, epoch).engine)

    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        self._engine_corpus.replace(heads, labels)

    def train_epoch(self, epoch: int) -> None:
        self._members.train_epoch(epoch, self.corpus.order)

    def _train(
        self, learner: _engine.Learner, chosen: LongArray, strategy: Any, callback: Callback | None, threads: int
    ) -> None:
        learner.train(self._engine_corpus, chosen, strategy, callback, threads, self.training.batch_size)

    def _train_on_replacement(
        self, learner: _engine.Learner, sentence: int, instead: Replacement, strategy: Any, callback: Callback | None
    ) -> None:
        corpus = TrainingCorpus(self.spec, self.replaced(sentence, instead))
        engine = corpus.engine(self._program, self.labels, self.vectors)
        learner.train(engine, np.zeros(1, dtype=np.int64), strategy, callback)

    def progress(self) -> tuple[int, int]:
        return self._members.progress()

    def finalize_weights(self, report: EpochReport, weights: Layer) -> Layer:
        """The pruned layer for the model; the report gets the cost of pruning."""
        least = self.training.prune_threshold
        if least is None:
            large = LARGE_PRUNE if self.spec.beam > 1 else LARGE_GREEDY_PRUNE
            least = large if self.epoch_words >= LARGE_TREEBANK else 0.0
        if least == 0 and self.training.max_model_bytes is None:
            return weights
        room = None
        if self.training.max_model_bytes is not None:
            parser = self.parser_of(weights, self.record())
            room = room_for_layer(self.training.max_model_bytes, parser, self.training.epochs - self.epoch)
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

    def weights(self, min_weight: float = 0.0) -> Layer:
        if self._averages is None:  # a run that goes on from a checkpoint
            self._averages = _engine.average(self.learners, self.threads)
        arrays = self._averages.compact(min_weight, self.evaluation_threads)
        vectors = None
        if self.vectors:
            vectors = VectorWeights.of(
                self.learners[0].compact_vectors(action_scale=arrays.action_scale, label_scale=arrays.label_scale)
            )
        return Layer.of(arrays, vectors)

    def parser_of(self, weights: Layer, training: TrainingRecord | None = None) -> Parser:
        model = PerceptronModel(self.spec, self.labels, [*self._base, weights], self.vectors)
        return Parser(model=model, training=training or TrainingRecord())

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
        """Number of states whose costs came from a loss that may be approximate, and number in which it was."""
        done = [learner.progress for learner in self.learners]
        states = sum(progress.valued for progress in done)
        approximate = sum(progress.approximated for progress in done)
        return {"states": states, "approximate": approximate} if states else None


def fitting_margin(
    parser: Parser,
    dev: Treebank,
    share: float = MARGIN_SHARE,
    constraints: Constraints | None = None,
    threads: int = 1,
) -> int | None:
    """The margin with which at most this share of the sentences would lose their current tree."""
    if parser.spec.beam == 1 or not len(dev):
        return None
    kept = None if constraints is None else lowered(parser.spec, parser.labels, dev, constraints)
    behind = parser.model.find(dev, Search(beam=parser.spec.beam, threads=threads, constraints=kept)).behind
    return int(np.quantile(behind, 1 - share, method="higher"))
