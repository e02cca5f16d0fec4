"""Derivations: the actions of a parser over a treebank."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from panparser import _engine
from panparser.base.caching import cached_property
from panparser.base.checks import check_beam
from panparser.base.types import IntArray, LongArray
from panparser.batches.batch_search import BatchSearch, batches_of
from panparser.errors import NoLegalTransitionError, SpecError, TreebankError
from panparser.features.templates import Templates
from panparser.inspection.naive_features import Derivation
from panparser.networks.network_classifier import NetworkClassifier
from panparser.parsing.classifier_model import ClassifierModel
from panparser.parsing.engine_model import PerceptronModel
from panparser.parsing.parser import Parser
from panparser.parsing.table_states import StateBatch
from panparser.systems.transition_system import TransitionSystem
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank, check_lengths


def inside(parser: Parser) -> _engine.Inside:
    """The engine's view of a parser's weights."""
    return perceptron(parser).inside


def perceptron(parser: Parser) -> PerceptronModel:
    """The model of a parser, if it can be inspected. Raises SpecError otherwise."""
    if not isinstance(parser, Parser):
        raise SpecError(f"expected a Parser to inspect; got {parser!r}")
    if not isinstance(parser.model, PerceptronModel):
        raise SpecError(f"only a perceptron can be looked into; this parser has the classifier {parser.model.name}")
    if parser.model.voters:
        raise SpecError("a vote has no weights itself; inspect the parsers that vote")
    return parser.model


def network(parser: Parser) -> ClassifierModel | None:
    """The model of a parser, if it is a network. Raises SpecError if its states cannot be shown."""
    model = parser.model
    if not isinstance(model, ClassifierModel) or not isinstance(model.classifier, NetworkClassifier):
        return None
    if not isinstance(parser.spec.system, TransitionSystem):
        raise SpecError(f"only parsers of tables can be looked into; {parser.spec.system.name} is a system in Python")
    return model


def units(parser: Parser) -> tuple[float, float]:
    """The size of one perceptron update in the engine's scores of actions, and of labels."""
    if not isinstance(parser.model, PerceptronModel):
        raise SpecError(f"only a perceptron can be looked into; this parser has the classifier {parser.model.name}")
    return parser.model.units


def binary_templates(parser: Parser) -> Templates:
    """The templates whose features have keys: all but those of vectors."""
    return Templates(tuple(template for template in parser.spec.used_templates if not template.is_vector))


@dataclass(frozen=True)
class Derivations:
    """Steps and labels of their arcs (-1: none) of all sentences; those of sentence i begin at `offsets[i]`."""

    parser: Parser
    treebank: Treebank
    offsets: LongArray
    steps: IntArray
    labels: IntArray

    @cached_property
    def actions(self) -> IntArray:
        """The steps without the place of the focus, if that is free."""
        return self.steps % np.int32(_engine.MAX_ROWS)

    @property
    def _is_free(self) -> bool:
        return self.parser.spec.system.focus == "free"

    @classmethod
    def from_treebank(cls, parser: Parser, treebank: Treebank, *, beam: int | None = None) -> Derivations:
        """The derivations of `parser.parse`."""
        if not isinstance(parser, Parser):
            raise SpecError(f"expected a Parser to inspect; got {parser!r}")
        searched = network(parser)
        model = perceptron(parser) if searched is None else None
        if not isinstance(treebank, Treebank):
            raise TreebankError(f"expected a Treebank to parse; got {treebank!r}")
        beam = parser.spec.beam if beam is None else beam
        check_beam(beam, "derivations")
        check_lengths(treebank)
        treebank.check()
        if searched is not None:
            return cls(parser, treebank, *_found(searched, treebank, beam))
        assert model is not None
        rows = parser.vectors.rows(treebank) if parser.vectors else None
        try:
            found = model.engine.derivations(treebank._store, beam, rows, parser.pruning_margin)
        except _engine.Stuck as error:
            raise NoLegalTransitionError(f"{parser.spec.system.name}: {error}") from None
        offsets = np.concatenate([[0], np.cumsum(found.lengths, dtype=np.int64)])
        return cls(parser, treebank, offsets, found.actions, found.labels)

    def batch(self, **options: object) -> StateBatch:
        """States of the sentences, for `walk`; the options are those of StateBatch."""
        templates = binary_templates(self.parser)
        return StateBatch(
            self.parser.spec.system,
            self.treebank,
            **{"templates": templates, "labels": self.parser.labels, "start": (), **options},  # type: ignore[arg-type]
        )

    def walk(self, batch: StateBatch, sentences: LongArray | None = None) -> Iterator[LongArray]:
        """Steps through all sentences together: for each row of the batch, the index of its next action in `actions`.

        `sentences`: for each sentence of the batch's treebank, the one here whose derivation it takes; default: itself.
        """
        source = np.arange(len(self.treebank)) if sentences is None else sentences
        chosen = np.flatnonzero(np.diff(self.offsets)[source] > 0)
        batch.start(chosen)
        return self.follow(batch, self.offsets[source[chosen]])

    def follow(self, batch: StateBatch, starts: LongArray) -> Iterator[LongArray]:
        """Like `walk`, from the current states of a batch; `starts` are where the actions of its sentences begin.

        If the focus is free, the rows are those of the places where the actions are taken.
        """
        step = 0
        while len(batch):
            at: LongArray = starts[batch.sentence_index] + step
            if self._is_free:
                taken = batch.focus == self.steps[at] // _engine.MAX_ROWS
                batch.select(batch.ids[taken], batch.focus[taken])
                at = at[taken]
            yield at
            batch.apply(self.actions[at], self.labels[at])
            step += 1

    def sentence_of(self, at: int) -> tuple[int, int]:
        """The sentence of an action, and its index in that sentence."""
        sentence = int(np.searchsorted(self.offsets, at, side="right")) - 1
        return sentence, at - int(self.offsets[sentence])

    def replay(self, sentence: int, steps: int | None = None) -> Derivation:
        """The first `steps` actions of a sentence, or all, in slow and readable form."""
        system, names = self.parser.spec.system, self.parser.labels.names
        words = len(self.treebank[sentence])
        here = Derivation(system.initial(words))
        first = int(self.offsets[sentence])
        last = int(self.offsets[sentence + 1]) if steps is None else first + steps
        for step, label in zip(self.steps[first:last].tolist(), self.labels[first:last].tolist(), strict=True):
            here = here.follow(system.step_name(step), names[label] if label >= 0 else None)
        return here


def _found(model: ClassifierModel, treebank: Treebank, beam: int) -> tuple[LongArray, IntArray, IntArray]:
    """Offsets, actions and labels of the derivations that a classifier finds."""
    states = model.states(treebank)
    found: dict[int, tuple[IntArray, IntArray]] = {}
    every = np.arange(len(treebank), dtype=np.int64)
    with model.pool.take() as classifier:
        search = BatchSearch(states, classifier)
        for sentences in batches_of(classifier, every, np.diff(treebank.offsets), learning=False):
            for sentence, final in zip(sentences.tolist(), search.best(sentences, beam).tolist(), strict=True):
                before, actions = states.derivation(final)
                states.select(before)
                labels = search.choose_labels(np.arange(len(before), dtype=np.int32), actions)
                found[sentence] = actions, np.full(len(actions), -1, dtype=np.int32) if labels is None else labels
    lengths = [len(found[sentence][0]) for sentence in every.tolist()]
    none = np.zeros(0, dtype=np.int32)
    actions, labels = (np.concatenate([none, *(found[one][part] for one in every.tolist())]) for part in (0, 1))
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]), actions, labels


def alone(sentence: Sentence) -> Treebank:
    """A treebank of one sentence."""
    if not isinstance(sentence, Sentence):
        raise TreebankError(f"expected a Sentence; got {sentence!r}")
    return sentence.treebank[sentence.position : sentence.position + 1]
