"""Constraints, and parts of trees, while a parser is trained."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from panparser.base.checks import SHARE, check_number, is_number
from panparser.base.types import BoolArray, IntArray
from panparser.errors import ConstraintError, SpecError
from panparser.learning.layers import Labels
from panparser.learning.training import Subsampling
from panparser.parsing.constraint_search import KeptTrees
from panparser.parsing.constraints import Constraints
from panparser.parsing.kept_constraints import BatchConstraints
from panparser.parsing.spec import ParserSpec
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

Source = Constraints | float  # constraints, or the share of the known heads of a treebank that is given
_DEV = 1 << 21  # draws for the development set


def drawn(treebank: Treebank, share: float, rng: np.random.Generator) -> Constraints:
    """A share of the heads of a treebank, as constraints."""
    constraints = Constraints.from_treebank(treebank, keep={"heads"})
    constraints.heads[rng.random(treebank.words) >= share] = UNKNOWN
    return constraints


@dataclass(frozen=True)
class TrainingConstraints:
    """Constraints of the search in each epoch, and of the development set.

    A share is drawn anew in each epoch, and once for the development set. Constraints that contradict the gold are not
    changed: a parser that will be given wrong ones must learn to cope with them. Those that no tree of the system can
    keep together are dropped.
    """

    source: Source
    dev_source: Constraints | None
    treebank: Treebank
    dev: Treebank | None
    seed: int

    def __post_init__(self) -> None:
        is_share = is_number(self.source)
        if is_share:
            check_number("train: constraints", self.source, SHARE)
        if not is_share and not isinstance(self.source, Constraints):
            raise SpecError(f"train: constraints must be Constraints or a share of the heads; got {self.source!r}")
        if self.dev_source is not None and (self.dev is None or is_share):
            raise SpecError("train: dev_constraints requires dev, and constraints that are not a share")
        if self.dev is not None and not is_share and not isinstance(self.dev_source, Constraints):
            raise SpecError(f"train: dev_constraints must be Constraints, as constraints are; got {self.dev_source!r}")

    def for_epoch(self, epoch: int) -> Constraints:
        """The constraints of the treebank in an epoch."""
        if isinstance(self.source, Constraints):
            return self.source
        return drawn(self.treebank, self.source, np.random.default_rng([self.seed, epoch, _DEV - 1]))

    def for_dev(self) -> Constraints | None:
        if self.dev is None or isinstance(self.source, Constraints):
            return self.dev_source
        return drawn(self.dev, self.source, np.random.default_rng([self.seed, _DEV]))

    def lowered(self, spec: ParserSpec, labels: Labels, epoch: int) -> BatchConstraints:
        """Return the constraints of an epoch in the form that search uses."""
        return lowered(spec, labels, self.treebank, self.for_epoch(epoch))

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a manifest holds them."""
        if not isinstance(self.source, Constraints):
            return {"share": float(self.source)}
        return {name: _digest(found) for name, found in (("train", self.source), ("dev", self.dev_source)) if found}


def lowered(spec: ParserSpec, labels: Labels, treebank: Treebank, constraints: Constraints) -> BatchConstraints:
    """Return constraints of a treebank in the form that search uses; conflicting ones are dropped."""
    try:
        return KeptTrees.from_constraints(spec, labels, treebank, constraints, relax=True).to_search()
    except ConstraintError as error:
        raise SpecError(f"train: constraints: {error}") from None


def _digest(constraints: Constraints) -> str:
    parts = (
        constraints.heads.tobytes(),
        constraints.labels.tobytes(),
        repr((constraints.texts, constraints.other_constraints)).replace("allowed=", "wanted="),  # as in older models
    )
    return hashlib.sha256(b"".join(p.encode() if isinstance(p, str) else p for p in parts)).hexdigest()


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
    if subsample.criterion.startswith("accuracy") and dev is None:
        raise SpecError("train: subsample by accuracy requires dev")
    draws = rng.random(treebank.words)
    chosen = None
    if subsample.region is not None:
        from panparser.treebank.arc_regions import Arcs

        chosen = subsample.region.matches(Arcs.from_treebank(treebank))
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
    if subsample.criterion == "share" or (subsample.criterion != "frequency" and predicted is None):
        return subsample.share
    tags = _tags(treebank, dev)
    classes = _classes(treebank, tags)
    counts = np.bincount(classes if chosen is None else classes[chosen], minlength=2 * len(tags))
    if subsample.criterion == "frequency":
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
