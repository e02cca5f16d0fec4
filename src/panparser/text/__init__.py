"""Text: characters, tokenizer, multiword tokens, lemmatizer."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
