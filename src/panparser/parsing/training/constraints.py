"""Constraints during training: search keeps them, as it will when parsing, and features read them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np

from panparser._checks import is_number
from panparser.errors import ConstraintError, SpecError
from panparser.learning.labels import Labels
from panparser.parsing.batch.kept import BatchConstraints
from panparser.parsing.constraints.constraints import Constraints
from panparser.parsing.constraints.search import KeptTrees
from panparser.parsing.spec import ParserSpec
from panparser.treebank.treebank import Treebank
from panparser.trees.gold import UNKNOWN

Source = Constraints | float  # constraints, or the share of the known heads of a treebank that is given
_DEV = 1 << 21  # draws for the development set


def drawn(treebank: Treebank, share: float, rng: np.random.Generator) -> Constraints:
    """A share of the heads of a treebank, as constraints."""
    constraints = Constraints.of(treebank, keep={"heads"})
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
        if is_share and not 0 < float(self.source) <= 1:  # type: ignore[arg-type]
            raise SpecError(f"constraints of train, as a share, must be above 0 and at most 1; got {self.source!r}")
        if not is_share and not isinstance(self.source, Constraints):
            raise SpecError(f"train: constraints must be Constraints or a share of the heads; got {self.source!r}")
        if self.dev_source is not None and (self.dev is None or is_share):
            raise SpecError("train: dev_constraints need a development set, and constraints that are not a share")
        if self.dev is not None and not is_share and not isinstance(self.dev_source, Constraints):
            raise SpecError(f"train: dev_constraints must be Constraints, as constraints are; got {self.dev_source!r}")

    def of_epoch(self, epoch: int) -> Constraints:
        """The constraints of the treebank in an epoch."""
        if isinstance(self.source, Constraints):
            return self.source
        return drawn(self.treebank, self.source, np.random.default_rng([self.seed, epoch, _DEV - 1]))

    def of_dev(self) -> Constraints | None:
        if self.dev is None or isinstance(self.source, Constraints):
            return self.dev_source
        return drawn(self.dev, self.source, np.random.default_rng([self.seed, _DEV]))

    def lowered(self, spec: ParserSpec, labels: Labels, epoch: int) -> BatchConstraints:
        """Return the constraints of an epoch in the form that search uses."""
        return lowered(spec, labels, self.treebank, self.of_epoch(epoch))

    def to_values(self) -> dict[str, Any]:
        """Plain values, as a manifest holds them."""
        if not isinstance(self.source, Constraints):
            return {"share": float(self.source)}
        return {name: _digest(found) for name, found in (("train", self.source), ("dev", self.dev_source)) if found}


def lowered(spec: ParserSpec, labels: Labels, treebank: Treebank, constraints: Constraints) -> BatchConstraints:
    """Return constraints of a treebank in the form that search uses; conflicting ones are dropped."""
    try:
        return KeptTrees.of(spec, labels, treebank, constraints, relax=True).to_search()
    except ConstraintError as error:
        raise SpecError(f"constraints of train: {error}") from None


def _digest(constraints: Constraints) -> str:
    parts = (constraints.heads.tobytes(), constraints.labels.tobytes(), repr((constraints.texts, constraints.more)))
    return hashlib.sha256(b"".join(p.encode() if isinstance(p, str) else p for p in parts)).hexdigest()
