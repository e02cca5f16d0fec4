"""Error analysis: where a parser is wrong, by any criteria, as tables, plots and a report. Needs pandas."""

try:
    import pandas as _pandas  # noqa: F401 - every module below needs it
except ImportError:
    raise ImportError("panparser.lab.analysis needs pandas: pip install 'panparser[analysis]'") from None

from panparser.names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
