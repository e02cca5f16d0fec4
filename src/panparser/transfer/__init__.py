"""Parsers for languages with little data: similar languages, typology, projected trees."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
