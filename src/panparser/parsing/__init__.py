"""Parsers: what they are made of, what scores, search, constraints, training, a look inside."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
