"""Error analysis: where a parser is wrong, by any criteria, as tables and plots. Needs pandas.

frame = analysis.frame(gold, predicted)
analysis.scores(frame, by="upos,head-upos")
"""

from importlib import import_module
from types import ModuleType

try:
    import pandas as _pandas  # noqa: F401 - every module below needs it
except ImportError:
    raise ImportError("panparser.analysis needs pandas: pip install 'panparser[analysis]'") from None

from panparser.analysis.criteria.builtin import CRITERIA, criterion
from panparser.analysis.criteria.conditions import Condition
from panparser.analysis.criteria.criterion import Criterion, JointCriterion, by_token
from panparser.analysis.criteria.reading import condition
from panparser.analysis.frame import Frame, make_frame
from panparser.analysis.inside.propagation import Propagation, propagation
from panparser.analysis.inside.sampling import TrainingStates, sampling_bias, states_met
from panparser.analysis.inside.weights import WeightCourse, shared, strongest, weights_of
from panparser.analysis.measures import MEASURES, Measure
from panparser.analysis.reporting.report import report, write_plots, write_report
from panparser.analysis.tables.comparison import agreement, compare, difference, who_is_right
from panparser.analysis.tables.curves import correlation, learning_curves, simplicity
from panparser.analysis.tables.sample_curves import Curves, sample_curves
from panparser.analysis.tables.scores import confusion, confusions, counts, precision_recall, scores, two_way, worst
from panparser.analysis.words import Column, Words
from panparser.evaluation.significance import holm
from panparser.parsing.inspection.contributions import Contributions
from panparser.parsing.inspection.explaining import Explanation

__all__ = [
    "CRITERIA",
    "Column",
    "Condition",
    "Contributions",
    "Criterion",
    "Curves",
    "Explanation",
    "Frame",
    "Joined",
    "MEASURES",
    "Measure",
    "Propagation",
    "TrainingStates",
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
    "frame",
    "holm",
    "learning_curves",
    "precision_recall",
    "propagation",
    "report",
    "sample_curves",
    "sampling_bias",
    "scores",
    "shared",
    "simplicity",
    "states_met",
    "strongest",
    "two_way",
    "weights_of",
    "who_is_right",
    "worst",
    "write_plots",
    "write_report",
]


def __getattr__(name: str) -> ModuleType:
    if name == "plots":  # needs matplotlib, which the tables do not
        return import_module("panparser.analysis.reporting.plots")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
