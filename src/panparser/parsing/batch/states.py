"""ParserStates: states that lead to trees; `states_of` makes those of a parser's system."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from panparser._arrays import IntArray
from panparser.features.vectors import WordVectors
from panparser.learning.classifiers import Classifier
from panparser.learning.combining import JointClassifier
from panparser.learning.labels import Labels
from panparser.learning.states import States
from panparser.parsing.batch.calls import PythonFeatureStates, without_calls
from panparser.parsing.batch.joint import JointActionStates
from panparser.parsing.batch.kept import BatchConstraints
from panparser.parsing.batch.python import PythonStates
from panparser.parsing.batch.tables import AddressLike, StateBatch
from panparser.parsing.spec import ParserSpec
from panparser.systems.python import PythonSteps
from panparser.treebank.treebank import Treebank


class ParserStates(States, Protocol):
    """States of the sentences of a treebank."""

    sentences: Treebank

    def positions(self, addresses: Sequence[AddressLike]) -> IntArray: ...
    def arcs(self, rows: IntArray, actions: IntArray) -> tuple[IntArray, IntArray]: ...
    def trees(self, states: IntArray) -> tuple[IntArray, IntArray]: ...
    def replace_gold(self, heads: IntArray, labels: IntArray) -> None: ...
    def constrain(self, constraints: BatchConstraints) -> None: ...


def joined(states: ParserStates, classifier: Classifier) -> ParserStates:
    """The states as a classifier sees them: a Joint one sees actions with their labels or tags."""
    if not isinstance(classifier, JointClassifier):
        return states
    together: Any = JointActionStates(states, classifier.of, classifier.tags)
    found: ParserStates = together
    return found


def states_of(
    spec: ParserSpec,
    treebank: Treebank,
    labels: Labels,
    *,
    gold: bool | tuple[IntArray, IntArray] = False,
    constraints: BatchConstraints | None = None,
    vectors: WordVectors | None = None,
) -> ParserStates:
    """The states of a parser over a treebank; none is started yet."""
    options: dict[str, Any] = {"templates": without_calls(spec.key_templates), "labels": labels, "gold": gold}
    options |= {"start": (), "constraints": constraints}
    states: Any
    if isinstance(spec.system, PythonSteps):
        states = PythonStates(spec.system, treebank, **options)
    else:
        states = StateBatch(spec.system, treebank, **options)
    states.vectors = vectors
    if spec.calls:
        states = PythonFeatureStates(states, spec.key_templates, spec.functions)
    found: ParserStates = states
    return found
