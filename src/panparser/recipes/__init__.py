"""Recipes: everything that determines a model as a TOML file, and what runs it."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
