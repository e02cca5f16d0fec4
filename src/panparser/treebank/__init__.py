"""Treebanks: the columns of CoNLL-U, sentences and tokens, files, statistics, drawings."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
