"""Formats of UDPipe: plain, horizontal, vertical and generically tokenized text; what is written in them, and Matxin.

`panparser parse` and `panparser serve` read and write them in the same way.
"""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
