"""Grids: recipes with axes, run by processes or a cluster; results that can be questioned afterwards."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
