"""The report: charts, plots and the page."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
