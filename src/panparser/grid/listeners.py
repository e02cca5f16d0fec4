"""Listeners that follow a grid."""

from __future__ import annotations

from collections.abc import Sequence

from panparser.grid.records import RunOutcome
from panparser.grid.runs import GridRun


class GridListener:
    """Is notified of what happens; overrides what it needs."""

    def before_grid(self, waiting: Sequence[GridRun], finished: int, workers: int) -> None:
        """The runs that are waiting, in the order in which they will begin; so many others are finished already."""

    def after_run(self, run: GridRun, outcome: RunOutcome) -> None:
        """A run has ended, well or not."""

    def tick(self) -> None:
        """A moment has passed."""
