"""Features: templates and their language, word vectors."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
