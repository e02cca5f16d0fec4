"""How anything is learned: strategies, options, epochs, folds, listeners, tasks in Python."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
