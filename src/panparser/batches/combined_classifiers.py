"""Classifiers made of others: votes of several, and joint prediction of several outputs by one score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.checks import check_choice
from panparser.base.kinds import NUMBER, TEXT, ListOf, Nullable, Table, check, one_of
from panparser.base.types import IntArray
from panparser.batches.classifier import (
    STORED,
    Arrays,
    Classes,
    Classifier,
    ClassifierSetup,
    CompositeClassifier,
    FloatArray,
    check_classifier,
    checked_arrays,
    checked_scores,
    find_classifier,
    tag_columns,
)
from panparser.batches.item_states import States
from panparser.errors import SpecError

METHODS = ("scores", "choices")
OUTPUTS = ("label", "tag")  # what an action can be joined with
# Of manifests:
_VOTE = Table({"members": ListOf(STORED, minimum=1), "weights": Nullable(ListOf(NUMBER)), "by": one_of(*METHODS)})
_JOINT = Table({"of": ListOf(one_of(*OUTPUTS), minimum=1), "tags": ListOf(TEXT), "classifier": STORED})


class VotingClassifier(CompositeClassifier):
    """Trained classifiers of the same actions, labels and features, as one; it does not learn.

    `method="scores"`: the weighted sum of their scores, each in its own updates. `method="choices"`: each votes for the
    action, and the label, that it scores best; ties go to the choice of the earliest voter. Tags are those of the first
    that predicts any.
    """

    name = "vote"

    def __init__(
        self, members: Sequence[Classifier], weights: Sequence[float] | None = None, method: str = "scores"
    ) -> None:
        check_choice("VotingClassifier: method", method, METHODS)
        if not members:
            raise SpecError("VotingClassifier: members must be classifiers, at least one; got none")
        self.members = list(members)
        self.weights = [1.0] * len(self.members) if weights is None else [float(weight) for weight in weights]
        if len(self.weights) != len(self.members):
            raise SpecError(
                f"VotingClassifier: weights must be {len(self.members)}, one for each; got {len(self.weights)}"
            )
        self.method = method
        self.batch = min(member.batch for member in self.members)

    def start_batch(self, states: States) -> None:
        for member in self.members:
            member.start_batch(states)

    @property
    def _tagging(self) -> Classifier:
        return next((member for member in self.members if tag_columns(member)), self.members[0])

    @property
    def tag_columns(self) -> tuple[str, ...]:
        return tag_columns(self._tagging)

    def current_tags(self) -> IntArray:
        return self._tagging.current_tags()

    def tag(self, treebank: Any, vectors: Any = None, threads: int = 1) -> IntArray:
        return self._tagging.tag(treebank, vectors, threads)

    def write_tags(self, treebank: Any, tags: IntArray) -> None:
        self._tagging.write_tags(treebank, tags)

    def score(self, states: States) -> FloatArray:
        legal = states.legal().copy()
        return self._counted([checked_scores(each, "score", each.score(states), legal) for each in self.members], legal)

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> FloatArray:
        legal = states.legal_labels(rows, actions)
        found = [(each, each.score_labels(states, rows, actions)) for each in self.members]
        return self._counted([checked_scores(each, "score_labels", own, legal) for each, own in found], legal)

    @property
    def parts(self) -> Sequence[Classifier]:
        return self.members

    def _counted(self, scores: list[FloatArray], legal: npt.NDArray[np.bool_]) -> FloatArray:
        total = np.zeros(legal.shape)
        for place, (own, weight, member) in enumerate(zip(scores, self.weights, self.members, strict=True)):
            if self.method == "scores":
                total += weight * own / member.unit
                continue
            chosen = np.where(legal, own, -np.inf).argmax(axis=1)
            rows = np.arange(len(chosen))
            first = total[rows, chosen] == 0
            total[rows, chosen] += weight
            total[rows[first], chosen[first]] -= 1e-9 * place  # ties go to the earlier voter
        return total

    def to_arrays(self) -> Arrays:
        return {
            f"{place}.{name}": array
            for place, member in enumerate(self.members)
            for name, array in checked_arrays(member).items()
        }

    def to_values(self) -> dict[str, Any]:
        members = [{"name": member.name, "values": member.to_values()} for member in self.members]
        return {"members": members, "weights": self.weights, "by": self.method}

    @classmethod
    def from_parts(cls, arrays: Arrays, values: dict[str, Any], classes: Classes) -> VotingClassifier:
        check(values, _VOTE, "classifier.values")
        members = [_restored(arrays, f"{place}.", member, classes) for place, member in enumerate(values["members"])]
        return cls(members, values["weights"], values["by"])


class JointClassifier(CompositeClassifier):
    """Predicts an action and what comes with it by one score: the label of its arc, or the tag of the word it shifts.

    The beam is ranked by that score. A `classifier` that has `update_pair` learns it; its actions are named
    like `LEFT:nsubj` and `SHIFT:NOUN`. Tags are written to UPOS, and templates must not read them.
    """

    name = "joint"

    def __init__(self, classifier: Classifier, outputs: str | Sequence[str] = "label") -> None:
        outputs = (outputs,) if isinstance(outputs, str) else tuple(outputs)
        if not outputs or not set(outputs) <= set(OUTPUTS):
            raise SpecError(f"JointClassifier: outputs must be some of {', '.join(OUTPUTS)}; got {outputs!r}")
        check_classifier(classifier)
        self.classifier = classifier
        self.outputs = outputs
        self.tags: tuple[str, ...] = ()  # those that it knows
        self.batch, self.unit = classifier.batch, classifier.unit

    @property
    def parts(self) -> Sequence[Classifier]:
        """The classifier that learns."""
        return (self.classifier,)

    def prepare(self, setup: ClassifierSetup) -> None:
        self.classifier.prepare(setup)
        self.batch, self.unit = self.classifier.batch, self.classifier.unit

    def warm_start(self, setup: ClassifierSetup) -> None:
        self.classifier.warm_start(setup)
        self.batch, self.unit = self.classifier.batch, self.classifier.unit

    @property
    def tag_columns(self) -> tuple[str, ...]:
        return ("upos",) if "tag" in self.outputs else ()

    def write_tags(self, treebank: Any, tags: IntArray) -> None:
        treebank.column("upos")[:] = treebank.ids_of("upos", [*self.tags, "_"])[tags[:, 0]]

    def start_batch(self, states: States) -> None:
        self.classifier.start_batch(states)

    def score(self, states: States) -> FloatArray:
        return self.classifier.score(states)

    def score_labels(self, states: States, rows: IntArray, actions: IntArray) -> FloatArray:
        return self.classifier.score_labels(states, rows, actions)

    def update_pair(self, states: States, actions: IntArray, signs: IntArray) -> None:
        self.classifier.update_pair(states, actions, signs)

    def update_labels(self, states: States, rows: IntArray, actions: IntArray, labels: IntArray) -> None:
        self.classifier.update_labels(states, rows, actions, labels)

    def end_batch(self, states: States) -> None:
        self.classifier.end_batch(states)

    def training_state(self) -> Arrays:
        return self.classifier.training_state()

    def restore_training(self, arrays: Arrays) -> None:
        self.classifier.restore_training(arrays)

    def to_arrays(self) -> Arrays:
        return self.classifier.to_arrays()

    def to_values(self) -> dict[str, Any]:
        inner = {"name": self.classifier.name, "values": self.classifier.to_values()}
        return {"of": list(self.outputs), "tags": list(self.tags), "classifier": inner}

    @classmethod
    def from_parts(cls, arrays: Arrays, values: dict[str, Any], classes: Classes) -> JointClassifier:
        check(values, _JOINT, "classifier.values")
        restored = cls(_restored(arrays, "", values["classifier"], classes), values["of"])
        restored.tags = tuple(values["tags"])
        return restored


def _restored(arrays: Arrays, prefix: str, part: dict[str, Any], known: Classes) -> Classifier:
    own = {key.removeprefix(prefix): array for key, array in arrays.items() if key.startswith(prefix)}
    name, values = part["name"], part["values"]
    kind = known.get(name) or find_classifier(name, "a combined classifier")
    return (
        kind.from_parts(own, values, known) if issubclass(kind, CompositeClassifier) else kind.from_arrays(own, values)
    )
