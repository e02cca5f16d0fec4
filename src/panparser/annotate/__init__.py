"""Annotation: sessions, edits, the journal, completion, learning while annotating, the page."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
