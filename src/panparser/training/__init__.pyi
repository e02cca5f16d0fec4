"""Training of parsers: corpora, runs of the engine and of classifiers, checkpoints."""

from panparser.training.training_parsers import train as train

__all__: list[str]
