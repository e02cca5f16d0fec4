"""Trees without treebanks: references, projectivity, decoding, drawings, enumeration."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
