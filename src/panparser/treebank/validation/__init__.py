"""Validation: the rules of Universal Dependencies for files (level 1), and for trees and annotations (level 2)."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
