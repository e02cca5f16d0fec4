"""Treebanks: columns of a CoNLL-U file, its sentences and tokens; reading, writing, checking, matching."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
