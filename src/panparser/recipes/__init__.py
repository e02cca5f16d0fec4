"""Recipes: everything that makes a model, as a TOML file."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
