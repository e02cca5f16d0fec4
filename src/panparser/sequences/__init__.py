"""A class for each item of a sequence: models, their training, taggers."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
