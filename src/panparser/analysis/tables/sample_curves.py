"""What sentences with trees are worth: scores of classes by their number, beside those of another parser.

After Aufrant's thesis (2018) and Aufrant et al. (2016), whose slides print figures, and no formulas, of learnability,
hardness and complexity: those here are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from panparser._arrays import FloatArray, LongArray
from panparser._checks import is_number
from panparser.analysis.criteria.builtin import keys
from panparser.analysis.criteria.criterion import By
from panparser.analysis.frame import PUNCTUATION, measure_of
from panparser.analysis.frame import make_frame as frame_of
from panparser.analysis.tables.scores import scores
from panparser.errors import AnalysisError
from panparser.experiments.curves import parse_sizes
from panparser.parsing.spec import ParserSpec
from panparser.treebank.treebank import Treebank

LEVELS = (30, 40, 50, 60, 70, 75, 80, 85, 90, 95)  # percent: what a number of sentences is asked for
REACH = 0.9  # share of the last score at which a class is learned
FEW, MANY = 10, 500  # sentences: learnability is the score with few of them as a share of that with many
# Student's t for two-sided intervals of 95 %, by degrees of freedom from 1.
_T = (
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
    2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
)  # fmt: skip
_NORMAL = 1.960


@dataclass(frozen=True, eq=False)
class Curves:
    """Scores of classes by number of training sentences; `sample_curves` makes one.

    `scores[class, size, sample]` are in percent, `index` has the classes, of which the last is `all`, and `words` how
    many words of the test set they have. `against` are the scores of another parser of that test set, if there is one.
    """

    index: pd.Index
    words: LongArray
    sizes: tuple[int, ...]
    scores: FloatArray
    against: FloatArray | None = None

    @property
    def means(self) -> FloatArray:
        """(classes, sizes) Scores, on average over the samples."""
        found: FloatArray = self.scores.mean(axis=2)
        return found

    @property
    def half_widths(self) -> FloatArray:
        """(classes, sizes) Half of the 95 % interval of the mean over samples, by Student's t; NaN of one sample.

        All samples of a whole treebank are the same, and their interval is empty.
        """
        samples = self.scores.shape[2]
        if samples < 2:
            return np.full(self.scores.shape[:2], np.nan)
        t = _T[samples - 2] if samples - 2 < len(_T) else _NORMAL
        found: FloatArray = t * self.scores.std(axis=2, ddof=1) / np.sqrt(samples)
        return found

    @property
    def table(self) -> pd.DataFrame:
        """The mean score of each class for each size, with its number of words."""
        return self._by_size(self.means)

    @property
    def intervals(self) -> pd.DataFrame:
        """Half of the 95 % interval of each mean score."""
        return self._by_size(self.half_widths)

    @property
    def relative(self) -> pd.DataFrame:
        """Each mean score as a percentage of that of the last size."""
        means = self.means
        return self._by_size(_percent(means, means[:, -1:]))

    def classes(self, reach: float = REACH) -> pd.DataFrame:
        """How easily each class is learned, in percent. The formulas are ours.

        `learnability`: the score with 10 sentences (or with the first size, if that is larger) as a percentage of that
        with 500 (or the last size, if that is less). `hardness`: by how much more words of the class are wrong, with
        the last size, than words in general. `complexity`: by how much more sentences the class needs than words in
        general, until it has the share `reach` of its last score.
        """
        _check_reach(reach)
        means, errors = self.means, 100 - self.means[:, -1]
        few, many = (
            np.array([np.interp(np.log(size), np.log(self.sizes), row) for row in means])
            for size in (max(FEW, self.sizes[0]), min(MANY, self.sizes[-1]))
        )
        needed = np.array([self._reached(row, reach * row[-1]) for row in means])
        return pd.DataFrame(
            {
                "learnability": _percent(few, many),
                "hardness": _more(errors),
                "complexity": _more(needed),
            },
            index=self.index,
        )

    def break_even(self, cost: float | None = None) -> pd.DataFrame:
        """How many sentences each class needs to be as good as the other parser, and what they cost, at a price each.

        Between two sizes the score is taken to grow as the logarithm of the number of sentences. The first size stands
        for any number up to it, NaN for more than the last. `low` and `high`: where the limits of the interval of the
        mean score meet that of the other parser.
        """
        if self.against is None:
            raise AnalysisError("break_even: expected another parser to compare with (against=...), found none")
        means, half = self.means, np.nan_to_num(self.half_widths)
        found = [
            [self._reached(curve, other) for curve, other in zip(curves, self.against, strict=True)]
            for curves in (means, means + half, means - half)
        ]
        columns = {"words": self.words, "against": self.against, "first": means[:, 0], "last": means[:, -1]}
        names = ("sentences", "low", "high") if self.scores.shape[2] > 1 else ("sentences",)
        columns |= {name: np.array(each) for name, each in zip(names, found, strict=False)}
        return _priced(pd.DataFrame(columns, index=self.index), cost)

    def capacity(self, levels: Sequence[float] = LEVELS, cost: float | None = None) -> pd.DataFrame:
        """How many sentences it takes to reach each of some scores over all words, and what they cost.

        As in `break_even`, the first size stands for any number up to it, and NaN for more than the last.
        """
        curve = self.means[-1]
        found = np.array([self._reached(curve, level) for level in levels])
        return _priced(pd.DataFrame({"sentences": found}, index=pd.Index(levels, name="score")), cost)

    def _reached(self, curve: FloatArray, level: float) -> float:
        """The number of sentences at which a curve reaches a score."""
        if not (curve >= level).any():
            return float("nan")
        after = int((curve >= level).argmax())
        if after == 0:
            return float(self.sizes[0])
        share = (level - curve[after - 1]) / (curve[after] - curve[after - 1])
        return float(np.exp(np.log(self.sizes[after - 1]) * (1 - share) + np.log(self.sizes[after]) * share))

    def _by_size(self, values: FloatArray) -> pd.DataFrame:
        table = pd.DataFrame({"words": self.words}, index=self.index)
        for place, size in enumerate(self.sizes):
            table[size] = values[:, place]
        return table.set_axis(pd.Index(["words", *self.sizes], dtype=object), axis=1)


def sample_curves(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    by: By = "upos",
    of: str = "uas",
    *,
    samples: int | None = None,
    against: Treebank | None = None,
    dev: Treebank | None = None,
    ignore: Sequence[str] = PUNCTUATION,
    threads: int = 1,
    report: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Curves:
    """Scores of each class on `test`, of parsers that learned from so many sentences of a treebank.

    They learn from its first sentences, or with `samples` from so many random samples of each size; `options` are those
    of `TrainingConfig`, whose seed is also that of the first sample. `against` is what another parser, such as one that
    learned from other languages, made of `test`. `report` is called with the numbers of parsers done and in all.
    """
    keys(by), measure_of(of)  # says so before training if they are unknown
    if not len(frame_of(test, ignore=ignore)):
        raise AnalysisError(f"{test.path}: expected words to score, found none that count")
    if against is not None:
        frame_of(test, against)  # they must have the same words
    if not sizes or list(sizes) != sorted(set(sizes)):
        raise AnalysisError(f"sizes of learning curves must be rising numbers; got {list(sizes)!r}")
    parsed = parse_sizes(
        spec, treebank, test, sizes, samples=samples, dev=dev, threads=threads, report=report, **options
    )
    every = [each for group in parsed for each in group] + ([] if against is None else [against])
    names = [f"parser {number}" for number in range(len(every))]
    frame = frame_of(test, *every, names=names, train=treebank, ignore=ignore)
    parts = [scores(frame, each, [of]) for each in (by, None)]
    table = pd.concat([parts[0], parts[1].set_axis(_all_like(parts[0].index))])
    values = table.iloc[:, 1:].to_numpy(dtype=np.float64)
    number = len(sizes) * len(parsed[0])
    return Curves(
        index=table.index,
        words=table.iloc[:, 0].to_numpy(dtype=np.int64),
        sizes=tuple(sizes),
        scores=values[:, :number].reshape(len(table), len(sizes), -1),
        against=None if against is None else values[:, number],
    )


def _check_reach(reach: float) -> None:
    if not is_number(reach) or not 0 <= reach <= 1:
        raise AnalysisError(f"reach: expected a share from 0 to 1, found {reach!r}")


def _percent(part: FloatArray, whole: FloatArray) -> FloatArray:
    """Percentages; NaN of nothing."""
    shares: FloatArray = np.divide(100 * part, whole, out=np.full(part.shape, np.nan), where=whole > 0)
    return shares


def _more(values: FloatArray) -> FloatArray:
    """By how many percent each is more than the last."""
    found: FloatArray = _percent(values - values[-1], np.full(len(values), values[-1]))
    return found


def _priced(table: pd.DataFrame, cost: float | None) -> pd.DataFrame:
    """The table with the price of whole sentences, if there is one."""
    return table if cost is None else table.assign(cost=np.ceil(table["sentences"]) * cost)


def _all_like(index: pd.Index) -> pd.Index:
    if index.nlevels > 1:
        return pd.MultiIndex.from_tuples([("all",) + ("",) * (index.nlevels - 1)], names=index.names)
    return pd.Index(["all"], name=index.name)
