"""Pages: one theme, one tree in SVG, one skeleton for all pages that open from a file.

Plain JavaScript and CSS without a build step; `page` puts them together with data.
"""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
