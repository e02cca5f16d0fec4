"""Training of a classifier over batches of states: tables and Python systems, any strategy, checkpoints."""

from __future__ import annotations

import copy
import hashlib
from dataclasses import dataclass
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from panparser.base.kinds import COUNT, TABLE, Kind
from panparser.base.types import IntArray
from panparser.batches.batch_learner import BatchLearner, needed_method
from panparser.batches.batch_run import BatchMember
from panparser.batches.batch_search import BatchSearch, batches_of
from panparser.batches.classifier import (
    ActionNames,
    Classifier,
    ClassifierSetup,
    CompositeClassifier,
    check_classifier,
    checked_arrays,
    copied,
    revived,
)
from panparser.batches.combined_classifiers import JointClassifier
from panparser.batches.python_perceptron import Perceptron
from panparser.errors import SpecError
from panparser.features.vectors import WordVectors
from panparser.learning.engine_run import CHUNK_SENTENCES
from panparser.learning.layers import Labels
from panparser.learning.listeners import Replacement
from panparser.learning.strategies import TrainingStrategy
from panparser.learning.training_record import TrainingRecord
from panparser.networks.network import NetworkSpec
from panparser.networks.network_classifier import NetworkClassifier
from panparser.parsing.parser import Parser, classifier_model
from panparser.parsing.python_states import ParserStates, states_of, with_joint_actions
from panparser.storage.containers import encode
from panparser.storage.stored import prefixed, without_prefix
from panparser.systems.transition_system import TransitionSystem
from panparser.training.corpus import TrainingCorpus, choose_vectors
from panparser.training.parser_run import ParserRun, network_of, score
from panparser.training.training_state import BEST, LEARNER, TrainingState
from panparser.treebank.treebank import Treebank

_DIGITS = 20  # of a number of 64 bits
_RANDOM = Kind(
    "the digits of a number of 64 bits",
    lambda value: isinstance(value, str) and value.isdecimal() and len(value) <= _DIGITS and int(value) < 1 << 64,
)


@dataclass(kw_only=True)
class ClassifierRun(ParserRun[Classifier]):
    """Training of a classifier. Its weights are classifiers restored from arrays, as a file would hold them."""

    classifier: Classifier
    vectors: WordVectors | None = None
    declared: ClassVar = {"values": TABLE, "words": COUNT, "updates": COUNT, "random": _RANDOM}

    def __post_init__(self) -> None:
        self.check()
        if isinstance(self.spec.system, TransitionSystem) and self.spec.system.focus == "free":
            name = self.spec.system.name
            raise SpecError(f"the focus of {name} is free, which only the perceptron learns; got another classifier")
        self._check_options()
        self._settings = _settings_of(self.classifier)
        self.prepare(self.init.labels if self.init else Labels())
        if self.init is None:
            self.classifier = copy.deepcopy(self.classifier)
            if isinstance(self.classifier, JointClassifier):
                self.classifier.tags = tuple(sorted({*self.treebank.vocabulary("upos")} - {"_"}))
        self.states = self._states_of(self.corpus)
        is_joint = isinstance(self.classifier, JointClassifier)
        setup = ClassifierSetup(
            system=ActionNames(self.states.names) if is_joint else self.spec.system,
            templates=self.spec.key_templates,
            labels=self.states.labels,
            sentences=self.treebank,
            seed=self.training.seed,
            vectors=self.vectors,
            epochs=self.training.epochs,
            threads=self.threads,
        )
        if self.init is None:
            self.classifier.prepare(setup)
        else:
            self.classifier = copied(self.classifier)
            self.classifier.warm_start(setup)
        if self.constraints:
            self._dev_constraints = self.constraints.for_dev()
        self.learner = BatchLearner(BatchSearch(self.states, self.classifier), self.spec.beam, self.training.seed)
        self.member = BatchMember(self, self.learner, self._replacement_states, report_interval=CHUNK_SENTENCES)

    def _states_of(self, corpus: TrainingCorpus) -> ParserStates:
        gold = corpus.reference(self.labels)
        states = states_of(self.spec, corpus.treebank, self.labels, gold=gold, vectors=self.vectors)
        return with_joint_actions(states, self.classifier)

    def _check_options(self) -> None:
        """Raises SpecError for options that only apply to the engine's perceptron."""
        training = self.training
        none = {
            "members": (None, 1),
            "prune_threshold": (None, 0),
            "max_model_bytes": (None,),
            "margin": (None, 0),
            "batch_size": (1,),
        }
        for name, known in none.items():
            if getattr(training, name) not in known:
                what = f"the classifier {self.classifier.name!r} has none"
                raise SpecError(f"train: {name} requires the engine's perceptron, and {what}")
        if self.vectors is not None and not isinstance(self.vectors, WordVectors):
            raise SpecError(f"train: vectors must be WordVectors (read_vectors reads a file); got {self.vectors!r}")
        if self.init is not None:
            self._check_init(self.init)
        network = network_of(self.classifier)
        if self.spec.uses_vectors or network is not None:
            self.vectors = choose_vectors(self.spec, self.vectors, self.init, network)
        joint = self.classifier.outputs if isinstance(self.classifier, JointClassifier) else ()
        if "label" in joint and not self.spec.labeled:
            raise SpecError('JointClassifier: outputs "label" require a labeled parser')
        if "tag" in joint and (read := [atom for atom in self.spec.used_templates.atoms if atom.name == "upos"]):
            raise SpecError(f"train: templates must not read tags that a JointClassifier predicts; got {read[0]}")
        methods = ["score_labels", "update_labels"] if self.spec.labeled and "label" not in joint else []
        if isinstance(training.strategy, TrainingStrategy):
            methods.append(needed_method(training.strategy, self.spec.beam, self.classifier))
        methods += ["warm_start"] if self.init is not None else []
        methods += ["training_state", "restore_training"] if self.checkpoint is not None else []
        check_classifier(self.classifier, *methods)
        if isinstance(self.classifier, JointClassifier):
            check_classifier(self.classifier.classifier, *methods)

    def _check_init(self, init: Parser) -> None:
        if not isinstance(init, Parser) or init.classifier is None:
            raise SpecError(f"train: init must be a parser with a classifier; got {init!r}")
        if type(init.classifier) is not type(self.classifier):
            raise SpecError(f"train: init must have the classifier {self.classifier.name}; got {init.classifier.name}")
        for name in ("system", "used_templates", "labeled"):
            if getattr(init.spec, name) != getattr(self.spec, name):
                raise SpecError(f"train: init must have the {name.removeprefix('used_')} of the new parser")
        if not isinstance(self.classifier, NetworkClassifier):  # which has the weights of init already
            self.classifier = init.classifier

    # --- The loop ---

    def train_epoch(self, epoch: int) -> None:
        order = self.corpus.order(np.random.default_rng([self.training.seed, epoch, 0]))
        lengths = np.diff(self.treebank.offsets)
        parts = (batches_of(self.classifier, part, lengths, learning=True) for part in self.corpus.parts(order))
        self.member.train_epoch(epoch, chain.from_iterable(parts))

    def _replacement_states(self, sentence: int, replacement: Replacement) -> tuple[ParserStates, int]:
        return self._states_of(TrainingCorpus(self.spec, self.replaced(sentence, replacement))), 0

    def should_evaluate(self, epoch: int) -> bool:
        often = getattr(self.classifier, "evaluations", None)
        return self.dev is None or self.is_stopped or self.is_evaluation_epoch(epoch, often)

    def before_training(self, epoch: int) -> None:
        super().before_training(epoch)
        if self.constraints:
            self.states.constrain(self.constraints.lowered(self.spec, self.labels, epoch))

    def score(self, parser: Parser, dev: Treebank) -> tuple[float, float | None]:
        return score(parser, dev, self._dev_constraints)

    def progress(self) -> tuple[int, int]:
        return self.member.progress()

    def reads(self, column: str) -> bool:
        if isinstance(self.classifier, NetworkClassifier):
            return column in self.classifier.network.columns
        return isinstance(self.classifier, Perceptron) and super().reads(column)

    def weights(self) -> Classifier:
        return copied(self.classifier)

    def parser_of(self, weights: Classifier, training: TrainingRecord | None = None) -> Parser:
        model = classifier_model(self.spec, self.labels, weights, self.vectors)
        return Parser(model=model, training=training or TrainingRecord())

    def replace_reference(self, heads: IntArray, labels: IntArray) -> None:
        self.states.replace_gold(heads, labels)

    # --- Checkpoints ---

    def state(self) -> TrainingState:
        weights = self.best_epoch()[1]
        arrays = {name: np.array(array) for name, array in self.classifier.training_state().items()}
        return self.make_state(
            {**prefixed(LEARNER, arrays), **prefixed(BEST, checked_arrays(weights))},
            {
                "values": weights.to_values(),
                "words": self.learner.words,
                "updates": self.learner.updates,
                "random": str(self.learner.random.state),
            },
        )

    def restore(self, state: TrainingState) -> None:
        values = state.values
        self.classifier.restore_training(without_prefix(LEARNER, state.arrays))
        self.best_weights = revived(self.classifier, without_prefix(BEST, state.arrays), values["values"])
        self.learner.words, self.learner.updates = values["words"], values["updates"]
        self.learner.random.state = int(values["random"])

    def identity(self) -> dict[str, Any]:
        training = self.training.to_values()
        if network_of(self.classifier) is None:  # whose rate falls with the epochs to come
            training.pop("epochs")
        values: dict[str, Any] = {"spec": self.spec.to_values(), "training": training, "data": self.digests}
        values["treebank_weights"] = self.weight_values()
        values["constraints"] = self.constraints.to_values() if self.constraints else None
        values["vectors"] = self.vectors.digest if self.vectors else None
        return values | {"classifier": self._settings, "init": self._init_digest()}

    def _init_digest(self) -> str | None:
        """What distinguishes the parser that training continues from."""
        if self.init is None:
            return None
        return hashlib.sha256(encode(self.init.to_arrays(), self.init.manifest())).hexdigest()


def _settings_of(classifier: Classifier) -> dict[str, Any]:
    """What is known, before it learns, about how a classifier learns: its attributes that are plain values."""
    inner = classifier.parts if isinstance(classifier, CompositeClassifier) else ()
    of = list(classifier.outputs) if isinstance(classifier, JointClassifier) else []
    own: dict[str, Any] = {
        name: value for name, value in vars(classifier).items() if isinstance(value, bool | int | float | str)
    }
    own |= {name: value.to_values() for name, value in vars(classifier).items() if isinstance(value, NetworkSpec)}
    values = {"name": classifier.name, "batch": classifier.batch, "of": of, "settings": own}
    return values | {"parts": [*map(_settings_of, inner)]}
