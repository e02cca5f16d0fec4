"""What words are sorted by: criteria, and conditions on them."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
