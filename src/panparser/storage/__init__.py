"""Files: what is written appears whole or not at all; named arrays, TOML, whatever a model file holds."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
