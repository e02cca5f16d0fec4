"""Contributions of features and of network inputs to the score of an action."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from panparser.base.caching import cached_property
from panparser.base.types import IntArray
from panparser.errors import SpecError
from panparser.inspection.derivations import Derivations
from panparser.inspection.naive_features import ROOT
from panparser.inspection.named_features import shown
from panparser.networks.network_classifier import EncodedBatch, MaskedInput, NetworkClassifier
from panparser.networks.network_inputs import InputReader
from panparser.parsing.classifier_model import ClassifierModel
from panparser.parsing.python_states import ParserStates

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Rows:
    """A table in plain values."""

    columns: list[str]
    rows: list[tuple[Any, ...]]

    def frame(self) -> pd.DataFrame:
        try:
            import pandas as pd
        except ImportError:
            raise ImportError("a DataFrame needs pandas: pip install 'panparser[analysis]'") from None
        return pd.DataFrame(self.rows, columns=self.columns)

    def marked(self, name: str, value: str) -> Rows:
        """With a first column that has this value in each row."""
        return Rows([name, *self.columns], [(value, *row) for row in self.rows])

    @staticmethod
    def from_records(records: Iterable[dict[str, Any]]) -> Rows:
        records = list(records)
        return Rows(list(records[0]) if records else [], [tuple(record.values()) for record in records])


@dataclass(frozen=True)
class Contributions:
    """What each feature adds: `weights[feature, column]`; the sums are the scores.

    The engine's integers in a perceptron, numbers in a network.
    """

    features: tuple[str, ...]
    columns: tuple[str, ...]
    weights: npt.NDArray[Any]
    chosen: int  # the column of what was chosen
    unit: float  # an update of the perceptron, in these numbers; 1 in a network

    @property
    def scores(self) -> npt.NDArray[Any]:
        total: npt.NDArray[Any] = self._wide.sum(axis=0)
        return total

    @property
    def _wide(self) -> npt.NDArray[Any]:
        """The weights, in a type that holds their sums."""
        return self.weights.astype(np.result_type(self.weights, np.int64))

    @property
    def ranking(self) -> list[int]:
        """The columns: the chosen one, then the others by score."""
        scores = self.scores
        return sorted(range(len(self.columns)), key=lambda column: (column != self.chosen, -scores[column]))

    def largest(self, column: int) -> list[int]:
        """The features with a nonzero weight in a column, largest first."""
        order = np.argsort(-np.abs(self._wide[:, column]), kind="stable")
        return [int(row) for row in order if self.weights[row, column]]

    def rows(self) -> Rows:
        """A row for each column and each feature with a nonzero weight, in updates, largest first."""
        rows = [
            (self.columns[column], self.features[row], float(self.weights[row, column] / self.unit))
            for column in self.ranking
            for row in self.largest(column)
        ]
        return Rows(["class", "feature", "contribution"], rows)

    def frame(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        return self.rows().frame()

    def compare_with(self, name: str) -> pd.DataFrame:
        """`compared` as a DataFrame."""
        return self.comparison_rows(name).frame()

    def comparison_rows(self, name: str) -> Rows:
        """The chosen column compared with another: what each feature adds to both, by difference, largest first."""
        others = [column for column in self.columns if column != self.columns[self.chosen]]
        if name not in others:
            raise SpecError(
                f"explain: compare_with must be a legal choice, one of {', '.join(others) or 'none'}; got {name!r}"
            )
        ours, theirs = (self._wide[:, column] for column in (self.chosen, self.columns.index(name)))
        rows = [row for row in np.argsort(-np.abs(ours - theirs), kind="stable").tolist() if ours[row] != theirs[row]]
        parts = (values[rows] / self.unit for values in (ours, theirs, ours - theirs))
        names = (self.features[row] for row in rows)
        columns = ["feature", self.columns[self.chosen], name, "difference"]
        return Rows(columns, list(zip(names, *(part.tolist() for part in parts), strict=True)))


Scores = npt.NDArray[np.float64]
REST = "(all else)"  # of a score: other words, absent ones, biases, and what only inputs together do
_DIGITS = 6  # of a contribution; what is less is rounding
_SOURCES = {"lower": "form", "characters": "form", "vector": "form"}  # columns of the treebank, where they differ


class Occlusions:
    """The inputs of a network at the steps of one sentence, and what they contribute; steps count from 0.

    Inputs are those of the words at the network's positions, each once, labels of arcs, and actions of the past.
    """

    def __init__(self, derivations: Derivations) -> None:
        self.derivations = derivations
        model = derivations.parser.model
        assert isinstance(model, ClassifierModel)
        assert isinstance(model.classifier, NetworkClassifier)
        self.model, self.classifier = model, model.classifier
        self._reader: InputReader | None = None

    def _start(self, hidden: tuple[MaskedInput | None, ...], steps: int = 0) -> tuple[ParserStates, EncodedBatch]:
        """Return copies of the sentence after some steps, with one input hidden in each, and what scores them."""
        states = self.model.states(self.derivations.treebank)
        states.start(np.zeros(len(hidden), dtype=np.int64))
        batch = self.classifier.encode(states, hidden, self._reader)
        self._reader = batch.reader
        for at in range(steps):
            self._step(states, at)
        return states, batch

    def _scores(self, states: ParserStates, batch: EncodedBatch) -> Scores:
        return batch.score(states, is_local=self.classifier.is_local).astype(np.float64)

    def _step(self, states: ParserStates, at: int) -> None:
        actions, labels = (np.full(len(states), own[at]) for own in (self.derivations.actions, self.derivations.labels))
        states.apply(actions, labels)

    @cached_property
    def _steps(self) -> list[tuple[dict[str, MaskedInput], Scores, Scores | None]]:
        """The inputs of each step, by name, the scores of its actions, and of the labels of its arc, if any."""
        states, batch = self._start((None,))
        found = []
        for at, label in enumerate(self.derivations.labels.tolist()):
            labels = self._label_scores(states, batch, at)[0] if label >= 0 else None
            found.append((self._inputs(states), self._scores(states, batch)[0], labels))
            self._step(states, at)
        return found

    def _inputs(self, states: Any) -> dict[str, MaskedInput]:
        network, found = self.classifier.network, {}
        named: set[int] = set()
        for address, word in zip(network.positions, states.positions(network.positions)[0].tolist(), strict=True):
            if word < 0 or word in named:
                continue
            named.add(word)
            for column in network.columns:
                if column != "given_head":  # nothing is given
                    found[f"{address}.{column}={shown(self._cell(column, word))}"] = MaskedInput("word", word, column)
        if network.label_inputs:
            numbers = states.labels_at(network.label_inputs)[0].tolist()
            for place, (address, number) in enumerate(zip(network.label_inputs, numbers, strict=True)):
                if number >= 0:
                    name = self.derivations.parser.labels.names[number]
                    found[f"{address}.label={shown(name)}"] = MaskedInput("labels", place)
        if network.action_history:
            for ago, action in enumerate(states.history(network.action_history)[0].tolist()):
                if action >= 0:
                    found[f"history[{ago}]={states.names[action]}"] = MaskedInput("history", ago)
        return found

    def _cell(self, column: str, word: int) -> str:
        if word == 0:
            return ROOT
        treebank, source = self.derivations.treebank, _SOURCES.get(column, column)
        text: str = treebank.vocabulary(source)[treebank.column(source)[word - 1]]
        return text.lower() if column == "lower" else text

    def scores(self, at: int) -> Scores:
        """(actions) As the parser has them."""
        return self._steps[at][1]

    def label_scores(self, at: int) -> Scores | None:
        """(labels) Of the arc that the action of the step makes; None if it makes none."""
        return self._steps[at][2]

    def _label_scores(self, states: ParserStates, batch: EncodedBatch, at: int) -> Scores:
        rows: IntArray = np.arange(len(states), dtype=np.int32)
        actions = np.full(len(rows), self.derivations.actions[at])
        return batch.score_labels(states, rows, actions).astype(np.float64)

    def all_actions(self) -> Iterator[tuple[tuple[str, ...], Scores]]:
        """What `actions` returns for each step, from one walk through the sentence with each input hidden."""
        hidden = list(dict.fromkeys(one for inputs, *_ in self._steps for one in inputs.values()))
        states, batch = self._start((None, *hidden))
        for at, (inputs, *_) in enumerate(self._steps):
            rows = [0, *(1 + hidden.index(one) for one in inputs.values())]
            yield _contributions(inputs, self._scores(states, batch)[rows])
            self._step(states, at)

    def actions(self, at: int) -> tuple[tuple[str, ...], Scores]:
        """The inputs of a step, and what they contribute to the score of each action."""
        inputs = self._steps[at][0]
        states, batch = self._start((None, *inputs.values()), at)
        return _contributions(inputs, self._scores(states, batch))

    def labels(self, at: int) -> tuple[tuple[str, ...], Scores]:
        """The same for each label of the arc that the action of the step makes."""
        inputs = self._steps[at][0]
        states, batch = self._start((None, *inputs.values()), at)
        return _contributions(inputs, self._label_scores(states, batch, at))


def _contributions(inputs: dict[str, MaskedInput], scores: npt.NDArray[Any]) -> tuple[tuple[str, ...], Scores]:
    """From the scores with all inputs, then those without each."""
    whole, *without = scores.astype(np.float64)
    lost = np.round(whole - np.array(without).reshape(len(without), len(whole)), _DIGITS)
    return (*inputs, REST), np.concatenate([lost, [whole - lost.sum(axis=0)]])
