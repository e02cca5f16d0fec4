"""Learning from a part of the annotations, drawn anew in each epoch (Aufrant's thesis: by frequency, by accuracy)."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from panparser._checks import check_share
from panparser.errors import SpecError

By = Literal["share", "frequency", "accuracy"]


@dataclass(frozen=True, kw_only=True)
class Subsample:
    """Which arcs a parser learns from.

    `share` of all arcs is kept; the others are unknown for the epoch. `by`: uniformly at random ("share"), or by class
    of arcs (tag of the dependent and direction), reducing the frequent ones to one size ("frequency"), or preferring
    those with the most errors so far ("accuracy": as measured on the development set after the last epoch).
    """

    share: float
    by: By = "share"

    def __post_init__(self) -> None:
        check_share("share of Subsample", self.share)
        if self.by not in get_args(By):
            raise SpecError(f"by of Subsample must be one of {', '.join(get_args(By))}; got {self.by!r}")

    def to_values(self) -> dict[str, Any]:
        return asdict(self)
