"""Tables: scores by class, comparisons, learning curves, calibration."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
