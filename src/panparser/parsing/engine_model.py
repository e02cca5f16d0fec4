"""The engine's perceptron as the model of a parser, alone, as a vote, or with some of its templates."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.kinds import ListOf, Table, check
from panparser.base.types import BoolArray, IntArray
from panparser.batches.classifier import Arrays, Classifier, FloatArray
from panparser.batches.item_states import States
from panparser.errors import NoLegalTransitionError, SpecError
from panparser.features.atoms import Atom
from panparser.features.templates import Template, Templates
from panparser.features.vectors import WordVectors
from panparser.learning.layers import LABELS, LAYER, Labels, Layer, VectorWeights, multiplied
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.model_protocol import RawTree, Search, SearchResult
from panparser.parsing.spec import SPEC, ParserSpec, program
from panparser.parsing.voters import LoweredVote, Voter, lower_voters, units
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank

_LAYERS = Table({"spec": SPEC, "labels": LABELS, "layers": ListOf(LAYER)})  # of a manifest
UNIT = 256  # size of an update where layers share a scale


class PerceptronModel:
    """Layers of weights, each trained on top of those before it. `voters`: the owners of the layers, in a vote."""

    def __init__(
        self,
        spec: ParserSpec,
        labels: Labels,
        layers: Sequence[Layer],
        vectors: WordVectors | None = None,
        voters: tuple[Voter, ...] = (),
    ) -> None:
        self.spec = spec
        self.labels = labels
        self.layers = list(layers)
        self.vectors = vectors
        self.voters = voters

    @property
    def classifier(self) -> None:
        return None

    @property
    def name(self) -> str:
        return f"a vote of {len(self.voters)}" if self.voters else "perceptron"

    @property
    def unit(self) -> float:
        """The size of an update in the engine's scores of actions; in a vote, of a score of 1."""
        if self.voters:
            return units(self.voters, self.layers)[0]
        return self.layers[0].action_scale if len(self.layers) == 1 else UNIT

    @property
    def units(self) -> tuple[float, float]:
        """The size of an update in the engine's scores of actions, and of labels."""
        if self.voters:
            return units(self.voters, self.layers)
        if len(self.layers) == 1:
            return self.layers[0].action_scale, self.layers[0].label_scale
        return float(UNIT), float(UNIT)

    @cached_property
    def engine(self) -> _engine.Model:
        spec, layers = self.spec, self.layers
        if self.voters:
            lowered = lower_voters(self.voters, layers, spec.used_templates, self.labels.names, spec.system)
        elif len(layers) == 1:  # needs no common scale; several share one that is fine enough for all
            lowered = LoweredVote(program(spec), [_engine.ScaledLayer(layer=layers[0].engine(spec.system))])
        else:
            lowered = LoweredVote(program(spec), multiplied(layers, spec.system, UNIT))
        return _engine.Model(
            system=spec.system._lowered.engine,
            program=lowered.program,
            of_root=list(self.labels.of_root),
            of_words=list(self.labels.of_words),
            layers=lowered.layers,
            vectors=self.vectors.engine if self.vectors else None,
            further=list(lowered.further),
        )

    @cached_property
    def inside(self) -> _engine.Inside:
        """The engine's view of individual weights."""
        return _engine.Inside(self.engine)

    def as_classifier(self) -> Classifier:
        """The same scores, computed step by step."""
        if self.voters or self.vectors:
            what = "votes" if self.voters else "parsers with vectors"
            raise SpecError(
                f"{what} are scored as a whole by the engine: there is no step to listen to, or to vote on by choices"
            )
        return LayerScores(self)

    def check(self) -> None:
        self.engine  # noqa: B018 - it checks every number in the arrays

    def find(self, treebank: Treebank, search: Search) -> SearchResult:
        if search.listeners:
            from panparser.parsing.classifier_model import ClassifierModel  # only here: a perceptron needs no batches

            stepwise = ClassifierModel(self.spec, self.labels, self.as_classifier(), self.vectors)
            return stepwise.find(treebank, search)
        rows = self.vectors.rows(treebank) if self.vectors else None
        kept = search.constraints.engine if search.constraints else None
        arguments = (search.beam, search.threads, rows, search.margin, kept, search.signals)
        try:
            found = self.engine.parse(treebank._store, *arguments)
        except _engine.Stuck as error:
            raise NoLegalTransitionError(f"{self.spec.system.name}: {error}") from None
        return SearchResult(found.heads, found.labels, found.behind, found.signals.astype(np.float64))

    def best(
        self, sentence: Sentence, width: int, wanted: int, constraints: BatchConstraints | None
    ) -> Iterable[RawTree]:
        rows = self.vectors.rows(sentence.treebank, sentence.position) if self.vectors else None
        kept = constraints.engine if constraints else None
        try:
            found = self.engine.best(sentence.treebank._store, sentence.position, width, wanted, rows, kept)
        except _engine.Stuck as error:
            raise NoLegalTransitionError(f"{self.spec.system.name}: {error}") from None
        return [(tree.heads, tree.labels, tree.score / self.unit) for tree in found]

    def to_arrays(self) -> dict[str, npt.NDArray[Any]]:
        layers = enumerate(layer.to_arrays() for layer in self.layers)
        return {f"{name}.{number}": array for number, arrays in layers for name, array in arrays.items()}

    def to_values(self) -> dict[str, Any]:
        return {"voters": [voter.to_values() for voter in self.voters]} if self.voters else {}


class LayerScores(Classifier):
    """A perceptron's trained weights as a classifier; it does not learn."""

    name = "layers"

    def __init__(self, model: PerceptronModel) -> None:
        self.model = model
        self.unit = model.unit

    def copy_shared(self) -> LayerScores:
        return copy.copy(self)

    def score(self, states: States) -> FloatArray:
        keys = states.keys()
        weights = self.model.inside.action_weights(np.ascontiguousarray(keys).ravel())
        scores: FloatArray = weights.reshape(*keys.shape, len(states.names)).sum(axis=1)
        return scores

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> FloatArray:
        keys = states.keys()[rows][:, list(states.label_templates)]
        scores = np.zeros((len(rows), len(states.labels.names)), dtype=np.int64)
        for action in np.unique(actions):
            own = np.ascontiguousarray(keys[actions == action])
            weights = self.model.inside.label_weights(own.ravel(), int(action))
            scores[actions == action] = weights.reshape(*own.shape, scores.shape[1]).sum(axis=1)
        return scores

    def to_arrays(self) -> Arrays:
        return self.model.to_arrays()

    def to_values(self) -> dict[str, Any]:
        labels = self.model.labels
        rows = [[*row] for row in zip(labels.names, labels.of_root, labels.of_words, strict=True)]
        layers = [layer.to_values() for layer in self.model.layers]
        return {"spec": self.model.spec.to_values(), "labels": rows, "layers": layers}

    @classmethod
    def from_arrays(cls, arrays: Arrays, values: dict[str, Any]) -> Classifier:
        check(values, _LAYERS, "classifier.values")
        labels = Labels(*(tuple(row[i] for row in values["labels"]) for i in range(3)))
        layers = [Layer.from_file(dict(arrays), f".{i}", own) for i, own in enumerate(values["layers"])]
        model = PerceptronModel(ParserSpec.from_values(values["spec"]), labels, layers)
        model.check()
        return cls(model)


def kept_layers(spec: ParserSpec, layers: Sequence[Layer], templates: Templates) -> list[Layer]:
    """The layers of a parser, without weights for all templates but these."""
    if not isinstance(templates, Templates) or not templates:
        raise SpecError(f"restricted_to: templates must be Templates, at least one; got {templates!r}")
    used = spec.used_templates
    for unknown in templates - used:
        raise SpecError(f"restricted_to: templates must be some of the parser's; got {unknown}, which it does not have")
    kept = _atoms_of(templates)
    plain, vectors = _by_kind(used)
    dropped = {number for number, template in enumerate(plain) if frozenset(template.atoms) not in kept}
    is_kept = np.array([frozenset(template.atoms) in kept for template in vectors])
    emptied = [layer.emptied(dropped) for layer in layers]
    return [replace(layer, vectors=layer.vectors and _kept_vectors(layer.vectors, is_kept)) for layer in emptied]


def templates_on_top(known: ParserSpec, new: ParserSpec) -> Templates:
    """The templates of a parser that starts from another's weights, which depend on their order: its own come first."""
    old, own = known.used_templates, new.used_templates
    for missing in old - own:
        raise SpecError(f"train: init must have no templates but those of the new parser; got {missing}")
    if _by_kind(old)[1] != _by_kind(own)[1]:
        raise SpecError("train: init must have the templates of vectors of the new parser; they differ")
    by_atoms = {frozenset(template.atoms): template for template in own}
    for template in old:
        if by_atoms[frozenset(template.atoms)].actions_only != template.actions_only:
            raise SpecError(f"train: init has the template {template}; the new parser must have the same one")
    return old + new.templates


def _by_kind(templates: Templates) -> tuple[list[Template], list[Template]]:
    """Those whose features have keys, and those of vectors."""
    return [each for each in templates if not each.is_vector], [each for each in templates if each.is_vector]


def _atoms_of(templates: Iterable[Template]) -> set[frozenset[Atom]]:
    return {frozenset(template.atoms) for template in templates}


def _kept_vectors(weights: VectorWeights, is_kept: BoolArray) -> VectorWeights:
    """Weights of vectors, by template in their order: 0 unless they are kept."""
    actions, labels = (
        (array.reshape(len(is_kept), -1) * is_kept[:, None]).astype(array.dtype).ravel()
        for array in (weights.actions, weights.labels)
    )
    return weights._replace(actions=actions, labels=labels)
