"""Experiments: grids of runs and their results, learning curves, cross-validation, error analysis."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
