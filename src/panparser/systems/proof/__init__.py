"""Proofs by exhaustive search: every state, every reference, every cost."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
