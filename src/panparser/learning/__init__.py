"""Learning: what all training shares, such as options, strategies, epochs, listeners and folds."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
