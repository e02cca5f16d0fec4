"""Words to lemmas: edit scripts, a dictionary, a classifier."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
