"""Parsing: specification, parser, the models that score, batches of states, constraints, confidence."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
