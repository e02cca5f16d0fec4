"""Which arcs of a treebank an epoch learns from."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from panparser._arrays import BoolArray, IntArray
from panparser.errors import SpecError
from panparser.learning.subsampling import Subsampling
from panparser.treebank.treebank import Treebank


def kept_arcs(
    subsample: Subsampling,
    treebank: Treebank,
    rng: np.random.Generator,
    dev: Treebank | None = None,
    predicted: IntArray | None = None,
) -> BoolArray:
    """For each word of a treebank, whether its arc is kept in the next epoch.

    `predicted`: heads that a parser finds in `dev`, for subsampling by accuracy: the current one, or one that learned
    from all arcs; None before the first epoch.
    """
    if subsample.by.startswith("accuracy") and dev is None:
        raise SpecError("subsampling by accuracy needs a development set")
    draws = rng.random(treebank.words)
    chosen = None
    if subsample.where is not None:
        from panparser.treebank.regions import Arcs

        chosen = subsample.where.holds(Arcs.of(treebank))
    kept: BoolArray = draws < _chances(subsample, treebank, chosen, dev, predicted)
    return kept if chosen is None else kept | ~chosen


def _chances(
    subsample: Subsampling,
    treebank: Treebank,
    chosen: BoolArray | None,
    dev: Treebank | None,
    predicted: IntArray | None,
) -> float | npt.NDArray[np.float64]:
    """The probability that the arc of a word is kept; `chosen` are the words that may lose theirs, None: all."""
    if subsample.by == "share" or (subsample.by != "frequency" and predicted is None):
        return subsample.share
    tags = _tags(treebank, dev)
    classes = _classes(treebank, tags)
    counts = np.bincount(classes if chosen is None else classes[chosen], minlength=2 * len(tags))
    if subsample.by == "frequency":
        return _scaled(1 / np.maximum(counts, 1), counts, subsample.share)[classes]
    assert dev is not None
    assert predicted is not None
    own = _classes(dev, tags)
    right = np.bincount(own, weights=(predicted == dev.heads), minlength=len(counts))
    total = np.bincount(own, minlength=len(counts))
    errors = 1 - right / np.maximum(total, 1)  # a class missing from the development set counts as all wrong
    return _scaled(errors, counts, subsample.share)[classes]


def _scaled(wishes: npt.NDArray[np.float64], counts: npt.NDArray[np.int64], share: float) -> npt.NDArray[np.float64]:
    """Probabilities proportional to wishes, at most 1, that keep `share` of all."""
    low, high = 0.0, 1e12
    for _ in range(100):
        middle = (low + high) / 2
        if (np.minimum(1, middle * wishes) * counts).sum() < share * counts.sum():
            low = middle
        else:
            high = middle
    return np.minimum(1, high * wishes)


def _tags(*treebanks: Treebank | None) -> dict[str, int]:
    """A number for each tag: those of the first treebank come first, sorted."""
    found = [sorted(treebank.vocabulary("upos")) for treebank in treebanks if treebank is not None]
    return {tag: number for number, tag in enumerate(dict.fromkeys(tag for tags in found for tag in tags))}


def _classes(treebank: Treebank, tags: dict[str, int]) -> npt.NDArray[np.int64]:
    """A number for tag and direction of each word."""
    words = np.arange(treebank.words) - treebank.offsets[treebank.sentence_of_word()] + 1
    own = np.array([tags[tag] for tag in treebank.vocabulary("upos")])
    numbers: npt.NDArray[np.int64] = 2 * own[treebank.column("upos")] + (treebank.heads > words)
    return numbers
