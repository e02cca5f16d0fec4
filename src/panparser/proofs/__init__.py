"""Proofs: transition systems checked exhaustively, losses derived, constraints proven."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
