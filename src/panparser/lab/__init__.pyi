"""Experiments: grids of runs and their results, learning curves, cross-validation, error analysis."""

from panparser.lab import analysis as analysis
from panparser.lab.curves import LearningCurvePoint as LearningCurvePoint
from panparser.lab.curves import learning_curve as learning_curve
from panparser.lab.grid_file import Grid as Grid
from panparser.lab.grid_running import GridListener as GridListener
from panparser.lab.grid_running import run_grid as run_grid
from panparser.lab.grid_runs import GridRun as GridRun
from panparser.lab.grid_work import external_outcome as external_outcome
from panparser.lab.outcomes import RunOutcome as RunOutcome
from panparser.lab.result_groups import PublishedResults as PublishedResults
from panparser.lab.result_groups import TreebankGroups as TreebankGroups
from panparser.lab.result_tables import ResultTableLayout as ResultTableLayout
from panparser.lab.results import GridResult as GridResult
from panparser.lab.results import GridResults as GridResults
from panparser.lab.table_output import ResultTable as ResultTable
from panparser.lab.validation import FoldScore as FoldScore
from panparser.lab.validation import cross_validate as cross_validate
from panparser.lab.validation import jackknife as jackknife
from panparser.lab.validation import train_seeds as train_seeds

__all__: list[str]
