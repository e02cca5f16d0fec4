"""Seeds, cross-validation, learning curves."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
