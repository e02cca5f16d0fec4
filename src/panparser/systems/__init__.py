"""Transition systems: the table language, built-in tables, systems in Python, states, oracles, proofs."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
