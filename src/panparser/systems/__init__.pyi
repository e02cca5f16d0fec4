"""Transition systems: the table language, the systems of the papers, systems in Python, states, oracles."""

from panparser._engine import ILLEGAL_COST as ILLEGAL_COST
from panparser.systems.oracles import oracle_derivations as oracle_derivations
from panparser.systems.oracles import static_derivation as static_derivation
from panparser.systems.python_system import MutableState as MutableState
from panparser.systems.python_system import PythonSystem as PythonSystem
from panparser.systems.registry import system as system
from panparser.systems.state import State as State
from panparser.systems.transition_system import Transition as Transition
from panparser.systems.transition_system import TransitionSystem as TransitionSystem

__all__: list[str]
