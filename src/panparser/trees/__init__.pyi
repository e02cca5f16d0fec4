"""Trees without treebanks: gold trees, projectivity, decoding, drawing, enumeration."""

from panparser.trees.enumeration import all_trees as all_trees
from panparser.trees.enumeration import partial_golds as partial_golds
from panparser.trees.enumeration import projective_trees as projective_trees
from panparser.trees.enumeration import random_projective_tree as random_projective_tree
from panparser.trees.gold import HEAD_LEFT as HEAD_LEFT
from panparser.trees.gold import HEAD_RIGHT as HEAD_RIGHT
from panparser.trees.gold import NO_HEAD as NO_HEAD
from panparser.trees.gold import GoldTree as GoldTree
from panparser.trees.gold import Span as Span
from panparser.trees.projectivity import conflicting_arcs as conflicting_arcs
from panparser.trees.projectivity import crossing_arcs as crossing_arcs
from panparser.trees.projectivity import deprojectivize as deprojectivize
from panparser.trees.projectivity import gap_degree as gap_degree
from panparser.trees.projectivity import is_projective as is_projective
from panparser.trees.projectivity import maximum_projective_tree as maximum_projective_tree
from panparser.trees.projectivity import maximum_spanning_tree as maximum_spanning_tree
from panparser.trees.projectivity import nonprojectivity_counts as nonprojectivity_counts
from panparser.trees.projectivity import projective_subset as projective_subset
from panparser.trees.projectivity import projectivize as projectivize

__all__: list[str]
