"""Learning curves, break-even points, and what a sentence of training data is worth."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Unpack

import numpy as np
import pandas as pd

from panparser.base.checks import MAX_SEEDS, PROBABILITY, check_count, check_number, check_range
from panparser.base.types import FloatArray, LongArray
from panparser.errors import AnalysisError
from panparser.lab.analysis.criteria import By
from panparser.lab.analysis.criteria_text import keys
from panparser.lab.analysis.frame import PUNCTUATION, Frame, measure_of
from panparser.lab.analysis.frame import make_frame as frame_of
from panparser.lab.analysis.score_tables import groups, scores
from panparser.learning.folds import run_all
from panparser.learning.listeners import Listener
from panparser.learning.training import TrainingConfig
from panparser.learning.training_record import whole
from panparser.parsing.spec import ParserSpec
from panparser.training.parser_run import score
from panparser.training.training_parsers import ParserTrainingOptions, train
from panparser.treebank.treebank import Treebank, sample_sentences


@dataclass(frozen=True)
class LearningCurvePoint:
    """Scores of a parser trained on the first `sentences` of a treebank."""

    sentences: int
    words: int
    uas: float
    las: float | None


def learning_curve(
    spec: ParserSpec,
    treebank: Treebank,
    dev: Treebank,
    sizes: Sequence[int],
    *,
    threads: int | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[LearningCurvePoint]:
    """Scores on `dev` of parsers trained on the first sentences; `dev` also selects the epoch."""

    def work(size: int, stop: Listener) -> LearningCurvePoint:
        part, own_dev = treebank[:size], dev.copy()
        parser = whole(train(spec, part, dev=own_dev, listeners=[stop], **options))
        return LearningCurvePoint(size, part.words, *score(parser, own_dev))

    return run_all(work, _checked_sizes(sizes, treebank), threads)


def parse_sizes(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    *,
    samples_per_size: int | None = None,
    dev: Treebank | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    **options: Unpack[ParserTrainingOptions],
) -> list[list[Treebank]]:
    """For each size, `test` as parsed by parsers trained on so many sentences; `dev` selects the epoch.

    They are the first ones, or with `samples_per_size` so many samples, those of `sample` with the seed of training and
    the next ones, each of which contains the smaller ones of its seed. The whole treebank is learned from once.
    `progress` is called with the numbers of parsers done and in all.
    """
    if samples_per_size is not None:
        check_count("sample_curves: samples_per_size", samples_per_size, maximum=MAX_SEEDS)
    first = options.get("seed", TrainingConfig().seed)
    seeds = [None] if samples_per_size is None else [first + number for number in range(samples_per_size)]
    wanted = _checked_sizes(sizes, treebank)
    parts = [(size, seed) for size in wanted for seed in (seeds if size < len(treebank) else seeds[:1])]
    done, lock = 0, threading.Lock()

    def work(part: tuple[int, int | None], stop: Listener) -> Treebank:
        nonlocal done
        size, seed = part
        own_dev = None if dev is None else dev.copy()
        learned = treebank[:size] if seed is None else sample_sentences(treebank, size, seed=seed)
        parser = whole(train(spec, learned, dev=own_dev, listeners=[stop], **options))
        found = test.copy()
        parser.annotate(found)  # few sentences have few tags: no reason to warn, as `parse` does
        with lock:
            done += 1
            if progress is not None:
                progress(done, len(parts))
        return found

    found = dict(zip(parts, run_all(work, parts, threads), strict=True))
    return [[found[size, seed if size < len(treebank) else seeds[0]] for seed in seeds] for size in wanted]


def _checked_sizes(sizes: Sequence[int], treebank: Treebank) -> list[int]:
    for size in sizes:
        check_range(f"a size of a part of {treebank.path}", size, 1, len(treebank))
    return list(sizes)


LEVELS = (30, 40, 50, 60, 70, 75, 80, 85, 90, 95)  # percent: what a number of sentences is asked for
LEARNED_SHARE = 0.9  # share of the last score at which a class is learned
FEW_SENTENCES, MANY_SENTENCES = (
    10,
    500,
)  # sentences: learnability is the score with few of them as a share of that with many
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
    many words of the test set they have. `baseline` are the scores of another parser of that test set, if there is one.
    """

    index: pd.Index
    words: LongArray
    sizes: tuple[int, ...]
    scores: FloatArray
    baseline: FloatArray | None = None

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

    def classes(self, learned_share: float = LEARNED_SHARE) -> pd.DataFrame:
        """How easily each class is learned, in percent. The formulas are ours.

        `learnability`: the score with 10 sentences (or with the first size, if that is larger) as a percentage of that
        with 500 (or the last size, if that is less). `hardness`: by how much more words of the class are wrong, with
        the last size, than words in general. `complexity`: by how much more sentences the class needs than words in
        general, until it has the share `learned_share` of its last score.
        """
        _check_learned_share(learned_share)
        means, errors = self.means, 100 - self.means[:, -1]
        few, many = (
            np.array([np.interp(np.log(size), np.log(self.sizes), row) for row in means])
            for size in (max(FEW_SENTENCES, self.sizes[0]), min(MANY_SENTENCES, self.sizes[-1]))
        )
        needed = np.array([self._reached(row, learned_share * row[-1]) for row in means])
        return pd.DataFrame(
            {
                "learnability": _percent(few, many),
                "hardness": _more(errors),
                "complexity": _more(needed),
            },
            index=self.index,
        )

    def break_even(self, cost_per_sentence: float | None = None) -> pd.DataFrame:
        """How many sentences each class needs to be as good as the other parser, and what they cost, at a price each.

        Between two sizes the score is taken to grow as the logarithm of the number of sentences. The first size stands
        for any number up to it, NaN for more than the last. `ci_low` and `ci_high`: where the limits of the interval of
        the mean score meet that of the other parser.
        """
        if self.baseline is None:
            raise AnalysisError("break_even: expected another parser to compare with (baseline=...); got none")
        means, half = self.means, np.nan_to_num(self.half_widths)
        found = [
            [self._reached(curve, other) for curve, other in zip(curves, self.baseline, strict=True)]
            for curves in (means, means + half, means - half)
        ]
        columns = {"words": self.words, "baseline": self.baseline, "first": means[:, 0], "last": means[:, -1]}
        names = ("sentences", "ci_low", "ci_high") if self.scores.shape[2] > 1 else ("sentences",)
        columns |= {name: np.array(each) for name, each in zip(names, found, strict=False)}
        return _priced(pd.DataFrame(columns, index=self.index), cost_per_sentence)

    def capacity(self, levels: Sequence[float] = LEVELS, cost_per_sentence: float | None = None) -> pd.DataFrame:
        """How many sentences it takes to reach each of some scores over all words, and what they cost.

        As in `break_even`, the first size stands for any number up to it, and NaN for more than the last.
        """
        curve = self.means[-1]
        found = np.array([self._reached(curve, level) for level in levels])
        return _priced(pd.DataFrame({"sentences": found}, index=pd.Index(levels, name="score")), cost_per_sentence)

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
    metric: str = "uas",
    *,
    samples_per_size: int | None = None,
    baseline: Treebank | None = None,
    dev: Treebank | None = None,
    ignore: Sequence[str] = PUNCTUATION,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> Curves:
    """Scores of each class on `test`, of parsers that learned from so many sentences of a treebank.

    They learn from its first sentences, or with `samples_per_size` from so many random samples of each size; `options`
    are those of `TrainingConfig`, whose seed is also that of the first sample. `baseline` is what another parser, such
    as one that learned from other languages, made of `test`. `progress` is called with the numbers of parsers done and
    in all.
    """
    keys(by), measure_of(metric)  # says so before training if they are unknown
    if not len(frame_of(test, ignore=ignore)):
        raise AnalysisError(f"{test.path}: expected words to score, found none that count")
    if baseline is not None:
        frame_of(test, baseline)  # they must have the same words
    if not sizes or list(sizes) != sorted(set(sizes)):
        raise AnalysisError(f"sample_curves: sizes must be increasing numbers; got {list(sizes)!r}")
    parsed = parse_sizes(
        spec,
        treebank,
        test,
        sizes,
        samples_per_size=samples_per_size,
        dev=dev,
        threads=threads,
        progress=progress,
        **options,
    )
    every = [each for group in parsed for each in group] + ([] if baseline is None else [baseline])
    names = [f"parser {number}" for number in range(len(every))]
    frame = frame_of(test, *every, names=names, train=treebank, ignore=ignore)
    parts = [scores(frame, each, [metric]) for each in (by, None)]
    table = pd.concat([parts[0], parts[1].set_axis(_all_like(parts[0].index))])
    values = table.iloc[:, 1:].to_numpy(dtype=np.float64)
    number = len(sizes) * len(parsed[0])
    return Curves(
        index=table.index,
        words=table.iloc[:, 0].to_numpy(dtype=np.int64),
        sizes=tuple(sizes),
        scores=values[:, :number].reshape(len(table), len(sizes), -1),
        baseline=None if baseline is None else values[:, number],
    )


def _check_learned_share(learned_share: float) -> None:
    check_number("curves: learned_share", learned_share, PROBABILITY, AnalysisError)


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


def correlation(
    frame: Frame,
    by: By = "upos",
    metric: str = "uas",
    *,
    over: Literal["sentences", "predictions"] = "sentences",
    prediction: str | None = None,
    min_count: int = 3,
    max_classes: int = 30,
) -> pd.DataFrame:
    """Pearson's correlation of the accuracies of each two of the `max_classes` largest classes.

    Over sentences: of one prediction, in those that have words of both classes. Over predictions: of the accuracies
    that each parser has. NaN if there are fewer than `min_count` of them, or one of the classes never varies.
    """
    if over not in ("sentences", "predictions"):
        raise AnalysisError(f"correlation: over must be sentences or predictions; got {over!r}")
    found = groups(frame, by)
    kept = np.sort(np.argsort(-found.sums(), kind="stable")[:max_classes])
    if over == "sentences":
        accuracies = _by_sentence(frame, by, metric, prediction)
    else:
        accuracies = pd.DataFrame(
            {name: scores(frame, by, [metric]).iloc[:, i + 1] for i, name in enumerate(frame.names)}
        ).T
    table = accuracies.iloc[:, kept].corr(min_periods=min_count)
    return table.set_axis(found.index[kept]).set_axis(found.index[kept], axis=1)


def _by_sentence(frame: Frame, by: By, metric: str, prediction: str | None) -> pd.DataFrame:
    """A row for each sentence, a column for each class; NaN if the sentence has none of it."""
    found = groups(frame, by)
    sentences, sentence = np.unique(frame.gold.sentence[frame.rows], return_inverse=True)
    counted = frame.is_scored(metric)
    cell = sentence * len(found.index) + found.group
    shape = (len(sentences), len(found.index))
    words, right = (
        np.bincount(cell[flags], minlength=shape[0] * shape[1]).reshape(shape)
        for flags in (counted, counted & frame.is_correct(metric, prediction))
    )
    return pd.DataFrame(np.divide(right, words, out=np.full(shape, np.nan), where=words > 0))


def learning_curves(
    spec: ParserSpec,
    treebank: Treebank,
    test: Treebank,
    sizes: Sequence[int],
    by: By = "upos",
    metric: str = "uas",
    *,
    samples_per_size: int | None = None,
    dev: Treebank | None = None,
    ignore: Sequence[str] = PUNCTUATION,
    threads: int = 1,
    **options: Any,
) -> pd.DataFrame:
    """The score of each class on `test` for each training size, in percent.

    For each size, a parser is trained on the first sentences, or on so many samples (`samples_per_size`), of which the
    mean is taken; `options` are those of `TrainingConfig`. Besides the sizes, the table has `words` (in `test`), and a
    last row, `all`. `sample_curves` has the scores of each sample, and what follows from them.
    """
    return sample_curves(
        spec,
        treebank,
        test,
        sizes,
        by,
        metric,
        samples_per_size=samples_per_size,
        dev=dev,
        ignore=ignore,
        threads=threads,
        **options,
    ).table


def simplicity(curves: pd.DataFrame, learned_share: float = 0.9) -> pd.DataFrame:
    """The first size at which a class reaches the share `learned_share` of its last score, simplest first."""
    sizes = [column for column in curves.columns if column != "words"]
    values = curves[sizes].to_numpy(dtype=np.float64)
    reached = values >= learned_share * values[:, -1:]
    first = np.where(reached.any(axis=1), reached.argmax(axis=1), len(sizes) - 1)
    table = pd.DataFrame(
        {
            "words": curves["words"],
            "sentences": np.array(sizes)[first],
            "first": values[:, 0],
            "last": values[:, -1],
            "gain": values[:, -1] - values[:, 0],
        },
        index=curves.index,
    )
    return table.sort_values(["sentences", "gain"], kind="stable")
