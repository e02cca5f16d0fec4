"""Error analysis: where a parser is wrong, by any criteria, as tables and plots. Needs pandas.

frame = analysis.frame(gold, predicted)
analysis.scores(frame, by="upos,head-upos")
"""

try:
    import pandas as _pandas  # noqa: F401 - every module below needs it
except ImportError:
    raise ImportError("panparser.analysis needs pandas: pip install 'panparser[analysis]'") from None

from panparser.analysis.comparison import agreement, compare, difference, holm, who_is_right
from panparser.analysis.conditions import Condition, condition
from panparser.analysis.criteria import CRITERIA, criterion
from panparser.analysis.criterion import Criterion, Joined, by_token
from panparser.analysis.curves import correlation, learning_curves, simplicity
from panparser.analysis.explaining import Contributions, Explanation, explain
from panparser.analysis.frame import Frame, frame
from panparser.analysis.measures import MEASURES, Measure
from panparser.analysis.propagation import Propagation, propagation
from panparser.analysis.report import report, write_plots, write_report
from panparser.analysis.tables import (
    confusion,
    confusions,
    counts,
    precision_recall,
    scores,
    two_way,
    worst,
)
from panparser.analysis.weights import WeightCourse, shared, strongest, weights_of
from panparser.analysis.words import Column, Words

__all__ = [
    "CRITERIA",
    "Column",
    "Condition",
    "Contributions",
    "Criterion",
    "Explanation",
    "Frame",
    "Joined",
    "MEASURES",
    "Measure",
    "Propagation",
    "WeightCourse",
    "Words",
    "agreement",
    "by_token",
    "compare",
    "condition",
    "confusion",
    "confusions",
    "correlation",
    "counts",
    "criterion",
    "difference",
    "explain",
    "frame",
    "holm",
    "learning_curves",
    "precision_recall",
    "propagation",
    "report",
    "scores",
    "shared",
    "simplicity",
    "strongest",
    "two_way",
    "weights_of",
    "who_is_right",
    "worst",
    "write_plots",
    "write_report",
]
