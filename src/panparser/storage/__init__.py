"""Files: atomic writes, named arrays, TOML, stored models."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
