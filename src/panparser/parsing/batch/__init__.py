"""States of many sentences at a time, as numpy arrays: search and learning over them."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
