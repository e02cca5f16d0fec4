"""Interlinear glossed text of FLEx, Toolbox and Leipzig blocks: CoNLL-U from glosses, trees through translations."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
