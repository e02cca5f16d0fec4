"""Raw text to trees in one model; the bundled models."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
