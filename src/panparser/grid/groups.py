"""Groups of treebanks, by a fact about them: those with few sentences to learn from, with many crossing arcs, ..."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from panparser.errors import SpecError
from panparser.grid.axes import TREEBANK
from panparser.grid.results import GridResults

_ALL = "all"


@dataclass(frozen=True)
class TreebankGroups:
    """Treebanks below, between and above some `borders` of a fact, such as `sentences`, that runs tell of them."""

    fact: str
    borders: tuple[float, ...]

    @classmethod
    def parse(cls, text: str) -> TreebankGroups:
        """Those of a text such as "sentences:500" or "crossing_percent:10,25,50"."""
        fact, _, numbers = text.partition(":")
        try:
            borders = tuple(float(number) for number in numbers.split(","))
        except ValueError:
            borders = ()
        is_ordered = all(map(math.isfinite, borders)) and all(low < high for low, high in pairwise(borders))
        if not fact.strip() or not borders or not is_ordered:
            raise SpecError(f"groups: expected a fact and rising borders, such as sentences:500, found {text!r}")
        return cls(fact.strip(), borders)

    @property
    def names(self) -> tuple[str, ...]:
        shown = [f"{border:g}" for border in self.borders]
        between = [f"{low} to {high}" for low, high in pairwise(shown)]
        return (f"under {shown[0]}", *between, f"{shown[-1]} or more")

    def of(self, results: GridResults, treebanks: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """These treebanks by the name and number of their group: first all of them; groups without any are left out.

        `results` tell the fact; a treebank of which no run tells it is in no group.
        """
        known = {name: value for name in treebanks if (value := self._fact(results, name)) is not None}
        if not known:
            raise SpecError(f"{results.name}: groups: no run has {self.fact}")
        found = {_ALL: tuple(treebanks)}
        for place, name in enumerate(self.names):
            found[name] = tuple(each for each, value in known.items() if bisect_right(self.borders, value) == place)
        return {f"{name} ({len(own)})": own for name, own in found.items() if own}

    def _fact(self, results: GridResults, treebank: str) -> float | None:
        """The mean over the runs that tell it, which is the same in all of them if it is about data."""
        own = [row.outcome for row in results.done if row.labels.get(TREEBANK) == treebank and row.outcome is not None]
        values = [outcome.facts[self.fact] for outcome in own if self.fact in outcome.facts]
        return statistics.mean(values) if values else None
