"""Inspection: why a parser took an action, step by step; weights, errors and what they cause."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
