"""Tables of results: means and deviations by axes, differences and their tests; every cell has its runs."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from panparser.base.types import FloatArray
from panparser.errors import SpecError
from panparser.evaluation.metrics import Evaluation, compare_evaluations
from panparser.evaluation.significance import holm, mean_difference, sign_test
from panparser.lab.grid_file import SEED, TREEBANK
from panparser.lab.outcomes import RunOutcome
from panparser.lab.result_groups import TreebankGroups
from panparser.lab.results import GridResult, GridResults
from panparser.lab.table_output import Cell, ResultTable

AVERAGE, DIFFERENCE, MEAN = "average", "difference", "mean difference"  # columns
LEVEL = 0.05  # of significance
ALL_GROUPS = "all"
MIN_INTEGER_DISPLAY = 10_000  # without digits after the point
BOOTSTRAP_SAMPLES, PERMUTATIONS = 1000, 10_000
_DIGITS_OF_P = 4


@dataclass(frozen=True, kw_only=True)
class ResultTableLayout:
    """What a table shows: scores of a split, or a fact about training; axes of rows, and the axis of columns.

    None: LAS if there is any, else UAS; treebanks are columns, and all other axes but seeds are rows. Several metrics,
    with commas between them, are columns themselves, or of each column. `against`: the row that others are compared
    with; `summary`: in one line each, over all treebanks. `groups`: in place of treebanks, means over groups of them.
    `digits`: after the point, or a number for each metric.
    """

    split: str = "test"
    metric: str | None = None
    rows: tuple[str, ...] | None = None
    columns: str | None = None
    baseline: str | None = None
    summary: bool = False
    groups: TreebankGroups | None = None
    digits: int | Sequence[int] = 2
    std: bool = True
    labels: Mapping[str, Sequence[str]] = field(default_factory=dict)  # by axis: only these

    def table(
        self, results: GridResults, *, permutations: int = PERMUTATIONS, progress: Progress | None = None
    ) -> ResultTable:
        """The table of results."""
        chosen = self._chosen(results)
        metrics = [name.strip() for name in (self.metric or "").split(",")]
        if len(metrics) > 1:
            return self._of_metrics(chosen, metrics)
        shape = TableLayout(chosen, self, whole=results)
        return (
            shape.means() if self.baseline is None else shape.differences(permutations, progress or (lambda *_: None))
        )

    def metric_table(self, results: GridResults, metric: str) -> ResultTable:
        """The table of one metric as it is among several: a column of its own, unless `columns` has names."""
        return self._of_metrics(self._chosen(results), [metric])

    def _chosen(self, results: GridResults) -> GridResults:
        return results.where(**{axis: tuple(labels) for axis, labels in self.labels.items()})

    def _of_metrics(self, results: GridResults, metrics: Sequence[str]) -> ResultTable:
        """Rows as ever, and a column for each metric; or, of each column, one for each."""
        if self.baseline is not None or self.groups is not None:
            raise SpecError("several metrics: expected no groups, and no row to compare with")
        flat = self.columns is None
        tables = [
            TableLayout(results, replace(self, metric=metric, digits=digits), flat=flat).means()
            for metric, digits in zip(metrics, self.digits_per_metric(len(metrics)), strict=True)
        ]
        first, names = tables[0], tables[0].names
        rows = [
            (
                *row[:names],
                *(cell for cells in zip(*(each.rows[at][names:] for each in tables), strict=True) for cell in cells),
            )
            for at, row in enumerate(first.rows)
        ]
        columns = [
            _words(metric) if flat else f"{name} {_words(metric)}" for name in first.head[names:] for metric in metrics
        ]
        title = "; ".join([first.title, *(_words(metric) for metric in metrics[1:])])
        return replace(first, title=title, head=(*first.head[:names], *columns), rows=tuple(rows))

    def digits_per_metric(self, metrics: int) -> list[int]:
        """Those of each metric."""
        given = [self.digits] * metrics if isinstance(self.digits, int) else list(self.digits)
        if len(given) == 1:
            given *= metrics
        if len(given) != metrics:
            raise SpecError(f"digits: expected one number, or {metrics}, one for each metric; found {len(given)}")
        return given


Progress = Callable[[str, int, int], None]


def value_of(outcome: RunOutcome, split: str, metric: str) -> float | None:
    """A score, or a fact about training."""
    score = outcome.score(split, metric)
    if score is not None:
        return score
    return outcome.seconds if metric == "seconds" else outcome.facts.get(metric)


def _plural(name: str) -> str:
    return name if name.endswith("s") else f"{name}s"


def _words(metric: str) -> str:
    return metric.replace("_", " ")


class TableLayout:
    """Results sorted into rows and columns; `flat`: there is but one column, whatever the treebanks.

    `whole`: the results that they were chosen from, which know more about treebanks.
    """

    def __init__(
        self, results: GridResults, layout: ResultTableLayout, *, flat: bool = False, whole: GridResults | None = None
    ) -> None:
        self.whole = whole or results
        self.results, self.layout, (self.digits,) = results, layout, layout.digits_per_metric(1)
        axes = results.axes
        for axis in (*(layout.rows or ()), *([layout.columns] if layout.columns else [])):
            if axis not in axes:
                raise SpecError(f"{results.name}: has no axis {axis}; there are {', '.join(axes) or 'none'}")
        self.columns = layout.columns or (
            TREEBANK if TREEBANK in axes and TREEBANK not in (layout.rows or ()) and not flat else None
        )
        if self.columns in (layout.rows or ()):
            raise SpecError(f"{self.columns}: expected it as rows or as columns, found it as both")
        rest = [axis for axis, names in axes.items() if axis not in (SEED, self.columns) and len(names) > 1]
        usual = [axis for axis in rest if axis != TREEBANK] if flat else rest
        self.rows = tuple(usual or rest) if layout.rows is None else layout.rows
        self.metric = layout.metric or self._usual_metric()
        self.names = axes.get(self.columns, ()) if self.columns else (ALL_GROUPS,)
        self.averaged = tuple(axis for axis in rest if axis not in self.rows)
        if layout.summary and layout.baseline is None:
            raise SpecError("summary: expected a row to compare with (against), found none")
        if layout.groups is not None and self.columns != TREEBANK:
            raise SpecError(f"groups are of treebanks: expected them as columns, found {self.columns}")
        if layout.groups is not None and layout.baseline is not None and not layout.summary:
            raise SpecError("groups: of comparisons, expected a summary of them")
        self._check_values()

    def _check_values(self) -> None:
        """Raises SpecError if no run has what is asked for."""
        outcomes = [row.outcome for row in self.results.finished_runs if row.outcome]
        split = self.layout.split
        if not outcomes or any(value_of(outcome, split, self.metric) is not None for outcome in outcomes):
            return
        scores = [outcome.values["scores"] for outcome in outcomes]
        splits = sorted({name for each in scores for name in each})
        if splits and split not in splits:
            raise SpecError(f"{self.results.name}: no run has scores of {split}; there are {', '.join(splits)}")
        names = sorted({name for each in scores for name in each.get(split, {})} | {"seconds"})
        facts = sorted({name for outcome in outcomes for name in outcome.facts})
        raise SpecError(f"{self.results.name}: no run has {self.metric}; there are {', '.join([*names, *facts])}")

    def _usual_metric(self) -> str:
        found = [row.outcome.score(self.layout.split, "LAS") for row in self.results.finished_runs if row.outcome]
        return "LAS" if found and all(score is not None for score in found) else "UAS"

    @property
    def title(self) -> str:
        is_score = any(
            row.outcome and row.outcome.score(self.layout.split, self.metric) is not None
            for row in self.results.finished_runs
        )
        what = f"{self.layout.split} {self.metric}" if is_score else _words(self.metric)
        seeds = 1 if SEED in (*self.rows, self.columns) else len(self.results.axes.get(SEED, ()))
        over = [f"of {seeds} seeds"] if seeds > 1 else []
        over += [f"over {', '.join(self.averaged)}"] if self.averaged else []
        return f"{what}, mean {' and '.join(over)}" if over else what

    def lines(self) -> dict[tuple[str, ...], dict[str, list[GridResult]]]:
        """The runs of each row and column, in the order of the axes; rows that no run has are left out."""
        places = list(product(*(self.results.axes[axis] for axis in self.rows)))
        found: dict[tuple[str, ...], dict[str, list[GridResult]]] = {place: {} for place in places}
        for row in self.results.rows:
            place = tuple(row.labels[axis] for axis in self.rows)
            name = row.labels[self.columns] if self.columns else ALL_GROUPS
            found[place].setdefault(name, []).append(row)
        return {place: columns for place, columns in found.items() if columns}

    # --- Means ---

    def means(self) -> ResultTable:
        groups = {AVERAGE: self.names} if self.columns == TREEBANK and len(self.names) > 1 else {}
        single: Sequence[str] = self.names
        if self.layout.groups is not None:
            groups, single = self.layout.groups.group_treebanks(self.whole, self.names), ()
        head = (*self.rows, *(single if self.columns else (_words(self.metric),)), *groups)
        rows = []
        for place, columns in self.lines().items():
            cells = [self._mean(columns.get(name, [])) for name in single]
            averages = [self._average(columns, names) for names in groups.values()]
            rows.append((*map(Cell, place), *cells, *averages))
        if self.rows == (TREEBANK,) and self.columns is None and len(rows) > 1:
            by_treebank = {name: columns.get(ALL_GROUPS, []) for (name,), columns in self.lines().items()}
            rows.append((Cell(AVERAGE), self._average(by_treebank, tuple(by_treebank))))
        return ResultTable(self.title, head, tuple(rows), len(self.rows), (self.results.signature(),))

    def _mean(self, runs: Sequence[GridResult]) -> Cell:
        known = self._values(runs)
        if not known:
            return Cell("-")
        mean = statistics.mean(value for _, value in known)
        deviation = self._deviation(known)
        gap = f" [{len(known)} of {len(runs)}]" if len(known) < len(runs) else ""
        keys = tuple(row.key for row, _ in known)
        return Cell(self._shown(mean, deviation) + gap, mean, keys, deviation, self.digits)

    def _values(self, runs: Sequence[GridResult]) -> list[tuple[GridResult, float]]:
        found = []
        for row in runs:
            if row.outcome is not None and row.outcome.is_finished:
                value = value_of(row.outcome, self.layout.split, self.metric)
                if value is not None:
                    found.append((row, value))
        return found

    def _deviation(self, known: Sequence[tuple[GridResult, float]]) -> float | None:
        """Of the means of seeds, if they are asked for and all have the same runs."""
        if not self.layout.std:
            return None
        by_seed: dict[str, list[float]] = {}
        for row, value in known:
            by_seed.setdefault(row.labels.get(SEED, ""), []).append(value)
        means = [statistics.mean(values) for values in by_seed.values()]
        is_balanced = len({len(values) for values in by_seed.values()}) == 1
        return statistics.stdev(means) if len(means) > 1 and is_balanced else None

    def _average(self, columns: Mapping[str, list[GridResult]], names: Sequence[str]) -> Cell:
        """Over treebanks, if all are complete."""
        cells = [self._mean(columns.get(name, [])) for name in names]
        runs = [row for name in names for row in columns.get(name, [])]
        known = self._values(runs)
        if len(known) < len(runs) or any(cell.value is None for cell in cells):
            return Cell("-")
        mean = statistics.mean(cell.value for cell in cells if cell.value is not None)
        deviation = self._deviation(known)
        keys = tuple(row.key for row, _ in known)
        return Cell(self._shown(mean, deviation), mean, keys, deviation, self.digits)

    def _shown(self, mean: float, deviation: float | None) -> str:
        spread = f" ± {self._number(deviation)}" if deviation is not None else ""
        return f"{self._number(mean)}{spread}"

    def _number(self, value: float) -> str:
        return f"{value:,.{0 if abs(value) >= MIN_INTEGER_DISPLAY else self.digits}f}"

    # --- Differences ---

    def differences(self, permutations: int, progress: Progress) -> ResultTable:
        """Each row less the one that it is compared with, by treebank and over all of them."""
        lines = self.lines()
        known = {", ".join(place): place for place in lines}
        if self.layout.baseline not in known:
            raise SpecError(f"expected one of {'; '.join(known)} to compare with, found {self.layout.baseline!r}")
        reference = lines[known[self.layout.baseline]]
        others = {place: columns for place, columns in lines.items() if place != known[self.layout.baseline]}
        rows: list[tuple[Cell, ...]] = []
        how = "p by approximate randomization over sentences, Holm over"
        notes = [f"differences from {self.layout.baseline}; {how} the {_plural(self.columns or 'test')} of a row"]
        groups = (
            {MEAN: self.names}
            if self.layout.groups is None
            else self.layout.groups.group_treebanks(self.whole, self.names)
        )
        for number, (place, columns) in enumerate(others.items()):
            progress(", ".join(place), number, len(others))
            tests = [
                self._test(name, reference.get(name, []), columns.get(name, []), permutations)
                for name in self.names
                if name in reference or name in columns
            ]
            rows += [self._summed(place, tests, groups)] if self.layout.summary else self._compared(place, tests)
            notes.append(self._summary(", ".join(place), tests) + self._left_out(tests))
        title = f"{self.title}, less that of {self.layout.baseline}"
        if self.layout.summary:
            head = (*self.rows, *groups, "better (significantly)", "worse (significantly)", "p")
            return ResultTable(title, head, tuple(rows), len(self.rows), (*notes, self.results.signature()))
        head = (*self.rows, self.columns or "", "its own", DIFFERENCE, "95 %", "p", "Holm", "p, seeds")
        return ResultTable(title, head, tuple(rows), len(self.rows) + 1, (*notes, self.results.signature()))

    def _test(
        self, name: str, first: Sequence[GridResult], second: Sequence[GridResult], shuffles: int
    ) -> TreebankTest:
        """Of runs that are the same in all but what is compared; those that lack a partner are counted."""
        other = [axis for axis in self.results.axes if axis not in self.rows]

        def place(row: GridResult) -> tuple[str, ...]:
            return tuple(row.labels[axis] for axis in other)

        sides = [{place(row): row for row, _ in self._values(each)} for each in (first, second)]
        wanted = len({place(row) for row in (*first, *second)})
        pairs = [(row, sides[1][key]) for key, row in sides[0].items() if key in sides[1]]
        if not pairs:
            return TreebankTest(name, wanted)
        values = np.array([[value for _, value in self._values(pair)] for pair in pairs])
        interval, p = self._significance(self._counts(pairs), shuffles)
        gains = values[:, 1] - values[:, 0]
        keys = tuple(row.key for pair in pairs for row in pair)
        own = float(values[:, 1].mean())
        chance = sign_test(gains) if len(gains) > 1 else float("nan")
        return TreebankTest(name, wanted, len(pairs), own, float(gains.mean()), interval, p, chance, keys)

    def _significance(self, counts: Sequence[FloatArray], shuffles: int) -> tuple[tuple[float, float], float]:
        """The interval of a difference, and the probability of one as large; of the mean, if there are treebanks."""
        if len(counts) > 1:
            return mean_difference(
                [(each[0], each[1]) for each in counts], samples=BOOTSTRAP_SAMPLES, shuffles=shuffles
            )
        evaluations = [Evaluation({}, 100.0, {"Words": each[:, [1, 1, 2]], self.metric: each}) for each in counts[0]]
        found = compare_evaluations(*evaluations, bootstrap_samples=BOOTSTRAP_SAMPLES, permutations=shuffles)[
            self.metric
        ]
        return found.interval, found.p_randomization

    def _counts(self, pairs: Sequence[tuple[GridResult, GridResult]]) -> list[FloatArray]:
        """For each treebank (2, sentences, 3): those of both sides, summed over runs.

        So a sentence is swapped with all its seeds.
        """
        treebanks: dict[str, list[list[FloatArray]]] = {}
        for pair in pairs:
            found = [row.outcome.counts(self.layout.split, self.metric) for row in pair if row.outcome is not None]
            tables = [each for each in found if each is not None]
            if len(tables) < len(pair):
                raise SpecError(f"{self.metric}: expected a metric that is counted by sentence: UAS, LAS or FullLAS")
            treebanks.setdefault(self._treebank(pair[0]), []).append(tables)
        for own in treebanks.values():
            if len({len(each) for tables in own for each in tables}) > 1:
                raise SpecError(f"expected runs on the same {self.layout.split} set, found sets of different lengths")
        return [np.sum(own, axis=0) for own in treebanks.values()]

    def _treebank(self, row: GridResult) -> str:
        """What a run is scored on: the name on the axis of treebanks or, without one, the hash of the file."""
        if TREEBANK in row.labels or row.outcome is None:
            return row.labels.get(TREEBANK, "")
        return str(row.outcome.values["run"]["splits"].get(self.layout.split, ""))

    def _compared(self, place: tuple[str, ...], tests: Sequence[TreebankTest]) -> list[tuple[Cell, ...]]:
        """A row for each treebank."""
        made = [test for test in tests if test.pairs]
        corrected = holm(np.array([test.p for test in made]))
        chances = dict(zip((test.name for test in made), corrected.tolist(), strict=True))
        digits = self.digits
        rows: list[tuple[Cell, ...]] = []
        for test in tests:
            if not test.pairs:
                rows.append((*map(Cell, place), Cell(test.name), *[Cell("-")] * 5, Cell("")))
                continue
            (low, high), chance = test.interval, chances[test.name]
            gap = f" [{test.pairs} of {test.expected_pairs}]" if test.pairs < test.expected_pairs else ""
            rows.append((
                *map(Cell, place), Cell(test.name),
                Cell(f"{test.score:.{digits}f}", test.score, test.keys, digits=digits),
                Cell(f"{test.gain:+.{digits}f}{gap}", test.gain, test.keys, digits=digits),
                Cell(f"{low:+.{digits}f} to {high:+.{digits}f}", None, test.keys),
                Cell(_chance(test.p), test.p, test.keys, digits=_DIGITS_OF_P),
                Cell(_chance(chance), chance, test.keys, digits=_DIGITS_OF_P),
                Cell("" if np.isnan(test.p_seeds) else _chance(test.p_seeds), None, test.keys),
            ))  # fmt: skip
        return rows

    def _summed(
        self, place: tuple[str, ...], tests: Sequence[TreebankTest], groups: Mapping[str, Sequence[str]]
    ) -> tuple[Cell, ...]:
        """One row for all treebanks: the mean of the differences, of each group, and on how many the effect holds."""
        means = [self._gain([test for test in tests if test.name in names]) for names in groups.values()]
        made = [test for test in tests if test.pairs]
        if not made:
            return (*map(Cell, place), *means, *[Cell("-")] * 3)
        held, keys = OverallTest.from_tests(made), tuple(key for test in made for key in test.keys)
        cells = (
            f"{held.better} ({held.significantly_better})",
            f"{held.worse} ({held.significantly_worse})",
            _chance(held.p),
        )
        return (*map(Cell, place), *means, *(Cell("-" if text == "nan" else text, None, keys) for text in cells))

    def _gain(self, tests: Sequence[TreebankTest]) -> Cell:
        made = [test for test in tests if test.pairs]
        if not made:
            return Cell("-")
        mean = statistics.mean(test.gain for test in made)
        is_whole = all(test.pairs == test.expected_pairs for test in tests)
        gap = (
            "" if is_whole else f" [{sum(test.pairs for test in made)} of {sum(test.expected_pairs for test in tests)}]"
        )
        keys = tuple(key for test in made for key in test.keys)
        return Cell(f"{mean:+.{self.digits}f}{gap}", mean, keys, digits=self.digits)

    def _left_out(self, tests: Sequence[TreebankTest]) -> str:
        """What is not in the differences, in words."""
        runs, missing = sum(test.expected_pairs - test.pairs for test in tests), sum(not test.pairs for test in tests)
        if not runs:
            return ""
        name_of = self.columns or "test set"
        whole = f", all those of {missing} {_plural(name_of) if missing > 1 else name_of} among them"
        return f"; left out, for want of a partner: {runs} run{'s' * (runs > 1)}{whole if missing else ''}"

    def _summary(self, name: str, tests: Sequence[TreebankTest]) -> str:
        """Over treebanks, in words: the mean, its test, and on how many the effect holds."""
        made = [test for test in tests if test.pairs]
        if not made:
            return f"{name}: no runs to compare"
        held = OverallTest.from_tests(made)
        name_of = self.columns or "test set"
        what = f"{len(made)} {_plural(name_of) if len(made) > 1 else name_of}"
        over = f" (p {_chance(held.p)} over them)" if len(made) > 1 else ""
        return (
            f"{name}: {held.mean:+.{self.digits}f} on average of {what}{over}; better on {held.better}, "
            f"worse on {held.worse}; significantly, after Holm's correction, on {held.significantly_better} and "
            f"{held.significantly_worse}"
        )


@dataclass(frozen=True)
class TreebankTest:
    """A comparison on one treebank: of `pairs` of runs, though there should be as many as are `wanted`."""

    name: str
    expected_pairs: int
    pairs: int = 0
    score: float = 0.0
    gain: float = 0.0
    interval: tuple[float, float] = (0.0, 0.0)
    p: float = 1.0
    p_seeds: float = 1.0
    keys: tuple[str, ...] = ()


@dataclass(frozen=True)
class OverallTest:
    """The mean over treebanks, its test, and on how many the effect holds."""

    mean: float
    p: float
    better: int
    worse: int
    significantly_better: int
    significantly_worse: int

    @classmethod
    def from_tests(cls, tests: Sequence[TreebankTest]) -> OverallTest:
        gains = np.array([test.gain for test in tests])
        sure = holm(np.array([test.p for test in tests])) < LEVEL
        chance = sign_test(gains) if len(gains) > 1 else float("nan")
        counts = (np.count_nonzero(each) for each in (gains > 0, gains < 0, sure & (gains > 0), sure & (gains < 0)))
        return cls(float(gains.mean()), chance, *map(int, counts))


def _chance(p: float) -> str:
    """A probability; none is so small that it is nothing."""
    return "< 0.0001" if p < 0.00005 else f"{p:.{_DIGITS_OF_P}f}"
