"""Parsers for languages with few trees or none: similar languages, typology, projection, glossed text."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
