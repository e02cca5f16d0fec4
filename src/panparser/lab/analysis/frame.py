"""Frame: a table with a row for each word, and its measures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd

from panparser.base.types import BoolArray, LongArray
from panparser.errors import AnalysisError, TreebankError
from panparser.evaluation.counting import universal_features
from panparser.lab.analysis.criteria import By, Condition, Criterion, JointCriterion, Key
from panparser.lab.analysis.criteria_text import condition, key, keys, unknown_name
from panparser.lab.analysis.word_columns import Column, Words, join, same
from panparser.treebank.treebank import Treebank
from panparser.treebank.universal import base_label


@dataclass(frozen=True)
class Measure:
    """`right(gold, predicted)` flags the words that are right; with `arcs`, only words with a gold head count."""

    name: str
    description: str
    is_correct: Callable[[Words, Words], BoolArray]
    needs_gold_head: bool = True


def _head(gold: Words, predicted: Words) -> BoolArray:
    right: BoolArray = (gold.heads == predicted.heads) & (gold.heads >= 0)
    return right


def _label(gold: Words, predicted: Words) -> BoolArray:
    return same(gold, predicted, "deprel", base_label)


def _lemma(gold: Words, predicted: Words) -> BoolArray:
    right: BoolArray = same(gold, predicted, "lemma") | (gold.treebank.column("lemma") == 0)  # `_` is 0: not annotated
    return right


MEASURES: dict[str, Measure] = {
    each.name: each
    for each in (
        Measure("uas", "the head", _head),
        Measure("las", "the head and the label without its subtype", lambda g, p: _head(g, p) & _label(g, p)),
        Measure("label", "the label without its subtype, whatever the head", _label),
        Measure("full-las", "the head and the whole label", lambda g, p: _head(g, p) & same(g, p, "deprel")),
        Measure("full-label", "the whole label, whatever the head", lambda g, p: same(g, p, "deprel")),
        Measure("upos", "UPOS", lambda g, p: same(g, p, "upos"), needs_gold_head=False),
        Measure("xpos", "XPOS", lambda g, p: same(g, p, "xpos"), needs_gold_head=False),
        Measure(
            "feats",
            "the universal features",
            lambda g, p: same(g, p, "feats", universal_features),
            needs_gold_head=False,
        ),
        Measure("lemma", "LEMMA", _lemma, needs_gold_head=False),
    )
}


PUNCTUATION = ("PUNCT",)
COLUMNS = frozenset(
    "words difference both_correct neither_correct agreement ci_low ci_high p p_holm all".split()
)  # of comparisons


@dataclass(frozen=True, eq=False)
class Frame:
    """The source of all tables; `frame` makes one, `where` selects a part.

    `sides` has the words of "gold", then of "predicted", "predicted2", ...; `names` the names of the predictions;
    `rows` the gold words that count. Columns are computed on first use, for all words.
    """

    sides: dict[str, Words]
    names: tuple[str, ...]
    rows: LongArray
    _columns: dict[object, Column] = field(repr=False, default_factory=dict)
    _flags: dict[tuple[str, str], BoolArray] = field(repr=False, default_factory=dict)

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        return (
            f"<Frame of {len(self):,} words of {self.gold.treebank.path}, predicted: {', '.join(self.names) or 'no'}>"
        )

    @property
    def gold(self) -> Words:
        return self.sides["gold"]

    def side_of(self, prediction: str | None = None) -> str:
        """The side of a prediction, by name; defaults to the first."""
        if not self.names:
            raise AnalysisError("expected a prediction to score, found the gold alone")
        if prediction is None:
            return "predicted"
        if prediction not in self.names:
            raise AnalysisError(unknown_name("prediction", prediction, self.names))
        return list(self.sides)[1 + self.names.index(prediction)]

    # --- Columns over the rows ---

    def classes(self, criterion: str | Key) -> Column:
        """The class of each row."""
        criterion = key(criterion) if isinstance(criterion, str) else criterion
        if criterion not in self._columns:
            if isinstance(criterion, JointCriterion):
                self._columns[criterion] = join(
                    [replace(self, rows=self._all).classes(part) for part in criterion.parts]
                )
            else:
                self._columns[criterion] = criterion.classes(self._words(criterion))
        column = self._columns[criterion]
        return Column(column.codes[self.rows], column.names, column.is_ordered)

    def numbers(self, criterion: str | Key) -> LongArray | None:
        """The number of each row, -1 if it has none; None if the criterion is not numeric."""
        criterion = key(criterion) if isinstance(criterion, str) else criterion
        if not isinstance(criterion, Criterion) or not criterion.is_numeric:
            return None
        found = criterion.values(self._words(criterion))
        assert not isinstance(found, Column)  # it is numeric
        return np.asarray(found)[self.rows]

    def by_class(self, criterion: str | Key, predicate: Callable[[str], bool]) -> BoolArray:
        """A flag for each row: whether a predicate holds of its class."""
        column = self.classes(criterion)
        return np.array([predicate(name) for name in column.names], dtype=bool)[column.codes]

    def is_correct(self, measure: str | Measure = "uas", prediction: str | None = None) -> BoolArray:
        """A flag for each row: whether a prediction is right."""
        measure, side = measure_of(measure), self.side_of(prediction)
        if (measure.name, side) not in self._flags:
            self._flags[measure.name, side] = measure.is_correct(self.gold, self.sides[side])
        return self._flags[measure.name, side][self.rows]

    def is_scored(self, measure: str | Measure = "uas") -> BoolArray:
        """A flag for each row: whether the gold has the annotation that is scored."""
        if measure_of(measure).needs_gold_head:
            return self.gold.heads[self.rows] >= 0
        return np.ones(len(self), dtype=bool)

    # --- Parts and tables ---

    def where(self, which: str | Condition | None) -> Frame:
        """The rows for which a condition holds."""
        if which is None:
            return self
        try:
            return replace(self, rows=self.rows[condition(which).holds(self)])
        except RecursionError:
            raise AnalysisError("expected a condition, found one that is nested too deeply") from None

    def data(self, by: By = None, metrics: Sequence[str] = ("uas", "las")) -> pd.DataFrame:
        """One row for each word: sentence and id from 1, criteria as categories, what is right in each prediction."""
        columns: dict[str, object] = {
            "sentence": self.gold.sentence[self.rows] + 1,
            "id": self.gold.ids[self.rows],
        }
        for each in keys(by):
            found = self.classes(each)
            columns[str(each)] = pd.Categorical.from_codes(found.codes, list(found.names), ordered=found.is_ordered)
        for name in self.names:
            for measure in metrics:
                columns[measure if len(self.names) == 1 else f"{name} {measure}"] = self.is_correct(measure, name)
        return pd.DataFrame(columns)

    @property
    def _all(self) -> LongArray:
        return np.arange(len(self.gold))

    def _words(self, of: Criterion) -> Words:
        if of.side not in self.sides:
            found = f"{len(self.names)} predictions" if self.names else "the gold alone"
            raise AnalysisError(f"{of}: expected one of {', '.join(self.sides)}, found {of.side} ({found})")
        return self.sides[of.side]


def make_frame(
    gold: Treebank,
    *predicted: Treebank,
    names: Iterable[str] | None = None,
    train: Treebank | None = None,
    ignore: Iterable[str] = PUNCTUATION,
    where: str | Condition | None = None,
) -> Frame:
    """The words of `gold`, with those of predictions of the same words; without predictions, only for statistics.

    `names` are names of the predictions for tables; frequencies are counted in `train`. Words whose gold UPOS is in
    `ignore` do not count; defaults to punctuation.
    """
    for treebank in (gold, *predicted, *([] if train is None else [train])):
        if not isinstance(treebank, Treebank):
            raise AnalysisError(f"expected a Treebank (read_conllu makes one); got {treebank!r}")
        treebank.check()
    for treebank in predicted:
        _check_words(gold, treebank)
    reference = Words(gold, train=train)
    sides = {"gold": reference}
    for number, treebank in enumerate(predicted, start=1):
        sides["predicted" if number == 1 else f"predicted{number}"] = Words(treebank, gold=reference, train=train)
    called = tuple(list(sides)[1:] if names is None else names)
    if len(called) != len(predicted) or len(set(called)) != len(called):
        raise AnalysisError(f"names: expected {len(predicted)} different ones, found {', '.join(called) or 'none'}")
    if taken := COLUMNS.intersection(called):
        raise AnalysisError(f"names: expected none of {', '.join(sorted(COLUMNS))}, found {min(taken)}")
    if isinstance(ignore, str):
        raise AnalysisError(f"ignore: expected a list of tags, found {ignore!r}")
    ignored = set(ignore)
    tags = np.array([tag in ignored for tag in gold.vocabulary("upos")], dtype=bool)
    rows = np.flatnonzero(~tags[gold.column("upos")])
    return Frame(sides, called, rows).where(where)


def measure_of(name: str | Measure) -> Measure:
    """A measure by its name."""
    if isinstance(name, Measure):
        return name
    if name not in MEASURES:
        raise AnalysisError(unknown_name("measure", str(name), MEASURES))
    return MEASURES[name]


def _check_words(gold: Treebank, predicted: Treebank) -> None:
    """Raises TreebankError at the first word that the two do not share."""
    words = min(gold.words, predicted.words)
    numbers: dict[str, int] = {}
    forms = []
    for treebank in (gold, predicted):
        table = [numbers.setdefault(form, len(numbers)) for form in treebank.vocabulary("form")]
        forms.append(np.array(table, dtype=np.int64)[treebank.column("form")[:words]])
    sentences = min(len(gold), len(predicted)) + 1
    other = np.flatnonzero(forms[0] != forms[1])[:1].tolist()
    ends = np.flatnonzero(gold.offsets[:sentences] != predicted.offsets[:sentences])[:1]
    other += np.minimum(gold.offsets[ends], predicted.offsets[ends]).tolist()
    if other or gold.words != predicted.words:
        expected, found = (_place(treebank, min([*other, words])) for treebank in (gold, predicted))
        raise TreebankError(f"predictions must have the words of the gold; expected {expected}, found {found}")


def _place(treebank: Treebank, word: int) -> str:
    """What was found in place of a word, with file and line."""
    if word >= treebank.words:
        return f"the end of {treebank.path} (after {len(treebank)} sentences)"
    sentence = treebank[int(np.searchsorted(treebank.offsets, word, side="right")) - 1]
    token = sentence[word - int(treebank.offsets[sentence.position])]
    place = f"word {token.id} of sentence {sentence.position + 1}"
    return f"{token.form!r} ({place}, which starts at {treebank.path}:{sentence.line})"
