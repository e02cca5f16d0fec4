"""Raw text to sentences, tokens and words."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
