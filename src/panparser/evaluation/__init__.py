"""Scores of a prediction against a reference, with intervals and comparisons."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
