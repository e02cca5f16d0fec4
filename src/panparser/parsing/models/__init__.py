"""Models that score the actions and labels of a parser."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
