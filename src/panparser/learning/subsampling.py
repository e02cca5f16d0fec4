"""Learning from a part of the annotations, drawn anew in each epoch (Aufrant's thesis: by frequency, by accuracy)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from panparser._checks import check_share, is_number
from panparser.errors import SpecError

if TYPE_CHECKING:
    from panparser.treebank.regions import ArcRegion

By = Literal["share", "frequency", "accuracy", "accuracy-once"]


@dataclass(frozen=True, kw_only=True)
class Subsampling:
    """Which arcs a parser learns from.

    `share` of all arcs is kept; the others are unknown for the epoch. `by`: uniformly at random ("share"), or by class
    of arcs (tag of the dependent and direction), reducing the frequent ones to one size ("frequency"), or preferring
    those with the most errors so far ("accuracy": as measured on the development set after the last epoch), or with the
    most errors of a parser that learned from all arcs ("accuracy-once": it is trained before, in the same way). With
    `where`, a Region or its table, only arcs of that region are left out, all of them if `share` is 0.
    """

    share: float
    by: By = "share"
    where: ArcRegion | None = None

    def __post_init__(self) -> None:
        if self.where is not None:
            self._check_where()
        if self.where is None or not is_number(self.share) or self.share != 0:
            check_share("Subsampling: share", self.share)
        if self.by not in get_args(By):
            raise SpecError(f"Subsampling: by must be one of {', '.join(get_args(By))}; got {self.by!r}")

    def _check_where(self) -> None:
        from panparser.treebank.regions import ArcRegion

        if isinstance(self.where, Mapping):
            object.__setattr__(self, "where", ArcRegion.from_values(self.where))
        elif not isinstance(self.where, ArcRegion):
            raise SpecError(f"Subsampling: where must be a Region; got {self.where!r}")

    def to_values(self) -> dict[str, Any]:
        """Plain values; `where` is among them if there is one."""
        values = asdict(self)
        del values["where"]
        return values if self.where is None else {**values, "where": self.where.to_values()}
