"""Projection: word alignment, and trees projected to translations."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
