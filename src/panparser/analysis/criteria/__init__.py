"""Criteria that group words, and conditions that select them."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
