"""Inspection: why a parser took an action, step by step; weights, errors and what they cause."""

from panparser.inspection.explaining import explain as explain
from panparser.inspection.lessons import show_lesson as show_lesson
from panparser.inspection.stepping import DerivationView as DerivationView
from panparser.inspection.stepping import step_through as step_through

__all__: list[str]
