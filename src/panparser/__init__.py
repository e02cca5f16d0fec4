"""panparser: transition-based dependency parsing. Transition systems are tables; their oracles are exact."""

from importlib.metadata import version

from panparser._engine import ILLEGAL_COST
from panparser.decoding import maximum_spanning_tree, projective_tree
from panparser.errors import (
    CheckFailed,
    DecodingError,
    GoldError,
    IllegalTransitionError,
    PanParserError,
    StuckError,
    TableError,
    UnknownSystemError,
)
from panparser.gold import EMPTY, LEFT, RIGHT, Gold
from panparser.oracles import oracle_derivations, static_derivation
from panparser.projectivity import (
    conflicts,
    crossing_arcs,
    deprojectivize,
    gap_degree,
    is_projective,
    nonprojectivity,
    projective_subset,
    projectivize,
)
from panparser.python_system import PythonSystem, StateView
from panparser.states import State
from panparser.systems import system
from panparser.transitions import Transition, TransitionSystem

__version__ = version("panparser")

__all__ = [
    "CheckFailed",
    "DecodingError",
    "EMPTY",
    "Gold",
    "GoldError",
    "ILLEGAL_COST",
    "IllegalTransitionError",
    "LEFT",
    "PanParserError",
    "PythonSystem",
    "RIGHT",
    "State",
    "StateView",
    "StuckError",
    "TableError",
    "Transition",
    "TransitionSystem",
    "UnknownSystemError",
    "conflicts",
    "crossing_arcs",
    "deprojectivize",
    "gap_degree",
    "is_projective",
    "maximum_spanning_tree",
    "nonprojectivity",
    "oracle_derivations",
    "projective_subset",
    "projective_tree",
    "projectivize",
    "static_derivation",
    "system",
]
