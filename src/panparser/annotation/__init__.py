"""Annotation of treebanks by a person and a parser that learns: documents, edits, journal, completion, learning."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
