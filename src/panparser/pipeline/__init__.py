"""Pipelines: raw text to trees in one model; loading of models; the component for spaCy."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
