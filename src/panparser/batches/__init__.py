"""Batches: states of many sentences at a time, and the classifiers in Python that score them."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
