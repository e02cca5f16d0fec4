"""Learning from a part of the annotations, drawn anew in each epoch (Aufrant's thesis: by frequency, by accuracy)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from panparser.errors import SpecError

if TYPE_CHECKING:
    from panparser._epochs import Epochs
    from panparser.treebank import Treebank

By = Literal["share", "frequency", "accuracy"]


@dataclass(frozen=True, kw_only=True)
class Subsample:
    """Which arcs a parser learns from.

    `share` of all arcs is kept; the others are unknown for the epoch. `by`: every arc alike ("share"), or classes of
    arcs (tag of the dependent and direction) with the frequent ones cut down to one size ("frequency"), or with those
    kept that the parser so far gets wrong most ("accuracy": as measured on the development set after the last epoch).
    """

    share: float
    by: By = "share"

    def __post_init__(self) -> None:
        if not isinstance(self.share, int | float) or not 0 < self.share <= 1:
            raise SpecError(f"share of Subsample must be above 0 and at most 1; got {self.share!r}")
        if self.by not in get_args(By):
            raise SpecError(f"by of Subsample must be one of {', '.join(get_args(By))}; got {self.by!r}")

    def to_values(self) -> dict[str, Any]:
        return asdict(self)

    def choose(self, run: Epochs[Any], rng: np.random.Generator) -> npt.NDArray[np.bool_]:
        """For each word, whether its arc is kept in the epoch that begins."""
        tags = _tags(run.treebank, run.dev)
        classes = _classes(run.treebank, tags)
        counts = np.bincount(classes)
        draws = rng.random(len(classes))
        if self.by == "share":
            return draws < self.share
        if self.by == "frequency":
            return draws < _scaled(1 / np.maximum(counts, 1), counts, self.share)[classes]
        if run.dev is None:
            raise SpecError("subsampling by accuracy needs a development set")
        if run.best_weights is None:
            return draws < self.share
        dev = run.dev
        heads, _ = run.parser_of(run.weights()).predict(dev)
        own = _classes(dev, tags)
        right = np.bincount(own, weights=(heads == dev.heads), minlength=len(counts))[: len(counts)]
        total = np.bincount(own, minlength=len(counts))[: len(counts)]
        errors = 1 - right / np.maximum(total, 1)  # a class that the development set lacks counts as all wrong
        return draws < _scaled(errors, counts, self.share)[classes]


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
