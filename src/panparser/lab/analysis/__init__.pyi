"""Error analysis: where a parser is wrong, by any criteria, as tables, plots and a report. Needs pandas."""

from panparser.evaluation.significance import holm as holm
from panparser.inspection.contributions import Contributions as Contributions
from panparser.inspection.explaining import Explanation as Explanation
from panparser.inspection.model_weights import WeightCourse as WeightCourse
from panparser.inspection.model_weights import shared as shared
from panparser.inspection.model_weights import strongest as strongest
from panparser.inspection.model_weights import weights_of as weights_of
from panparser.inspection.propagation import Propagation as Propagation
from panparser.inspection.propagation import propagation as propagation
from panparser.lab.analysis.comparison import agreement as agreement
from panparser.lab.analysis.comparison import compare as compare
from panparser.lab.analysis.comparison import difference as difference
from panparser.lab.analysis.comparison import who_is_right as who_is_right
from panparser.lab.analysis.criteria import Condition as Condition
from panparser.lab.analysis.criteria import Criterion as Criterion
from panparser.lab.analysis.criteria import JointCriterion as JointCriterion
from panparser.lab.analysis.criteria import by_token as by_token
from panparser.lab.analysis.criteria_text import CRITERIA as CRITERIA
from panparser.lab.analysis.criteria_text import condition as condition
from panparser.lab.analysis.criteria_text import criterion as criterion
from panparser.lab.analysis.frame import MEASURES as MEASURES
from panparser.lab.analysis.frame import Frame as Frame
from panparser.lab.analysis.frame import Measure as Measure
from panparser.lab.analysis.frame import make_frame as make_frame
from panparser.lab.analysis.report_page import report as report
from panparser.lab.analysis.report_page import write_plots as write_plots
from panparser.lab.analysis.report_page import write_report as write_report
from panparser.lab.analysis.score_tables import confusion as confusion
from panparser.lab.analysis.score_tables import confusions as confusions
from panparser.lab.analysis.score_tables import counts as counts
from panparser.lab.analysis.score_tables import precision_recall as precision_recall
from panparser.lab.analysis.score_tables import scores as scores
from panparser.lab.analysis.score_tables import two_way as two_way
from panparser.lab.analysis.score_tables import worst as worst
from panparser.lab.analysis.word_columns import Column as Column
from panparser.lab.analysis.word_columns import Words as Words
from panparser.lab.curves import Curves as Curves
from panparser.lab.curves import correlation as correlation
from panparser.lab.curves import learning_curves as learning_curves
from panparser.lab.curves import sample_curves as sample_curves
from panparser.lab.curves import simplicity as simplicity
from panparser.lab.sampling_bias import TrainingStates as TrainingStates
from panparser.lab.sampling_bias import sampling_bias as sampling_bias
from panparser.lab.sampling_bias import states_met as states_met

__all__: list[str]
