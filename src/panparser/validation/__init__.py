"""Validation: the rules of CoNLL-U and Universal Dependencies, levels 1 and 2."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
