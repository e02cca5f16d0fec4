"""Trees without treebanks: gold trees, projectivity, decoding, drawing, enumeration."""

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
