"""Parsers: specs, models, search, constraints, training, inspection."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
