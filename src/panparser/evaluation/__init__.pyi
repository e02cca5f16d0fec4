"""Evaluation: scores, confidence intervals, significance tests."""

from panparser.evaluation.metrics import Evaluation as Evaluation
from panparser.evaluation.metrics import compare_evaluations as compare_evaluations
from panparser.evaluation.metrics import evaluate as evaluate

__all__: list[str]
