"""Proofs and tools for tests: exhaustive checks of transition systems, a slow reference, generators of trees."""

from panparser.testing.check import CheckReport, check_system
from panparser.testing.constraints import ConstraintReport, check_constraints
from panparser.testing.reference import ReferenceSystem
from panparser.testing.trees import (
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
