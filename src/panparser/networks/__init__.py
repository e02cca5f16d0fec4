"""Neural networks: what they are made of, as data, and how they score, with numpy alone."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
