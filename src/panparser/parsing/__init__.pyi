"""Parsing: specification, parser, the models that score, batches of states, constraints, confidence."""

from panparser.parsing.calibrating import calibrate as calibrate
from panparser.parsing.confidence import Calibration as Calibration
from panparser.parsing.confidence import ConfidentParses as ConfidentParses
from panparser.parsing.constraints import Constraint as Constraint
from panparser.parsing.constraints import Constraints as Constraints
from panparser.parsing.constraints import DroppedConstraint as DroppedConstraint
from panparser.parsing.parse_options import Parsed as Parsed
from panparser.parsing.parse_options import ScoredTree as ScoredTree
from panparser.parsing.parser import Parser as Parser
from panparser.parsing.spec import ParserSpec as ParserSpec
from panparser.parsing.table_states import StateBatch as StateBatch

__all__: list[str]
