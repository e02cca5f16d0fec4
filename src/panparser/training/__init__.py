"""Training of parsers: corpora, runs of the engine and of classifiers, checkpoints."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
