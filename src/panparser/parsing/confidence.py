"""Confidence: calibrated probabilities of heads and labels."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser import _engine
from panparser.base.checks import MAX_INT, PROBABILITY, check_count, is_number
from panparser.base.kinds import COUNT, NUMBER, TEXT, ListOf, Nullable, Row, Table, TableOf, check
from panparser.base.types import FloatArray, IntArray
from panparser.errors import SpecError, TreebankError
from panparser.parsing.constraints import DroppedConstraint
from panparser.parsing.model_protocol import SearchResult
from panparser.treebank.treebank import Treebank, with_value
from panparser.trees.gold import UNKNOWN

_MAX_STEPS = 50
_TOLERANCE = 1e-9
_DIGITS = 6  # significant digits of a weight: rounding differences between processors are smaller
_KNOTS = (0.0, 2.0)  # where the curve bends, in log-odds
_STRAIGHT = (0.0, 1.0, *(0.0 for _ in _KNOTS))


@dataclass(frozen=True)
class Logistic:
    """Probabilities from columns of numbers: a weighted sum, bent, as log-odds.

    `weights`: the intercept, then one for each column. `bend`: the intercept, the slope of the bent line, and what the
    slope gains at each knot; it always rises.
    """

    weights: tuple[float, ...]
    bend: tuple[float, ...] = _STRAIGHT

    def __post_init__(self) -> None:
        for numbers in (self.weights, self.bend):
            if not all(is_finite(value) for value in numbers):
                raise SpecError(f"Logistic: weights must be numbers; got {numbers!r}")
        if len(self.bend) != len(_STRAIGHT) or not _rises(self.bend):
            raise SpecError(f"Logistic: bend must be {len(_STRAIGHT)} numbers of a line that rises; got {self.bend!r}")

    def __call__(self, columns: FloatArray) -> FloatArray:
        """The probability of each row."""
        return _probabilities(_sums(_hinges(_sums(columns, self.weights)), self.bend))

    def to_values(self) -> list[list[float]]:
        return [list(self.weights), list(self.bend)]

    @classmethod
    def from_values(cls, values: Any) -> Logistic:
        weights, bend = values
        return cls(tuple(weights), tuple(bend))


def fit(columns: FloatArray, is_correct: npt.NDArray[np.bool_]) -> Logistic:
    """The model that fits outcomes best."""
    if not len(columns):
        return Logistic((0.0,) * (columns.shape[1] + 1))
    weights = _newton(columns, is_correct)
    bend = _newton(_hinges(_sums(columns, weights)), is_correct)
    return Logistic(weights, bend if _rises(bend) else _STRAIGHT)


def is_finite(value: object) -> bool:
    """Is it a finite number?"""
    return is_number(value) and math.isfinite(value)


def _rises(bend: tuple[float, ...]) -> bool:
    return bool((np.cumsum(bend[1:]) > 0).all())


def _hinges(sums: FloatArray) -> FloatArray:
    return np.column_stack([sums, *(np.maximum(0, sums - knot) for knot in _KNOTS)])


def _sums(columns: FloatArray, weights: tuple[float, ...]) -> FloatArray:
    # Not a product of matrices, here and below: how that is added up may depend on the number of threads.
    found: FloatArray = weights[0] + np.einsum("ni,i->n", columns, np.array(weights[1:]))
    return found


def _probabilities(log_odds: FloatArray) -> FloatArray:
    found: FloatArray = 0.5 * (1 + np.tanh(0.5 * log_odds))  # never overflows
    return found


def _newton(columns: FloatArray, right: npt.NDArray[np.bool_], penalty: float = 1.0) -> tuple[float, ...]:
    """The intercept and the weights of columns.

    The penalty is on squared weights of columns that were brought to the same spread. Both outcomes are taken to have
    been seen once more than they were (Platt 1999), so that nothing is ever certain.
    """
    center, spread = columns.mean(axis=0), columns.std(axis=0)
    spread[spread < _TOLERANCE] = 1.0  # a constant column gets no weight
    scaled = np.column_stack([np.ones(len(columns)), (columns - center) / spread])
    ones, zeros = int(right.sum()), int((~right).sum())
    targets = np.where(right, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    penalties = np.full(scaled.shape[1], penalty)
    penalties[0] = 0.0

    def loss(weights: FloatArray) -> float:
        sums = np.einsum("ni,i->n", scaled, weights)
        return float((np.logaddexp(0, sums) - targets * sums).sum() + 0.5 * (penalties * weights**2).sum())

    weights = np.zeros(scaled.shape[1])
    least = loss(weights)
    for _ in range(_MAX_STEPS):
        found = _probabilities(np.einsum("ni,i->n", scaled, weights))
        gradient = np.einsum("ni,n->i", scaled, found - targets) + penalties * weights
        curvature = np.einsum("ni,nj->ij", scaled * (found * (1 - found))[:, None], scaled) + np.diag(penalties)
        step = np.linalg.solve(curvature + _TOLERANCE * np.eye(len(weights)), gradient)
        while (after := loss(weights - step)) > least + _TOLERANCE:
            step /= 2
        weights, least = weights - step, after
        if np.abs(step).max() < _TOLERANCE:
            break
    slopes = weights[1:] / spread
    rounded = [float(f"{value:.{_DIGITS}g}") for value in (weights[0] - (slopes * center).sum(), *slopes)]
    return tuple(rounded)


HEAD_KEY, LABEL_KEY = "Confidence", "LabelConfidence"  # in MISC
_ABOUT_TREES = re.compile(r"# (?:tree = \d+/\d+|score = -?[\d.]+)$")  # comments, where a sentence has several trees
SIGNALS = tuple(signal.name.lower() for signal in _engine.Signal)  # defined in confidence.hpp of the engine
DERIVATION, BEAM = ("arc", "least", "label", "sentence"), ("rival", "tree")  # where signals come from
FACTS = ("length", "distance", "root")
ENSEMBLE = ("agree", "unanimous", "agree_label")
SOURCES = (*DERIVATION, *BEAM, *FACTS)
_NO_RIVAL: int = _engine.NO_RIVAL
_MIN_PERCENT, _MAX_PERCENT = 1, 99  # no arc is certain, and none that a parser chose is impossible


@dataclass(frozen=True)
class ConfidentParses:
    """Trees as from `Parser.predict`, and for each word the probability that they are correct.

    `head_confidence`: of the head. `label_confidence`: of head and label; None if there are no labels. NaN: the word
    has no head.
    """

    heads: IntArray
    labels: IntArray
    head_confidence: FloatArray
    label_confidence: FloatArray | None
    tags: IntArray | None = None  # (words, columns) where a classifier predicts them, too, as numbers of its own


_MODEL = Row(ListOf(NUMBER), ListOf(NUMBER))  # weights and bend of a Logistic
_CALIBRATION = Table(
    {
        **{"beam": COUNT, "ensemble": COUNT, "words": COUNT, "sources": ListOf(TEXT)},
        **{"scales": TableOf(NUMBER), "heads": _MODEL, "labels": Nullable(_MODEL)},
    },
    closed=True,
)  # of a manifest


@dataclass(frozen=True)
class Calibration:
    """Maps evidence to probabilities, for a beam and a number of other parsers.

    `words`: number of words it was fitted on. `sources`: the evidence used. `scales`: typical values of its margins.
    `heads`: the model of correct heads; `labels`: of correct labels given a correct head.
    """

    beam: int
    ensemble: int
    words: int
    sources: tuple[str, ...]
    scales: dict[str, float]
    heads: Logistic
    labels: Logistic | None

    def __post_init__(self) -> None:
        known = {*SOURCES, *ENSEMBLE}
        if not set(self.sources) <= known or not self.sources:
            raise SpecError(f"Calibration: sources must be some of {', '.join(sorted(known))}; got {self.sources!r}")
        if set(self.scales) != {name for name in self.sources if name in (*DERIVATION, *BEAM)}:
            raise SpecError(f"Calibration: scales must have a value for each signal; got {self.scales!r}")
        if not all(is_finite(scale) and scale > 0 for scale in self.scales.values()):
            raise SpecError(f"Calibration: scales must be > 0; got {self.scales!r}")
        count = 1 + sum(3 if name in self.scales else 1 for name in self.sources)
        for model in (self.heads, self.labels):
            if model is not None and len(model.weights) != count:
                raise SpecError(f"Calibration: models must have {count} weights; got {model!r}")
        for name in ("beam", "ensemble", "words"):
            check_count(f"Calibration: {name}", getattr(self, name), minimum=0, maximum=MAX_INT)

    def to_values(self) -> dict[str, Any]:
        """Plain values: what a model file holds."""
        labels = self.labels.to_values() if self.labels else None
        return vars(self) | {"sources": list(self.sources), "heads": self.heads.to_values(), "labels": labels}

    @classmethod
    def from_values(cls, values: dict[str, Any]) -> Calibration:
        check(values, _CALIBRATION, "calibration")
        heads = Logistic.from_values(values["heads"])
        labels = Logistic.from_values(values["labels"]) if values["labels"] is not None else None
        return cls(**values | {"sources": tuple(values["sources"]), "heads": heads, "labels": labels})

    def columns(self, evidence: ConfidenceSignals) -> FloatArray:
        """Inputs of the model: each fact; two transforms of each margin, and whether there was a rival at all."""
        return _columns(evidence.values, self.sources, self.scales)


@dataclass(frozen=True)
class ConfidenceSignals:
    """Trees, and by name the evidence of their correctness: a number for each word."""

    heads: IntArray
    labels: IntArray
    values: dict[str, FloatArray]
    tags: IntArray | None = None
    dropped: tuple[DroppedConstraint, ...] = ()  # constraints that the trees violate


# --- Calibrating ---


def calibration_from_signals(
    values: dict[str, FloatArray],
    is_correct_head: npt.NDArray[np.bool_],
    is_correct_label: npt.NDArray[np.bool_] | None,
    *,
    beam: int,
    ensemble: int = 0,
) -> Calibration:
    """The calibration that fits evidence by name, if we know of each word whether its head, and its label, is right."""
    scales = {name: _scale(margins) for name, margins in values.items() if name in (*DERIVATION, *BEAM)}
    columns = _columns(values, tuple(values), scales)
    return Calibration(
        beam=beam,
        ensemble=ensemble,
        words=len(is_correct_head),
        sources=tuple(values),
        scales=scales,
        heads=fit(columns, is_correct_head),
        labels=fit(columns[is_correct_head], is_correct_label[is_correct_head])
        if is_correct_label is not None
        else None,
    )


def calibration_in_units(calibration: Calibration, unit: float) -> Calibration:
    """A calibration for margins that are divided by a unit."""
    return replace(calibration, scales={name: scale / unit for name, scale in calibration.scales.items()})


def evidence_in_units(evidence: ConfidenceSignals, unit: float) -> ConfidenceSignals:
    """Evidence with its margins divided by a unit; those that have no rival stay."""
    margins = {name: evidence.values[name] for name in (*DERIVATION, *BEAM) if name in evidence.values}
    divided = {name: np.where(margin >= _NO_RIVAL, margin, margin / unit) for name, margin in margins.items()}
    return replace(evidence, values=evidence.values | divided)


def _scale(margins: FloatArray) -> float:
    """The median of the existing margins; rounded, since it is stored."""
    some = np.abs(margins[margins < _NO_RIVAL])
    return max(1.0, float(f"{np.median(some):.6g}")) if len(some) else 1.0


def _columns(values: dict[str, FloatArray], sources: Sequence[str], scales: dict[str, float]) -> FloatArray:
    columns = []
    for name in sources:
        if name not in scales:
            columns.append(values[name])
            continue
        is_sure = values[name] >= _NO_RIVAL
        margin = np.where(is_sure, 0.0, values[name] / scales[name])
        columns += [np.arcsinh(margin), margin / (1 + np.abs(margin)), is_sure.astype(np.float64)]
    return np.column_stack(columns)


# --- Evidence ---


def evidence_of(found: SearchResult, treebank: Treebank) -> ConfidenceSignals:
    """Return the evidence of the correctness of trees that were found with signals, with lifted arcs put back."""
    heads = found.heads
    values = dict(zip(SIGNALS, found.signals.T, strict=True))
    sentence = treebank.sentence_of_word()
    least = np.full(len(treebank), float(_NO_RIVAL))
    np.minimum.at(least, sentence, values["least"])
    position = np.arange(treebank.words) - treebank.offsets[sentence] + 1
    values |= {
        "sentence": least[sentence],  # the least certain decision about any word
        "length": np.log(np.diff(treebank.offsets)[sentence].astype(np.float64)),
        "distance": np.where(heads > 0, np.log(np.maximum(1, np.abs(heads - position))), 0.0),
        "root": (heads == 0).astype(np.float64),
    }
    return ConfidenceSignals(heads, found.labels, values, found.tags)


def confidence_of(calibration: Calibration, evidence: ConfidenceSignals, *, labeled: bool) -> ConfidentParses:
    """Return the probabilities that trees are correct."""
    columns = calibration.columns(evidence)
    of_heads = np.where(evidence.heads < 0, np.nan, calibration.heads(columns))
    of_labels = None
    if labeled and calibration.labels is not None:
        of_labels = of_heads * calibration.labels(columns)
    return ConfidentParses(evidence.heads, evidence.labels, of_heads, of_labels, evidence.tags)


# --- In MISC ---


def clear_parse_metadata(treebank: Treebank) -> None:
    """Remove what an earlier parse wrote about its trees: confidence from MISC, rank and score from comments."""
    if treebank.format == "conllx":
        return
    if treebank.contains_text(f"{HEAD_KEY}=", "misc"):  # as LABEL_KEY does, which ends with it
        for key in (HEAD_KEY, LABEL_KEY):
            _write(treebank, key, np.full(treebank.words, -1))
    if not treebank.contains_text("# tree = ") and not treebank.contains_text("# score = "):
        return
    for sentence in treebank:
        lines = sentence.comments
        if len(kept := [line for line in lines if not _ABOUT_TREES.match(line)]) < len(lines):
            sentence.comments = kept


def write_confidence(treebank: Treebank, confidence: ConfidentParses) -> None:
    """Writes Confidence and LabelConfidence into MISC: 0.01 to 0.99, since no arc is certain."""
    if treebank.format == "conllx":
        raise TreebankError(f"{treebank.path}: confidence is written to MISC, and CoNLL-X has none")
    nothing = np.full(treebank.words, np.nan)
    of_labels = nothing if confidence.label_confidence is None else confidence.label_confidence
    for key, values in ((HEAD_KEY, confidence.head_confidence), (LABEL_KEY, of_labels)):
        _write(treebank, key, np.clip(np.rint(np.nan_to_num(100 * values, nan=-1)), -1, _MAX_PERCENT).astype(np.int64))


def _write(treebank: Treebank, key: str, percents: npt.NDArray[np.int64]) -> None:
    """Writes nothing for percents of -1. Each pair of cell and value is computed once."""
    column, cells = treebank.column("misc"), treebank.vocabulary("misc")
    wanted = np.where(percents < 0, 0, np.maximum(percents, _MIN_PERCENT))
    pairs, place = np.unique(column.astype(np.int64) * 100 + wanted, return_inverse=True)
    changed = [
        treebank.id_of("misc", with_value(cells[pair // 100], key, f"{pair % 100 / 100:.2f}" if pair % 100 else None))
        for pair in pairs.tolist()
    ]
    column[:] = np.array(changed, dtype=np.int32)[place]


def leave_out_unsure(treebank: Treebank, min_confidence: float) -> None:
    """Takes heads and labels from words whose Confidence, in MISC, is below that, or that have none."""
    of_heads = read_confidence(treebank)
    unsure = ~(of_heads >= min_confidence)
    treebank.heads[unsure] = UNKNOWN
    treebank.column("deprel")[unsure] = treebank.id_of("deprel", "_")
    for key in (HEAD_KEY, LABEL_KEY):
        values = np.where(unsure, np.nan, read_confidence(treebank, key))
        _write(treebank, key, np.rint(np.nan_to_num(100 * values, nan=-1)).astype(np.int64))


def read_confidence(treebank: Treebank, key: str = HEAD_KEY) -> FloatArray:
    """The value of a key in MISC for each word; NaN if missing. Raises TreebankError if it is not a probability."""
    column = treebank.column("misc")
    found = {int(cell): _value(treebank, treebank.vocabulary("misc")[cell], key) for cell in np.unique(column)}
    values = np.full(max(found, default=0) + 1, np.nan)
    values[list(found)] = list(found.values())
    return values[column]


def _value(treebank: Treebank, cell: str, key: str) -> float:
    for item in cell.split("|"):
        name, _, text = item.partition("=")
        if name == key:
            try:
                value = float(text)
            except ValueError:
                value = math.nan
            if not 0 <= value <= 1:
                raise TreebankError(f"{treebank.path}: {key} must be {PROBABILITY}; got {text!r}")
            return value
    return math.nan
