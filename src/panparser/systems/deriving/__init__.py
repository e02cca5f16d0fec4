"""Losses derived from conditions and effects: evidence by exhaustive search, candidates, the smallest exact sum."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__, evidence="Case", tables="without_costs", witness="Witness")
