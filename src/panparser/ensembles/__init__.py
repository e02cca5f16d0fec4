"""Several parsers as one: votes, combined trees, cascades."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
