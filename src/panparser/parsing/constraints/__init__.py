"""Constraints on trees, known before parsing: values, the solver, search under them, proofs."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
