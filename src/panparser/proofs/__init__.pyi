"""Proofs: transition systems checked exhaustively, losses derived, constraints proven."""

from panparser.proofs.constraint_proof import ConstraintReport as ConstraintReport
from panparser.proofs.constraint_proof import check_constraints as check_constraints
from panparser.proofs.deriving import DerivedLosses as DerivedLosses
from panparser.proofs.deriving import derive_losses as derive_losses
from panparser.proofs.interpreter import ReferenceSystem as ReferenceSystem
from panparser.proofs.system_proof import CheckReport as CheckReport
from panparser.proofs.system_proof import check_system as check_system

__all__: list[str]
