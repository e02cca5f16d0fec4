"""Inside a parser: derivations, features by name, why an action was chosen."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
