"""Tagging: sequence models, taggers, lexicons."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
