"""Pages: one theme, one tree in SVG, one skeleton for all pages, in one file or from a server.

Plain ES modules and CSS without a build step; `page` puts them together, `site` is what servers send of them.
"""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
