"""Contributions: what each feature adds to the score of each choice, as tables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from panparser.errors import SpecError

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
    def of(records: Iterable[dict[str, Any]]) -> Rows:
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

    def against(self, name: str) -> pd.DataFrame:
        """`compared` as a DataFrame."""
        return self.compared(name).frame()

    def compared(self, name: str) -> Rows:
        """The chosen column compared with another: what each feature adds to both, by difference, largest first."""
        others = [column for column in self.columns if column != self.columns[self.chosen]]
        if name not in others:
            raise SpecError(
                f"against must be another legal choice, {', '.join(others) or 'of which there is none'}; got {name!r}"
            )
        ours, theirs = (self._wide[:, column] for column in (self.chosen, self.columns.index(name)))
        rows = [row for row in np.argsort(-np.abs(ours - theirs), kind="stable").tolist() if ours[row] != theirs[row]]
        parts = (values[rows] / self.unit for values in (ours, theirs, ours - theirs))
        names = (self.features[row] for row in rows)
        columns = ["feature", self.columns[self.chosen], name, "difference"]
        return Rows(columns, list(zip(names, *(part.tolist() for part in parts), strict=True)))
