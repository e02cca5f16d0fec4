"""Feature templates: atoms, sets, embeddings, and how they are lowered for the engine."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
