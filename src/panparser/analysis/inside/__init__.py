"""Inside a model, as tables: weights by name, errors and what they cause."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
