"""Transition systems: the table language, the systems of the papers, systems in Python, states, oracles."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
