"""Reliability of confidence: accuracy by confidence, and the expected calibration error.

Compares two treebanks of the same words: the gold one, and one with confidence in MISC.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt

from panparser.base.checks import check_count
from panparser.base.types import FloatArray
from panparser.errors import SpecError, TreebankError
from panparser.parsing.confidence import HEAD_KEY, LABEL_KEY, read_confidence
from panparser.storage.atomic import whole_file
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    import pandas as pd

Target = Literal["heads", "labels"]
Binning = Literal["width", "mass"]
_KEYS = {"heads": HEAD_KEY, "labels": LABEL_KEY}
_BAR_WIDTH = 40  # width of a bar in a terminal


def reliability(
    gold: Treebank, predicted: Treebank, bins: int = 15, *, target: Target = "heads", binning: Binning = "width"
) -> pd.DataFrame:
    """One row for each bin: its bounds, mean confidence, accuracy (NaN if empty), and number of words.

    `target`: heads (Confidence in MISC) or heads with labels (LabelConfidence). `binning`: equal width, or equal
    mass, with as many words in each. Words without a gold head or without confidence are left out.
    """
    try:
        import pandas as pd
    except ImportError:
        raise ImportError("reliability needs pandas: pip install 'panparser[analysis]'") from None
    return pd.DataFrame(binned(*scored_words(gold, predicted, target), bins, binning))


def expected_calibration_error(
    gold: Treebank, predicted: Treebank, bins: int = 15, *, target: Target = "heads", binning: Binning = "width"
) -> float:
    """The mean of |confidence - accuracy| over the bins of `reliability`, weighted by their words."""
    return calibration_error(binned(*scored_words(gold, predicted, target), bins, binning))


def scored_words(
    gold: Treebank, predicted: Treebank, target: Target = "heads"
) -> tuple[FloatArray, npt.NDArray[np.bool_]]:
    """Confidence and correctness of all words that have both a confidence and a gold head."""
    if target not in _KEYS:
        raise SpecError(f"reliability: target must be heads or labels; got {target!r}")
    for name, value in (("gold", gold), ("predicted", predicted)):
        if not isinstance(value, Treebank):
            raise TreebankError(f"{name} must be a Treebank; got {value!r}")
    if not np.array_equal(gold.offsets, predicted.offsets):
        raise TreebankError(
            f"{predicted.path}: expected the words of {gold.path} ({len(gold)} sentences, {gold.words} words), "
            f"found others ({len(predicted)} sentences, {predicted.words} words)"
        )
    confidence = read_confidence(predicted, _KEYS[target])
    if gold.words and np.isnan(confidence).all():
        raise TreebankError(
            f"{predicted.path}: expected {_KEYS[target]}=... in MISC, found none; "
            "`panparser parse --confidence` writes it"
        )
    right = gold.heads == predicted.heads
    if target == "labels":
        right = right & (_texts(gold) == _texts(predicted))
    known = (gold.heads >= 0) & ~np.isnan(confidence)
    return confidence[known], right[known]


def _texts(treebank: Treebank) -> npt.NDArray[Any]:
    return np.array(treebank.vocabulary("deprel"), dtype=object)[treebank.column("deprel")]


def binned(
    confidence: FloatArray, is_correct: npt.NDArray[np.bool_], bins: int = 15, binning: Binning = "width"
) -> dict[str, npt.NDArray[Any]]:
    """The columns of `reliability`."""
    check_count("bins", bins)
    if binning == "width":
        place = np.minimum((confidence * bins).astype(np.int64), bins - 1)
        bounds = np.linspace(0, 1, bins + 1)
    elif binning == "mass":
        order = np.argsort(confidence, kind="stable")
        place = np.empty(len(order), dtype=np.int64)
        place[order] = np.arange(len(order)) * bins // max(1, len(order))
        inner = np.sort(confidence)[np.arange(1, bins) * len(order) // bins] if len(order) else np.zeros(bins - 1)
        bounds = np.concatenate([[0.0], inner, [1.0]])
    else:
        raise SpecError(f"reliability: binning must be width or mass; got {binning!r}")
    words = np.bincount(place, minlength=bins)
    some = np.where(words > 0, words, np.nan)
    return {
        "bin": np.arange(1, bins + 1),
        "bin_start": bounds[:-1],
        "bin_end": bounds[1:],
        "confidence": np.bincount(place, confidence, bins) / some,
        "accuracy": np.bincount(place, is_correct, bins) / some,
        "words": words,
    }


def calibration_error(table: Any) -> float:
    """The expected calibration error of a table of bins."""
    words = np.asarray(table["words"])
    gaps = np.abs(np.asarray(table["confidence"]) - np.asarray(table["accuracy"]))
    return float(np.nansum(gaps * words) / words.sum()) if words.sum() else 0.0


def draw_reliability(table: pd.DataFrame) -> str:
    """The diagram as text: bars are accuracies, `|` marks the confidence, where they should end."""
    lines = [f"{'confidence':>13}  {'accuracy':>8}  {'words':>8}"]
    for start, end, confidence, accuracy, words in zip(
        *(table[name] for name in ("bin_start", "bin_end", "confidence", "accuracy", "words")), strict=True
    ):
        if not words:
            continue
        bar = ["█"] * round(accuracy * _BAR_WIDTH) + [" "] * (_BAR_WIDTH - round(accuracy * _BAR_WIDTH))
        bar[min(_BAR_WIDTH - 1, round(confidence * _BAR_WIDTH))] = "|"
        lines.append(f"{start:6.2f} {end:6.2f}  {accuracy:8.3f}  {words:8,}  {''.join(bar).rstrip()}")
    return "\n".join([*lines, f"expected calibration error {calibration_error(table):.4f}"])


def plot_reliability(table: pd.DataFrame, path: str | os.PathLike[str], title: str = "Reliability") -> None:
    """Writes the diagram to a PNG, SVG or PDF file: accuracy against confidence, and the words in each bin."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plot_reliability needs matplotlib: pip install 'panparser[analysis]'") from None
    path = Path(path)
    if path.suffix not in (".png", ".svg", ".pdf"):
        raise SpecError(f"{path}: expected a name that ends in .png, .svg or .pdf")
    figure = Figure(figsize=(5.5, 6.5), layout="constrained")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 1))
    shown = table[table["words"] > 0]
    width = shown["bin_end"] - shown["bin_start"]
    above.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="as it should be")
    above.bar(
        shown["bin_start"], shown["accuracy"], width, align="edge", color="#9ecae1", edgecolor="white", label="accuracy"
    )
    above.plot(shown["confidence"], shown["accuracy"], "o", color="#08519c", markersize=4, label="mean of a bin")
    above.set(xlim=(0, 1), ylim=(0, 1), ylabel="share that is right")
    above.set_title(f"{title}\nexpected calibration error {calibration_error(table):.3f}")
    below.bar(shown["bin_start"], shown["words"], width, align="edge", color="#9ecae1", edgecolor="white")
    below.set(xlabel="confidence", ylabel="words")
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    undated = {".png": {}, ".svg": {"Date": None}, ".pdf": {"CreationDate": None}}[path.suffix]
    with whole_file(path, TreebankError) as stream, rc_context({"svg.hashsalt": "panparser"}):
        figure.savefig(stream, format=path.suffix[1:], dpi=150, metadata=undated)
