"""Proofs and tools for tests: exhaustive checks of transition systems, a slow reference, generators of trees."""

from panparser.parsing.constraints.proof import ConstraintReport, check_constraints
from panparser.systems.proof.check import CheckReport, check_system
from panparser.systems.proof.reference import ReferenceSystem
from panparser.trees.enumeration import (
    all_trees,
    is_projective,
    partial_golds,
    projective_trees,
    random_projective_tree,
)

__all__ = [
    "CheckReport",
    "ConstraintReport",
    "ReferenceSystem",
    "all_trees",
    "check_constraints",
    "check_system",
    "is_projective",
    "partial_golds",
    "projective_trees",
    "random_projective_tree",
]
