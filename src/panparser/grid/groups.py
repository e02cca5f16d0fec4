"""Groups of treebanks, by a fact about them: those with few sentences to learn from, with many crossing arcs, ..."""

from __future__ import annotations

import math
import statistics
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise

from panparser.errors import SpecError
from panparser.grid.axes import TREEBANK
from panparser.grid.results import Results

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

    def of(self, results: Results) -> dict[str, tuple[str, ...]]:
        """The treebanks of each group, by its name and number: first all of them; groups without any are left out."""
        known = {name: self._fact(results, name) for name in results.axes.get(TREEBANK, ())}
        if not known:
            raise SpecError(f"{results.name}: groups are of treebanks, and it has no axis {TREEBANK}")
        found = {_ALL: tuple(known)}
        for place, name in enumerate(self.names):
            found[name] = tuple(each for each, value in known.items() if bisect_right(self.borders, value) == place)
        return {f"{name} ({len(treebanks)})": treebanks for name, treebanks in found.items() if treebanks}

    def _fact(self, results: Results, treebank: str) -> float:
        """The mean over the runs that tell it, which is the same in all of them if it is about data."""
        own = [row.outcome for row in results.done if row.labels[TREEBANK] == treebank and row.outcome is not None]
        values = [outcome.facts[self.fact] for outcome in own if self.fact in outcome.facts]
        if not values:
            raise SpecError(f"{results.name}: groups: no run on {treebank} has {self.fact}")
        return statistics.mean(values)
