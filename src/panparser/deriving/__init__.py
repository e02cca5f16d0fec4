"""Losses derived from conditions and effects: evidence by exhaustive search, candidates, the smallest exact sum."""

from panparser.deriving.evidence import Case
from panparser.deriving.tables import Derived, derive, without_costs
from panparser.deriving.witness import Witness

__all__ = ["Case", "Derived", "Witness", "derive", "without_costs"]
